//! `mem lsp`, driven by a client over stdio.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, SystemTime};

use expect_test::expect;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use crate::support::{MEM, TestVault};

/// How long to wait for a message.
const PATIENCE: Duration = Duration::from_secs(60);

/// An editor: a server, the open documents, and what the server has sent.
struct Editor<'v> {
    vault: &'v TestVault,
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    next_id: u32,
    is_utf8: bool,
    /// Whether the server wants to edit a document before it is saved.
    will_save: Value,
    /// Texts of the open documents.
    open: BTreeMap<String, (i64, String)>,
    /// The last published problems by document.
    problems: BTreeMap<String, Value>,
    shown: Vec<String>,
}

/// Sends a message in the framing of the protocol.
fn send(stdin: &mut ChildStdin, message: &Value) {
    let text = message.to_string();
    write!(stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
    stdin.flush().unwrap();
}

/// Returns the lines and units of a position as an offset.
fn offset(text: &str, position: &Value, is_utf8: bool) -> usize {
    let line = position["line"].as_u64().unwrap() as usize;
    let column = position["character"].as_u64().unwrap() as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut width = 0;
    let chars = text[start..].char_indices();
    let mut ends = chars.map(|(at, c)| {
        let before = width;
        width += if is_utf8 { c.len_utf8() } else { c.len_utf16() };
        (start + at, before)
    });
    let found = ends.find(|(_, before)| *before >= column);
    found.map_or(text.len(), |(at, _)| at)
}

/// Returns the position of `mark` plus `more` bytes, in the units of the editor.
fn position(text: &str, mark: &str, more: usize, is_utf8: bool) -> Value {
    let at = text
        .find(mark)
        .unwrap_or_else(|| panic!("{mark} in {text}"))
        + more;
    let before = &text[..at];
    let line = before.rsplit('\n').next().unwrap();
    let column = if is_utf8 {
        line.len()
    } else {
        line.encode_utf16().count()
    };
    json!({"line": before.matches('\n').count(), "character": column})
}

impl<'v> Editor<'v> {
    fn start(vault: &'v TestVault) -> Self {
        Self::with(vault, &json!({}), &json!({}))
    }

    fn with(vault: &'v TestVault, capabilities: &Value, options: &Value) -> Self {
        let mut command = Command::new(MEM);
        command.arg("lsp");
        vault.prepare(&mut command);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = pipes.stderr(Stdio::null()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            loop {
                let mut header = String::new();
                if stdout.read_line(&mut header).unwrap() == 0 {
                    return;
                }
                let length = header.trim().strip_prefix("Content-Length: ").unwrap();
                let mut body = vec![0; length.parse().unwrap()];
                stdout.read_line(&mut header).unwrap();
                stdout.read_exact(&mut body).unwrap();
                if sender.send(serde_json::from_slice(&body).unwrap()).is_err() {
                    return;
                }
            }
        });
        let mut editor = Self {
            vault,
            stdin: child.stdin.take(),
            child,
            messages,
            next_id: 0,
            is_utf8: false,
            will_save: Value::Null,
            open: BTreeMap::new(),
            problems: BTreeMap::new(),
            shown: Vec::new(),
        };
        let root = editor.uri("");
        let folders = json!([{"uri": root.trim_end_matches('/'), "name": "notes"}]);
        let mut capabilities = capabilities.clone();
        if capabilities["workspace"].is_null() {
            let operations = json!(["create", "rename", "delete"]);
            capabilities["workspace"]["workspaceEdit"]["resourceOperations"] = operations;
        }
        let params = json!({"processId": null, "capabilities": capabilities,
            "initializationOptions": options, "workspaceFolders": folders});
        let reply = editor.request("initialize", &params);
        editor.is_utf8 = reply["capabilities"]["positionEncoding"] == "utf-8";
        editor.will_save = reply["capabilities"]["textDocumentSync"]["willSaveWaitUntil"].clone();
        editor.notify("initialized", &json!({}));
        editor
    }

    fn uri(&self, path: &str) -> String {
        let path = self.vault.path(path).to_str().unwrap().to_owned();
        format!("file://{}", path.replace(' ', "%20"))
    }

    fn path(&self, uri: &Value) -> String {
        let uri = uri.as_str().unwrap();
        let root = self.uri("");
        let path = uri.strip_prefix(root.trim_end_matches('/')).unwrap();
        let path = percent_decode_str(path.trim_start_matches('/'));
        path.decode_utf8().unwrap().into_owned()
    }

    fn notify(&mut self, method: &str, params: &Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        send(self.stdin.as_mut().unwrap(), &message);
    }

    /// Takes the next message; notifications are recorded.
    fn receive(&mut self) -> Option<Value> {
        let message = self.messages.recv_timeout(PATIENCE).unwrap();
        let params = &message["params"];
        match message["method"].as_str() {
            Some("textDocument/publishDiagnostics") => {
                let path = self.path(&params["uri"]);
                self.problems.insert(path, params["diagnostics"].clone());
            }
            Some("window/showMessage") => {
                self.shown
                    .push(params["message"].as_str().unwrap().to_owned());
            }
            Some("window/showDocument") => {
                let file = params["uri"].as_str().unwrap();
                let file = file.strip_prefix("file://").unwrap();
                self.shown.push(std::fs::read_to_string(file).unwrap());
            }
            Some(_) => {}
            None => return Some(message),
        }
        None
    }

    fn reply(&mut self, method: &str, params: &Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        send(self.stdin.as_mut().unwrap(), &message);
        loop {
            if let Some(reply) = self.receive() {
                assert_eq!(reply["id"], id, "{reply}");
                return reply;
            }
        }
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        let reply = self.reply(method, params);
        assert_eq!(reply["error"], Value::Null, "{method}: {reply}");
        reply["result"].clone()
    }

    /// Opens a note as it is on disk.
    fn open(&mut self, path: &str) {
        let text = self.vault.read(path);
        self.open_as(path, &text);
    }

    fn open_as(&mut self, path: &str, text: &str) {
        let document = json!({"uri": self.uri(path), "languageId": "markdown", "version": 1,
            "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
        self.open.insert(path.to_owned(), (1, text.to_owned()));
    }

    /// Replaces `from` in an open note, as a person types.
    fn edit(&mut self, path: &str, from: &str, to: &str) {
        let (version, text) = self.open[path].clone();
        let start = position(&text, from, 0, self.is_utf8);
        let end = position(&text, from, from.len(), self.is_utf8);
        let change = json!({"range": {"start": start, "end": end}, "text": to});
        let version = version + 1;
        let document = json!({"uri": self.uri(path), "version": version});
        let params = json!({"textDocument": document, "contentChanges": [change]});
        self.notify("textDocument/didChange", &params);
        self.open
            .insert(path.to_owned(), (version, text.replacen(from, to, 1)));
    }

    /// Replaces the whole text of an open note.
    fn replace(&mut self, path: &str, text: String) {
        let version = self.open[path].0 + 1;
        let document = json!({"uri": self.uri(path), "version": version});
        let params = json!({"textDocument": document, "contentChanges": [{"text": text}]});
        self.notify("textDocument/didChange", &params);
        self.open.insert(path.to_owned(), (version, text));
    }

    fn save(&mut self, path: &str) {
        let text = self.open[path].1.clone();
        self.vault.write(path, &text);
        let params = json!({"textDocument": {"uri": self.uri(path)}});
        self.notify("textDocument/didSave", &params);
    }

    /// Returns the parameters for a position `more` bytes after `mark`.
    fn at(&self, path: &str, mark: &str, more: usize) -> Value {
        let position = position(&self.open[path].1, mark, more, self.is_utf8);
        json!({"textDocument": {"uri": self.uri(path)}, "position": position})
    }

    fn ask(&mut self, method: &str, path: &str, mark: &str, more: usize) -> Value {
        let params = self.at(path, mark, more);
        self.request(method, &params)
    }

    fn document(&mut self, method: &str, path: &str) -> Value {
        let params = json!({"textDocument": {"uri": self.uri(path)}});
        self.request(method, &params)
    }

    /// Returns the text of a note, in the editor or on disk.
    fn text(&self, path: &str) -> String {
        let open = self.open.get(path).map(|(_, text)| text.clone());
        open.unwrap_or_else(|| self.vault.read(path))
    }

    /// Returns locations as `path: text of the range`.
    fn locations(&self, locations: &Value) -> Vec<String> {
        let locations = match locations {
            Value::Array(locations) => locations.clone(),
            Value::Null => Vec::new(),
            one => vec![one.clone()],
        };
        let described = locations.iter().map(|location| {
            let path = self.path(&location["uri"]);
            let text = self.text(&path);
            format!("{path}: {}", self.slice(&text, &location["range"]))
        });
        described.collect()
    }

    fn slice<'t>(&self, text: &'t str, range: &Value) -> &'t str {
        let start = offset(text, &range["start"], self.is_utf8);
        &text[start..offset(text, &range["end"], self.is_utf8)]
    }

    /// Completes at a position; returns the proposals as `label => text with them inserted`.
    fn complete(&mut self, path: &str, mark: &str, more: usize) -> Vec<String> {
        let list = self.ask("textDocument/completion", path, mark, more);
        let text = self.open[path].1.clone();
        let items = list["items"].as_array().unwrap().iter().map(|item| {
            let edit = &item["textEdit"];
            let start = offset(&text, &edit["range"]["start"], self.is_utf8);
            let end = offset(&text, &edit["range"]["end"], self.is_utf8);
            let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let rest = text[end..].lines().next().unwrap_or_default();
            let new = edit["newText"].as_str().unwrap();
            format!(
                "{} => {}{new}{rest}",
                item["label"].as_str().unwrap(),
                &text[line..start]
            )
        });
        items.collect()
    }

    /// Applies a `WorkspaceEdit` to open documents and files, as an editor does.
    fn apply(&mut self, edit: &Value) {
        for change in edit["documentChanges"].as_array().unwrap() {
            match change["kind"].as_str() {
                Some("create") => {
                    let path = self.path(&change["uri"]);
                    assert!(!self.vault.path(&path).exists(), "{path}");
                    self.vault.write(&path, "");
                }
                Some("rename") => {
                    let (old, new) = (self.path(&change["oldUri"]), self.path(&change["newUri"]));
                    std::fs::rename(self.vault.path(&old), self.vault.path(&new)).unwrap();
                    if let Some((_, text)) = self.open.remove(&old) {
                        let document = json!({"textDocument": {"uri": change["oldUri"]}});
                        self.notify("textDocument/didClose", &document);
                        self.open_as(&new, &text);
                    }
                }
                Some(other) => panic!("{other}"),
                None => {
                    let path = self.path(&change["textDocument"]["uri"]);
                    let mut text = self.text(&path);
                    let version = self.open.get(&path).map(|(version, _)| *version);
                    assert_eq!(change["textDocument"]["version"], json!(version));
                    let mut edits = change["edits"].as_array().unwrap().clone();
                    edits.reverse();
                    for edit in edits {
                        let start = offset(&text, &edit["range"]["start"], self.is_utf8);
                        let end = offset(&text, &edit["range"]["end"], self.is_utf8);
                        text.replace_range(start..end, edit["newText"].as_str().unwrap());
                    }
                    if self.open.contains_key(&path) {
                        self.replace(&path, text);
                    } else {
                        self.vault.write(&path, &text);
                    }
                }
            }
        }
    }

    /// Waits until the problems of a note are `expected`, as `code: message`.
    fn wait_for_problems(&mut self, path: &str, is_expected: impl Fn(&[String]) -> bool) {
        loop {
            let shown = self.problems(path);
            if self.problems.contains_key(path) && is_expected(&shown) {
                return;
            }
            assert!(self.receive().is_none(), "an unexpected reply");
        }
    }

    /// Returns the published problems of a note as `severity code "text": message`.
    fn problems(&self, path: &str) -> Vec<String> {
        let text = self.text(path);
        let problems = self.problems.get(path).and_then(Value::as_array);
        let problems = problems.into_iter().flatten().map(|problem| {
            let (severity, code) = (&problem["severity"], problem["code"].as_str().unwrap());
            let place = self.slice(&text, &problem["range"]);
            format!(
                "{severity} {code} “{place}”: {}",
                problem["message"].as_str().unwrap()
            )
        });
        problems.collect()
    }

    /// Returns the code actions at a position.
    fn actions(&mut self, path: &str, mark: &str) -> Vec<Value> {
        self.actions_on(path, mark, 0)
    }

    /// Returns the code actions for a selection from `mark`, `more` bytes long.
    fn actions_on(&mut self, path: &str, mark: &str, more: usize) -> Vec<Value> {
        let ends = [0, more].map(|more| position(&self.open[path].1, mark, more, self.is_utf8));
        let params = json!({"textDocument": {"uri": self.uri(path)},
            "range": {"start": ends[0], "end": ends[1]}, "context": {"diagnostics": []}});
        let actions = self.request("textDocument/codeAction", &params);
        actions.as_array().unwrap().clone()
    }

    /// Performs the code action whose title contains `title`.
    fn act(&mut self, path: &str, mark: &str, title: &str) {
        let actions = self.actions(path, mark);
        let has = |action: &&Value| action["title"].as_str().unwrap().contains(title);
        let action = actions
            .iter()
            .find(has)
            .unwrap_or_else(|| panic!("{actions:?}"))
            .clone();
        if action["edit"].is_object() {
            self.apply(&action["edit"]);
        } else {
            self.request("workspace/executeCommand", &action["command"]);
        }
    }

    /// Shuts the server down and returns its exit code.
    fn end(mut self) -> i32 {
        assert_eq!(self.request("shutdown", &Value::Null), Value::Null);
        let late = self.reply("textDocument/hover", &json!({}));
        assert_eq!(late["error"]["code"], -32600);
        self.notify("exit", &Value::Null);
        self.child.wait().unwrap().code().unwrap()
    }
}

