//! Makes pairs of notes from one: parts moved, repeated, nested and reordered, with other labels,
//! properties and comments.

use crate::support::random::Random;

/// Returns two variants of a note, with front matter.
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
        // The first variant gets fewer parts, so that the merge must move some.
        chunks.retain(|chunk| chunk.starts_with('#') && random.chance(0.9) || random.chance(0.75));
        for _ in 0..=random.below(4) {
            vary(chunks, side, random);
        }
    }
    let [a, b] = kept;
    [(0, a), (1, b)].map(|(side, mut chunks)| {
        if random.chance(0.03) {
            let at = random.below(chunks.len() + 1);
            chunks.insert(at, (*random.pick(OPEN)).to_owned());
        }
        match random.below(60) {
            0 => chunks.clear(),
            // A long note with many equal section titles.
            1 => chunks = vec![chunks; 20].concat(),
            _ => {}
        }
        let text = if random.chance(0.1) {
            let (open, close, front) = random.pick(OTHER)[side];
            let body = chunks.join("\n\n");
            format!("{open}\n{front}\n{close}\n{body}\n")
        } else {
            note(&properties(front, side, random), &chunks)
        };
        match random.below(20) {
            0 => text.replace('\n', "\r\n"),
            1 => format!("\u{feff}{text}"),
            2 => text.trim_end().to_owned(),
            _ => text,
        }
    })
}

/// Front matter in other formats, with its fences.
const OTHER: &[[(&str, &str, &str); 2]] = &[
    [
        (
            "+++",
            "+++",
            "title = \"A\"\n# about it\nsize = 3 # three\nlist = [1, 2]\n[place]\ntown = \"Ulm\"",
        ),
        (
            "+++",
            "+++",
            "title = \"B\"\n# about that\nsize = 4 # four\nlist = [2, 3]\nwhen = 2026-01-01",
        ),
    ],
    [
        (
            "---json",
            "---",
            "{\"size\": 3, \"list\": [1], \"none\": null}",
        ),
        (
            "---json",
            "---",
            "{\"size\": 4, \"list\": [2], \"more\": {\"a\": [1]}}",
        ),
    ],
    [
        ("+++", "+++", "size = 3 # three"),
        ("---", "---", "size: 4 # four\nnone:\nlist: [1, ~]"),
    ],
];

fn note(front: &[String], chunks: &[String]) -> String {
    let body = chunks.join("\n\n") + "\n";
    if front.is_empty() {
        body
    } else {
        format!("---\n{}\n---\n{body}", front.join("\n"))
    }
}

/// Returns runs of lines between blank lines; a fenced block is one run.
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
    [
        "The tea is brewed in 5 minutes. Ask Anna.",
        "Tea is brewed in 5 minutes. Ask Anna",
    ],
    ["- Buy the tea", "- buy tea."],
    ["The key hangs in the office.", "The key hangs in the shed."],
    [
        "The key hangs in the [[Office]].",
        "the key hangs in the Office",
    ],
    ["    indented code", "    other code"],
    ["+ plus\n+ more", "* star\n* more"],
    ["A line  \nwith breaks", "A line\nwith breaks"],
    ["term | with a bar in a line", "term | with another\nbar"],
    ["Two\nlines\n====", "Two\nlines\n----"],
    ["> > ```\n> > deep  \n> > ```", "> > ```\n> > deep\n> > ```"],
    ["> - a\n>   > deep\n\nlazy", "> - a\n>   > deep\nlazy"],
    [
        "> [!tip]- Fold\n> - a\n>   - b",
        "> [!tip]+ Fold\n> - a\n> - b",
    ],
    ["Inline $a_b$ and $$c$$.", "Inline $a_c$ and $$c$$."],
    [
        "See [r].\n\n[r]: <https://x.example/a b>\n  'title'",
        "See [r].\n\n[r]: <https://x.example/a b>\n  'other'",
    ],
    [
        "So.[^n]\n\n[^n]: first\n\n    second\n\n    - third",
        "So.[^n]\n\n[^n]: first\n\n    second\n\n    - fourth",
    ],
    ["Said ^[inline note] so.", "Said ^[other note] so."],
    [
        "<div align=\"center\">\n\ninner\n\n</div>",
        "<div align=\"left\">\n\ninner\n\n</div>",
    ],
    ["<pre>\na  \n\n  b\n</pre>", "<pre>\na\n\n  b\n</pre>"],
    [
        "<script>\nlet a = 1;\n\n// x\n</script>",
        "<script>\nlet a = 1;\n\n// y\n</script>",
    ],
    ["~~~js\na\n~~~", "~~~ts\na\n~~~"],
    ["````md\n```\nx\n```\n````", "````md\n```\ny\n```\n````"],
    [
        "- a\n\n  ```\n  code \n  ```\n  after",
        "- a\n\n  ```\n  code\n  ```\n  after",
    ],
    ["1) a\n2) b", "1. a\n2. b"],
    ["* a\n\n  b\n\n* c", "* a\n\nb\n\n* c"],
    ["- [ ] task\n- [x] done", "- [x] task\n- [x] done"],
    ["10. ten\n11. eleven", "- a\n1. b"],
    ["Breaks\\\nhere", "Breaks  \nhere"],
    ["## C# notes #", "## C# notes ##\n\ntext"],
    ["##\n\nbelow nothing", "####### seven"],
    ["\\# no heading\n\\- no item", "# no heading\n- no item"],
    ["***", "- - -"],
    ["a\u{2028}b\u{85}c", "a\u{2029}b\u{b}c"],
    ["\tcode by a tab", "-\ta\n\t- b"],
    ["key:: value\nother:: value", "key:: value\nother:: worth"],
    [
        "^lone-id",
        "A table\n\n| a |\n|---|\n| b \\| c |\n\n^table-id",
    ],
    ["Term\n: defined", "Term\n: said"],
    [
        "![a](b.png \"t\") ![[img.png|100]]",
        "![a](b.png \"u\") ![[img.png|200]]",
    ],
    [
        "<details><summary>x</summary>\n\ntext\n\n</details>",
        "<details><summary>x</summary>\n\nmore\n\n</details>",
    ],
    ["> a\nlazy", "> a\n\nlazy"],
    [
        "- # Head of an item\n  text",
        "- ## Head of an item\n  text",
    ],
    [
        "## Same\n\nx\n\n## Same\n\nx",
        "## Same\n\ny\n\n## Same\n\nx",
    ],
    [
        "# Same\n\n## Low\n\nx\n\n# Same\n\n## Low\n\nx",
        "# Same\n\n## Low\n\nx",
    ],
    ["One sentence.", "One sentence. Another one."],
    [
        "In short. Said so. At length.",
        "Said so in all its length today.",
    ],
    ["&lt;b&gt; &amp;", "<b> &"],
    [
        "[a]: x\n[b]: y\n\n[a] [b] [a][b]",
        "[b]: x\n[a]: y\n\n[a] [b] [a][b]",
    ],
    [
        "## [s] in a heading\n\n[s]: x",
        "## [s] in a heading\n\n[s]: y",
    ],
    ["<!-- one line --> text", "text <!-- one line -->"],
    ["%%inline%% text %%more%%", "%%inline%% text"],
    ["- a %%\n- b %%", "- a\n- b"],
    ["text\n<br>\nmore", "text\n<hr>\nmore"],
    ["<img src=x>\n# Head\n", "<img src=x>\n\n# Head\n"],
];

