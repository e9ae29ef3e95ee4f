use jiff::civil::date;

use super::*;

/// Returns two statements of January and March.
fn statements(question: &str, older: &str, newer: &str) -> [Statement; 2] {
    statements_in(&[Language::ENGLISH], question, [older, newer])
}

/// Returns the statements of a vault in some languages.
fn statements_in(
    languages: &[Language],
    question: &str,
    [older, newer]: [&str; 2],
) -> [Statement; 2] {
    let mut question = Question::new(question, languages);
    let day = |month| date(2026, month, 1).in_tz("UTC").unwrap();
    [(older, 1), (newer, 3)].map(|(text, month)| {
        let statement = question.statement(text, day(month).timestamp(), &day(4), false);
        statement.unwrap()
    })
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn finds_statements_about_one_subject() {
    for (question, older, newer, expected) in [
        (
            "Which port does the gateway use?",
            "The gateway listens on port 7411.",
            "The gateway listens on port 7590.",
            true,
        ),
        (
            "Who owns the billing service?",
            "Owner of the billing service: Anders.",
            "The billing service is owned by Yuki.",
            true,
        ),
        (
            "Which formatter do we use in Osprey?",
            "Osprey is formatted with Black.",
            "Went back to Black for Osprey.",
            true,
        ),
        (
            "¿Quién lleva la contabilidad?",
            "La contabilidad la lleva Amparo.",
            "Amparo vuelve a llevar la contabilidad.",
            true,
        ),
        (
            "Welcher Paketmanager baut das Portal?",
            "Das Portal wird mit Yarn gebaut.",
            "Wir bauen das Portal mit pnpm statt Yarn.",
            true,
        ),
        (
            "Who owns the billing service?",
            "The billing service is owned by Yuki.",
            "The billing service has two replicas in Dublin.",
            false,
        ),
        (
            "How expensive is the web shop?",
            "The web shop costs 10 euros.",
            "The web shop is in Rome.",
            false,
        ),
        (
            "Where does the chess club meet?",
            "The chess club meets at the library.",
            "The chess club meets at seven.",
            false,
        ),
        (
            "Where is the spare key?",
            "The spare key is with Mrs. Lindqvist.",
            "The spare key is slightly bent.",
            false,
        ),
        (
            "Con quale framework è fatto Aurora?",
            "Il progetto Aurora usa Django.",
            "Il progetto Aurora usa Stripe invece di PayPal.",
            false,
        ),
        (
            "What does Tom use?",
            "Tom uses Trello.",
            "Eva now uses Jira instead of Trello.",
            false,
        ),
        (
            "Wann hat Jule Klavierunterricht?",
            "Der Klavierunterricht von Jule ist dienstags um 17 Uhr.",
            "Der Klavierunterricht von Jule findet jetzt freitags um 16 Uhr statt, weil die Lehrerin umzieht.",
            true,
        ),
        (
            "Quel sport pratique Antoine ?",
            "Antoine fait de l'escalade.",
            "Antoine fait aussi du théâtre.",
            false,
        ),
        (
            "How much memory does the web server have?",
            "The web server has 16 GB of memory.",
            "The web server should have 64 GB of memory.",
            false,
        ),
        (
            "What is the log level in production?",
            "In production the log level is warn.",
            "In staging the log level is debug.",
            false,
        ),
        (
            "Where does Ann live?",
            "Ann lives in Rome.",
            "Ann's brother lives in Oslo.",
            false,
        ),
        (
            "What does the search service use?",
            "The search service uses SQLite.",
            "We switched the billing service from SQLite to Postgres.",
            false,
        ),
        (
            "What does the billing service use?",
            "The search service uses SQLite.",
            "We switched the billing service from SQLite to Postgres.",
            false,
        ),
        (
            "What does the billing service use?",
            "The billing service uses SQLite.",
            "We switched the service from SQLite to Postgres.",
            true,
        ),
        (
            "Which database do we use?",
            "We use Postgres 15.",
            "We moved to Postgres 16.",
            true,
        ),
        (
            "Which database do we use?",
            "We use Postgres for billing.",
            "We moved to Postgres 16.",
            false,
        ),
        (
            "Where is the backup server?",
            "The backup server is in Bonn.",
            "We moved the print server from Bonn to Kiel.",
            false,
        ),
        (
            "Which database does the store use?",
            "The store uses MariaDB and is deployed on Thursdays.",
            "The store is now deployed on Tuesdays.",
            false,
        ),
        (
            "Who is the lead?",
            "The lead is Petra.",
            "The lead is Jonas now.",
            true,
        ),
        (
            "Who is the lead?",
            "The lead is Petra.",
            "Jonas is the lead.",
            true,
        ),
        (
            "When is the deadline?",
            "The deadline is Friday.",
            "Correction: the deadline is Monday.",
            true,
        ),
        (
            "Wann ist das Standup?",
            "Das Standup ist um 9:30 Uhr.",
            "Das Standup ist jetzt um 10:00 Uhr.",
            true,
        ),
        (
            "Which cache do we use?",
            "We use Redis as cache.",
            "In staging only, we use NATS as cache.",
            false,
        ),
        (
            "What is my phone number?",
            "My phone number is 555-1234.",
            "Ben's phone number is 555-9999.",
            false,
        ),
        (
            "What is the database?",
            "The database is Postgres.",
            "The database of our competitor is Oracle.",
            false,
        ),
    ] {
        let [older, newer] = statements(question, older, newer);
        assert_eq!(newer.has_subject_of(&older, true), expected, "{newer:?}");
    }
}

#[test]
fn another_subject_with_the_same_value_is_another_fact() {
    for (language, question, statements, expected) in [
        (
            "english",
            "Where does my brother live?",
            "My brother lives in Leeds.|Our supplier moved from Leeds to York.",
            false,
        ),
        (
            "english",
            "Where does my brother live?",
            "My brother lives in Leeds.|My brother moved from Leeds to York.",
            true,
        ),
        (
            "portuguese",
            "onde mora a minha avó",
            "A minha avó mora em Braga.|A empresa mudou-se de Braga para o Porto.",
            false,
        ),
    ] {
        let languages = [language.parse().unwrap()];
        let (older, newer) = statements.split_once('|').unwrap();
        let [older, newer] = statements_in(&languages, question, [older, newer]);
        assert_eq!(newer.has_subject_of(&older, true), expected, "{newer:?}");
    }
}

#[test]
fn titles_tell_subjects_apart() {
    for (question, titles, expected) in [
        (
            "What is the rent of the flat in Bonn?",
            ["Flat Bonn", "Flat Kiel"],
            false,
        ),
        ("What is the rent?", ["Flat Bonn", "Flat Kiel"], false),
        (
            "What is the rent of the flat in Bonn?",
            ["Flat Bonn", "Flat Bonn 2026"],
            true,
        ),
        ("What is the rent?", ["The rent", "Rent update"], true),
        ("What is the rent?", ["The rent", "Rent again"], true),
        (
            "What is the rent?",
            ["Call about the rent", "Lunch: rent"],
            true,
        ),
        ("What is the rent?", ["Call", "Lunch"], false),
        ("What is the rent?", ["Untitled 1", "Untitled 2"], true),
        ("What is the rent?", ["b41f", "c772"], true),
        ("What is the rent?", ["Flat 1", "Flat 2"], false),
        ("What is the rent?", ["2025", "2026"], true),
        (
            "What is the rent?",
            ["Meeting 2026-01-05", "Meeting 2026-03-05"],
            true,
        ),
        ("What is the rent?", ["2026-01 rent", "Q1 rent"], true),
        ("What is the rent?", ["x15", "x16"], false),
    ] {
        let mut asked = Question::new(question, &[Language::ENGLISH]);
        let day = |month| date(2026, month, 1).in_tz("UTC").unwrap();
        let texts = [
            ("The rent is 900 euros.", 1),
            ("The rent is now 1100 euros.", 3),
        ];
        let [older, newer] = [0, 1].map(|at| {
            let (text, month) = texts[at];
            let statement = asked.statement(text, day(month).timestamp(), &day(4), false);
            let mut statement = statement.unwrap();
            asked.add_title(&mut statement, titles[at]);
            statement
        });
        assert_eq!(
            newer.replaces_value_of(&older, true),
            expected,
            "{question} {titles:?}"
        );
    }
}

#[test]
fn a_newer_value_in_the_same_words_comes_first_whatever_the_titles() {
    let question = "Who is the landlord in Bonn?";
    for (titles, texts, expected) in [
        (
            ["todo", "inbox"],
            ["The landlord is Diaz.", "The landlord is Holm."],
            true,
        ),
        (
            ["todo", "inbox"],
            ["Diaz is the landlord.", "Holm is the landlord."],
            true,
        ),
        (
            ["Flat Bonn", "Flat Kiel"],
            ["The landlord is Diaz.", "The landlord is Holm."],
            false,
        ),
        (
            ["todo", "inbox"],
            ["The landlord is Diaz.", "In Kiel the landlord is Holm."],
            false,
        ),
        (
            ["todo", "inbox"],
            ["The landlord is Diaz.", "The landlord likes tea and cake."],
            false,
        ),
    ] {
        let mut asked = Question::new(question, &[Language::ENGLISH]);
        let day = |month| date(2026, month, 1).in_tz("UTC").unwrap();
        let [older, newer] = [0, 1].map(|at| {
            let month = i8::try_from(at).unwrap() + 1;
            let statement = asked.statement(texts[at], day(month).timestamp(), &day(4), false);
            let mut statement = statement.unwrap();
            asked.add_title(&mut statement, titles[at]);
            statement
        });
        assert_eq!(
            older.has_newer_twin(&newer),
            expected,
            "{titles:?} {texts:?}"
        );
        assert!(!newer.has_newer_twin(&older), "{titles:?} {texts:?}");
    }
}

#[test]
fn another_thing_at_the_beginning_is_another_subject() {
    for (question, older, newer, expected) in [
        (
            "Where does Anna live?",
            "# Anna\nSister of Tom. Lives in Oslo.",
            "Tom moved to Rome.",
            false,
        ),
        (
            "Which Kubernetes does production run on?",
            "Production runs on Kubernetes 1.29.",
            "Staging moved to Kubernetes 1.31.",
            false,
        ),
        (
            "Which Kubernetes does production run on?",
            "Production runs on Kubernetes 1.29.",
            "Production moved to Kubernetes 1.31.",
            true,
        ),
        (
            "Where does Anna live?",
            "Anna lives in Oslo.",
            "Since May Anna lives in Rome.",
            true,
        ),
    ] {
        let mut asked = Question::new(question, &[Language::ENGLISH]);
        let day = |month| date(2026, month, 1).in_tz("UTC").unwrap();
        let [older, newer] = [(older, 1), (newer, 3)].map(|(text, month)| {
            let statement = asked.statement(text, day(month).timestamp(), &day(4), false);
            statement.unwrap()
        });
        assert_eq!(
            newer.replaces_value_of(&older, true),
            expected,
            "{question} {newer:?}"
        );
    }
}

#[test]
fn the_opposite_state_outdates() {
    for (question, older, newer, expected) in [
        (
            "Is the pool open?",
            "The pool is open.",
            "The pool is closed for the winter.",
            true,
        ),
        (
            "Is Lena blocked?",
            "Lena is blocked by the review.",
            "Lena is unblocked.",
            true,
        ),
        (
            "Is the door unlocked?",
            "The door is unlocked.",
            "The door is locked.",
            true,
        ),
        (
            "¿Está abierta la piscina?",
            "La piscina está abierta.",
            "La piscina está cerrada.",
            true,
        ),
        (
            "Is the pool open?",
            "The pool is open.",
            "The pool is closed on Mondays.",
            false,
        ),
        (
            "Is the pool open?",
            "The pool is open.",
            "The office is closed.",
            false,
        ),
    ] {
        let [older, newer] = statements(question, older, newer);
        assert_eq!(newer.replaces_value_of(&older, true), expected, "{newer:?}");
    }
}

#[test]
fn statements_of_one_form_tell_two_things_apart() {
    for (older, newer, expected) in [
        (
            "Bed 1 is planted with leeks.",
            "Bed 4 is planted with beans.",
            false,
        ),
        (
            "Room Elbe seats 8 people.",
            "Room Weser seats 14 people.",
            false,
        ),
        (
            "The red bin is collected on Monday.",
            "The blue bin is collected on Friday.",
            false,
        ),
        (
            "The bin is collected on Monday at 8.",
            "The bin is collected on Friday at 9.",
            true,
        ),
        (
            "Our bin is collected on Monday.",
            "The bin is collected on Friday.",
            true,
        ),
        (
            "We empty bin 3 on Monday.",
            "We clean bin 3 on Friday.",
            true,
        ),
        (
            "Bed 1 is planted with leeks.",
            "Bed 1 is planted with beans.",
            true,
        ),
    ] {
        let question = "When is the bin collected, which bed is planted, which room seats people?";
        let [older, newer] = statements(question, older, newer);
        assert_eq!(newer.has_subject_of(&older, true), expected, "{newer:?}");
    }
}

#[test]
fn equal_titles_tell_that_news_is_about_one_subject() {
    for (titles, newer, expected) in [
        (["Office", "Office"], "We are now at Lindenweg 9.", true),
        (["Office", "Office"], "Since March: Lindenweg 9.", true),
        (["Office", "Office"], "The chairs are from Bonn.", false),
        (["Office", "Shop"], "We are now at Lindenweg 9.", false),
    ] {
        let mut asked = Question::new("Where is the office?", &[Language::ENGLISH]);
        let older = "We rent two rooms at Talstraße 4.";
        let [older, newer] = [(older, 1, titles[0]), (newer, 3, titles[1])].map(|stated| {
            let (text, month, title) = stated;
            let day = |month| date(2026, month, 1).in_tz("UTC").unwrap();
            let statement = asked.statement(text, day(month).timestamp(), &day(4), false);
            let mut statement = statement.unwrap();
            asked.add_title(&mut statement, title);
            statement
        });
        let replaces = newer.replaces_value_of(&older, true);
        assert_eq!(replaces, expected, "{titles:?} {newer:?}");
    }
}

#[test]
fn words_of_change_may_omit_the_verb_of_the_question() {
    for (language, question, statements, expected) in [
        (
            "german",
            "Wann fährt unser Zug nach Wien?",
            "Unser Zug nach Wien fährt um 8:12 Uhr.|Der Zug nach Wien wurde auf 9:40 Uhr verschoben.",
            true,
        ),
        (
            "german",
            "Wann fährt unser Zug nach Wien?",
            "Unser Zug nach Wien fährt um 8:12 Uhr.|Der Zug nach Graz wurde auf 9:40 Uhr verschoben.",
            false,
        ),
        (
            "english",
            "What colour are the kitchen walls?",
            "The kitchen walls are painted yellow.|We repainted the kitchen walls in sage green.",
            true,
        ),
        (
            "english",
            "Who is our electricity contract with?",
            "Our electricity contract is with Volta.|We cancelled Volta and signed with GreenSpark for electricity.",
            true,
        ),
        (
            "portuguese",
            "Quem é o nosso fornecedor de gás?",
            "O nosso fornecedor de gás é a Lisgás.|Desde fevereiro o nosso fornecedor de gás é a Norgás.",
            true,
        ),
        (
            "english",
            "Where is the key?",
            "The key is in the hallway.|We moved the key to the basement.",
            true,
        ),
        (
            "english",
            "Where does Mira train?",
            "Mira trains at the gym in Harbour Lane.|Mira switched to another dentist, Dr Lindqvist.",
            false,
        ),
        (
            "english",
            "Where is the key?",
            "The key is in the hallway.|We moved the bike to the basement.",
            false,
        ),
        (
            "french",
            "Où est le cabinet du médecin ?",
            "Le cabinet du médecin est au 12 rue des Lilas.|Le cabinet du médecin a déménagé au 4 place du Moulin.",
            true,
        ),
    ] {
        let languages = [language.parse().unwrap()];
        let (older, newer) = statements.split_once('|').unwrap();
        let [older, newer] = statements_in(&languages, question, [older, newer]);
        assert_eq!(
            newer.replaces_value_of(&older, true),
            expected,
            "{older:?} {newer:?}"
        );
    }
}

#[test]
fn a_report_that_its_value_was_left_outdates() {
    for (language, question, statements, expected) in [
        (
            "english",
            "which chat do we use",
            "We use Slack for chat.|The switch from Slack to Teams is complete.",
            true,
        ),
        (
            "english",
            "which bank do I use",
            "My bank is Santander.|The move from Santander to Monzo went through on Monday.",
            true,
        ),
        (
            "english",
            "which editor does Ana use",
            "Ana uses Atom.|Ana has left Atom for Zed.",
            true,
        ),
        (
            "english",
            "which editor does Ana use",
            "Ana uses Atom.|Luis has left Atom for Zed.",
            false,
        ),
        (
            "english",
            "where is the wiki hosted",
            "The wiki is hosted on AWS.|The migration of the blog from AWS to Hetzner is finished.",
            false,
        ),
        (
            "english",
            "where does Rosa work",
            "Rosa works at AWS.|The migration from AWS to Hetzner is finished.",
            false,
        ),
        (
            "english",
            "which chat do we use",
            "We use Slack for chat.|The switch from Slack to Teams was rejected.",
            false,
        ),
        (
            "german",
            "welchen Chat nutzen wir",
            "Wir nutzen Slack als Chat.|Der Umstieg von Slack auf Teams ist abgeschlossen.",
            true,
        ),
        (
            "english",
            "welchen Chat nutzen wir",
            "Wir nutzen Slack als Chat.|Der Umstieg von Slack auf Teams ist abgeschlossen.",
            true,
        ),
        (
            "german",
            "welchen Chat nutzen wir",
            "Wir nutzen Slack als Chat.|Der Umstieg von Slack auf Teams ist für Mai geplant.",
            false,
        ),
        (
            "french",
            "quel chat utilisons-nous",
            "Nous utilisons Slack pour le chat.|Le passage de Slack à Teams est terminé.",
            true,
        ),
        (
            "english",
            "quel chat utilisons-nous",
            "Nous utilisons Slack pour le chat.|Le passage de Slack à Teams est terminé.",
            true,
        ),
        (
            "italian",
            "quale chat usiamo",
            "Usiamo Slack per la chat.|Il passaggio da Slack a Teams è completato.",
            true,
        ),
    ] {
        let languages = [language.parse().unwrap()];
        let (older, newer) = statements.split_once('|').unwrap();
        let [older, newer] = statements_in(&languages, question, [older, newer]);
        assert_eq!(
            newer.leaves_value_of(&older),
            expected,
            "{older:?} {newer:?}"
        );
    }
}

#[test]
fn a_short_report_of_a_return_is_recognised() {
    for (language, question, first, newest, expected) in [
        (
            "english",
            "What temperature is the freezer set to?",
            "The freezer thermometer is set to 18 degrees.",
            "Freezer back at 18 degrees.",
            true,
        ),
        (
            "english",
            "What temperature is the freezer set to?",
            "The freezer thermometer is set to 18 degrees.",
            "Fridge back at 18 degrees.",
            false,
        ),
        (
            "english",
            "What temperature is the freezer set to?",
            "The freezer thermometer is set to 18 degrees.",
            "Back at 18 degrees.",
            false,
        ),
        (
            "english",
            "What temperature is the freezer set to?",
            "The freezer thermometer is set to 18 degrees.",
            "Freezer not back at 18 degrees.",
            false,
        ),
        (
            "english",
            "What temperature is the freezer set to?",
            "The freezer thermometer is set to 18 degrees.",
            "Freezer back at 19 degrees.",
            false,
        ),
        (
            "english",
            "What temperature is the freezer set to?",
            "The freezer thermometer is set to 18 degrees.",
            "Freezer at 18 degrees.",
            false,
        ),
        (
            "english",
            "Where does the choir rehearse?",
            "The choir rehearses in Elm Hall.",
            "Choir back in Elm Hall.",
            true,
        ),
        (
            "english",
            "Where does the choir rehearse?",
            "The choir rehearses in Elm Hall.",
            "Lost umbrella of the choir back in Elm Hall.",
            false,
        ),
        (
            "german",
            "Auf wie viel Grad ist der Brutschrank eingestellt?",
            "Der Brutschrank ist auf 37 Grad eingestellt.",
            "Brutschrank wieder auf 37 Grad.",
            true,
        ),
        (
            "spanish",
            "¿A qué temperatura está puesta la nevera?",
            "La nevera está puesta a 4 grados.",
            "La nevera del garaje, de nuevo a 4 grados.",
            false,
        ),
        (
            "spanish",
            "¿A qué temperatura está puesta la nevera?",
            "La nevera está puesta a 4 grados.",
            "La nevera, de nuevo a 4 grados.",
            true,
        ),
        (
            "french",
            "À combien de degrés est réglé le congélateur ?",
            "Le congélateur est réglé sur 18 degrés.",
            "Congélateur de retour à 18 degrés.",
            true,
        ),
    ] {
        let languages = [language.parse().unwrap()];
        let [first, newest] = statements_in(&languages, question, [first, newest]);
        assert_eq!(newest.returns_to(&first), expected, "{newest:?}");
        assert!(!first.returns_to(&newest), "{first:?}");
    }
}

#[test]
fn a_number_after_a_verb_of_change_outdates() {
    for (language, question, statements, expected) in [
        (
            "english",
            "which Postgres do we use",
            "We use Postgres 15.|We moved to Postgres 16.",
            true,
        ),
        (
            "english",
            "which Postgres do we use",
            "We use Postgres 15.|We moved the tests to Postgres 16.",
            false,
        ),
        (
            "english",
            "which Blender does the crew use",
            "The crew uses Blender 3.|We upgraded to Blender 4.",
            true,
        ),
        (
            "german",
            "welches Django nutzen wir",
            "Wir nutzen Django 4.|Wir sind auf Django 5 umgestiegen.",
            true,
        ),
        (
            "spanish",
            "qué versión de Node usamos",
            "Usamos Node 18.|Pasamos a Node 22.",
            true,
        ),
        (
            "italian",
            "quale Angular usiamo",
            "Usiamo Angular 15.|Siamo passati ad Angular 17.",
            true,
        ),
        (
            "portuguese",
            "que Ubuntu usamos",
            "Usamos Ubuntu 20.04.|Mudámos para Ubuntu 24.04.",
            true,
        ),
    ] {
        let (older, newer) = statements.split_once('|').unwrap();
        let languages = [language.parse().unwrap()];
        let [older, newer] = statements_in(&languages, question, [older, newer]);
        assert_eq!(newer.replaces_value_of(&older, true), expected, "{newer:?}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn a_verb_of_change_that_fits_the_question_outdates() {
    for (language, question, older, newer, expected) in [
        (
            "english",
            "What do we record the podcast with?",
            "The podcast is recorded with Zencastr.",
            "We moved the podcast to Riverside.",
            true,
        ),
        (
            "english",
            "Where is our office?",
            "Our office is at Lindenweg 9 in Berlin.",
            "The office moved to Torstrasse 12 in Hamburg.",
            true,
        ),
        (
            "english",
            "Where is our office?",
            "Our office is at Lindenweg 9 in Berlin.",
            "Anna of the office moved to Torstrasse 12 in Hamburg.",
            false,
        ),
        (
            "english",
            "Where is the spare key?",
            "The spare key is at Lena's.",
            "We moved the key to Otto's.",
            false,
        ),
        (
            "english",
            "Where is the archive of the podcast?",
            "The archive of the podcast is on Dropbox.",
            "We moved the podcast to Riverside.",
            false,
        ),
        (
            "english",
            "Who edits the podcast?",
            "Lena edits the podcast.",
            "We moved the podcast to Riverside.",
            false,
        ),
        (
            "spanish",
            "¿En qué puerto escucha el proxy de Alcor?",
            "El proxy de Alcor escucha en el puerto 8443.",
            "Rectifico la nota de febrero: el proxy de Alcor escucha en el 9443.",
            true,
        ),
        (
            "english",
            "When does the ferry to Calais leave?",
            "The ferry to Calais leaves at 9:15.",
            "The ferry to Dieppe now leaves at 11:40.",
            false,
        ),
        (
            "german",
            "Wo liegt das Wiki?",
            "Das Wiki liegt bei Strato.",
            "Wir haben das Wiki zu Netcup migriert.",
            true,
        ),
        (
            "german",
            "Wo liegt das Wiki?",
            "Das Wiki liegt bei Strato.",
            "Wir haben das Archiv des Wikis zu Netcup migriert.",
            false,
        ),
        (
            "german",
            "Woran hängt der Beamer im kleinen Saal?",
            "Der Beamer im kleinen Saal hängt an HDMI.",
            "Der Beamer im großen Saal hängt jetzt an VGA.",
            false,
        ),
        (
            "french",
            "Comment s'appelle notre groupe de musique ?",
            "Notre groupe de musique s'appelle Les Mouettes.",
            "Nous avons rebaptisé notre groupe de musique Les Goélands.",
            true,
        ),
        (
            "french",
            "Qui anime l'atelier de poterie ?",
            "Luc anime l'atelier de poterie.",
            "Odile a repris l'atelier de couture de Luc.",
            false,
        ),
        (
            "italian",
            "Chi cura il giornalino della scuola?",
            "Giorgio cura il giornalino della scuola.",
            "Giorgio ha passato il giornalino della scuola a Serena.",
            true,
        ),
    ] {
        let languages = [language.parse().unwrap()];
        let [older, newer] = statements_in(&languages, question, [older, newer]);
        assert_eq!(newer.replaces_value_of(&older, true), expected, "{newer:?}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn another_value_of_the_same_subject_outdates() {
    for (question, older, newer, expected) in [
        (
            "Which port does the gateway use?",
            "The gateway listens on port 7411.",
            "The gateway listens on port 7590.",
            true,
        ),
        (
            "Does the client send telemetry?",
            "The client sends telemetry.",
            "The client doesn't send telemetry.",
            true,
        ),
        (
            "Which shop sells our tea?",
            "Our tea comes from Tesco.",
            "Switched our tea to Ocado because Tesco was late.",
            true,
        ),
        (
            "What does the shop run on?",
            "The shop runs on Postgres 15.",
            "The shop runs on Postgres 16.",
            true,
        ),
        (
            "Who is the lead of the team?",
            "Rosa is the lead of the team.",
            "Rosa is back as the lead of the team.",
            false,
        ),
        (
            "How often are keys rotated?",
            "Keys are rotated every ninety days.",
            "We rotate the keys once every 90 days.",
            false,
        ),
        (
            "When does the desk open?",
            "The desk opens at 8.",
            "Until 30 June the desk opens at 10.",
            false,
        ),
        (
            "When does the desk open?",
            "On weekdays the desk opens at 8.",
            "On Sundays the desk opens at 10.",
            false,
        ),
        (
            "Which languages does Ann speak?",
            "Ann speaks Czech.",
            "Ann speaks Greek.",
            false,
        ),
        (
            "What is Ann allergic to?",
            "Ann is allergic to nuts.",
            "Ann is not allergic to milk.",
            false,
        ),
        (
            "What is Ann allergic to?",
            "Ann is allergic to nuts.",
            "Ann is not allergic to nuts.",
            true,
        ),
        (
            "Where does Ann live?",
            "Ann lives in Porto.",
            "Ann moved to Exeter.",
            true,
        ),
        (
            "Wo wohnt Jonas?",
            "Jonas wohnt in Bremen.",
            "Jonas ist im Mai nach Augsburg umgezogen.",
            true,
        ),
        (
            "Where does Ann live?",
            "Ann lives in Porto.",
            "Ann wants to move to Exeter.",
            false,
        ),
        (
            "¿Cuándo es el examen?",
            "El examen es el 6 de abril.",
            "El examen es el 7 de abril.",
            true,
        ),
        (
            "Wann zieht Lea um?",
            "Lea zieht am 1. Juni um.",
            "Lea zieht am 1. August um.",
            true,
        ),
        (
            "Quando ocorre a feira?",
            "A feira é no sábado.",
            "A feira foi mudada para domingo.",
            true,
        ),
        (
            "Wann ist der Lesekreis?",
            "Der Lesekreis ist mittwochs.",
            "Der Lesekreis wurde auf freitags verschoben.",
            true,
        ),
        (
            "Wann ist der Lesekreis?",
            "Der Lesekreis ist mittwochs.",
            "Der Lesekreis wurde in den Keller verlegt.",
            false,
        ),
        (
            "How much memory does the server have?",
            "The server has 4 GB of memory.",
            "The server has 4096 MB of memory.",
            false,
        ),
        (
            "When is the deadline?",
            "The deadline is Monday.",
            "The deadline is not Friday.",
            false,
        ),
        (
            "Does Tobias eat meat?",
            "Tobias doesn't eat meat.",
            "Tobias eats meat again, mostly chicken.",
            true,
        ),
        (
            "What is Ann allergic to?",
            "Ann is not allergic to cats.",
            "Ann is allergic to wasps.",
            false,
        ),
        (
            "When is the deadline?",
            "The deadline is Friday.",
            "The deadline is not Friday.",
            true,
        ),
        (
            "How warm is the greenhouse?",
            "The greenhouse is kept at 20 °C.",
            "The greenhouse is kept at 68 °F.",
            false,
        ),
        (
            "How warm is the greenhouse?",
            "The greenhouse is kept at 20 °C.",
            "The greenhouse is kept at 70 °F.",
            true,
        ),
        (
            "Which Python is needed?",
            "Python 3.9 is needed for the docs.",
            "Python 3.12 is needed for the docs.",
            true,
        ),
        (
            "Who is our landlord?",
            "Our landlord is Frau Brandt.",
            "Our landlord is now Meyer.",
            true,
        ),
        (
            "Who is our landlord?",
            "Our landlord is Frau Brandt.",
            "From 15 March our landlord will be Meyer.",
            true,
        ),
        (
            "When is the meeting?",
            "The meeting is in Room 4.",
            "The meeting is now on Tuesday.",
            false,
        ),
        (
            "Which runs do we trust?",
            "Experiments run on release 1.0 of the corpus.",
            "We almost used Redis.",
            false,
        ),
        (
            "What is the limit of the service?",
            "The limit of the service is 20 requests.",
            "The vendor says \"the limit of the service is 99 requests\".",
            false,
        ),
        (
            "What is the limit of the service?",
            "The limit of the service is 20 requests.",
            "The limit of the service could be 99 requests.",
            false,
        ),
    ] {
        let [older, newer] = statements(question, older, newer);
        assert_eq!(newer.replaces_value_of(&older, true), expected, "{newer:?}");
        assert!(!older.replaces_value_of(&newer, true), "{older:?}");
    }
}

#[test]
fn only_the_sentence_that_answers_is_compared() {
    for (question, older, newer, expected) in [
        (
            "Where does Noor live?",
            "Noor lives in Canal Street 8 now.",
            "Talked to Noor about the trip. Moved the piano.",
            false,
        ),
        (
            "Where does Noor live?",
            "Noor lives in Canal Street 8.",
            "Met Noor. Sam has moved back to Ghent.",
            false,
        ),
        (
            "Where does Noor live?",
            "Noor lives in Canal Street 8.",
            "Rain all day. Noor has moved to Dock Road 3. Sam is ill.",
            true,
        ),
        (
            "What precision does the filter reach on set 4?",
            "The filter reaches 77.1 % precision on set 4.",
            "Disregard the 77.1 %: a leak. Without it, the filter is at 70.2 % on set 4.",
            true,
        ),
    ] {
        let [older, newer] = statements(question, older, newer);
        assert_eq!(newer.replaces_value_of(&older, true), expected, "{newer:?}");
    }
}

#[test]
fn the_same_words_with_another_place_outdate() {
    for (question, older, newer, expected) in [
        (
            "Where is the clinic?",
            "The clinic is in Rue Albert Camus 12.",
            "The clinic is in Quai Morand 4.",
            true,
        ),
        (
            "Wo ist die Praxis?",
            "Die Praxis ist im Lindenweg 3.",
            "Die Praxis ist am Neuen Platz 7.",
            true,
        ),
        (
            "Where is the clinic?",
            "The clinic is in Rue Albert Camus 12.",
            "The school is in Quai Morand 4.",
            false,
        ),
        (
            "Who is at the clinic?",
            "The clinic is in Rue Albert Camus 12.",
            "The clinic is in good hands.",
            false,
        ),
    ] {
        let [older, newer] = statements(question, older, newer);
        assert_eq!(newer.replaces_value_of(&older, true), expected, "{newer:?}");
    }
}

#[test]
fn a_newer_answer_in_other_words_may_outdate() {
    for (question, older, newer, expected) in [
        (
            "Is the bridge to the mill open?",
            "The bridge to the mill is closed.",
            "Walked over the bridge to the mill today.",
            true,
        ),
        (
            "Where are the spare pumps stored?",
            "Spare pumps are stored in the shed.",
            "Spare pumps may be stored in the attic next year.",
            false,
        ),
        (
            "Who owns Search Quality?",
            "Search Quality: Ilse.",
            "Search Infrastructure: Bogdan.",
            false,
        ),
        (
            "What is my phone number at work?",
            "My phone number at work is 4411.",
            "Jo has a new phone number at work: 4417.",
            false,
        ),
        (
            "What is my phone number at work?",
            "My phone number at work is 4411.",
            "At work I have a new phone number, 4417.",
            true,
        ),
        // The question contains the older value.
        (
            "Is the car still parked on level 2?",
            "The car is parked on level 2.",
            "The car is parked on level 4.",
            true,
        ),
        (
            "Who is the owner of Search Quality?",
            "Owner of Search Quality: Ilse.",
            "Owner of Search Infrastructure: Bogdan.",
            false,
        ),
        (
            "Where does route 7 go?",
            "Route 7 goes to the airport.",
            "Route 9 goes to the airport.",
            false,
        ),
    ] {
        let [older, newer] = statements(question, older, newer);
        assert_eq!(older.may_be_outdated_by(&newer), expected, "{newer:?}");
    }

    // The titles name other things.
    let mut asked = Question::new("Who owns billing?", &[Language::ENGLISH]);
    let day = |month| date(2026, month, 1).in_tz("UTC").unwrap();
    let texts = [
        ("Ines owns billing.", 1),
        ("Ines handed billing to Pavel, he owns it.", 3),
    ];
    let [older, newer] = texts.map(|(text, month)| {
        let now = day(6);
        asked
            .statement(text, day(month).timestamp(), &now, false)
            .unwrap()
    });
    let [mut older, mut newer] = [older, newer];
    asked.add_title(&mut older, "Owner");
    asked.add_title(&mut newer, "Handover");
    assert!(older.may_be_outdated_by(&newer), "{newer:?}");
}

#[test]
fn of_a_longer_note_the_answering_sentence_counts() {
    for (question, older, newer, expected) in [
        (
            "When is the team meeting?",
            "The team meeting is on Tuesdays at 10 in the small room.",
            "The deploys were slow.\nThe team meeting moves to Wednesdays at 9:30.\nInes writes the runbook.",
            true,
        ),
        (
            "Who is our insurance for liability with?",
            "Our insurance for liability is with Helvetia, policy 88.",
            "The tax letter is answered.\nOur insurance for liability is with Huk, policy 44.",
            true,
        ),
        // Of a person whom another sentence names.
        (
            "Who is my doctor?",
            "My doctor is Dr. Faber.",
            "She is well again.\nHer doctor is Dr. Kunze, who lets her drive.",
            false,
        ),
        (
            "Who is Ilse's doctor?",
            "The doctor of Ilse is Dr. Faber.",
            "Ilse is well again.\nHer doctor is Dr. Kunze.",
            false,
        ),
        (
            "Wann ist die Chorprobe?",
            "Die Chorprobe ist dienstags um 19 Uhr.",
            "Uta hat viel erzählt.\nIhre Chorprobe ist donnerstags um 20 Uhr.",
            false,
        ),
    ] {
        let mut asked = Question::new(question, &[Language::ENGLISH]);
        let day = |month| date(2026, month, 1).in_tz("UTC").unwrap();
        let [older, newer] = [(older, 1, false), (newer, 3, true)].map(|(text, month, excerpt)| {
            let at = day(month).timestamp();
            asked.statement(text, at, &day(4), excerpt).unwrap()
        });
        assert!(newer.is_excerpt(), "{newer:?}");
        assert_eq!(older.may_be_outdated_by(&newer), expected, "{newer:?}");
    }
    let mut asked = Question::new("Who is my doctor?", &[Language::ENGLISH]);
    let day = date(2026, 3, 1).in_tz("UTC").unwrap();
    let unrelated = "It rained.\nThe tap drips again.\nMilk is out.";
    assert!(
        asked
            .statement(unrelated, day.timestamp(), &day, true)
            .is_none()
    );
}
