//! The list of all settings: the section of each owner, and the interval of each job.

use std::sync::LazyLock;

use crate::cache::options::{CacheOptions, IndexOptions};
use crate::config::{Interval, Schema, TextTable};
use crate::embed;
use crate::jobs::JOBS;
use crate::jobs::rules;
use crate::recall::query::is_saved_name;
use crate::run::attention::options::ReviewOptions;
use crate::run::daily::options::DailyOptions;
use crate::run::judge::options::JudgeOptions;
use crate::run::options::{SleepOptions, WatchOptions};
use crate::run::presets::PRESETS;
use crate::run::remember::options::RememberOptions;
use crate::run::sleep::step::Step;
use crate::session::settings::SAVED_QUERIES;
use crate::session::ui::UiOptions;
use crate::signals;

/// All settings in display order.
pub static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let general = Schema::default()
        .section::<IndexOptions>()
        .interval(
            Step::Index.name(),
            "how often `mem sleep` scans the whole vault, even if no other job is due",
            Interval::hours(1),
        )
        .section::<RememberOptions>()
        .section::<DailyOptions>()
        .section::<SleepOptions>()
        .presets(rules::RulesOptions::PRESET, PRESETS)
        .section::<ReviewOptions>()
        .section::<JudgeOptions>();
    let base = signals::options::declare(general);
    let schema = JOBS.iter().fold(base, |schema, job| job.declare(schema));
    schema
        .interval(
            Step::Settle.name(),
            "how often `mem sleep` writes usage statistics into managed notes",
            Interval::days(1),
        )
        .section::<WatchOptions>()
        .section::<CacheOptions>()
        .section::<embed::EmbedOptions>()
        .section::<UiOptions>()
        .texts(TextTable {
            section: SAVED_QUERIES,
            takes: "a query, under a name of letters, digits, `-` and `_`",
            is_taken: |name, text| is_saved_name(name) && !text.trim().is_empty(),
        })
});

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use toml::Table;

    use super::*;
    use crate::config::{Origin, Settings};
    use crate::embed::{EmbedOptions, Provider};
    use crate::jobs;
    use crate::run::options::Apply;

    fn embed(settings: &Settings) -> EmbedOptions {
        settings.of()
    }

    fn load(user: &str, vault: &str, environment: &[(&str, &str)]) -> (Settings, Vec<String>) {
        let files = [
            (Origin::User("user".into()), Ok(user.to_owned())),
            (Origin::Vault("vault".into()), Ok(vault.to_owned())),
        ];
        let settings = Settings::load(&SCHEMA, files, |name| {
            let found = environment.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        });
        let problems = settings.problems.iter().map(ToString::to_string).collect();
        (settings, problems)
    }

    #[test]
    fn defaults_are_valid() {
        let settings = load("", "", &[]).0;
        for setting in SCHEMA.all() {
            let user = Origin::User("user".into());
            let checked = settings.check(setting, &setting.default, &user);
            assert_eq!(checked.unwrap(), setting.default, "{}", setting.key);
        }
    }

    #[test]
    fn jobs_with_interval_or_rule_are_enabled() {
        let rule = "[[rule]]\nname = 'r'\nrun = 'dedupe'\n";
        let disabled_rule = format!("{rule}enabled = false\n");
        for (user, rules, expected) in [
            ("", "", "conflicts dedupe"),
            ("dedupe.every = 'off'", "", "conflicts"),
            ("dedupe.every = 'off'", rule, "conflicts dedupe"),
            ("dedupe.every = 'off'", &disabled_rule, "conflicts"),
            (
                "[rules]\nevery = 'off'\n[dedupe]\nevery = 'off'",
                rule,
                "conflicts",
            ),
            ("conflicts.every = 'off'\nrules.enabled = false", rule, ""),
        ] {
            let (mut settings, problems) = load(user, "", &[]);
            assert_eq!(problems, [""; 0]);
            let origin = Origin::Vault("rules".into());
            settings.rules = vec![(origin, Ok(rules.to_owned()))];
            let names = jobs::enabled(&settings).into_iter().map(|job| job.name);
            let mut enabled: Vec<&str> = names
                .filter(|name| ["dedupe", "conflicts"].contains(name))
                .collect();
            enabled.sort_unstable();
            assert_eq!(enabled.join(" "), expected, "{user} {rules}");
        }
        let (settings, _) = load("", "", &[]);
        let enabled = jobs::enabled(&settings);
        let disabled: Vec<&str> = JOBS
            .iter()
            .filter(|job| !enabled.contains(job))
            .map(|job| job.name)
            .collect();
        assert_eq!(disabled, ["forget"]);
    }

    #[test]
    fn later_layers_win_but_a_vault_cannot_raise_values() {
        for (user, vault, environment, apply, problems) in [
            ("", "", vec![], Apply::Managed, vec![]),
            ("sleep.apply = 'all'", "", vec![], Apply::All, vec![]),
            (
                "sleep.apply = 'all'",
                "sleep.apply = 'none'",
                vec![],
                Apply::None,
                vec![],
            ),
            (
                "",
                "[sleep]\napply = \"all\"",
                vec![],
                Apply::Managed,
                vec!["`vault` sets `sleep.apply` to \"all\"; a vault may only lower it"],
            ),
            ("", "", vec![("MEM_SLEEP_APPLY", "all")], Apply::All, vec![]),
        ] {
            let (settings, found) = load(user, vault, &environment);
            assert_eq!(
                (settings.of::<SleepOptions>().apply, found),
                (apply, problems.into_iter().map(str::to_owned).collect())
            );
        }
    }

    #[test]
    fn vault_cannot_set_where_texts_are_sent() {
        let all = "provider = 'endpoint'\nurl = 'http://evil'\nkey_env = 'HOME'\nbatch = 1\n";
        let (settings, problems) = load("embed.model = 'mine'", &format!("[embed]\n{all}"), &[]);
        let expected = EmbedOptions {
            model: "mine".to_owned(),
            ..EmbedOptions::default()
        };
        assert_eq!(embed(&settings), expected);
        let forbidden = ["batch", "key_env", "provider", "url"]
            .map(|key| format!("`vault` sets `embed.{key}`; only your own settings can"));
        assert_eq!(problems, forbidden);
        let (settings, problems) = load(&format!("[embed]\n{all}timeout = 1.5"), "", &[]);
        assert_eq!(problems, [""; 0]);
        let expected = EmbedOptions {
            provider: Provider::Endpoint,
            url: "http://evil".to_owned(),
            key_env: "HOME".to_owned(),
            batch: 1,
            timeout: Duration::from_millis(1500),
            ..EmbedOptions::default()
        };
        assert_eq!(embed(&settings), expected);
        let variables = [("MEM_EMBED_BATCH", "64"), ("MEM_EMBED_PATIENCE", "0.5")];
        let (settings, problems) = load("", "", &variables);
        assert_eq!((embed(&settings).batch, problems.len()), (64, 0));
        assert_eq!(embed(&settings).patience, Duration::from_millis(500));
    }

    #[test]
    fn presets_are_layers_below_the_file_with_their_name() {
        for (user, vault, environment, of_associate, of_cluster, problems) in [
            ("", "", vec![], "built in 7d", "built in 7d", vec![]),
            (
                "rules.preset = 'automem'",
                "",
                vec![],
                "preset `automem` 1h",
                "preset `automem` 6h",
                vec![],
            ),
            (
                "rules.preset = 'automem'\ncluster.every = '2d'",
                "associate.every = '3d'",
                vec![],
                "`vault` 3d",
                "`user` 2d",
                vec![],
            ),
            // Later presets override earlier ones; the vault's presets override the user's
            // settings.
            (
                "cluster.every = '2d'",
                "rules.preset = 'automem, busy'",
                vec![],
                "preset `busy` 2h",
                "preset `busy` 12h",
                vec![],
            ),
            (
                "",
                "rules.preset = 'automem'",
                vec![("MEM_RULES_PRESET", "busy"), ("MEM_CLUSTER_EVERY", "5m")],
                "preset `busy` 2h",
                "`MEM_CLUSTER_EVERY` 5m",
                vec![],
            ),
            (
                "rules.preset = 'automen, busy'",
                "",
                vec![],
                "preset `busy` 2h",
                "preset `busy` 12h",
                vec!["`user` names unknown preset `automen`; did you mean `automem`?"],
            ),
        ] {
            let (settings, found) = load(user, vault, &environment);
            let of = |key: &str| {
                let setting = SCHEMA.named(key).unwrap();
                let value = settings.value(setting).as_str().unwrap();
                format!("{} {value}", settings.origin(setting))
            };
            assert_eq!(
                (of("associate.every"), of("cluster.every"), found),
                (
                    of_associate.to_owned(),
                    of_cluster.to_owned(),
                    problems.into_iter().map(str::to_owned).collect()
                ),
                "{user} {vault}"
            );
        }
    }

    #[test]
    fn presets_are_valid_in_a_vault() {
        for (name, text) in PRESETS {
            // No preset raises a value that a vault may only lower, or sets one that only the user
            // may set.
            let vault = format!("rules.preset = '{name}'");
            let (settings, problems) = load("", &vault, &[]);
            assert_eq!(problems, [""; 0], "{name}");
            let table: Table = text.parse().unwrap();
            let wanted = usize::from(table.contains_key("rule"));
            assert_eq!(settings.rules.len(), wanted, "{name}");
            assert!(settings.rules.iter().all(|(origin, _)| origin.is_vault()));
            let rules = rules::Rules::of(&settings);
            let problems: Vec<String> = rules.problems.iter().map(ToString::to_string).collect();
            assert_eq!(problems, [""; 0], "{name}");
        }
    }

    #[test]
    fn invalid_settings_are_reported() {
        for (user, problem) in [
            (
                "sleep.aply = 'all'",
                "`user` sets unknown key `sleep.aply`; did you mean `sleep.apply`?",
            ),
            ("colour = 1", "`user` sets unknown key `colour`"),
            (
                "sleep.apply = 'some'",
                "`user` sets `sleep.apply` to \"some\"; it takes \"managed\", \"all\" or \"none\"",
            ),
            (
                "cache.inside = 'x'",
                "`user` sets `cache.inside` to \"x\"; it takes true or false",
            ),
            (
                "remember.folder = '../x'",
                "`user` sets `remember.folder` to \"../x\"; it takes a folder inside the vault",
            ),
            (
                "embed.url = 'localhost:11434'",
                "`user` sets `embed.url` to \"localhost:11434\"; it takes an address like \
                 http://localhost:11434",
            ),
            (
                "embed.key_env = 'sk-1234'",
                "`user` sets `embed.key_env` to a hidden value; it takes the name of an \
                 environment variable",
            ),
            (
                "embed.batch = 0",
                "`user` sets `embed.batch` to 0; it takes a number from 1 to 2048",
            ),
            (
                "embed.timeout = -1",
                "`user` sets `embed.timeout` to -1; it takes seconds, like 60 or 0.5",
            ),
        ] {
            assert_eq!(load(user, "", &[]).1, [problem]);
        }
        // Many keys of a hostile vault.
        let tables: String = (0..30).fold(String::new(), |text, n| {
            text + &format!("[\"t{n:02}\\n\"]\ncommand = 'rm -r'\nendpoint = 'x'\n")
        });
        let problems = load("", &tables, &[]).1;
        assert_eq!(problems.len(), 6);
        assert_eq!(problems[0], "`vault` sets unknown key `t00\\n`");
        assert_eq!(problems[5], "`vault` sets 25 more unknown keys");
        assert!(load("a = ", "", &[]).1[0].starts_with("`user` is ignored: line 1: "));
    }
}
