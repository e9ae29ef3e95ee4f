//! `mem associate`: relations of similar notes by agents are stated, others are asked.

use expect_test::expect;

use crate::support::TestVault;

const NOTES: [(&str, &str, &str); 4] = [
    (
        "Slow builds",
        "pattern",
        "Builds are slow on Mondays because the cache is cold after the weekend.",
    ),
    (
        "Cold cache",
        "insight",
        "The cache of builds is cold after the weekend, so builds are slow.",
    ),
    (
        "Cheese",
        "decision",
        "We buy the cheese for the party at the market.",
    ),
    ("Cheese storage", "decision", "The cellar gets a new lock."),
];

#[test]
fn relations_of_similar_notes_are_stated_and_undone() {
    let vault = TestVault::of([("Mine.md", "Tea at four.\n")]);
    for (title, kind, text) in NOTES {
        vault
            .run(["-q", "remember", "--title", title, "--type", kind, text])
            .raw();
    }
    let before = vault.tree();
    vault
        .run(["associate"])
        .stdout(expect![[r#"
            recorded explains from cold-cache.md to slow-builds.md
              reason: an insight and a pattern, cosine 0.88
            a32ff0ce Record contrasts_with from cheese.md to cheese-storage.md? (two decisions about cheese, cosine 0.28)
        "#]])
        .stderr(expect![[r#"
            hint: undo with `mem undo 7581`
            hint: answer with `mem review --kind association`
        "#]])
        .code(0);
    vault
        .run(["associate", "--full"])
        .stdout(expect![[r#"
            a32ff0ce Record contrasts_with from cheese.md to cheese-storage.md? (two decisions about cheese, cosine 0.28)
        "#]])
        .stderr(expect![[r#"
            hint: answer with `mem review --kind association`
        "#]])
        .code(0);
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
    vault
        .run(["associate", "--full"])
        .stdout(expect![[r#"
            a32ff0ce Record contrasts_with from cheese.md to cheese-storage.md? (two decisions about cheese, cosine 0.28)
        "#]])
        .stderr(expect![[r#"
            hint: answer with `mem review --kind association`
        "#]])
        .code(0);
}
