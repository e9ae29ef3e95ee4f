//! `mem config`

use std::fs;

use expect_test::expect;
use mem::commands::settings::SCHEMA;

use crate::support::TestVault;
use crate::support::records::{Config, Setting};

#[test]
#[expect(clippy::too_many_lines, reason = "one list of all settings")]
fn every_value_says_whence_it_is() {
    let vault = TestVault::empty();
    let user = vault.home(".config/mem/config.toml");
    fs::create_dir_all(user.parent().unwrap()).unwrap();
    fs::write(&user, "[remember]\nfolder = \"inbox\"\n").unwrap();
    vault.write(
        ".mem/config.toml",
        "index.language = \"german\"\nsleep.apply = \"all\"\n[judge]\ncommand = \"curl evil\"\n\
         [embed]\nurl = \"http://evil\"\n",
    );
    vault
        .command(["config"])
        .env("MEM_CACHE_INSIDE", "true")
        .run()
        .stdout(expect![[r#"
            index.language           = "german"             `$VAULT/.mem/config.toml`
            index.hnsw               = "auto"               built in
            index.every              = "1h"                 built in
            remember.folder          = "inbox"              `$HOME/.config/mem/config.toml`
            remember.link            = "off"                built in
            sleep.apply              = "managed"            built in
              ignored: `$VAULT/.mem/config.toml` sets `sleep.apply` to "all"; a vault may only lower it
            sleep.idle               = "0s"                 built in
            sleep.commit             = "never"              built in
            review.daily             = 10                   built in
            review.learn             = true                 built in
            signals.use              = "confirmed"          built in
            signals.persist          = "none"               built in
            stability.initial        = 5.814                built in
            stability.base           = 1.0                  built in
            stability.gain           = 0.5                  built in
            stability.damping        = 0.5                  built in
            stability.spacing        = 0.2                  built in
            stability.ceiling        = 2.0                  built in
            stability.most           = 365.0                built in
            stability.pause          = 1.0                  built in
            salience.learn           = 0.3                  built in
            salience.forget          = 0.05                 built in
            salience.most            = 3.0                  built in
            activity.bump            = 0.1                  built in
            activity.penalty         = 0.1                  built in
            activity.most            = 10.0                 built in
            context.keep             = true                 built in
            context.blend            = "reward"             built in
            context.newest           = 0.3                  built in
            importance.access        = 0.34                 built in
            importance.links         = 0.33                 built in
            importance.recency       = 0.33                 built in
            importance.accesses_full = 50.0                 built in
            importance.links_full    = 20.0                 built in
            importance.fades         = "half-life"          built in
            importance.half_life     = 14.0                 built in
            relevance.decay          = 0.01                 built in
            relevance.access_decay   = 0.05                 built in
            relevance.access_base    = 0.3                  built in
            relevance.access_gain    = 0.3                  built in
            relevance.relations      = 0.3                  built in
            relevance.floor          = 0.3                  built in
            promotion.relevance      = 0.3                  built in
            promotion.frequency      = 0.24                 built in
            promotion.diversity      = 0.15                 built in
            promotion.recency        = 0.15                 built in
            promotion.consolidation  = 0.1                  built in
            promotion.richness       = 0.06                 built in
            promotion.half_life      = 14.0                 built in
            fate.fading              = 0.3                  built in
            fate.important           = 2.0                  built in
            fate.archive             = 0.2                  built in
            fate.delete              = 0.05                 built in
            fate.protect             = 0.7                  built in
            fate.grace               = 90.0                 built in
            fate.types               = "decision, insight"  built in
            dedupe.every             = "1d"                 built in
            dedupe.certain           = 0.6                  built in
            dedupe.ask               = 0.6                  built in
            conflicts.every          = "1d"                 built in
            conflicts.types          = "usual"              built in
            conflicts.resolve        = false                built in
            link.every               = "1d"                 built in
            link.similar             = "managed"            built in
            link.least               = 0.0                  built in
            link.per_note            = 5                    built in
            link.mentions            = true                 built in
            spaces.every             = "1d"                 built in
            spaces.notes             = "managed"            built in
            spaces.least             = 0.5                  built in
            spaces.passes            = 0                    built in
            settle.every             = "1d"                 built in
            watch.quiet              = "2m"                 built in
            cache.inside             = true                 `MEM_CACHE_INSIDE`
            embed.provider           = "embedded"           built in
            embed.url                = ""                   built in
              ignored: `$VAULT/.mem/config.toml` sets `embed.url`; only your own settings can
            embed.model              = ""                   built in
            embed.key_env            = ""                   built in
            embed.query_prefix       = ""                   built in
            embed.passage_prefix     = ""                   built in
            embed.batch              = 32                   built in
            embed.timeout            = 60                   built in
            embed.patience           = 2                    built in
        "#]])
        .stderr(expect![[r#"
            warning: `$VAULT/.mem/config.toml` sets unknown key `judge`
        "#]])
        .code(0);
    vault
        .run(["config", "remember.folder"])
        .stdout(expect!["inbox"])
        .code(0);
    let config: Config = vault
        .run(["config", "--json"])
        .stderr(expect![[r#"
            warning: `$VAULT/.mem/config.toml` sets unknown key `judge`
        "#]])
        .json(0);
    assert_eq!(config.settings.len(), SCHEMA.all().count());
    assert_eq!(config.settings[0].origin.from, "vault");
    let named = |key: &str| {
        let found = config.settings.iter().find(|setting| setting.key == key);
        found.unwrap_or_else(|| panic!("no setting {key}"))
    };
    for (key, may) in [("sleep.apply", "lower"), ("embed.url", "not set")] {
        assert_eq!(named(key).vault_may, may);
        assert_eq!(named(key).ignored.len(), 1);
    }
}

#[test]
fn one_is_set_and_taken_out_again() {
    let vault = TestVault::empty();
    let user = vault.home(".config/mem/config.toml");
    vault
        .run(["config", "sleep.apply", "none"])
        .stderr(expect![[r#"
            `sleep.apply` is "none" now, in `$HOME/.config/mem/config.toml`
        "#]])
        .code(0);
    assert_eq!(
        fs::read_to_string(&user).unwrap(),
        "[sleep]\napply = \"none\"\n"
    );
    fs::write(&user, "# mine\n[sleep]\napply = 'none' # at night\n").unwrap();
    vault
        .run(["-q", "config", "sleep.apply", "managed"])
        .code(0);
    assert_eq!(
        fs::read_to_string(&user).unwrap(),
        "# mine\n[sleep]\napply = \"managed\" # at night\n"
    );
    vault
        .run(["config", "--vault", "sleep.apply", "none"])
        .stderr(expect![[r#"
            `sleep.apply` is "none" now, in `$VAULT/.mem/config.toml`
        "#]])
        .code(0);
    vault
        .run(["config", "sleep.apply", "all"])
        .stderr(expect![[r#"
            `$HOME/.config/mem/config.toml` is written, but `sleep.apply` is "none": `$VAULT/.mem/config.toml` comes after it
        "#]])
        .code(0);
    let setting: Setting = vault
        .run(["config", "--vault", "--unset", "--json", "sleep.apply"])
        .json(0);
    assert_eq!(setting.value, "all");
    vault
        .run(["config", "embed.patience", "0.5"])
        .stderr(expect![[r#"
            `embed.patience` is 0.5 now, in `$HOME/.config/mem/config.toml`
        "#]])
        .code(0);
    // Outside of any vault there is still the user's file.
    vault
        .command(["config", "sleep.apply"])
        .in_folder(&vault.home(""))
        .run()
        .stdout(expect!["all"])
        .code(0);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let vault = TestVault::empty();
    for (arguments, message, hint) in [
        (
            vec!["sleep.aply"],
            "unknown setting `sleep.aply`",
            Some("did you mean `sleep.apply`?"),
        ),
        (
            vec!["model.command", "x"],
            "unknown setting `model.command`",
            Some("`mem config` lists all settings"),
        ),
        (
            vec!["sleep.apply", "some"],
            "`sleep.apply` cannot be \"some\"; it takes \"managed\", \"all\" or \"none\"",
            None,
        ),
        (
            vec!["remember.folder", "../x"],
            "`remember.folder` cannot be \"../x\"; it takes a folder inside the vault",
            None,
        ),
        (
            vec!["--vault", "sleep.apply", "all"],
            "a vault cannot set `sleep.apply` to \"all\"; it may only lower your own setting",
            Some("drop `--vault` to set it in your own file: `mem config sleep.apply …`"),
        ),
        (
            vec!["--vault", "embed.url", "http://localhost:11434"],
            "a vault cannot set `embed.url`; only your own settings can",
            Some("drop `--vault` to set it in your own file: `mem config embed.url …`"),
        ),
        (
            vec!["embed.key_env", "sk-1234"],
            "`embed.key_env` cannot be a hidden value; it takes the name of an environment \
             variable",
            None,
        ),
    ] {
        let failure = vault
            .run([vec!["config", "--json"], arguments].concat())
            .failure();
        assert_eq!(failure.message, message);
        assert_eq!(failure.hints.first().map(String::as_str), hint);
    }
    assert!(!vault.home(".config").exists() && !vault.path(".mem/config.toml").exists());
}

#[test]
fn a_vault_that_says_where_texts_go_is_not_heard() {
    let vault = TestVault::of([("a.md", "Tea\n")]);
    vault.write(".mem/config.toml", "[embed]\nbatch = 9\n");
    vault
        .run(["config", "embed.batch"])
        .stdout(expect!["32"])
        .code(0);
    vault
        .run(["index"])
        .stdout(expect!["1 note, no changes"])
        .stderr(expect![[r#"
            warning: `$VAULT/.mem/config.toml` sets `embed.batch`; only your own settings can
        "#]])
        .code(0);
}
