//! Pairs of notes made of one: parts moved, repeated, nested, put in another order, labelled otherwise,
//! with other properties and comments.

use crate::support::random::Random;

/// Two notes of one: texts with front matter.
pub(crate) fn pair(text: &str, random: &mut Random) -> [String; 2] {
    let (front, body) = match text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
    {
        Some((front, body)) => (front, body),
        None => ("", text),
    };
    let chunks = chunks(body);
    let mut kept = [chunks.clone(), chunks];
    for (side, chunks) in kept.iter_mut().enumerate() {
        // Less in the first one, so that something is left to move.
        chunks.retain(|chunk| chunk.starts_with('#') && random.chance(0.9) || random.chance(0.75));
        for _ in 0..=random.below(4) {
            vary(chunks, side, random);
        }
    }
    let [a, b] = kept;
    [
        note(&properties(front, 0, random), &a),
        note(&properties(front, 1, random), &b),
    ]
}

fn note(front: &[String], chunks: &[String]) -> String {
    let body = chunks.join("\n\n") + "\n";
    if front.is_empty() {
        body
    } else {
        format!("---\n{}\n---\n{body}", front.join("\n"))
    }
}

/// Runs of lines between blank lines; a fence is one.
fn chunks(body: &str) -> Vec<String> {
    let mut chunks = Vec::new();
    let mut open = String::new();
    let mut in_fence = false;
    for line in body.lines() {
        in_fence ^= line.trim_start().starts_with("```");
        if line.trim().is_empty() && !in_fence {
            if !open.is_empty() {
                chunks.push(std::mem::take(&mut open));
            }
        } else {
            if !open.is_empty() {
                open.push('\n');
            }
            open.push_str(line);
        }
    }
    if in_fence {
        open.push_str("\n```");
    }
    chunks.push(open);
    chunks.retain(|chunk| !chunk.is_empty());
    chunks
}

const BLOCKS: &[[&str; 2]] = &[
    ["```sh\nmake a\nmake b\n```", "```sh\nmake b\nmake a\n```"],
    [
        "%%\nhidden one\n\nhidden two\n%%",
        "%%\nhidden one\n\nhidden three\n%%",
    ],
    ["<!-- a\n\nb -->", "<!-- a\n\nc -->"],
    ["$$\nx = 1\n\ny = 2\n$$", "$$\nx = 1\n\ny = 3\n$$"],
    [
        "<details>\n<summary>more</summary>\n\n- one\n\n</details>",
        "<details>\n<summary>more</summary>\n\n- two\n\n</details>",
    ],
    ["> [!note] Told\n> by Anna", "> [!note] Told\n> by Bert"],
    ["> ```\n> quoted a\n> ```", "> ```\n> quoted b\n> ```"],
    ["a | b\n--|--\n1 | 2", "a | b\n--|--\n1 | 2\n1 | 2"],
    ["- house\n  - paint\n- shed", "- house\n- shed\n  - paint"],
    ["1. first\n2. second", "1. second\n2. first"],
    [
        "Monday\n======\n\n- tea\n- bread",
        "Tuesday\n-------\n\n- tea\n- bread",
    ],
    [
        "It is so.[^1]\n\n[^1]: Anna said.",
        "It is so.[^1]\n\n[^1]: Bert said.",
    ],
    [
        "See [there][s] or [s].\n\n[s]: https://a.example",
        "See [there][s] or [s].\n\n[s]: https://b.example",
    ],
    ["A named block. ^told", "Another one. ^told-2"],
    ["    indented code", "    other code"],
    ["+ plus\n+ more", "* star\n* more"],
    ["A line  \nwith breaks", "A line\nwith breaks"],
    ["term | with a bar in a line", "term | with another\nbar"],
];

