use super::parse::MAX_RULES;
use super::*;
use crate::config::Origin;
use crate::finding::Act;

const JOBS: [&str; 2] = ["dedupe", "link"];
use crate::note::front_matter::seal;
use crate::view::IndexedVault;

fn origin() -> Origin {
    Origin::Vault("rules.toml".into())
}

fn rules_of(text: &str) -> (Vec<Rule>, Vec<String>) {
    let (rules, problems) = read(&[(origin(), Ok(text.to_owned()))], &JOBS);
    (rules, problems.iter().map(ToString::to_string).collect())
}

/// Parses rules, for tests of every job.
pub(in crate::jobs) fn rules_from(text: &str) -> Rules {
    Rules {
        rules: rules_of(text).0,
        ..Rules::default()
    }
}

/// Texts with the expected message.
const WRONG: [(&str, &str); 32] = [
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = { set = {} }\n",
        "line 4: `set` without properties",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = { set = { importance = 5 } }\n",
        "line 4: `set` of `importance`: it takes a number from 0 to 1",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = { set = { tags = \"x\" } }\n",
        "line 4: `set` of `tags`: use `tag` and `untag`",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = { set = { keep = false } }\n",
        "line 4: `set` of `keep`: only true is allowed",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = { set = { title = \"B\" } }\n",
        "line 4: `set` of `title`: each note has its own",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = { set = { \" \" = 1 } }\n",
        "line 4: a property without a name",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = \"demot\"\n",
        "line 4: unknown action `demot`; did you mean `demote`?",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = \"tag\"\n",
        "line 4: `tag` takes a value: `do = { tag = \"old\" }`",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = { demote = 1 }\n",
        "line 4: `demote` takes no value: `do = \"demote\"`",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = { tag = 7 }\n",
        "line 4: `tag` takes a string in quotes",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = { set = { tier = \"core\" } }\n",
        "line 4: `set` of `tier`: use",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = { set = { mem = 1 } }\n",
        "line 4: `set` of `mem`: it is reserved for mem",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"created:soon\"\ndo = \"demote\"\n",
        "line 3: `each`: `created:` takes a date",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"(tag:x\"\ndo = \"demote\"\n",
        "line 3: `each`: unclosed `(`",
    ),
    (
        "[[rule]]\nname = \"a\"\non = \"slep\"\neach = \"tag:x\"\ndo = \"demote\"\n",
        "line 3: unknown event `slep`; did you mean `sleep`?",
    ),
    (
        "[[rule]]\nname = \"a\"\non = []\neach = \"tag:x\"\ndo = \"demote\"\n",
        "line 3: `on` takes a string",
    ),
    (
        "[[rule]]\nname = \"a\"\nwhen = \"notez:>5\"\neach = \"tag:x\"\ndo = \"demote\"\n",
        "line 3: `when`: `notez:>5` is not a condition on the vault",
    ),
    (
        "[[rule]]\nname = \"a\"\nechh = \"tag:x\"\ndo = \"demote\"\n",
        "line 3: a rule has no `echh`; did you mean `each`?",
    ),
    (
        "[[rule]]\nname = \"a\"\nrun = \"dedup\"\n",
        "line 3: unknown job `dedup`; did you mean `dedupe`?",
    ),
    (
        "[[rule]]\nname = \"a\"\nrun = \"rules\"\n",
        "line 3: unknown job `rules`",
    ),
    (
        "[[rule]]\nname = \"a\"\nrun = \"dedupe\"\nlimit = 3\n",
        "line 2: rule `a`: `limit` needs `do`",
    ),
    (
        "[[rule]]\nname = \"a\"\nrun = \"dedupe\"\ndo = \"demote\"\neach = \"tag:x\"\n",
        "line 2: rule `a` has both",
    ),
    (
        "[[rule]]\nname = \"a\"\ndo = \"demote\"\n",
        "line 2: rule `a` has `do` without `each`",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\n",
        "line 2: rule `a` has `each` without `do`",
    ),
    (
        "[[rule]]\nname = \"a\"\n",
        "line 2: rule `a` has neither `do` nor `run`",
    ),
    (
        "[[rule]]\neach = \"tag:x\"\ndo = \"demote\"\n",
        "line 1: a rule without a `name`",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = \"demote\"\nlimit = 0\n",
        "line 5: `limit` takes a whole number",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = \"demote\"\nevery = \"often\"\n",
        "line 5: `every` takes a time",
    ),
    (
        "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = \"demote\"\nenabled = \"yes\"\n",
        "line 5: `enabled` takes true or false",
    ),
    (
        "[rule]\nname = \"a\"\n",
        "line 1: unexpected `rule`; each rule begins with a line `[[rule]]`",
    ),
    ("[sleep]\napply = \"all\"\n", "line 1: unexpected `sleep`"),
    ("[[rule]]\nname = \n", "line 2: "),
];

#[test]
fn errors_are_reported_with_their_line() {
    const NOTES: &str = "[[rule]]\nname = \"a\"\neach = \"tag:x\"\n";
    for (text, expected) in WRONG {
        let (rules, problems) = rules_of(text);
        assert!(rules.is_empty(), "{text}");
        let [problem] = &problems[..] else {
            panic!("{text}: {problems:?}");
        };
        assert!(problem.starts_with("`rules.toml`, "), "{problem}");
        assert!(problem.contains(expected), "{text}: {problem}");
        // The other rules apply.
        if let Some(rest) = text.strip_prefix("[[rule]]") {
            let beside = format!(
                "{NOTES}do = \"demote\"\n[[rule]]{}",
                rest.replace("\"a\"", "\"b\"")
            );
            assert_eq!(
                rules_of(&beside).0.len(),
                usize::from(!text.ends_with("= \n")),
                "{beside}"
            );
        }
    }
}

#[test]
fn later_rules_replace_earlier_ones_by_name() {
    let user = "[[rule]]\nname = \"a\"\neach = \"tag:x\"\ndo = \"demote\"\n\
        [[rule]]\nname = \"b\"\neach = \"tag:x\"\ndo = \"forget\"\n";
    let vault = "[[rule]]\nname = \"b\"\nenabled = false\n\
        [[rule]]\nname = \"a\"\neach = \"tag:y\"\ndo = { set = { n = 0x10, day = 2026-01-02, l = [1.5, true] } }\n\
        [[rule]]\nname = \"c\"\nrun = \"dedupe\"\non = [\"ingest\", \"pressure\"]\n";
    let files = [user, vault].map(|text| (origin(), Ok(text.to_owned())));
    let (rules, problems) = read(&files, &JOBS);
    assert_eq!(problems, []);
    let found: Vec<(&str, bool)> = rules
        .iter()
        .map(|rule| (rule.name.as_str(), rule.enabled))
        .collect();
    assert_eq!(found, [("a", true), ("b", false), ("c", true)]);
    let Effect::Act { action, .. } = &rules[0].deed else {
        panic!("{:?}", rules[0]);
    };
    assert_eq!(
        action.to_string(),
        "set day \"2026-01-02\", l [1.5,true], n 16"
    );
    assert_eq!(rules[2].on, [RuleEvent::Ingest, RuleEvent::Pressure]);
    let twice =
        "[[rule]]\nname = \"a\"\nrun = \"link\"\n[[rule]]\nname = \"a\"\nrun = \"dedupe\"\n";
    assert_eq!(
        rules_of(twice).1,
        ["`rules.toml`, line 5: a second rule is called `a`"]
    );
    // A rule without action may disable an existing rule or none, but not enable a missing one.
    let unmatched = |enabled| rules_of(&format!("[[rule]]\nname = \"x\"\nenabled = {enabled}\n")).1;
    assert_eq!(unmatched(false), [""; 0]);
    assert!(unmatched(true)[0].contains("no rule before it has this name"));
}

#[test]
fn unreadable_file_disables_earlier_rules() {
    let one =
        |name: &str| format!("[[rule]]\nname = \"{name}\"\neach = \"tag:x\"\ndo = \"trash\"\n");
    let user = one("a") + &one("b");
    let cases: [(Result<&str, &str>, &str, &str); 5] = [
        (Ok("[[rule]]\nname = \"a\"\nenabled = false\n"), "b", ""),
        (
            Ok("[[rule]]\nname = \"a\"\nenabled = \"no\"\n"),
            "b",
            "line 3: `enabled` takes",
        ),
        (
            Ok("[[rule]]\nenabled = \"no\"\n"),
            "a b",
            "line 1: a rule without a `name`",
        ),
        (
            Ok("[[rule]]\nname = \"a\"\nenabled = false\n[[rule]\n"),
            "",
            "the rules before it are disabled",
        ),
        (
            Err("invalid data"),
            "",
            "`rules.toml`: cannot be read: invalid data; the rules before it are disabled",
        ),
    ];
    for (vault, acting, said) in cases {
        let vault = vault.map(str::to_owned).map_err(str::to_owned);
        let files = [(origin(), Ok(user.clone())), (origin(), vault.clone())];
        let (rules, problems) = read(&files, &JOBS);
        let found: Vec<&str> = rules
            .iter()
            .filter(|rule| rule.enabled)
            .map(|rule| rule.name.as_str())
            .collect();
        assert_eq!(found.join(" "), acting, "{vault:?}");
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(problems.join("\n").contains(said), "{problems:?}");
        assert_eq!(problems.is_empty(), said.is_empty(), "{problems:?}");
    }
    let many: String = (0..MAX_RULES + 5)
        .map(|at| one(&format!("r{at}")))
        .collect();
    let (rules, problems) = rules_of(&many);
    assert_eq!(
        (rules.len(), problems.len()),
        (MAX_RULES, 1),
        "{problems:?}"
    );
}

#[test]
fn question_key_ignores_the_rule_name() {
    let scene = IndexedVault::of(
        [("0.md".to_owned(), "---\ntags: [x]\n---\nText.\n".to_owned())],
        None,
    );
    let view = scene.view(false);
    let entry = &view.entries().unwrap()[0];
    let key = |text: &str| rules_of(text).0[0].key(&view, entry).unwrap();
    let as_it_is = key(&rule("a", "tag:x", "\"demote\""));
    assert_eq!(as_it_is, key(&rule("b", "tag:x", "\"demote\"")));
    assert_ne!(as_it_is, key(&rule("a", "tag:y", "\"demote\"")));
    assert_ne!(as_it_is, key(&rule("a", "tag:x", "\"forget\"")));
}

#[test]
fn rules_cannot_remove_protection() {
    let notes = [
        "tags: [x]\nimportance: 0.9\n",
        "tags: [x]\ntype: decision\n",
        "tags: [x]\nderived_from: \"[[1]]\"\n",
    ];
    let weaken = "{ set = { importance = 0.1, type = \"x\", derived_from = \"y\" } }";
    let both = rule("a", "tag:x", weaken) + &rule("b", "tag:x", "\"forget\"");
    assert_eq!(acts(&both, &notes).0, [""; 0]);
    // Protection that an earlier rule adds applies within the same run.
    let set =
        rule("a", "tag:x", "{ set = { importance = 0.9 } }") + &rule("b", "tag:x", "\"forget\"");
    assert_eq!(
        acts(&set, &["tags: [x]\n"]).0,
        ["set importance of 0.md to 0.9"]
    );
}

#[test]
fn cycles_through_conditions_are_refused() {
    let out = rule("out", "tag:x", "\"forget\"") + "when = \"notes:>2\"\n";
    let back = rule("back", "tier:forgotten", "\"restore\"") + "when = \"notes:<3\"\n";
    let (done, problems) = acts(&(out.clone() + &back), &["tags: [x]\n"; 3]);
    assert_eq!(done, [""; 0]);
    assert!(
        problems[0].starts_with("the rules `out`, `back` would change 0.md, 1.md, 2.md endlessly"),
        "{problems:?}"
    );
    // With a gap between the limits they form no cycle.
    let rooms = out.clone() + "limit = 1\n" + &back.replace("<3", "<2");
    assert_eq!(
        acts(&rooms, &["tags: [x]\n"; 3]).0,
        ["set tier of 0.md to forgotten"]
    );
    assert_eq!(acts(&out, &["tags: [x]\n"; 3]).0.len(), 3);
}

#[test]
fn queries_may_use_properties_set_by_rules() {
    let both = rule(
        "a",
        "tag:x -has:reviewed",
        "{ set = { reviewed = \"no\" } }",
    ) + &rule("b", "reviewed:no", "{ tag = \"todo\" }");
    let (done, problems) = acts(&both, &["tags: [x]\n"]);
    assert_eq!(problems, [""; 0]);
    assert_eq!(
        done,
        ["set reviewed of 0.md to no", "add \"todo\" to tags of 0.md"]
    );
}

#[test]
fn failed_and_unconfirmed_acts_do_not_block_other_rules() {
    // Tags that are not a list: one rule fails, the other works.
    let both = rule("a", "s:1", "{ tag = \"y\" }") + &rule("b", "s:1", "{ set = { n = 2 } }");
    assert_eq!(
        acts(&both, &["s: 1\ntags: {a: 1}\n"]).0,
        ["set n of 0.md to 2"]
    );
    let limited = rule("r", "tag:x", "\"demote\"") + "limit = 2\n";
    let agent = "tags: [x]\nmem: {by: claude, seal: a7a70d9ae48a44d4}\n";
    let person = "tags: [x]\n";
    let found = acts(&limited, &[person, person, person, agent, agent, agent]).0;
    let notes: Vec<&str> = found
        .iter()
        .filter_map(|title| title.split(' ').nth(3))
        .collect();
    assert_eq!(notes, ["0.md", "1.md", "3.md", "4.md"]);
}

/// Returns the acts of rules on notes with these properties, named `0.md`, `1.md`, …, and the problems.
fn acts(rules: &str, notes: &[&str]) -> (Vec<String>, Vec<String>) {
    let numbered = notes.iter().enumerate().map(|(at, note)| {
        let text = format!("---\n{note}---\nText {at}.\n");
        let text = if note.contains("mem:") {
            seal::reseal(&text)
        } else {
            text
        };
        (format!("{at}.md"), text)
    });
    let scene = IndexedVault::of(numbered, None);
    let view = scene.view(false);
    let (rules, problems) = read(&[(origin(), Ok(rules.to_owned()))], &JOBS);
    assert_eq!(problems, []);
    let rules = Rules {
        rules,
        ..Rules::default()
    };
    let found = rules.find(&view, &Answers::default(), &Seeds::All).unwrap();
    let acts = found.found.iter().flat_map(|finding| &finding.acts);
    let mut said: Vec<String> = acts.map(Act::title).collect();
    said.extend(found.notices);
    (said, found.skipped)
}

fn rule(name: &str, each: &str, action: &str) -> String {
    format!("[[rule]]\nname = \"{name}\"\neach = \"{each}\"\ndo = {action}\n")
}

#[test]
fn actions_are_idempotent() {
    for (action, note, expected) in [
        (
            "\"demote\"",
            "tags: [x]\n",
            &["set tier of 0.md to archival"][..],
        ),
        ("\"demote\"", "tags: [x]\ntier: archival\n", &[]),
        (
            "\"forget\"",
            "tags: [x]\ntier: archival\n",
            &["set tier of 0.md to forgotten"],
        ),
        (
            "\"restore\"",
            "tags: [x]\ntier: archival\n",
            &["set tier of 0.md to working"],
        ),
        ("\"restore\"", "tags: [x]\ntier: core\n", &[]),
        ("\"promote\"", "tags: [x]\n", &["set tier of 0.md to core"]),
        ("\"trash\"", "tags: [x]\n", &["remove 0.md"]),
        (
            "{ tag = \"#y\" }",
            "tags: [x]\n",
            &["add \"y\" to tags of 0.md"],
        ),
        ("{ tag = \"X\" }", "tags: [x]\n", &[]),
        ("{ untag = \"x\" }", "tags: [x, z]\n", &["edit 0.md"]),
        (
            "{ set = { s = \"old\" } }",
            "tags: [x]\n",
            &["set s of 0.md to old"],
        ),
        ("{ set = { s = \"old\" } }", "tags: [x]\ns: old\n", &[]),
        ("{ notify = \"look\" }", "tags: [x]\n", &["look: 0.md"]),
        // Protected notes are not demoted; other actions apply.
        ("\"demote\"", "tags: [x]\nkeep: true\n", &[]),
        ("\"forget\"", "tags: [x]\ntier: core\n", &[]),
        ("\"trash\"", "tags: [x]\nimportance: 0.9\n", &[]),
        ("\"demote\"", "tags: [x]\ntype: decision\n", &[]),
        ("\"demote\"", "tags: [x]\nsummarizes: \"[[1]]\"\n", &[]),
        (
            "{ tag = \"y\" }",
            "tags: [x]\nkeep: true\n",
            &["add \"y\" to tags of 0.md"],
        ),
    ] {
        let (done, problems) = acts(&rule("r", "tag:x", action), &[note]);
        assert_eq!(
            (done.as_slice(), problems.as_slice()),
            (
                &expected.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()[..],
                &[][..]
            ),
            "{action} {note}"
        );
    }
}

#[test]
fn rules_take_turns_and_cycles_are_refused() {
    let both = rule("old", "tag:x tier:working", "\"demote\"")
        + &rule("mark", "tier:archival", "{ tag = \"cold\" }");
    // The second rule acts on the result of the first, in the same run.
    let expected = [
        "set tier of 0.md to archival",
        "add \"cold\" to tags of 0.md",
    ];
    assert_eq!(acts(&both, &["tags: [x]\n", "a: 1\n"]).0, expected);
    // The reverse order has the same result.
    let turned = rule("mark", "tier:archival", "{ tag = \"cold\" }")
        + &rule("old", "tag:x tier:working", "\"demote\"");
    let mut found = acts(&turned, &["tags: [x]\n", "a: 1\n"]).0;
    found.sort_unstable();
    let mut expected = expected;
    expected.sort_unstable();
    assert_eq!(found, expected);
    let circle = rule("down", "tag:x tier:working", "\"demote\"")
        + &rule("up", "tag:x tier:archival", "\"restore\"")
        + &rule("tag", "tag:x", "{ tag = \"seen\" }");
    let (done, problems) = acts(
        &circle,
        &["tags: [x]\n", "tags: [x]\ntier: archival\n", "tags: [y]\n"],
    );
    assert_eq!(done, [""; 0]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].starts_with("the rules `down`, `up` would change 0.md, 1.md endlessly"),
        "{problems:?}"
    );
    // A cycle of three rules, and by tags in the index.
    let long = rule("a", "tag:x -tag:y", "{ tag = \"y\" }")
        + &rule("b", "tag:y", "{ tag = \"z\" }")
        + &rule("c", "tag:z", "{ untag = \"y\" }")
        + &rule("d", "tag:z -tag:y", "{ untag = \"z\" }");
    let (done, problems) = acts(&long, &["tags: [x]\n"]);
    assert_eq!((done.len(), problems.len()), (0, 1), "{problems:?}");
    let limited = rule("r", "tag:x", "\"demote\"") + "limit = 2\n";
    assert_eq!(acts(&limited, &["tags: [x]\n"; 3]).0.len(), 2);
}

#[test]
fn unsatisfiable_queries_are_errors() {
    let (done, problems) = acts(&rule("r", "staus:old", "\"demote\""), &["status: old\n"]);
    assert_eq!(done, [""; 0]);
    let expected =
        "`rules.toml`, line 1: rule `r`: no note has a property `staus`; did you mean `status`?";
    assert_eq!(problems, [expected.replace("line 1", "line 2")]);
}

#[test]
fn pressure_and_conditions_gate_rules() {
    let rule = |more: &str| rule("r", "tag:x", "\"demote\"") + more;
    let notes = ["tags: [x]\n", "tier: forgotten\n"];
    assert_eq!(acts(&rule("when = \"notes:>1\"\n"), &notes).0.len(), 0);
    assert_eq!(acts(&rule("when = \"notes:1\"\n"), &notes).0.len(), 1);
    assert_eq!(acts(&rule("on = \"pressure\"\n"), &notes).0.len(), 0);
    assert_eq!(
        acts(&rule("on = [\"pressure\", \"sleep\"]\n"), &notes)
            .0
            .len(),
        1
    );
    let (read_rules, _) = read(&[(origin(), Ok(rule("on = \"pressure\"\n")))], &JOBS);
    let mut rules = Rules {
        rules: read_rules,
        ..Rules::default()
    };
    let numbers = VaultTotals {
        notes: 5,
        managed: 0,
        bytes: 400,
    };
    assert!(!rules.holds(&rules.rules[0], &numbers));
    for (notes, bytes, tokens, expected) in [
        (5, 0, 0, false),
        (4, 0, 0, true),
        (0, 399, 0, true),
        (0, 0, 99, true),
        (0, 0, 100, false),
    ] {
        rules.limits = RulesOptions {
            max_notes: notes,
            max_bytes: bytes,
            max_tokens: tokens,
            ..RulesOptions::default()
        };
        assert_eq!(rules.holds(&rules.rules[0], &numbers), expected);
    }
    rules.is_pressed = true;
    assert!(rules.holds(&rules.rules[0], &numbers));
}
