//! `--tsv` and `--format`: records as lines.

use expect_test::expect;

use crate::support::TestVault;

#[test]
fn tsv_has_named_columns() {
    let vault = TestVault::of([
        (
            "a.md",
            "---\ntitle: \"A\\tB\"\ntags: [x, y z]\ncreated: 2026-03-01\n---\nSee [[b]].\n",
        ),
        ("b.md", "---\ncreated: 2026-03-02\n---\nNothing.\n"),
    ]);
    vault.run(["index"]).raw();
    vault
        .run(["list", "--tsv"])
        .stdout(expect![[r#"
        path	title	id	type	tier	space	tags	aliases	created	words	managed	problem	value
        a.md	A\tB			working		x, y z		2026-03-01T00:00:00Z	2	false		
        b.md	b			working				2026-03-02T00:00:00Z	1	false		
    "#]])
        .code(0);
    vault
        .run(["related", "b", "--tsv"])
        .stdout(expect![[r#"
            list	path	title	direction	relation	name	line	snippet	cosine
            links	a.md	A\tB	from					
        "#]])
        .code(0);
    vault
        .run(["list", "path:none", "--tsv"])
        .stderr(expect!["no matches"])
        .code(1);
}

#[test]
fn format_template_is_filled() {
    let vault = TestVault::indexed("sample");
    vault
        .run([
            "list",
            "type:decision",
            "--format",
            r"{{ path }}\t{{ created | date('%d.%m.%Y') }}{% for tag in tags %} #{{ tag }}{% endfor %}",
        ])
        .stdout(expect![[r#"
            work/Chose SQLite.md	14.09.2025 #database #decision
            work/Moved to Postgres.md	20.02.2026 #database #decision
            work/Photo storage.md	09.03.2026
        "#]])
        .code(0);
    vault
        .run([
            "search",
            "green tea",
            "-n",
            "1",
            "--format",
            "{{path}}:{{line}}: {{snippet}}",
        ])
        .stdout(expect![[r#"
            Green tea.md:6: Sencha is forgiving about the leaf and merciless about the water. What works in my kitchen:
        "#]])
        .code(0);
    vault.run(["-q", "rm", "Green tea.md"]).raw();
    vault
        .run([
            "history",
            "--format",
            "{{ short }} {{ what }} ({{ notes }})",
        ])
        .stdout(expect!["757x rm Green tea.md (1)"])
        .code(0);
    vault
        .run(["trash", "--format", "{{ path }} {{ job }}"])
        .stdout(expect!["Green tea.md rm"])
        .code(0);
    vault
        .run(["list", "--format", "{{ titel }}"])
        .stderr(expect![[r#"
            error: no key `titel` in `--format`
            hint: keys: path, title, id, type, tier, space, tags, aliases, created, words, managed, problem, value, updated, valid_until, confidence, importance, retrievability, stability, relevance, salience, activity, promotion, questions, accesses, accessed, idle, degree, length
        "#]])
        .code(2);
    vault
        .run(["list", "--format", "{{ title"])
        .stderr(expect![[r#"
            error: cannot use `--format` in line 1: unexpected end of input, expected end of variable block
            hint: write a value as `{{ title }}`; `--tsv` shows all keys
        "#]])
        .code(2);
}