fn vary(chunks: &mut Vec<String>, side: usize, random: &mut Random) {
    let at = random.below(chunks.len() + 1);
    match random.below(9) {
        0 | 1 => chunks.insert(at, random.pick(BLOCKS)[side].to_owned()),
        2 => chunks.insert(at, random.pick(BLOCKS)[0].to_owned()),
        // Moved, repeated or swapped.
        3 if at < chunks.len() => {
            let chunk = chunks.remove(at);
            chunks.insert(random.below(chunks.len() + 1), chunk);
        }
        4 if at < chunks.len() => {
            let chunk = chunks[at].clone();
            chunks.insert(random.below(chunks.len() + 1), chunk);
        }
        5 if at < chunks.len() => chunks.push(format!("## Part {side}\n\n{}", chunks[at].clone())),
        6 if at < chunks.len() => {
            // The items of a list in another order, or one below the other.
            let mut lines: Vec<String> = chunks[at].lines().map(str::to_owned).collect();
            if lines.len() > 1 && lines.iter().all(|line| line.starts_with("- ")) {
                lines.reverse();
                if random.chance(0.5) {
                    let line = lines.len() - 1;
                    lines[line].insert_str(0, "  ");
                }
                chunks[at] = lines.join("\n");
            }
        }
        7 if at < chunks.len() && chunks[at].starts_with('#') => {
            let deeper = chunks[at].len() - chunks[at].trim_start_matches('#').len() < 6;
            if deeper && random.chance(0.5) {
                chunks[at].insert(0, '#');
            } else {
                chunks[at].push_str(" again");
            }
        }
        8 if at < chunks.len()
            && !chunks[at].starts_with(['#', ' ', '`', '|'])
            && chunks[at].lines().count() == 1 =>
        {
            // Wrapped otherwise.
            chunks[at] = chunks[at].replacen(". ", ".\n", 1);
        }
        _ => {}
    }
}

/// Lines of front matter: those of the note, as they are in one of two, and some more.
fn properties(front: &str, side: usize, random: &mut Random) -> Vec<String> {
    let mut lines: Vec<String> = front.lines().map(str::to_owned).collect();
    let more: &[[&str; 2]] = &[
        ["status: open # since May", "status: done # since June"],
        ["size: 0x1F", "size: 0x2F"],
        ["share: 0.1234567890123456789", "share: 0.5"],
        ["code: 007", "weight: 1e3"],
        [
            "# about people\nauthor: Anna",
            "# about others\nreader: Bert",
        ],
        ["date created: 2026-01-02", "date created: 2026-01-01"],
        ["labels: [a, b]", "labels: [b, c]"],
        ["valid_until: 2030-01-01", "valid_until: 2031-01-01"],
        ["place: {town: Ulm}", "place: {town: Bern}"],
    ];
    for pair in more {
        let is_key = |line: &String, of: &str| {
            of.lines()
                .any(|of| !of.starts_with('#') && line.split(':').next() == of.split(':').next())
        };
        let is_there = lines.iter().any(|line| is_key(line, pair[side]));
        if random.chance(0.2) && !is_there {
            lines.extend(pair[side].lines().map(str::to_owned));
        }
    }
    lines
}

/// Returns the values and comments of front matter that a merged note has to have, as they are written.
pub(crate) fn said(text: &str) -> Vec<&str> {
    let Some((front, _)) = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
    else {
        return Vec::new();
    };
    let mut said = Vec::new();
    for line in front.lines() {
        if let Some((before, comment)) = line.split_once("# ")
            && !before.contains(['"', '\''])
        {
            said.push(comment.trim());
        }
        let is_dated = ["date", "created", "updated", "modified", "title"]
            .iter()
            .any(|key| line.starts_with(key));
        let plain = line
            .split_once(": ")
            .map(|(_, value)| value.split(" #").next().unwrap_or(value).trim());
        if let Some(value) = plain
            .filter(|value| !is_dated && !value.contains(['"', '\'', '[', '{', '|', '>', '&', '*']))
        {
            said.push(value);
        }
    }
    said
}
