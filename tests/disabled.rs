//! Jobs with `every = "off"` contribute nothing anywhere; everything returns when they are enabled.

use std::collections::BTreeSet;
use std::fs;

use expect_test::expect;
use mem::jobs::job::Job;
use mem::jobs::{JOBS, views};
use serde_json::Value;

use crate::support::TestVault;
use crate::support::records::Question;
use crate::support::terminal::Terminal;

/// Settings with which every job has a question about handwritten notes, and a judge.
const SETTINGS: &str = "
[judge]
command = 'false'
[spaces]
notes = 'all'
[associate]
notes = 'all'
relevance = 0
[cluster]
notes = 'all'
relevance = 0
min_cosine = 0.6
[consolidate]
notes = 'all'
[decay]
notes = 'all'
[forget]
notes = 'all'
every = '1d'
";

const RULE: &str =
    "[[rule]]\nname = 'old harbours'\neach = 'path:Harbour.md'\ndo = { tag = 'old' }\n";

const TITLE: &str = "The user drinks green tea at four";
const FACTS: &str = "The user drinks green tea at four.\n\nPostgres listens on port 5432.\n\nAda was born in Basel.";

fn vault() -> TestVault {
    let vault = TestVault::indexed("every-job");
    fs::create_dir_all(vault.home(".config/mem")).unwrap();
    fs::write(vault.home(".config/mem/config.toml"), SETTINGS).unwrap();
    vault.write(".mem/rules.toml", RULE);
    let remembered = ["-q", "remember", "--title", TITLE, FACTS];
    assert_eq!(vault.run(remembered).raw().code, 0);
    // From this date the age of notes matters.
    vault.at("2060-04-01T12:00:00Z");
    vault
        .run(["-q", "sleep", "--only", "decay,forget", "--apply", "none"])
        .raw();
    vault.at("2060-09-01T12:00:00Z");
    vault
}

/// Returns the settings that disable a job.
fn off(job: &Job) -> String {
    format!("{}.every = 'off'\n", job.name)
}

/// Output of the jobs in each place.
#[derive(Clone, Debug, Default, PartialEq)]
struct JobOutput {
    /// Id and kind of all questions and suggestions, in order.
    open: Vec<(String, String)>,
    /// Ids of the questions for judges.
    judged: BTreeSet<String>,
    /// Jobs and kinds in `mem status`, and its lists of skipped items.
    status: BTreeSet<String>,
    /// Jobs of a sleep, and kinds in its report.
    slept: BTreeSet<String>,
    /// Jobs announced at their start.
    told: BTreeSet<String>,
    /// Pending changes that `mem why` reports.
    why: String,
}

fn keys(value: &Value) -> impl Iterator<Item = String> + '_ {
    let object = value.as_object().unwrap();
    object.keys().cloned()
}

fn texts<'v>(values: &'v Value, key: &'static str) -> impl Iterator<Item = String> + 'v {
    let values = values.as_array().unwrap().iter();
    values.map(move |value| value[key].as_str().unwrap().to_owned())
}

fn seen(vault: &TestVault) -> JobOutput {
    let json = |arguments: &[&str]| -> Value {
        let outcome = vault.run(arguments).raw();
        serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome:?}"))
    };
    let open = vault.run(["-q", "review", "--all", "--jsonl"]).raw().stdout;
    let open = open.lines().map(|line| {
        let question: Question = serde_json::from_str(line).unwrap();
        (question.id, question.kind)
    });
    let judged = json(&["-q", "judge", "--dry-run", "--json"]);
    let status = json(&["status", "--json"]);
    let lists = status["lists"].as_array().unwrap();
    let sleep = json(&["-q", "sleep", "--dry-run", "--all", "--json"]);
    let told = vault.run(["sleep", "--dry-run", "--all", "-v"]).raw();
    let why = ["Oak", "Old quay", TITLE].map(|note| {
        let why = vault.run(["why", note]).raw().stdout;
        why.lines().last().unwrap().to_owned()
    });
    JobOutput {
        open: open.collect(),
        judged: texts(&judged["calls"], "id").collect(),
        status: keys(&status["jobs"])
            .chain(keys(&status["review"]["kinds"]))
            .chain((!lists.is_empty()).then(|| "left alone".to_owned()))
            .collect(),
        slept: texts(&sleep["jobs"], "job")
            .chain(texts(&sleep["not_due"], "job"))
            .chain(keys(&sleep["open"]["kinds"]))
            .collect(),
        told: told
            .stderr
            .lines()
            .filter_map(|line| Some(line.strip_suffix(" started")?.rsplit_once(' ')?.1))
            .map(str::to_owned)
            .collect(),
        why: why.join("\n"),
    }
}