const TEA: &str = "# Tea 🍵\n\nSee [[Green tea#Brewing|the 茶]] and [cups](cups/Cup.md#Size).\n\n## Kinds\n\n- a\n- b\n";
const GREEN: &str = "---\ntags: [drink/hot]\n---\n# Green tea\n\n## Brewing\n\n70 degrees. ^brew\n\nBack to [[Tea]]. #drink\n";

fn tea_vault() -> TestVault {
    TestVault::of([
        ("Tea.md", TEA),
        ("Green tea.md", GREEN),
        (
            "cups/Cup.md",
            "# A cup\n\n## Size\n\nSmall, for [[Tea#Kinds]] and [tea](../Tea.md#kinds).\n",
        ),
    ])
}

#[test]
fn links_are_followed_in_both_encodings() {
    let vault = tea_vault();
    for encodings in [json!(["utf-16"]), json!(["utf-8", "utf-16"])] {
        let mut editor = Editor::with(
            &vault,
            &json!({"general": {"positionEncodings": encodings}}),
            &json!({}),
        );
        editor.open("Tea.md");
        let found = editor.ask("textDocument/definition", "Tea.md", "the 茶", 4);
        assert_eq!(editor.locations(&found), ["Green tea.md: Brewing"]);
        let found = editor.ask("textDocument/definition", "Tea.md", "cups", 1);
        assert_eq!(editor.locations(&found), ["cups/Cup.md: Size"]);
        let found = editor.ask("textDocument/definition", "Tea.md", "- a", 0);
        assert_eq!(found, Value::Null);
        let links = editor.document("textDocument/documentLink", "Tea.md");
        let targets = links.as_array().unwrap().iter();
        let targets: Vec<String> = targets.map(|link| editor.path(&link["target"])).collect();
        assert_eq!(targets, ["Green tea.md", "cups/Cup.md"]);
        let hover = editor.ask("textDocument/hover", "Tea.md", "茶", 0);
        let text = hover["contents"]["value"].as_str().unwrap();
        expect![[r#"
            **Green tea** `Green tea.md`

            working · 1 backlink

            ---

            ## Brewing

            70 degrees. ^brew

            Back to [[Tea]]. #drink"#]]
        .assert_eq(text);
        assert_eq!(editor.end(), 0);
    }
}

#[test]
fn references_lead_to_links_headings_and_tags() {
    let vault = tea_vault();
    let mut editor = Editor::start(&vault);
    editor.open("Tea.md");
    editor.open("Green tea.md");
    let mut found = |path: &str, mark: &str| {
        let found = editor.ask("textDocument/references", path, mark, 1);
        editor.locations(&found)
    };
    let all = [
        "Green tea.md: [[Tea]]",
        "cups/Cup.md: [[Tea#Kinds]]",
        "cups/Cup.md: [tea](../Tea.md#kinds)",
    ];
    assert_eq!(found("Tea.md", "# Tea"), all);
    assert_eq!(found("Green tea.md", "[[Tea"), all);
    assert_eq!(found("Tea.md", "- a"), all);
    assert_eq!(found("Tea.md", "## Kinds"), all[1..]);
    assert_eq!(
        found("Green tea.md", "#drink"),
        ["Green tea.md: drink/hot", "Green tea.md: #drink"]
    );
    // A link that is not saved yet counts.
    editor.edit("Green tea.md", "70", "[[Tea#kinds]] 70");
    let found = editor.ask("textDocument/references", "Tea.md", "## Kinds", 3);
    assert_eq!(editor.locations(&found)[0], "Green tea.md: [[Tea#kinds]]");
    assert_eq!(editor.end(), 0);
}

#[test]
fn outline_and_folds() {
    let vault = tea_vault();
    let mut editor = Editor::start(&vault);
    editor.open("Green tea.md");
    let symbols = editor.document("textDocument/documentSymbol", "Green tea.md");
    assert_eq!(symbols[0]["name"], "Green tea");
    assert_eq!(symbols[0]["children"][0]["name"], "Brewing");
    assert_eq!(symbols.as_array().unwrap().len(), 1);
    let text = editor.text("Green tea.md");
    let below = &symbols[0]["children"][0];
    assert_eq!(editor.slice(&text, &below["selectionRange"]), "Brewing");
    assert!(editor.slice(&text, &below["range"]).ends_with("#drink"));
    editor.open_as("Tea.md", "# ");
    let symbols = editor.document("textDocument/documentSymbol", "Tea.md");
    // Some editors refuse an outline in which this is not within the range.
    assert_eq!(
        symbols[0]["selectionRange"]["end"],
        symbols[0]["range"]["end"]
    );
    let folds = editor.document("textDocument/foldingRange", "Green tea.md");
    let folds = folds.as_array().unwrap().iter();
    let folds: Vec<(u64, u64)> = folds
        .map(|fold| {
            ["startLine", "endLine"]
                .map(|key| fold[key].as_u64().unwrap())
                .into()
        })
        .collect();
    assert_eq!(folds, [(0, 2), (3, 9), (5, 9)]);
    assert_eq!(editor.end(), 0);
}

#[test]
fn full_and_incremental_text_counts_before_it_is_saved() {
    let vault = tea_vault();
    let mut editor = Editor::start(&vault);
    editor.open_as("New note.md", "# New\n");
    editor.edit("New note.md", "# New\n", "# New\n\n🍵🍵 [[Gre");
    let proposals = editor.complete("New note.md", "[[Gre", 5);
    assert_eq!(proposals, ["Green tea => 🍵🍵 [[Green tea]]"]);
    editor.replace("New note.md", "## Whole\n".to_owned());
    let symbols = editor.document("textDocument/documentSymbol", "New note.md");
    assert_eq!(symbols[0]["name"], "Whole");
    assert_eq!(editor.end(), 0);
}

/// `mem new` opens such a file.
#[test]
fn links_are_completed_in_a_note_that_is_not_saved_yet() {
    let vault = TestVault::of([("green-tea.md", "# Green tea\n")]);
    let mut editor = Editor::start(&vault);
    let draft = ".~mem-20260401-120000-aaaa-x1Y2.md";
    editor.open_as(draft, "See [[gre");
    let proposals = editor.complete(draft, "[[gre", 5);
    assert!(
        proposals.contains(&"green-tea => See [[green-tea]]".to_owned()),
        "{proposals:?}"
    );
    assert_eq!(editor.end(), 0);
}

#[test]
fn links_headings_blocks_tags_and_properties_are_completed() {
    let vault = TestVault::of([
        (
            "green-tea.md",
            "---\naliases: [Sencha]\ntype: drink\nsource: shop\n---\n# Green tea\n\n## How hot? [x]\n\nLine. ^brew\n\n#hot/drink\n",
        ),
        ("old/Kettle.md", "---\ntype: thing\n---\n#hot\n"),
        (
            "Note.md",
            "---\ntitle: Note\nty\ntype: \ntags: [ho]\nsupports: \"[[\n---\nText [[ gre\n\nA [x](ket\n\nA [x](ket and #ho\n\n[[green-tea#\n[[green-tea#^\n[k](green-tea.md#\n\n[[Sen]] [[K|\n",
        ),
    ]);
    let mut editor = Editor::start(&vault);
    editor.open("Note.md");
    for (mark, more, expected) in [
        (
            "[[ gre",
            6,
            &[
                "Green tea => Text [[green-tea|Green tea]]",
                "green-tea => Text [[green-tea]]",
            ][..],
        ),
        ("[[Sen", 5, &["Sencha => [[green-tea|Sencha]] [[K|"]),
        ("(ket\n", 4, &["Kettle => A [x](old/Kettle.md)"]),
        (
            "and #ho",
            7,
            &[
                "ho => A [x](ket and #ho",
                "hot => A [x](ket and #hot",
                "hot/drink => A [x](ket and #hot/drink",
            ],
        ),
        (
            "tea#\n",
            4,
            &[
                "Green tea => [[green-tea#Green tea]]",
                "How hot? [x] => [[green-tea#How hot? x]]",
            ],
        ),
        ("#^\n", 2, &["^brew => [[green-tea#^brew]]"]),
        (
            ".md#\n",
            4,
            &[
                "Green tea => [k](green-tea.md#green-tea)",
                "How hot? [x] => [k](green-tea.md#how-hot-x)",
            ],
        ),
        ("[[K|", 4, &[]),
        (
            "type: ",
            6,
            &["drink => type: drink", "thing => type: thing"],
        ),
        (
            "[ho",
            3,
            &[
                "ho => tags: [ho]",
                "hot => tags: [hot]",
                "hot/drink => tags: [hot/drink]",
            ],
        ),
    ] {
        let found = editor.complete("Note.md", mark, more);
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, expected, "{mark}");
    }
    let names = editor.complete("Note.md", "ty\n", 2);
    for expected in ["source => source: ", "part_of => part_of: "] {
        assert!(names.contains(&expected.to_owned()), "{names:?}");
    }
    assert!(
        !names.iter().any(|name| name.starts_with("title")),
        "{names:?}"
    );
    let relations = editor.complete("Note.md", "supports: \"[[", 13);
    let expected = "Kettle => supports: \"[[Kettle]]";
    assert!(relations.contains(&expected.to_owned()), "{relations:?}");
    assert_eq!(editor.end(), 0);
}

/// An editor compares the replaced text with `filterText`, and asks again if the list is incomplete.
#[test]
fn an_editor_can_filter_what_is_completed() {
    let vault = TestVault::of([
        (
            "green-tea.md",
            "---\naliases: [Sencha]\n---\n# Green tea\n\n## How hot\n",
        ),
        ("sub/My note.md", "---\nsource: \"a: b\"\n---\n"),
    ]);
    let mut editor = Editor::start(&vault);
    for (text, filters, is_incomplete, expected) in [
        (
            "[[|",
            &["Green tea", "My note"][..],
            true,
            "[[green-tea|Green tea]]",
        ),
        ("[[Sen|", &["Sencha"], false, "[[green-tea|Sencha]]"),
        ("[[Sen|]", &["Sencha"], false, "[[green-tea|Sencha]]"),
        ("[[Sen|]]", &["Sencha"], false, "[[green-tea|Sencha]]"),
        (
            "[[Sen|#How hot]]",
            &["Sencha"],
            false,
            "[[green-tea#How hot]]",
        ),
        (
            "[[Sen| [[x]]",
            &["Sencha"],
            false,
            "[[green-tea|Sencha]] [[x]]",
        ),
        ("[x](../Sen|", &["../Sencha"], false, "[x](../green-tea.md)"),
        (
            "[x](../Sen|)",
            &["../Sencha"],
            false,
            "[x](../green-tea.md)",
        ),
        ("[x](./My%20|", &["./My%20"], true, "[x](My%20note.md)"),
        (
            "[x](../green-tea.md#how-|",
            &["green-tea", "how-hot"],
            false,
            "[x](../green-tea.md#green-tea)",
        ),
        (
            "---\nsource: |\n---\n",
            &["a: b"],
            false,
            "source: \"a: b\"",
        ),
        (
            "---\nsource: \"a|\"\n---\n",
            &["a: b"],
            false,
            "source: \"a: b\"",
        ),
    ] {
        let (before, after) = text.split_once('|').unwrap();
        editor.open_as("sub/New.md", &[before, after].concat());
        let list = editor.ask(
            "textDocument/completion",
            "sub/New.md",
            before,
            before.len(),
        );
        let items = list["items"].as_array().unwrap();
        let mut found: Vec<&str> = items
            .iter()
            .map(|item| item["filterText"].as_str().unwrap())
            .collect();
        found.sort_unstable();
        assert_eq!(found, filters, "{text}");
        assert_eq!(list["isIncomplete"], is_incomplete, "{text}");
        let completed = editor.complete("sub/New.md", before, before.len());
        let is_expected = |item: &String| item.ends_with(&format!(" => {expected}"));
        assert!(completed.iter().any(is_expected), "{text}: {completed:?}");
    }
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_note_is_renamed_with_the_links_of_a_hundred_notes() {
    let vault = TestVault::empty();
    vault.write("Tea.md", "# Tea\n\nSee [[#Kinds]].\n\n## Kinds\n");
    for number in 0..100 {
        let text =
            format!("🍵 [[Tea|the 茶]] and [[tea#Kinds]] in {number}, [t](../Tea.md#kinds)\r\n");
        vault.write(&format!("notes/n{number}.md"), &text);
    }
    let mut editor = Editor::start(&vault);
    editor.open("notes/n7.md");
    editor.edit("notes/n7.md", "and", "or ![[Tea]] and");
    let prepared = editor.ask("textDocument/prepareRename", "notes/n7.md", "Tea|", 1);
    assert_eq!(prepared["placeholder"], "Tea");
    let before = vault.tree();
    let mut params = editor.at("notes/n7.md", "Tea|", 1);
    params["newName"] = json!("Green 茶");
    let edit = editor.request("textDocument/rename", &params);
    // The server only proposes the change.
    assert_eq!(vault.tree(), before);
    editor.apply(&edit);
    assert!(vault.path("Green 茶.md").exists() && !vault.path("Tea.md").exists());
    for number in 0..100 {
        let text = editor.text(&format!("notes/n{number}.md"));
        let and = if number == 7 {
            "or ![[Green 茶]] and"
        } else {
            "and"
        };
        let expected = format!(
            "🍵 [[Green 茶|the 茶]] {and} [[Green 茶#Kinds]] in {number}, [t](../Green%20茶.md#kinds)\r\n"
        );
        assert_eq!(text, expected);
    }
    // And back, as an undo.
    editor.save("notes/n7.md");
    let mut params = editor.at("notes/n7.md", "[[Green", 3);
    params["newName"] = json!("Tea");
    let edit = editor.request("textDocument/rename", &params);
    editor.apply(&edit);
    editor.save("notes/n7.md");
    assert_eq!(
        vault.read("notes/n7.md"),
        "🍵 [[Tea|the 茶]] or ![[Tea]] and [[Tea#Kinds]] in 7, [t](../Tea.md#kinds)\r\n"
    );
    assert_eq!(
        vault.read("notes/n8.md"),
        "🍵 [[Tea|the 茶]] and [[Tea#Kinds]] in 8, [t](../Tea.md#kinds)\r\n"
    );
    params["newName"] = json!("notes/n8");
    let refused = editor.reply("textDocument/rename", &params);
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("already there"),
        "{refused}"
    );
    assert_eq!(editor.end(), 0);
}

#[test]
fn headings_and_tags_are_renamed_with_their_links() {
    let vault = tea_vault();
    let mut editor = Editor::start(&vault);
    editor.open("Tea.md");
    editor.open("Green tea.md");
    editor.edit("Green tea.md", "Back to", "[[Tea#kinds|k]]. Back to");
    let mut params = editor.at("Tea.md", "## Kinds", 4);
    params["newName"] = json!("Sorts of [tea]");
    let edit = editor.request("textDocument/rename", &params);
    editor.apply(&edit);
    assert!(editor.text("Tea.md").contains("\n## Sorts of [tea]\n"));
    assert!(
        editor
            .text("Green tea.md")
            .contains("[[Tea#Sorts of tea|k]]. Back to [[Tea]].")
    );
    assert_eq!(
        vault.read("cups/Cup.md"),
        "# A cup\n\n## Size\n\nSmall, for [[Tea#Sorts of tea]] and [tea](../Tea.md#sorts-of-tea).\n"
    );
    // From the part of a link.
    let mut params = editor.at("Tea.md", "#Brewing", 2);
    params["newName"] = json!("How");
    let edit = editor.request("textDocument/rename", &params);
    let edit_count = edit["documentChanges"].as_array().unwrap().len();
    assert_eq!(edit_count, 2, "{edit}");
    let mut params = editor.at("Green tea.md", " #drink", 3);
    params["newName"] = json!("#cup");
    let edit = editor.request("textDocument/rename", &params);
    editor.apply(&edit);
    let text = editor.text("Green tea.md");
    assert!(
        text.starts_with("---\ntags: [cup/hot]\n---\n") && text.ends_with(" #cup\n"),
        "{text}"
    );
    params["newName"] = json!("two words");
    let refused = editor.reply("textDocument/rename", &params);
    assert_eq!(refused["error"]["message"], "`two words` is not a tag");
    assert_eq!(editor.end(), 0);
}

#[test]
fn moved_files_and_folders_keep_their_links() {
    let vault = tea_vault();
    let mut editor = Editor::start(&vault);
    editor.open("Tea.md");
    let moved = |editor: &Editor<'_>, from: &str, to: &str| json!({"files": [{"oldUri": editor.uri(from), "newUri": editor.uri(to)}]});
    let params = moved(&editor, "cups", "mugs");
    let edit = editor.request("workspace/willRenameFiles", &params);
    editor.apply(&edit);
    assert!(editor.text("Tea.md").contains("[cups](mugs/Cup.md#Size)"));
    let params = moved(&editor, "Green tea.md", "cups/Sencha.md");
    let edit = editor.request("workspace/willRenameFiles", &params);
    editor.apply(&edit);
    assert!(editor.text("Tea.md").contains("[[Sencha#Brewing|the 茶]]"));
    assert_eq!(editor.end(), 0);
}

#[test]
fn dead_links_come_with_repairs() {
    let vault = TestVault::of([
        ("Green tea.md", "---\naliases: [Sencha]\n---\nHot.\n"),
        (
            "Note.md",
            "[[Sencha]] [[Nowhere]] ![[photo.png]] [[Green tea#Gone]] [x](sub/new.md)\n",
        ),
        ("Broken.md", "---\ntags: [a\n---\nText.\n"),
    ]);
    let mut editor = Editor::start(&vault);
    editor.open("Note.md");
    editor.open("Broken.md");
    editor.wait_for_problems("Note.md", |problems| problems.len() == 4);
    assert_eq!(
        editor.problems("Note.md"),
        [
            "2 broken-link “[[Nowhere]]”: `[[Nowhere]]`: target not found",
            "2 broken-link “[x](sub/new.md)”: `[x](sub/new.md)`: target not found",
            "2 broken-part “[[Green tea#Gone]]”: `[[Green tea#Gone]]`: `Green tea.md` has no heading `Gone`",
            "2 bare-alias “[[Sencha]]”: `[[Sencha]]` is only an alias of `Green tea.md`; suggested: `[[Green tea|Sencha]]`",
        ]
    );
    editor.act("Note.md", "[[Sencha", "→");
    editor.act("Note.md", "[[Nowhere", "Create Nowhere.md");
    editor.act("Note.md", "[x](sub", "Create sub/new.md");
    assert!(editor.text("Note.md").starts_with("[[Green tea|Sencha]] "));
    assert_eq!(vault.read("Nowhere.md"), "# Nowhere\n");
    assert_eq!(vault.read("sub/new.md"), "# new\n");
    editor.wait_for_problems("Note.md", |problems| problems.len() == 1);
    assert!(editor.problems("Note.md")[0].starts_with("2 broken-part"));
    editor.wait_for_problems("Broken.md", |problems| problems.len() == 1);
    assert!(editor.problems("Broken.md")[0].starts_with("2 front-matter"));
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_link_to_a_replaced_note_can_be_redirected() {
    let vault = TestVault::of([
        ("Old.md", "Port 5433.\n"),
        (
            "New.md",
            "---\ncreated: 2026-03-01\nevolved_from: \"[[Old]]\"\n---\nPort 6000, not [[Old]].\n",
        ),
        ("Note.md", "See [[Old|the port]] and [port](Old.md).\n"),
    ]);
    let mut editor = Editor::start(&vault);
    editor.open("Note.md");
    editor.open("New.md");
    editor.wait_for_problems("Note.md", |problems| !problems.is_empty());
    assert_eq!(
        editor.problems("Note.md"),
        [
            "4 replaced “[[Old|the port]]”: replaced by [[New]] on 2026-03-01",
            "4 replaced “[port](Old.md)”: replaced by [[New]] on 2026-03-01",
        ]
    );
    assert_eq!(editor.problems("New.md"), [""; 0]);
    editor.act("Note.md", "[[Old", "Point to [[New]]");
    editor.act("Note.md", "[port", "Point to [[New]]");
    assert_eq!(
        editor.text("Note.md"),
        "See [[New|the port]] and [port](New.md).\n"
    );
    let hover = editor.ask("textDocument/hover", "New.md", "[[Old]].", 3);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("replaced by [[New]]"), "{text}");
    assert_eq!(editor.end(), 0);
}

#[test]
fn questions_of_today_are_answered_in_the_editor() {
    let plan = "The staging database of the shop runs on Postgres 15 in Berlin.\n";
    let vault = TestVault::of([("Plan.md", plan), ("Plan copy.md", plan)]);
    let mut editor = Editor::start(&vault);
    editor.open("Plan.md");
    editor.wait_for_problems("Plan.md", |problems| !problems.is_empty());
    assert_eq!(
        editor.problems("Plan.md"),
        [format!("4 copy “{}”: copy of [[Plan copy]]", plan.trim())]
    );
    // The answer waits for the text in the editor.
    editor.edit("Plan.md", "Berlin", "Bonn");
    let actions = editor.actions("Plan.md", "The");
    let command = &actions
        .iter()
        .find(|action| action["command"].is_object())
        .unwrap()["command"];
    let refused = editor.reply("workspace/executeCommand", command);
    assert_eq!(
        refused["error"]["message"],
        "`Plan.md` has unsaved changes: save it first"
    );
    editor.edit("Plan.md", "Bonn", "Berlin");
    editor.act("Plan.md", "The", "preview");
    let preview = "--- a/Plan copy.md\n+++ /dev/null\n";
    assert!(editor.shown[0].contains(preview), "{:?}", editor.shown);
    editor.act("Plan.md", "The", "yes");
    assert!(editor.shown[1].contains("mem undo"), "{:?}", editor.shown);
    let left = ["Plan.md", "Plan copy.md"].map(|path| vault.path(path).exists());
    assert_eq!(left.iter().filter(|exists| **exists).count(), 1);
    assert_eq!(editor.end(), 0);
}

/// An editor that can show documents gets the preview as one.
#[test]
fn a_merge_is_previewed_in_a_document() {
    let note = "The staging database of the shop runs on Postgres 15 in Berlin.\n";
    let copy = format!("---\ntags: [shop]\n---\n{note}");
    let vault = TestVault::of([("Plan.md", note), ("Plan copy.md", &copy)]);
    let capabilities = json!({"window": {"showDocument": {"support": true}}});
    let mut editor = Editor::with(&vault, &capabilities, &json!({}));
    editor.open("Plan.md");
    editor.wait_for_problems("Plan.md", |problems| !problems.is_empty());
    editor.act("Plan.md", "The", "preview");
    assert!(
        editor.shown[0].contains("+tags: [shop]\n"),
        "{:?}",
        editor.shown
    );
    assert_eq!(vault.read("Plan copy.md"), copy);
    assert_eq!(editor.end(), 0);
}

/// Such an editor would update the links and leave the file.
#[test]
fn an_editor_that_renames_no_files_is_not_asked_to() {
    let vault = tea_vault();
    let capabilities = json!({"workspace": {"workspaceEdit": {"documentChanges": true}}});
    let mut editor = Editor::with(&vault, &capabilities, &json!({}));
    editor.open("Green tea.md");
    editor.edit("Green tea.md", "[[Tea]]", "[[Tea]] [[Nowhere]]");
    let mut params = editor.at("Green tea.md", "[[Tea", 3);
    params["newName"] = json!("Chai");
    let refused = editor.reply("textDocument/rename", &params);
    let why = refused["error"]["message"].as_str().unwrap();
    assert!(why.ends_with("rename the note with `mem mv`"), "{why}");
    for mark in ["Nowhere", "## Brewing"] {
        let actions = editor.actions("Green tea.md", mark);
        let creates = actions
            .iter()
            .any(|action| action.to_string().contains("\"create\""));
        assert!(!creates, "{actions:?}");
    }
    assert_eq!(editor.end(), 0);
}

#[test]
fn edits_keep_the_line_endings() {
    let vault = TestVault::of([("Note.md", "# 🍵\r\n\r\nIntro.\r\n\r\n## A\r\n\r\n## B\r\n")]);
    let mut editor = Editor::start(&vault);
    editor.open("Note.md");
    editor.act("Note.md", "Intro", "Insert a table of contents");
    editor.act("Note.md", "## B", "Move the section to b.md");
    assert_eq!(
        editor.text("Note.md"),
        "# 🍵\r\n\r\n- [[#A]]\r\n- [[b#B]]\r\n\r\nIntro.\r\n\r\n## A\r\n\r\n[[B]]\r\n"
    );
    assert_eq!(editor.end(), 0);
}

#[test]
fn sections_become_notes_and_a_table_of_contents() {
    const NOTE: &str =
        "# Note\n\nIntro.\n\n## Tea\n\nHot.\n\n### Kinds\n\nGreen.\n\n## Cups\n\nSmall.\n";
    let vault = TestVault::of([("Note.md", NOTE)]);
    let mut editor = Editor::start(&vault);
    editor.open("Note.md");
    editor.act("Note.md", "Intro", "Insert a table of contents");
    let contents = "- [[#Tea]]\n  - [[#Kinds]]\n- [[#Cups]]\n\nIntro.";
    assert_eq!(editor.text("Note.md"), NOTE.replace("Intro.", contents));
    editor.act("Note.md", "## Tea", "Move the section to tea.md");
    assert_eq!(
        vault.read("tea.md"),
        "## Tea\n\nHot.\n\n### Kinds\n\nGreen.\n"
    );
    let left = "Intro.\n\n[[Tea]]\n\n## Cups\n\nSmall.\n";
    let text = editor.text("Note.md");
    assert!(text.ends_with(left), "{text}");
    assert_eq!(editor.end(), 0);
}

#[test]
fn links_change_their_syntax() {
    const NOTE: &str = "🍵 [[Cup]], [[Cup#Size|size]], ![[p.png]], [[Nowhere]], [[#Here]], [c](cups/Cup.md#size).\n\n## Here\n";
    const ALL: &str = "Convert 3 wikilinks to Markdown links";
    let vault = TestVault::of([("Note.md", NOTE), ("cups/Cup.md", "# Cup\n\n## Size\n")]);
    let mut editor = Editor::start(&vault);
    editor.open("Note.md");
    let titles = |actions: &[Value]| {
        let titles = actions
            .iter()
            .map(|action| action["title"].as_str().unwrap().to_owned());
        titles
            .filter(|title| title.starts_with("Convert"))
            .collect::<Vec<_>>()
    };
    let line = NOTE.find('\n').unwrap();
    for (mark, more, expected) in [
        ("[[Cup]]", 0, &["Convert to a Markdown link"][..]),
        ("🍵", line, &[ALL, "Convert to a wikilink"]),
        ("[c]", 0, &["Convert to a wikilink"]),
        ("[[p.png", 0, &[]),
        ("[[Nowhere", 0, &[]),
        ("🍵", 0, &[]),
    ] {
        let actions = editor.actions_on("Note.md", mark, more);
        assert_eq!(titles(&actions), expected, "{mark}");
    }
    let all = editor.actions_on("Note.md", "🍵", line);
    editor.act("Note.md", "[c]", "Convert to");
    editor.act("Note.md", "[[Cup]]", "Convert to a");
    assert_eq!(
        editor.text("Note.md").lines().next().unwrap(),
        "🍵 [Cup](cups/Cup.md), [[Cup#Size|size]], ![[p.png]], [[Nowhere]], [[#Here]], [[Cup#Size|c]]."
    );
    editor.replace("Note.md", NOTE.to_owned());
    let has_title = |action: &&Value| titles(&[(*action).clone()]) == [ALL];
    let mut edit = all.iter().find(has_title).unwrap()["edit"].clone();
    edit["documentChanges"][0]["textDocument"]["version"] = json!(editor.open["Note.md"].0);
    editor.apply(&edit);
    assert_eq!(
        editor.text("Note.md").lines().next().unwrap(),
        "🍵 [Cup](cups/Cup.md), [size](cups/Cup.md#size), ![[p.png]], [[Nowhere]], [Here](#here), [c](cups/Cup.md#size)."
    );
    assert_eq!(editor.end(), 0);
}

/// The work of a request grows with the links of the note, not with their square.
#[test]
fn a_note_with_thousands_of_links_is_served() {
    const LINKS: usize = 3_000;
    let line = "[[Old]] [[Nowhere]] ".repeat(LINKS);
    let vault = TestVault::of([
        ("Old.md", "Port 5433.\n"),
        (
            "New.md",
            "---\nevolved_from: \"[[Old]]\"\n---\nPort 6000.\n",
        ),
        ("Note.md", &format!("茶 {line}[c](Old.md)\n")),
    ]);
    let mut editor = Editor::start(&vault);
    editor.open("Note.md");
    let shown = |editor: &Editor<'_>| editor.problems.get("Note.md")?.as_array().cloned();
    while shown(&editor).unwrap_or_default().len() < 2 * LINKS + 1 {
        assert!(editor.receive().is_none(), "an unexpected reply");
    }
    // Each problem is at its own link.
    let places: Vec<Value> = shown(&editor)
        .unwrap()
        .iter()
        .map(|problem| problem["range"]["start"]["character"].clone())
        .collect();
    assert!(places.contains(&json!(2)) && places.contains(&json!(2 + 20 * (LINKS - 1))));
    editor.act("Note.md", "[c]", "Point to [[New]]");
    assert!(editor.text("Note.md").ends_with(" [c](New.md)\n"));
    assert_eq!(editor.end(), 0);
}

#[test]
fn an_invalid_message_ends_the_server_only_if_its_length_is() {
    let vault = tea_vault();
    let mut editor = Editor::start(&vault);
    let refused = |editor: &mut Editor<'_>, bytes: &[u8]| {
        editor.stdin.as_mut().unwrap().write_all(bytes).unwrap();
        loop {
            if let Some(reply) = editor.receive() {
                return (reply["id"].clone(), reply["error"]["code"].clone());
            }
        }
    };
    for bytes in [
        b"Content-Length: 2\r\n\r\n{]".as_slice(),
        b"Content-Length: 1\r\n\r\n\xff",
        b"no header\r\n\r\n",
    ] {
        assert_eq!(refused(&mut editor, bytes), (Value::Null, json!(-32700)));
    }
    let batch = refused(&mut editor, b"Content-Length: 2\r\n\r\n[]");
    assert_eq!(batch, (Value::Null, json!(-32600)));
    editor.open("Tea.md");
    editor.document("textDocument/documentSymbol", "Tea.md");
    let stdin = editor.stdin.as_mut().unwrap();
    stdin
        .write_all(b"Content-Length: 99999999999\r\n\r\n{")
        .unwrap();
    assert_eq!(editor.child.wait().unwrap().code(), Some(2));
}

