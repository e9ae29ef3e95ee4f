//! Every note parses without a panic, links are at their stated positions, and a re-pointed link
//! parses as such.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mem::note::{self, LinkKind};

const TARGETS: [&str; 4] = ["New note", "a/b.md", "Über (2) 100% it's", "x"];

fuzz_target!(|text: &str| {
    let note = note::read(text, "stem");
    for heading in &note.headings {
        assert!((1..=6).contains(&heading.level));
    }
    for link in &note.links {
        let raw = &text[link.span.clone()];
        assert!(!link.target.is_empty() || link.part.is_some(), "{raw:?}");
        assert!(
            raw.starts_with('[') || link.embed && raw.starts_with("!["),
            "{raw:?}"
        );
        let _ = link.unlinked();
        assert_eq!(link.retargeted(text, &link.target), raw);
    }
    if text.contains('$') || text.replace("\r\n", "").contains('\r') {
        // Whether `$…$` is math depends on the text between, including the target; so does the
        // extent of a line with a lone carriage return.
        return;
    }
    // Checking the first few links suffices.
    for (number, link) in note.links.iter().enumerate().take(6) {
        if note.problem.is_some() && link.property.is_some() {
            // Such properties are recovered line by line and never edited.
            continue;
        }
        let raw = &text[link.span.clone()];
        if link.property.is_some() && text.matches(raw).count() > 1 {
            // The value decides which of two properties a line belongs to.
            continue;
        }
        let target = TARGETS[number % TARGETS.len()];
        if target == link.target {
            continue;
        }
        let with = link.retargeted(text, target);
        if with == text[link.span.clone()] {
            // Unusual syntax is not changed.
            assert_eq!(link.kind, LinkKind::Markdown);
            continue;
        }
        let mut new = text.to_owned();
        new.replace_range(link.span.clone(), &with);
        let again = note::read(&new, "stem");
        let found = again
            .links
            .iter()
            .find(|found| found.span.start == link.span.start && found.kind == link.kind);
        let Some(found) = found else {
            panic!(
                "no link in {with:?}, which was {:?}",
                &text[link.span.clone()]
            );
        };
        assert_eq!(found.target, target, "{with:?}");
        assert_eq!(
            (&found.part, found.embed),
            (&link.part, link.embed),
            "{with:?}"
        );
        assert_eq!(found.property, link.property);
        if link.kind == LinkKind::Wiki {
            assert_eq!(found.label, link.label, "{with:?}");
            // A multi-line value may contain texts that only look like links.
            if link.property.is_none() {
                assert_eq!(again.links.len(), note.links.len());
            }
        }
    }
});
