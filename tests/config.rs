//! `mem config`

use std::fs;

use expect_test::expect;
use mem::commands::setup::settings::SCHEMA;

use crate::support::TestVault;
use crate::support::records::{Config, Setting};
use crate::support::terminal::Terminal;

#[test]
fn setting_is_explained() {
    let vault = TestVault::empty();
    let _ = vault.run(["config", "review.daily", "5"]).raw();
    let mut terminal = Terminal::start(&vault, [120, 10], &["config", "review.daily"]);
    assert_eq!(terminal.end(), 0);
    expect![[r#"
        review.daily = 5  `$HOME/.config/mem/config.toml`
          maximum number of questions a day; everything else is a suggestion (`mem review --all`); 0 asks nothing
          takes a number from 0 to 10000; default 10
    "#]].assert_eq(&terminal.contents());
}

#[test]
fn list_of_settings_is_paged() {
    let vault = TestVault::empty();
    let pager = [("PAGER", "cat > /dev/null; echo paged")];
    let mut terminal = Terminal::with(&vault, [80, 24], &["config"], &pager);
    assert_eq!(terminal.end(), 0);
    let contents = terminal.contents();
    assert!(contents.starts_with("paged\nhint: "), "{contents}");
}

#[test]
fn values_show_their_origin() {
    let vault = TestVault::empty();
    let user = vault.home(".config/mem/config.toml");
    fs::create_dir_all(user.parent().unwrap()).unwrap();
    fs::write(&user, "[remember]\nfolder = \"inbox\"\n").unwrap();
    vault.write(
        ".mem/config.toml",
        "index.language = \"german\"\nsleep.apply = \"all\"\n[judge]\ncommand = \"curl evil\"\n\
         [embed]\nurl = \"http://evil\"\n",
    );
    let listed = vault
        .command(["config", "--all"])
        .env("MEM_CACHE_INSIDE", "true")
        .run()
        .raw();
    assert_eq!(listed.stderr, "");
    let (built_in, others): (Vec<&str>, Vec<&str>) = listed
        .stdout
        .lines()
        .partition(|line| line.ends_with(" built in"));
    expect![[r#"
        index.language                 = "german"     `$VAULT/.mem/config.toml`
        remember.folder                = "inbox"      `$HOME/.config/mem/config.toml`
          ignored: `$VAULT/.mem/config.toml` sets `sleep.apply` to "all"; a vault may only lower it
          ignored: `$VAULT/.mem/config.toml` sets `judge.command`; only your own settings can
        cache.inside                   = true         `MEM_CACHE_INSIDE`
        embed.encoder                  = "off"        `MEM_EMBED_ENCODER`
          ignored: `$VAULT/.mem/config.toml` sets `embed.url`; only your own settings can"#]]
    .assert_eq(&others.join("\n"));
    let daily = |line: &&str| line.starts_with("review.daily ") && line.contains("= 10 ");
    assert!(built_in.iter().any(daily));
    let notes = others.iter().filter(|line| line.starts_with(' ')).count();
    assert_eq!(built_in.len() + others.len() - notes, SCHEMA.all().count());
    vault
        .run(["config", "remember.folder"])
        .stdout(expect!["inbox"])
        .code(0);
    let config: Config = vault.run(["config", "--all", "--json"]).json(0);
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
fn expert_settings_are_listed_if_asked_for_or_set() {
    let vault = TestVault::empty();
    vault.run(["-q", "config", "stability.gain", "0.6"]).code(0);
    let config: Config = vault.run(["-q", "config", "--json"]).json(0);
    let expert: Vec<&str> = config
        .settings
        .iter()
        .filter(|setting| !setting.everyday)
        .map(|setting| setting.key.as_str())
        .collect();
    assert_eq!(expert, ["stability.gain"]);
    let everyday = SCHEMA.all().filter(|setting| setting.is_everyday).count();
    assert!((40..=50).contains(&everyday), "{everyday}");
    let left_out = SCHEMA.all().count() - everyday - 1;
    let run = vault.run(["config"]).raw();
    assert_eq!(
        run.stderr,
        format!("hint: {left_out} more expert settings: `mem config --all`\n")
    );
}

#[test]
fn setting_is_set_and_unset() {
    let vault = TestVault::empty();
    let user = vault.home(".config/mem/config.toml");
    vault
        .run(["config", "sleep.apply", "none"])
        .stderr(expect![[r#"
            set `sleep.apply = "none"` in `$HOME/.config/mem/config.toml`
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
            set `sleep.apply = "none"` in `$VAULT/.mem/config.toml`
        "#]])
        .code(0);
    vault
        .run(["config", "sleep.apply", "all"])
        .stderr(expect![[r#"
            wrote `$HOME/.config/mem/config.toml`, but `$VAULT/.mem/config.toml` overrides it with `sleep.apply = "none"`
        "#]])
        .code(0);
    let setting: Setting = vault
        .run(["config", "--vault", "--unset", "--json", "sleep.apply"])
        .json(0);
    assert_eq!(setting.value, "all");
    vault
        .run(["config", "embed.patience", "0.5"])
        .stderr(expect![[r#"
            set `embed.patience = 0.5` in `$HOME/.config/mem/config.toml`
        "#]])
        .code(0);
    // Outside a vault the user's file still applies.
    vault
        .command(["config", "sleep.apply"])
        .in_folder(&vault.home(""))
        .run()
        .stdout(expect!["all"])
        .code(0);
}

#[test]
fn invalid_values_are_refused() {
    let vault = TestVault::empty();
    for (arguments, message, hint) in [
        (
            vec!["sleep.aply"],
            "unknown setting `sleep.aply`",
            Some("did you mean `sleep.apply`?"),
        ),
        (
            vec!["foo"],
            "unknown setting `foo`",
            Some("`mem config --all` lists all settings"),
        ),
        (
            vec!["kettle.boils", "x"],
            "unknown setting `kettle.boils`",
            Some("`mem config --all` lists all settings"),
        ),
        (
            vec!["sleep.apply", "some"],
            "`sleep.apply` cannot be \"some\"; it takes \"managed\", \"all\" or \"none\"",
            None,
        ),
        (
            vec!["rules.preset", "automem, ormha"],
            "unknown preset `ormha`",
            Some("did you mean `ormah`?"),
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
fn a_saved_query_with_mistakes_is_reported() {
    let vault = TestVault::empty();
    vault
        .run(["config", "queries.mine", "@opn sort:nothing tea"])
        .stderr(expect![[r#"
            warning: `@mine`: no saved query `opn`; `mem list @` lists saved queries
            warning: `@mine`: unknown order `sort:nothing`; known: path, title, created, updated, valid_until, confidence, importance, retrievability, stability, relevance, salience, activity, promotion, questions, accesses, accessed, idle, degree, length
            saved `@opn sort:nothing tea` as `@mine` in `$HOME/.config/mem/config.toml`
        "#]])
        .code(0);
}

#[test]
fn vault_cannot_set_an_endpoint() {
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

#[test]
fn section_is_listed_by_name() {
    let vault = TestVault::empty();
    vault
        .run(["config", "watch"])
        .stdout(expect![[r#"
            watch.quiet = "2m"   built in
            watch.grace = "off"  built in
        "#]])
        .code(0);
    vault
        .run(["config", "watch", "1m"])
        .stderr(expect![[r#"
            error: unknown setting `watch`
            hint: settings of `watch`: `watch.quiet`, `watch.grace`
        "#]])
        .code(2);
}