impl JobOutput {
    /// Removes the output of these jobs.
    fn without(&self, jobs: &[&'static Job]) -> Self {
        let is_kind = |kind: &str| {
            let mut kinds = jobs.iter().flat_map(|job| job.kinds);
            kinds.any(|of| of.name() == kind)
        };
        let is_left = |name: &String| !is_kind(name) && jobs.iter().all(|job| job.name != name);
        let mut left = self.clone();
        left.open.retain(|(_, kind)| !is_kind(kind));
        let is_open = |id: &String| left.open.iter().any(|(open, _)| open == id);
        left.judged.retain(is_open);
        left.status.retain(is_left);
        left.slept.retain(is_left);
        left.told.retain(is_left);
        if jobs.contains(&&views::JOB) {
            left.status.remove("left alone");
        }
        left
    }
}

#[test]
fn disabled_job_contributes_nothing_until_enabled() {
    let vault = vault();
    let on = seen(&vault);
    for job in JOBS {
        let name = job.name;
        assert!(on.without(&[job]).open.len() < on.open.len(), "{name}");
        assert!(
            on.status.contains(name) && on.slept.contains(name),
            "{name}"
        );
        assert!(on.told.contains(name), "{name}");
    }
    for job in JOBS {
        vault.write(".mem/config.toml", &off(job));
        let (found, expected) = (seen(&vault), on.without(&[job]));
        // Other questions take the places of its own among today's.
        let sorted = |seen: &JobOutput| seen.open.iter().cloned().collect::<BTreeSet<_>>();
        assert_eq!(sorted(&found), sorted(&expected), "{}", job.name);
        assert_eq!(found.judged, expected.judged, "{}", job.name);
        assert_eq!(found.status, expected.status, "{}", job.name);
        assert_eq!(found.slept, expected.slept, "{}", job.name);
        assert_eq!(found.told, expected.told, "{}", job.name);
        let command = format!("`mem {}`", job.name);
        assert!(!found.why.contains(&command), "{}", found.why);
    }
    // Questions asked today in a job's place stay.
    vault.write(".mem/config.toml", "");
    let again = seen(&vault);
    assert_eq!(again, on);
}

#[test]
fn disabled_job_runs_by_name_and_accepts_answers_by_id() {
    let text = "The spare key of the garden shed hangs behind the rain barrel, on the left.\n";
    let cheese = "We buy the cheese for the party at the market on Saturday morning.\n";
    let vault = TestVault::of([
        ("Key.md", text),
        ("Key 1.md", text),
        ("Cheese.md", cheese),
        ("Cheese 1.md", cheese),
    ]);
    let asked: Vec<Question> = vault.run(["-q", "review", "--jsonl"]).jsonl(0);
    let ids: Vec<&str> = asked.iter().map(|asked| &*asked.id).collect();
    assert_eq!(ids.len(), 2);
    let completed = || {
        let words = vault.command(["mem review accept ", ""]);
        let words = words.env("MEM_COMPLETE", "bash").run().raw().stdout;
        ids.iter().filter(|id| words.contains(**id)).count()
    };
    assert_eq!(completed(), 2);
    vault.run(["-q", "config", "dedupe.every", "off"]).raw();
    // It is not asked, counted or completed, nor reported for a new note.
    vault.run(["-q", "sleep", "--check"]).code(0);
    vault
        .run(["review", "--all", "--kind", "merge"])
        .stderr(expect![[r#"
            hint: `dedupe.every` is off: `mem dedupe --dry-run` lists what it would ask
            no open questions
        "#]])
        .code(1);
    vault
        .run(["review", "accept", "--all"])
        .stderr(expect!["no open questions"])
        .code(1);
    assert_eq!(completed(), 0);
    vault
        .run(["remember", "--title", "Shed", text.trim()])
        .stdout(expect!["shed.md"])
        .stderr(expect![])
        .code(0);
    vault.run(["-q", "rm", "shed"]).raw();
    // It runs by name, as a command and in a sleep.
    vault
        .run(["sleep", "-v", "--only", "dedupe"])
        .stdout(expect![[r#"
            dedupe      0 pairs compared: 2 open
            1a93b477 Merge Cheese 1.md into Cheese.md? (same text)
            1f74fd95 Merge Key 1.md into Key.md? (same text)
        "#]])
        .stderr(expect![[r#"
            $TIME dedupe started
            $TIME dedupe finished: 0 pairs compared: 2 open ($SECONDS s)
            hint: `dedupe.every` is off: `mem review` omits these questions; answer with `mem review accept ID` or `mem review reject ID`
        "#]])
        .code(0);
    vault
        .run(["dedupe"])
        .stdout(expect![[r#"
            1a93b477 Merge Cheese 1.md into Cheese.md? (same text)
            1f74fd95 Merge Key 1.md into Key.md? (same text)
        "#]])
        .stderr(expect![[r#"
            hint: `dedupe.every` is off: `mem review` omits these questions; answer with `mem review accept ID` or `mem review reject ID`
        "#]])
        .code(0);
    vault
        .run(["review"])
        .stderr(expect!["no open questions"])
        .code(1);
    // Its questions can be answered by id.
    vault
        .run(["review", "accept", ids[0]])
        .stdout(expect!["merged Cheese 1.md into Cheese.md"])
        .stderr(expect!["hint: undo with `mem undo 757z`"])
        .code(0);
    let line = format!("{{\"id\": \"{}\", \"answer\": \"no\"}}\n", ids[1]);
    vault
        .command(["review", "--apply", "-"])
        .stdin(&line)
        .run()
        .stdout(expect!["rejected: merge Key 1.md into Key.md"])
        .stderr(expect![[r#"
            hint: ask again with `mem review forget 1f74fd95`
        "#]])
        .code(0);
    vault
        .run(["review", "accept", ids[1]])
        .stderr(expect![[r#"
            error: no open question `1f74fd95652c7ee3`
            hint: it was answered no by review; `mem review forget 1f74fd95652c7ee3` reopens the question
        "#]])
        .code(2);
    vault
        .run(["dedupe"])
        .stdout(expect!["no duplicates"])
        .code(0);
}

#[test]
fn rules_enabled_false_stops_all_maintenance() {
    let vault = vault();
    vault
        .run(["-q", "config", "rules.enabled", "false"])
        .code(0);
    let json = |arguments: &[&str]| -> Value {
        serde_json::from_str(&vault.run(arguments).raw().stdout).unwrap()
    };
    let open = vault.run(["-q", "review", "--all", "--jsonl"]).raw();
    assert_eq!(open.stdout, "");
    let judged = json(&["-q", "judge", "--dry-run", "--json"]);
    assert_eq!(texts(&judged["calls"], "id").count(), 0);
    let status = json(&["status", "--json"]);
    assert_eq!(keys(&status["jobs"]).collect::<Vec<_>>(), ["index"]);
    let sleep = json(&["-q", "sleep", "--dry-run", "--all", "--json"]);
    let jobs: Vec<String> = texts(&sleep["jobs"], "job").collect();
    assert!(jobs.iter().all(|job| job == "index"), "{jobs:?}");
    for note in ["Oak", "Old quay", TITLE] {
        let why = vault.run(["why", note]).raw().stdout;
        assert!(!why.contains("`mem "), "{why}");
    }
    vault.run(["-q", "sleep", "--check"]).code(0);
    let mut terminal = Terminal::start(&vault, [80, 24], &["sleep", "--all"]);
    terminal.wait_for("all maintenance is off: `rules.enabled` is false");
    assert_eq!(terminal.end(), 0);
    vault
        .run(["review", "--kind", "merge"])
        .stderr(expect![[r#"
            hint: `rules.enabled` is false: `mem dedupe --dry-run` lists what it would ask
            no open questions
        "#]])
        .code(1);
}
