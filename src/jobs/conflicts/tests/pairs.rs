//! Two texts, held against each other without a vault.

use super::super::account::Account;
use super::super::judge::judge;
use super::super::pair::Ground;
use super::super::{Disagreement, Options, compare};

/// What [`compare`] says of two texts at the bound of questions.
fn disagree(first: &str, second: &str) -> Option<Disagreement> {
    let sign = compare(first, second);
    sign.filter(|sign| sign.score >= Options::default().ask)
}

/// Two texts, and whether the first says that it is the later one.
const DISAGREEING: &[(&str, &str, Option<bool>)] = &[
    (
        "We switched from SQLite to Postgres.",
        "The service uses SQLite.",
        Some(true),
    ),
    (
        "Sarah Chen: Uses VS Code.",
        "Sarah Chen: Switching from VS Code to Neovim.",
        Some(false),
    ),
    (
        "Ann Hill lives in Lisbon.",
        "Ann Hill moved to Porto.",
        Some(false),
    ),
    (
        "Using XLM-R instead of MAML",
        "Using MAML for meta-learning",
        Some(true),
    ),
    (
        "Board meeting moved to February 15th",
        "Board meeting January 30th for growth metrics",
        Some(true),
    ),
    (
        "The team grew to 11 people",
        "The team has 8 people",
        Some(true),
    ),
    (
        "Latency of the search is down from 800ms to 150ms",
        "Latency of the search is 800ms",
        Some(true),
    ),
    (
        "The IRB amendment is no longer pending",
        "IRB amendment pending at the board",
        Some(true),
    ),
    (
        "The old API was replaced by GraphQL",
        "Clients call the old API",
        Some(true),
    ),
    (
        "The cache does not use Redis anymore",
        "The cache of the shop uses Redis",
        Some(true),
    ),
    (
        "The gateway listens on port 8080",
        "The gateway listens on port 9090",
        None,
    ),
    (
        "The importer uses version 2.1 of the parser",
        "The importer uses version 2.3 of the parser",
        None,
    ),
    (
        "Heavy metal developed in 1969",
        "Heavy metal developed in 1985",
        None,
    ),
    (
        "Backups are enabled on the main server",
        "Backups are not enabled on the main server",
        None,
    ),
    (
        "Backups are enabled on the main server",
        "Backups are disabled on the main server",
        None,
    ),
    (
        "The standup is on Monday",
        "The standup is on Thursday",
        None,
    ),
    ("The front door is red", "The front door is blue", None),
    (
        "Deploys are allowed on Fridays",
        "Deploys are forbidden on Fridays",
        None,
    ),
    (
        "Elena Rossi was born in Milan",
        "Elena Rossi was born in Turin",
        None,
    ),
    (
        "YouTube is an American band",
        "YouTube is an American website of videos",
        None,
    ),
];

#[test]
fn texts_that_disagree() {
    for (first, second, first_is_newer) in DISAGREEING {
        let first_is_newer = *first_is_newer;
        let sign = disagree(first, second);
        let Some(sign) = sign else {
            panic!("{first} / {second}: nothing is found");
        };
        assert_eq!(
            sign.first_is_newer, first_is_newer,
            "{first} / {second}: {sign:?}"
        );
        let back = disagree(second, first).expect("the order does not matter");
        assert_eq!(
            back.first_is_newer,
            first_is_newer.map(|first| !first),
            "{second} / {first}"
        );
        assert!((back.score - sign.score).abs() < 1e-6, "{second} / {first}");
    }
}

