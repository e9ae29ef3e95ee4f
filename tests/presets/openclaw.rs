//! OpenClaw: dreaming promotes notes with a score of at least .8, three recalls and three
//! questions.

use super::{slept, with_preset};

#[test]
fn notes_useful_for_three_questions_become_core() {
    for (questions, days, tier) in [
        // Used on as many days, for as many questions.
        (3, 6, "tier: core"),
        (2, 6, ""),
        (3, 1, ""),
    ] {
        let vault = with_preset("openclaw", []);
        let text = "The quay needs forty piles.";
        vault
            .run([
                "-q", "remember", "--title", "Quay", "-t", "a", "-t", "b", "-t", "c", text,
            ])
            .raw();
        for day in 0..days {
            vault.at(&format!("2026-04-{:02}T12:00:00Z", 1 + 2 * day));
            for time in 0..2 {
                let question = format!("question {}", (2 * day + time) % questions);
                vault
                    .run(["-q", "reinforce", "quay", "--query", &question])
                    .raw();
            }
        }
        slept(&vault, &format!("2026-04-{:02}T13:00:00Z", 2 * days - 1));
        let text = vault.read("quay.md");
        let found = text.lines().find(|line| line.starts_with("tier:"));
        assert_eq!(found.unwrap_or_default(), tier, "{questions} {days}");
    }
}
