//! What joins two names: the verbs that are read in sentences, and what their forms, and properties of the
//! same name, are called.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A verb and what may be its object.
pub(super) struct Verb {
    /// As a fact is called by it, from the doer's side.
    pub(super) name: &'static str,
    /// What stands between doer and object: `founded`, `works at`.
    pub(super) active: &'static [&'static str],
    /// What stands between object and doer, behind a form of `be`: `founded by`; empty for none.
    pub(super) passive: &'static str,
    /// True if any words may be the object, not names alone.
    pub(super) takes_words: bool,
    /// True if what it is done to is no longer what counts: said wherever in a note it holds for all of it.
    pub(super) retires: bool,
}

const fn verb(
    name: &'static str,
    active: &'static [&'static str],
    passive: &'static str,
    takes_words: bool,
) -> Verb {
    Verb {
        name,
        active,
        passive,
        takes_words,
        retires: false,
    }
}

const fn retires(
    name: &'static str,
    active: &'static [&'static str],
    passive: &'static str,
) -> Verb {
    Verb {
        retires: true,
        ..verb(name, active, passive, false)
    }
}

/// Verbs that say the same of whomever they are said. The first that fits counts, so `works as` stands
/// before shorter ones.
pub(super) const VERBS: &[Verb] = &[
    retires("supersedes", &["supersedes", "superseded"], "superseded by"),
    retires("replaces", &["replaces", "replaced"], "replaced by"),
    retires("obsoletes", &["obsoletes", "obsoleted"], "obsoleted by"),
    retires("deprecates", &["deprecates", "deprecated"], "deprecated by"),
    verb("updates", &["updates"], "updated by", false),
    verb("amends", &["amends", "amended"], "amended by", false),
    verb("extends", &["extends", "extended"], "extended by", false),
    verb("requires", &["requires", "required"], "required by", false),
    verb(
        "depends on",
        &["depends on", "depended on", "relies on"],
        "",
        false,
    ),
    verb(
        "builds on",
        &["builds on", "builds upon", "built on"],
        "",
        false,
    ),
    verb("based on", &["is based on", "was based on"], "", false),
    verb(
        "derived from",
        &["is derived from", "was derived from"],
        "",
        false,
    ),
    verb(
        "part of",
        &["is part of", "was part of", "is a part of", "was a part of"],
        "",
        false,
    ),
    verb("belongs to", &["belongs to", "belonged to"], "", false),
    verb(
        "member of",
        &["is a member of", "was a member of"],
        "",
        false,
    ),
    verb(
        "implements",
        &["implements", "implemented"],
        "implemented by",
        false,
    ),
    verb(
        "contradicts",
        &["contradicts", "contradicted"],
        "contradicted by",
        false,
    ),
    verb(
        "supports",
        &["supports", "supported"],
        "supported by",
        false,
    ),
    verb("uses", &["uses", "used"], "used by", false),
    verb(
        "founded",
        &["founded", "co-founded", "cofounded"],
        "founded by",
        false,
    ),
    verb("created", &["created", "creates"], "created by", false),
    verb("invented", &["invented"], "invented by", false),
    verb(
        "developed",
        &["developed", "develops"],
        "developed by",
        false,
    ),
    verb("designed", &["designed"], "designed by", false),
    verb(
        "wrote",
        &["wrote", "writes", "authored"],
        "written by",
        false,
    ),
    verb(
        "published",
        &["published", "publishes"],
        "published by",
        false,
    ),
    verb("discovered", &["discovered"], "discovered by", false),
    verb(
        "maintains",
        &["maintains", "maintained"],
        "maintained by",
        false,
    ),
    verb("owns", &["owns", "owned"], "owned by", false),
    verb("acquired", &["acquired", "bought"], "acquired by", false),
    verb("leads", &["leads", "led"], "led by", false),
    verb("manages", &["manages", "managed"], "managed by", false),
    verb("reports to", &["reports to", "reported to"], "", false),
    verb("works as", &["works as", "worked as"], "", true),
    verb(
        "works at",
        &[
            "works at",
            "worked at",
            "works for",
            "worked for",
            "is employed by",
        ],
        "",
        false,
    ),
    verb("works with", &["works with", "worked with"], "", false),
    verb(
        "works on",
        &["works on", "worked on", "is working on"],
        "",
        true,
    ),
    verb("studies", &["studies", "studied"], "", true),
    verb(
        "lives in",
        &["lives in", "lived in", "is based in", "based in"],
        "",
        false,
    ),
    verb("located in", &["is located in", "located in"], "", false),
    verb("born in", &["was born in", "born in"], "", false),
    verb("moved to", &["moved to", "relocated to"], "", false),
    verb(
        "married to",
        &["is married to", "was married to", "married"],
        "",
        false,
    ),
    verb(
        "known as",
        &["is known as", "is also known as", "was known as"],
        "",
        false,
    ),
    verb("prefers", &["prefers"], "", true),
    verb("likes", &["likes"], "", true),
    verb("loves", &["loves"], "", true),
    verb("hates", &["hates", "dislikes"], "", true),
    verb("speaks", &["speaks"], "", false),
];

/// Returns the verbs of which a form begins with `word`.
pub(super) fn beginning(word: &str) -> impl Iterator<Item = &'static Verb> {
    static FIRST: LazyLock<HashMap<&str, Vec<&Verb>>> = LazyLock::new(|| {
        let mut first: HashMap<&str, Vec<&Verb>> = HashMap::new();
        for verb in VERBS {
            let forms = verb.active.iter().chain([&verb.passive]);
            for word in forms.filter_map(|form| form.split(' ').next()) {
                let verbs = first.entry(word).or_default();
                if !verbs.iter().any(|other| other.name == verb.name) {
                    verbs.push(verb);
                }
            }
        }
        first
    });
    FIRST.get(word).into_iter().flatten().copied()
}

/// Returns the predicate that a property or heading of this name states, and whether its values are the
/// doers: `superseded-by` states `supersedes` of them.
#[must_use]
pub fn canonical(key: &str) -> (String, bool) {
    let words: Vec<String> = key
        .split(|c: char| c.is_whitespace() || matches!(c, '-' | '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let name = words.join(" ");
    for verb in VERBS {
        if verb.passive == name {
            return (verb.name.to_owned(), true);
        }
        if verb.active.contains(&name.as_str()) {
            return (verb.name.to_owned(), false);
        }
    }
    (name, false)
}

/// Returns whether values of a property of this predicate are other things of the note's own kind, so that
/// a number among them is that of a note.
pub(super) fn joins_notes(predicate: &str) -> bool {
    const OTHERS: [&str; 12] = [
        "parent", "parents", "child", "children", "previous", "prev", "next", "related",
        "see also", "blocks", "follows", "precedes",
    ];
    OTHERS.contains(&predicate)
        || VERBS
            .iter()
            .any(|verb| verb.name == predicate && !verb.takes_words)
}