#[test]
fn lists_are_updated_before_a_save_if_wanted() {
    const HOME: &str = "# Home\n\n<!-- mem list tag:open -->\n<!-- /mem -->\n";
    let vault = TestVault::of([
        ("Home.md", HOME),
        ("Other.md", HOME),
        ("Tea.md", "---\ntags: [open]\n---\nBuy.\n"),
    ]);
    let editor = Editor::start(&vault);
    assert_eq!(editor.will_save, json!(false));
    assert_eq!(editor.end(), 0);
    let mut editor = Editor::with(&vault, &json!({}), &json!({"updateListsOnSave": true}));
    assert_eq!(editor.will_save, json!(true));
    editor.open("Home.md");
    editor.edit("Home.md", "# Home", "# My home");
    let edits = editor.document("textDocument/willSaveWaitUntil", "Home.md");
    let document = json!({"uri": editor.uri("Home.md"), "version": editor.open["Home.md"].0});
    editor.apply(&json!({"documentChanges": [{"textDocument": document, "edits": edits}]}));
    let text = editor.text("Home.md");
    assert!(
        text.starts_with("# My home\n\n<!-- mem list tag:open -->\n- [[Tea]]\n<!-- /mem"),
        "{text}"
    );
    assert_eq!(
        editor.document("textDocument/willSaveWaitUntil", "Home.md"),
        Value::Null
    );
    assert_eq!(
        vault.read("Home.md") + &vault.read("Other.md"),
        [HOME, HOME].concat()
    );
    assert_eq!(editor.end(), 0);
}