/// Blocks without an end, or with an unexpected one.
const OPEN: &[&str] = &[
    "```\nopen",
    "~~~~\nopen\n~~~",
    "<!-- open",
    "%% open",
    "$$\nopen",
    "<details>\n\nopen",
    "</details>",
    "-->",
    "- ```\n  open",
    "> ```\n> open",
    "> <!-- open",
    "<div>\n\n<div>\n\n</div>",
];

fn vary(chunks: &mut Vec<String>, side: usize, random: &mut Random) {
    let at = random.below(chunks.len() + 1);
    match random.below(9) {
        0 | 1 => chunks.insert(at, random.pick(BLOCKS)[side].to_owned()),
        2 => chunks.insert(at, random.pick(BLOCKS)[0].to_owned()),
        // Move, repeat or swap.
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
            // Reorder the items of a list, or nest them.
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
            // Wrap differently.
            chunks[at] = chunks[at].replacen(". ", ".\n", 1);
        }
        _ => {}
    }
}

/// Returns lines of front matter: those of the note (unchanged in one of two), and some more.
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
        ["created: 2026-01-02", "created: 2026-01-03T10:00:00Z"],
        ["updated: 2026-01-02", "updated: 2026-01-03"],
        ["importance: 0.25", "importance: 0.75"],
        ["keep: no-answer", "keep: true"],
        ["labels: [a, b]", "labels: [b, c]"],
        ["valid_until: 2030-01-01", "valid_until: 2031-01-01"],
        ["place: {town: Ulm}", "place: {town: Bern}"],
        ["zip: [007, \"1\"]", "zip: [\"007\", 1]"],
        ["empty:", "void: ~"],
        [
            "told: |\n  # one\n  two # three",
            "told: >-\n  # one\n  four",
        ],
        [
            "'a key': \"x: y\" # quoted",
            "\"a key\": 'x: z' # quoted too",
        ],
        [
            "flow: [\n  a, # first\n  b\n]",
            "flow: [\n  b,\n  c # last\n]",
        ],
        ["deep:\n  er:\n    - x # in it", "deep:\n  er:\n    - y"],
        ["base: &b {x: 1}\nuse: *b", "base: {x: 1}"],
        ["twice: 1", "twice: 1\ntwice: 2"],
        ["tab:\tx", "tab:\ty"],
        ["\u{1f600}: smile", "\u{1f600}: laugh"],
        ["aliases:", "aliases: [a]"],
        ["tags: [x, y]", "tags: y z"],
    ];
    for pair in more {
        let is_key = |line: &String, of: &str| {
            of.lines()
                .any(|of| !of.starts_with('#') && line.split(':').next() == of.split(':').next())
        };
        let is_there = lines.iter().any(|line| is_key(line, pair[side]));
        let often = if pair[1].starts_with("twice") {
            0.02
        } else {
            0.2
        };
        if random.chance(often) && !is_there {
            lines.extend(pair[side].lines().map(str::to_owned));
        }
    }
    lines
}

/// Returns the front matter values and comments that the merged note must contain, as written.
pub(crate) fn required_values(text: &str) -> Vec<&str> {
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
        // Names become aliases, tags lose `#`, and the keeper gets a new update date.
        let may_differ = ["updated", "modified", "title", "tags"]
            .iter()
            .any(|key| line.starts_with(key));
        let plain = line
            .split_once(": ")
            .map(|(_, value)| value.split(" #").next().unwrap_or(value).trim());
        if let Some(value) = plain.filter(|value| {
            !may_differ
                && *value != "~"
                && !value.contains(['"', '\'', '[', '{', '|', '>', '&', '*'])
        }) {
            said.push(value);
        }
    }
    said
}
