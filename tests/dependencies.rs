//! Dependencies: licences and sources of all crates comply with `deny.toml`.
//!
//! Offline, from cargo's local data; advisories need a database and are left to `cargo deny`.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::support::project;

/// Returns the crates built on this machine, from `cargo metadata`.
fn crates() -> Vec<Value> {
    let rustc = Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let rustc = String::from_utf8(rustc).unwrap();
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: "));
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--offline", "--locked"])
        .args(["--filter-platform", host.unwrap()])
        .current_dir(project())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn allowed() -> BTreeSet<String> {
    let text = fs::read_to_string(project().join("deny.toml")).unwrap();
    let deny: toml::Table = text.parse().unwrap();
    deny["licenses"]["allow"].clone().try_into().unwrap()
}

/// Whether a licence expression is satisfied. Mixed `AND` and `OR` without parentheses are read
/// more strictly than in SPDX.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let is_known = |licence: &str| allowed.contains(licence.trim_matches([' ', '(', ')']));
    let expression = expression.replace('/', " OR ");
    expression
        .split(" AND ")
        .all(|part| part.split(" OR ").any(is_known))
}

#[test]
fn licences_and_sources_are_allowed() {
    let allowed = allowed();
    for package in crates() {
        let licence = package["license"].as_str().unwrap_or("none named");
        assert!(
            is_allowed(licence, &allowed),
            "{}: {licence}",
            package["id"]
        );
        let source = package["source"].as_str().unwrap_or("registry+here");
        assert!(source.starts_with("registry+"), "{}", package["id"]);
    }
    let only = BTreeSet::from(["MIT".to_owned()]);
    assert!(is_allowed("Apache-2.0/MIT", &only));
    assert!(!is_allowed("(MIT OR ISC) AND ISC", &only));
    assert!(!is_allowed("GPL-3.0-only", &only));
}

/// Checks for crates what clippy (`incompatible_msrv`) checks for our code.
#[test]
fn crates_support_our_minimum_rust_version() {
    let version = |text: &str| -> Vec<u32> {
        let parts = text.split('.').map(|part| part.parse().unwrap());
        parts.take(2).collect()
    };
    let ours = version(env!("CARGO_PKG_RUST_VERSION"));
    for package in crates() {
        let wanted = package["rust_version"].as_str().unwrap_or("1.0");
        assert!(version(wanted) <= ours, "{}: {wanted}", package["id"]);
    }
}

/// A second version required by another crate is unavoidable; our own requirement must be the
/// newest.
#[test]
fn our_requirements_are_the_newest_versions() {
    let crates = crates();
    let mem = crates
        .iter()
        .find(|package| package["name"] == "mem")
        .unwrap();
    let version = |package: &Value| -> Vec<u64> {
        let version = package["version"].as_str().unwrap();
        let release = version.split(['-', '+']).next().unwrap();
        release
            .split('.')
            .map(|part| part.parse().unwrap())
            .collect()
    };
    for ours in mem["dependencies"].as_array().unwrap() {
        let wanted = ours["req"].as_str().unwrap().trim_start_matches('^');
        let versions = crates
            .iter()
            .filter(|package| package["name"] == ours["name"]);
        let Some(newest) = versions.map(version).max() else {
            continue;
        };
        let wanted: Vec<u64> = wanted
            .split('.')
            .map(|part| part.parse().unwrap())
            .collect();
        let compatible =
            wanted[0] == newest[0] && (wanted[0] > 0 || wanted.get(1) == newest.get(1));
        assert!(
            compatible,
            "{}: {wanted:?} is asked for, {newest:?} is built",
            ours["name"]
        );
    }
}