#[test]
fn notes_are_found_by_name_then_by_words() {
    let vault = tea_vault();
    let mut editor = Editor::start(&vault);
    for (query, expected) in [
        ("grtea", &["Green tea"][..]),
        ("degrees", &["Green tea"]),
        ("", &["A cup", "Green tea", "Tea 🍵"]),
    ] {
        let found = editor.request("workspace/symbol", &json!({"query": query}));
        let mut names: Vec<&str> = found
            .as_array()
            .unwrap()
            .iter()
            .map(|symbol| symbol["name"].as_str().unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!(names, expected, "{query}");
    }
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_cancelled_request_gets_no_result() {
    let vault = tea_vault();
    let mut editor = Editor::start(&vault);
    editor.open("Tea.md");
    let hover = editor.at("Tea.md", "茶", 0);
    let stdin = editor.stdin.as_mut().unwrap();
    let mut all = String::new();
    for message in [
        json!({"jsonrpc": "2.0", "id": 7, "method": "workspace/symbol", "params": {"query": "tea"}}),
        json!({"jsonrpc": "2.0", "id": 8, "method": "textDocument/hover", "params": hover}),
        json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 8}}),
    ] {
        let text = message.to_string();
        let _ = write!(all, "Content-Length: {}\r\n\r\n{text}", text.len());
    }
    stdin.write_all(all.as_bytes()).unwrap();
    let mut replies = Vec::new();
    while replies.len() < 2 {
        replies.extend(editor.receive());
    }
    assert_eq!(
        (&replies[0]["id"], &replies[0]["error"]),
        (&json!(7), &Value::Null)
    );
    assert_eq!(
        (&replies[1]["id"], &replies[1]["error"]["code"]),
        (&json!(8), &json!(-32800))
    );
    let unknown = editor.reply("textDocument/unknown", &json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_dead_editor_ends_the_server() {
    let vault = tea_vault();
    let mut editor = Editor::start(&vault);
    editor.open("Tea.md");
    editor.document("textDocument/documentSymbol", "Tea.md");
    drop(editor.stdin.take());
    assert_eq!(editor.child.wait().unwrap().code(), Some(1));
}

#[test]
fn two_editors_and_a_command_share_a_vault() {
    let vault = tea_vault();
    let (mut one, mut two) = (Editor::start(&vault), Editor::start(&vault));
    one.open("Tea.md");
    two.open("Green tea.md");
    one.edit("Tea.md", "- a", "- [[Later]]");
    one.save("Tea.md");
    one.wait_for_problems("Tea.md", |problems| !problems.is_empty());
    vault.run(["mv", "cups/Cup.md", "Mug"]).raw();
    vault.write("Later.md", "[[Tea]]\n");
    let found = two.ask("textDocument/references", "Green tea.md", "[[Tea", 3);
    assert!(
        two.locations(&found)
            .contains(&"Later.md: [[Tea]]".to_owned())
    );
    let mut params = two.at("Green tea.md", "[[Tea", 3);
    params["newName"] = json!("Chai");
    let edit = two.request("textDocument/rename", &params);
    two.apply(&edit);
    assert_eq!(vault.read("Later.md"), "[[Chai]]\n");
    assert_eq!(one.end() + two.end(), 0);
}

/// The check before each request reads only the notes changed last again.
#[test]
fn a_save_in_place_of_an_old_note_is_seen() {
    let vault = TestVault::of([("old/Note.md", "# Note\n"), ("Tea.md", "# Tea\n")]);
    for number in 0..300 {
        vault.write(&format!("n{number}.md"), "Text.\n");
    }
    for path in ["old/Note.md", "old"] {
        let file = std::fs::File::open(vault.path(path)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    }
    let mut editor = Editor::start(&vault);
    editor.open("old/Note.md");
    editor.open("Tea.md");
    editor.document("textDocument/documentSymbol", "Tea.md");
    editor.edit("old/Note.md", "# Note", "# Note\n\n[[Tea]]");
    let text = editor.open["old/Note.md"].1.clone();
    std::fs::write(vault.path("old/Note.md"), text).unwrap();
    let document = json!({"textDocument": {"uri": editor.uri("old/Note.md")}});
    editor.notify("textDocument/didSave", &document);
    editor.notify("textDocument/didClose", &document);
    editor.open.remove("old/Note.md");
    let found = editor.ask("textDocument/references", "Tea.md", "# Tea", 3);
    assert_eq!(editor.locations(&found), ["old/Note.md: [[Tea]]"]);
    assert_eq!(editor.end(), 0);
}

#[test]
fn outside_a_vault_nothing_is_answered() {
    let vault = TestVault::folder("sample");
    let mut editor = Editor::start(&vault);
    editor.open_as("X.md", "[[Nowhere]]\n");
    let hover = editor.ask("textDocument/hover", "X.md", "Now", 0);
    assert_eq!(hover, Value::Null);
    assert_eq!(editor.end(), 0);
}
