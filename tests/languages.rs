//! Notes in several languages: stems and stop words of each, no cosine where the model knows none.

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{Search, Status};

const NOTES: [(&str, &str); 6] = [
    (
        "Tetera.md",
        "La tetera está en la cocina, al lado de la ventana, y no se puede lavar con jabón.\n",
    ),
    (
        "Jardín.md",
        "En el jardín hay que regar los tomates por la mañana, porque por la tarde hace mucho calor.\n",
    ),
    (
        "Konvice.md",
        "Konvice je v kuchyni vedle okna a nesmí se mýt mýdlem, protože by se mohla zkazit.\n",
    ),
    (
        "주전자.md",
        "주전자는 부엌 창문 옆에 있고 비누로 씻으면 안 됩니다.\n",
    ),
    (
        "Kettle.md",
        "The kettle is in the kitchen beside the window and must not be washed with soap.\n",
    ),
    (
        "Garden.md",
        "The tomatoes have to be watered in the morning, because the afternoon is too hot.\n",
    ),
];

fn search(vault: &TestVault, query: &str) -> Search {
    vault.run(["-q", "search", "--json", query]).json(0)
}

#[test]
fn questions_find_notes_of_their_language() {
    let vault = TestVault::of(NOTES);
    for (question, first) in [
        ("¿Dónde están las teteras?", "Tetera.md"),
        ("¿cuándo se riegan los tomates?", "Jardín.md"),
        ("kde jsou konvice?", "Konvice.md"),
        ("주전자는 어디에 있습니까", "주전자.md"),
        ("where are the kettles?", "Kettle.md"),
        ("when should I water tomatoes?", "Garden.md"),
    ] {
        let answer = search(&vault, question);
        assert_eq!(answer.hits[0].path, first, "{question}");
    }
}

#[test]
fn cosines_are_those_of_a_language_that_the_model_knows() {
    let vault = TestVault::of(NOTES);
    for (question, has_cosine) in [
        ("kettle soap", true),
        ("¿dónde está la tetera?", false),
        // Without words that only one language has, the notes decide.
        ("tetera jabón", false),
        ("tomates", false),
    ] {
        let answer = search(&vault, question);
        let first = &answer.hits[0];
        assert_eq!(first.cosine.is_some(), has_cosine, "{question}");
    }
    for hit in search(&vault, "kettle kitchen window").hits {
        let is_english = ["Kettle.md", "Garden.md"].contains(&hit.path.as_str());
        assert_eq!(hit.cosine.is_some(), is_english, "{}", hit.path);
    }
    let absent = vault.run(["search", "--json", "base de datos"]).raw();
    assert_eq!(absent.code, 1, "{}", absent.stdout);
    vault
        .run(["related", "Tetera.md"])
        .stderr(expect!["no links, mentions or similar notes"])
        .code(1);
}

#[test]
fn a_note_or_a_vault_can_name_its_language() {
    let vault = TestVault::of(NOTES);
    let languages = |vault: &TestVault| {
        let status = vault.run(["status"]).raw().stdout;
        let line = status.lines().find(|line| line.starts_with("languages"));
        line.unwrap_or_default().to_owned()
    };
    vault.run(["-q", "index"]).raw();
    let status: Status = vault.run(["status", "--json"]).json(0);
    assert_eq!(status.languages["spanish"], 2);
    expect!["languages   english 2, spanish 2, czech 1, korean 1"].assert_eq(&languages(&vault));
    vault.write(
        "Names.md",
        "---\nlanguage: de\n---\nKessel, Kanne, Häuser\n",
    );
    vault.run(["-q", "index"]).raw();
    expect!["languages   english 2, spanish 2, czech 1, german 1, korean 1"]
        .assert_eq(&languages(&vault));
    assert_eq!(search(&vault, "Haus").hits[0].path, "Names.md");
    vault.write(".mem/config.toml", "[index]\nlanguage = \"spanish\"\n");
    vault.run(["-q", "index"]).raw();
    expect!["languages   spanish 6, german 1"].assert_eq(&languages(&vault));
}