#[test]
fn texts_that_do_not() {
    for (first, second) in [
        ("The service uses SQLite.", "The service uses SQLite."),
        (
            "The service uses SQLite.",
            "The service uses SQLite with backups every night.",
        ),
        (
            "We might switch from SQLite to Postgres.",
            "The service uses SQLite.",
        ),
        (
            "We want to move from SQLite to Postgres.",
            "The service uses SQLite.",
        ),
        (
            "We did not switch from SQLite to Postgres.",
            "The service uses SQLite.",
        ),
        (
            "We switched from SQLite to Postgres.",
            "We dropped SQLite last week.",
        ),
        (
            "We switched from SQLite to Postgres.",
            "We no longer use SQLite.",
        ),
        ("Ann Hill: I moved to Rome.", "Bob Lee: I live in Paris."),
        (
            "Ann Hill: Team grew to 7 (hired 2 more engineers).",
            "Ann Hill: Team split: 4 on the map, 3 on the search.",
        ),
        (
            "Ann Hill: Cluster expanded: 64 A100s + 32 H100s.",
            "Ann Hill: Manages training cluster: 64 A100 GPUs, 8 nodes.",
        ),
        (
            "Ann Hill: Transitioning from design to engineering.",
            "Ann Hill: Building a portfolio site from a Figma design.",
        ),
        ("A man is playing a guitar", "A man is playing a flute"),
        (
            "A man is cutting an onion",
            "There is no man opening a door",
        ),
        ("The server is not enabled", "The server is disabled"),
        ("Alice has 3 cats", "Bob bought 5 apples"),
        (
            "Does the gateway listen on port 8080?",
            "The gateway listens on port 9090",
        ),
        (
            "> The gateway listens on port 8080",
            "The gateway listens on port 9090",
        ),
        (
            "```\nport 8080 of the gateway\n```",
            "port 9090 of the gateway",
        ),
        ("Flowers are blue or purple", "Flowers are blue or yellow"),
        (
            "It may have a divider in the center",
            "It may not have a divider in the center",
        ),
        ("I couldn't agree more with you", "I agree with you"),
        ("Session: [[s1|session 1]]", "Session: [[s2|session 2]]"),
        ("", "We switched from SQLite to Postgres."),
        ("東京の天気は晴れです。", "東京の天気は雨です。"),
    ] {
        let sign = disagree(first, second);
        assert_eq!(sign, None, "{first} / {second}");
    }
}

#[test]
fn revisions_that_only_say_it_otherwise() {
    for (first, second) in [
        (
            "Writing down what was found needs no word of what was done with it.",
            "Writing down what was found does without a word of what was done with it.",
        ),
        (
            "It enables scalable use cases like loops with thousands of sends.",
            "It allows for scalable use cases such as loops with thousands of sends.",
        ),
        (
            "Thank you to Marley and Anson for reading.",
            "Thank you to Marley, Anson and Jasmine for reading.",
        ),
    ] {
        assert_eq!(disagree(first, second), None, "{first} / {second}");
    }
}

