//! Links of JSON Canvas files (`.canvas`) to notes. mem reads these files and does not write them.

use walkdir::{DirEntry, WalkDir};

use crate::jobs::doctor::{DoctorFinding, Files, ProblemKind};
use crate::run::prelude::*;
use crate::view::remap::is_markdown;

/// A canvas and the targets of its links, as `(target, is_markdown)`.
type Canvas = (VaultPath, Vec<(String, bool)>);

/// Returns the canvases of the vault outside hidden folders, sorted by path; others that cannot be
/// read are left out.
fn canvases(vault: &Vault) -> Vec<Canvas> {
    let is_visible = |entry: &DirEntry| !entry.file_name().to_string_lossy().starts_with('.');
    let walk = WalkDir::new(vault.root()).min_depth(1).sort_by_file_name();
    let files = walk.into_iter().filter_entry(is_visible).flatten();
    let canvas = |entry: DirEntry| {
        let path = entry.path();
        path.extension().filter(|ending| *ending == "canvas")?;
        let relative = path.strip_prefix(vault.root()).ok()?.to_str()?;
        let text = own_files::read(path).ok()?;
        Some((VaultPath::new(relative).ok()?, targets(&text)))
    };
    files.filter_map(canvas).collect()
}

/// Returns the targets of `file` nodes and of links in `text` nodes.
fn targets(json: &str) -> Vec<(String, bool)> {
    let canvas: Value = serde_json::from_str(json).unwrap_or_default();
    let mut targets = Vec::new();
    for node in canvas["nodes"].as_array().into_iter().flatten() {
        let file = node["file"].as_str();
        targets.extend(file.map(|file| (format!("/{file}"), true)));
        let all_links = note::read(node["text"].as_str().unwrap_or_default(), "").links;
        let links = all_links.into_iter().filter(|link| !link.target.is_empty());
        targets.extend(links.map(|link| (link.target.clone(), is_markdown(&link))));
    }
    targets
}

/// Returns the canvases with links to one of the notes `entries`.
pub fn linking_to(vault: &Vault, view: &View<'_>, entries: &[Entry]) -> Result<Vec<VaultPath>> {
    let mut linking = Vec::new();
    for (path, targets) in canvases(vault) {
        for (target, is_markdown) in targets {
            let led = view.resolve(&path, &target, is_markdown)?;
            if led.is_some_and(|led| entries.iter().any(|entry| entry.slot == led.slot)) {
                linking.push(path);
                break;
            }
        }
    }
    Ok(linking)
}

/// Returns the links of canvases that match none of the `files`.
pub(super) fn findings(vault: &Vault, files: &Files) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    for (path, mut targets) in canvases(vault) {
        targets.retain(|(target, markdown)| files.resolve(&path, target, *markdown).is_none());
        findings.extend(targets.into_iter().map(|(target, _)| {
            let message = format!("`{}`: no such note or file", target.trim_start_matches('/'));
            DoctorFinding::new(ProblemKind::BrokenLink, path.as_str(), message)
        }));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_name_notes() {
        let json = r##"{"nodes": [
            {"id": "1", "type": "file", "file": "tea/Green tea.md", "subpath": "#How"},
            {"id": "2", "type": "text", "text": "see [[Oolong#Leaf|it]] and [x](a%20b.md)"},
            {"id": "3", "type": "link", "url": "https://x.y"}
        ], "edges": []}"##;
        let found = [
            ("/tea/Green tea.md", true),
            ("Oolong", false),
            ("a b.md", true),
        ];
        assert_eq!(
            targets(json),
            found.map(|(target, form)| (target.to_owned(), form))
        );
        assert!(targets("[1").is_empty());
    }
}