/// What is asked of two notes that an agent took of one person.
fn disagree_of_one(first: &str, second: &str) -> bool {
    let accounts = [first, second].map(|text| {
        let mut account = Account::of("", text);
        account.by_agent = true;
        account
    });
    let ground = Ground {
        is_asked: true,
        ..Ground::default()
    };
    let sign = judge(&accounts[0], &accounts[1], ground);
    sign.is_some_and(|sign| sign.score >= Options::default().ask)
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn what_one_has_one_of_changes_without_a_word_of_it() {
    for (first, second) in [
        ("I live in Lisbon", "I live in Porto"),
        ("Prefers tea over coffee", "Prefers coffee over tea"),
        (
            "User's job title is Data Analyst",
            "User was promoted to Senior Data Analyst",
        ),
        (
            "My library has 45 books, how can I sort them?",
            "My library has 52 books",
        ),
        ("I live in Lisbon.", "I moved to Porto last month."),
        ("User lives in Berlin.", "Lives in Munich now."),
        ("Ann lives in Lisbon with her sister", "Ann lives in Porto"),
        (
            "Works at Google as a software engineer",
            "Works at Stripe on payments",
        ),
        (
            "Software engineer at Google",
            "Joined Stripe as staff engineer",
        ),
        ("Sarah works at Initech.", "Sarah works for Hooli."),
        (
            "Product manager at Acme in Paris",
            "Product manager at Globex",
        ),
        (
            "My favourite colour is blue",
            "My favourite colour is green",
        ),
        (
            "The default branch is master",
            "The default branch is trunk",
        ),
        (
            "The capital of the project is Ann Lee",
            "The capital of the project is Bob Ray",
        ),
        ("Advisor is Prof. Martinez", "Advisor is Dr. Lee"),
        ("Uses Postgres for billing", "Uses MySQL for billing"),
        ("We use Jenkins for CI", "We use CircleCI for CI"),
        ("Uses Vim as editor", "Uses Emacs as the editor"),
        ("Prefers dark mode", "Prefers light mode"),
        (
            "The gateway listens on port 8080",
            "The gateway listens on port 9090",
        ),
        ("The API runs on Heroku", "The API runs on Fly"),
        (
            "The billing service is written in Python",
            "The billing service is written in Go",
        ),
        (
            "The billing service is hosted on AWS",
            "The billing service is hosted on Hetzner",
        ),
        ("The report is due on Friday", "The report is due on Monday"),
        (
            "The project deadline is March 3",
            "The project deadline is April 10",
        ),
        ("The team has 5 people", "The team has 8 people"),
        ("I am 34 years old", "I am 35 years old"),
        (
            "The Pro plan costs 20 euros a month",
            "The Pro plan costs 25 euros a month",
        ),
        (
            "The migration status is pending",
            "The migration status is complete",
        ),
        ("The repo is owned by Ann", "The repo is owned by Bob"),
        ("Reports to Ann Lee", "Reports to Bob Ray"),
        ("My dog is named Rex", "My dog is named Fido"),
        ("Studies at Stanford", "Studies at MIT"),
        (
            "The invoice service uses version 2.1 of the library",
            "The invoice service uses version 3.0 of the library",
        ),
        ("Married to Ann", "Married to Julia"),
        ("Follows a vegan diet", "Follows a keto diet"),
        (
            "The backups are stored in Frankfurt",
            "The backups are stored in Dublin",
        ),
        (
            "The meeting is on Tuesday at 10",
            "The meeting is on Thursday at 10",
        ),
        ("User's name is Ann", "User's name is Anna-Lena"),
        ("Runs 3 times a week", "Runs 5 times a week"),
        ("Weight is 180 lbs", "Weight is 172 lbs"),
        ("10,000 beta users", "Pre-launch, 500 beta users"),
        (
            "Monthly budget for food is $400",
            "Monthly budget for food is $550",
        ),
        (
            "Chose React for the frontend",
            "Using Svelte for the frontend",
        ),
        ("I have never been to Japan", "I visited Japan in 2019"),
        (
            "User has never used Docker",
            "User deployed the app with Docker last week",
        ),
        (
            "User is allergic to peanuts",
            "User is not allergic to peanuts",
        ),
        ("The house is painted white", "The house is painted green"),
        ("Wake-up time is 6:00", "Wake-up time is 7:30"),
        (
            "The standup takes place at 9:30",
            "The standup takes place at 10:00",
        ),
        (
            "The primary database is Postgres",
            "The primary database is MySQL",
        ),
        ("Works as a nurse", "Works as a teacher"),
        ("Ann reports to Carol", "Ann reports to Dave"),
        ("Home city: Boston", "Home city: Denver"),
        ("The office is in Munich.", "The office is in Vienna."),
        ("The office is in Munich.", "The office moved to Vienna."),
        ("The CEO is Anna Berg.", "The CEO is Tom Reed."),
        ("Acme's CEO is Anna Berg.", "The CEO of Acme is Tom Reed."),
        ("Anna is the CEO of Acme.", "Tom is the CEO of Acme."),
        (
            "Sam is the owner of the billing service.",
            "The owner of the billing service is Priya.",
        ),
        ("As of March I live in Porto.", "I live in Lisbon."),
        ("My dentist is Dr. Cole.", "My dentist is Dr. Ahmed."),
        (
            "The project uses npm as package manager.",
            "The project uses pnpm as package manager.",
        ),
        ("We deploy with Jenkins.", "We deploy with Ansible."),
        (
            "Ben is allergic to peanuts.",
            "Ben is no longer allergic to peanuts.",
        ),
        ("Das Büro ist in München.", "Das Büro ist in Wien."),
        (
            "Das Büro ist in München.",
            "Das Büro ist nach Wien umgezogen.",
        ),
        ("Der Chef ist Hans Meier.", "Der Chef ist Eva Kraus."),
        ("Ich wohne in Berlin.", "Ich wohne seit März in Hamburg."),
        (
            "Wir nutzen Postgres für die Abrechnung.",
            "Wir nutzen MySQL für die Abrechnung.",
        ),
        (
            "Ben ist allergisch gegen Nüsse.",
            "Ben ist nicht mehr allergisch gegen Nüsse.",
        ),
        (
            "The backup job runs nightly and keeps 14 copies on the second disk.",
            "The backup job runs nightly and keeps 30 copies on the second disk.",
        ),
    ] {
        assert!(disagree_of_one(first, second), "{first} / {second}");
        assert!(disagree_of_one(second, first), "{second} / {first}");
    }
}

#[test]
fn a_reason_says_the_later_value_first() {
    let (first, second) = (
        "Board meeting moved to February 15th.",
        "Board meeting January 30th for growth metrics.",
    );
    let accounts = [first, second].map(|text| {
        let mut account = Account::of("", text);
        account.by_agent = true;
        account
    });
    let ground = Ground {
        is_asked: true,
        ..Ground::default()
    };
    let sign = judge(&accounts[0], &accounts[1], ground).unwrap();
    for (first_is_newer, reason) in [
        (Some(true), "“moved”: to “February 15th”, not “January”"),
        (Some(false), "“January” / “February 15th”"),
        (None, "“moved”: to “February 15th”, not “January”"),
    ] {
        assert_eq!(sign.reason(first_is_newer), reason);
        let turned = sign.clone().turned();
        let first_is_newer = first_is_newer.map(|first| !first);
        assert_eq!(turned.reason(first_is_newer), reason);
    }
    assert_eq!(
        sign.quotes,
        [first, second].map(|text| text.trim_end_matches('.'))
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn what_may_hold_at_once_is_no_change() {
    for (first, second) in [
        ("I like tea", "I like coffee"),
        (
            "Ann went camping with friends from church to take her mind off work",
            "Ann had a picnic with friends from church",
        ),
        (
            "Bob is determined not to let anything stop him from winning the race",
            "Ann supports Bob and believes in him and in the race",
        ),
        (
            "Bob dropped off books at the library",
            "Bob reads books of the library",
        ),
        (
            "Bob started painting three years ago",
            "Bob started playing the guitar five years ago",
        ),
        ("I will never visit Japan", "I visited Korea in 2019"),
        ("I have a dog", "I have a cat"),
        ("Ann lives in Lisbon", "Bob lives in Porto"),
        ("My sister lives in Porto", "I live in Lisbon"),
        ("I lived in Lisbon from 2010 to 2015", "I live in Porto"),
        ("I visited Lisbon", "I visited Porto"),
        ("I speak French", "I speak German"),
        ("Knows Python", "Knows Rust"),
        ("Uses Postgres for billing", "Uses MySQL for search"),
        ("Uses Vim", "Uses Firefox"),
        ("Works at Google", "Works at a startup"),
        ("I read Dune", "I read Emma"),
        ("Met Ann in Lisbon", "Met Bob in Porto"),
        (
            "The capital of Germany is Berlin",
            "The capital of France is Paris",
        ),
        (
            "The population of Germany is 83 million",
            "The population of France is 68 million",
        ),
        ("The gateway is fast", "The gateway is written in Go"),
        ("Jon is a dancer", "Jon is a teacher"),
        ("Jon is Gina's friend", "Jon is excited about the studio"),
        (
            "The roof budget is 500 euros",
            "The garden budget is 600 euros",
        ),
        (
            "I live in Lisbon in summer and in Porto in winter",
            "I live in Lisbon",
        ),
        ("Went to Paris in May", "Went to Rome in June"),
        ("Bought a bike for 500 euros", "Bought a car for 9000 euros"),
        ("Wants to move to Porto", "Lives in Lisbon"),
        ("Might switch to Postgres", "Uses MySQL"),
        (
            "User plays tennis on Tuesday",
            "User plays chess on Thursday",
        ),
        ("Lunch with Ann on Tuesday", "Dinner with Bob on Friday"),
        (
            "The API listens on port 8080",
            "The dashboard listens on port 9090",
        ),
        (
            "User enjoys hiking in the Alps",
            "User enjoys hiking in the Rockies",
        ),
        (
            "Works on data pipelines",
            "Works on machine learning models",
        ),
        ("Learning Rust", "Learning Go"),
        ("Prefers short answers", "Prefers numbered lists"),
        ("The frontend uses React", "The backend uses Django"),
        ("Has two cats", "Has one dog"),
        ("Finished chapter 3", "Finished chapter 4"),
        ("Issue 12 is fixed", "Issue 13 is fixed"),
        ("Ann's birthday is May 3", "Bob's birthday is June 9"),
        (
            "The kitchen is painted white",
            "The bedroom is painted green",
        ),
        ("Ran 5 km on Monday", "Ran 8 km on Wednesday"),
        ("Slept 7 hours", "Slept 6 hours this Sunday"),
        ("Interested in astronomy", "Interested in sailing"),
        ("Grew up in Lisbon", "Lives in Porto"),
        ("Born in Lisbon", "Lives in Porto"),
        ("Used to work at Google", "Works at Stripe"),
        (
            "The server in Frankfurt runs Debian",
            "The server in Dublin runs Ubuntu",
        ),
        ("Reading the Rust book", "Reading a novel by Austen"),
        ("The staging key is A1", "The production key is B2"),
        (
            "Version 2.1 was released in May",
            "Version 2.2 was released in June",
        ),
        ("Drinks coffee in the morning", "Drinks tea in the evening"),
        (
            "User created a PR for the login page",
            "User created a PR for the logout page",
        ),
        ("Ann is the owner of the repo", "Bob reviews the repo"),
        (
            "Mentor is helpful and kind",
            "Mentor suggested to read more",
        ),
        ("Use tabs in Go.", "Use spaces in Python."),
        (
            "On March 1 the price was $12.",
            "On March 2 the price was $14.",
        ),
        (
            "Meeting on Monday with Sam.",
            "Meeting on Tuesday with Sam.",
        ),
        (
            "Meeting with the roofers on March 3 about the north side",
            "Meeting with the roofers on March 9 about the north side",
        ),
        ("I live in Berlin.", "I live in Germany."),
        ("The office is in Berlin.", "The office is in Germany."),
        ("The office is in Munich.", "The warehouse is in Vienna."),
        ("The meeting is in Vienna.", "The meeting is in Munich."),
        ("Run 12 took 4 hours.", "Run 13 took 5 hours."),
        (
            "Version 1.2 fixed the login.",
            "Version 1.3 fixed the logout.",
        ),
        (
            "Anna is allergic to peanuts.",
            "Ben is not allergic to peanuts.",
        ),
        (
            "The user has a dog named Rex.",
            "The user has a dog named Bo.",
        ),
        (
            "We use Jest for tests.",
            "We use Playwright for end-to-end tests.",
        ),
        ("The reviewer is Sam.", "Another reviewer is Ann."),
        ("The guest is Anna.", "The guest is Tom."),
        (
            "Temperature was 21 degrees at noon.",
            "Temperature was 14 degrees at night.",
        ),
        (
            "Ann is the owner of the cat.",
            "Tom is the owner of the dog.",
        ),
        ("Ich wohne in Berlin.", "Ich wohne in Deutschland."),
    ] {
        assert!(!disagree_of_one(first, second), "{first} / {second}");
        assert!(!disagree_of_one(second, first), "{second} / {first}");
    }
}
