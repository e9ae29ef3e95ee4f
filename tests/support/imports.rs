//! Computes which file of `src` uses which: every `use` and path, resolved to the defining file.
//!
//! It parses text, not types: method calls are invisible, and unit tests are ignored. Re-exports
//! (`pub use`) resolve to the defining file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::project;

/// For each file, by path in `src`, the files whose items it uses.
pub(crate) type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Path segments, from the crate root or as written.
type Path = Vec<String>;

pub(crate) fn arrows() -> Arrows {
    let modules = modules();
    let known = |module: &Module| {
        let paths = module.used();
        let paths = paths.filter_map(|path| absolute(&modules, module, &path));
        let paths = paths.flat_map(|path| module.passed_on_to(&modules, path));
        let files = paths.filter_map(|path| definer(&modules, &path).map(str::to_owned));
        files.filter(|file| *file != module.file).collect()
    };
    let row = |module: &Module| (module.file.clone(), known(module));
    modules.values().map(row).collect()
}

/// Returns the files of `src`, by path.
pub(crate) fn files() -> impl Iterator<Item = String> {
    let source = project().join("src");
    let entries = walkdir::WalkDir::new(&source).sort_by_file_name();
    let files = entries.into_iter().map(move |entry| {
        let path = entry.unwrap().into_path();
        path.strip_prefix(&source).unwrap().to_owned()
    });
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files.map(|path| path.to_str().unwrap().to_owned())
}

/// One file, without comments and unit tests.
struct Module {
    file: String,
    path: Path,
    code: String,
    /// Names that its `use` lines import.
    names: BTreeMap<String, Path>,
    /// Those that it re-exports.
    passed_on: BTreeSet<String>,
}

type Modules = BTreeMap<Path, Module>;

/// Returns all modules except test modules.
fn modules() -> Modules {
    let only_test = Regex::new(r"#\[cfg\(test\)\]\s*(?:pub\S* )?mod (\w+);").unwrap();
    let mut modules = Modules::new();
    let mut tests = BTreeSet::new();
    for file in files() {
        let text = fs::read_to_string(project().join("src").join(&file)).unwrap();
        let path = module_path(&file);
        for child in only_test.captures_iter(&text) {
            tests.insert([&path[..], &[child[1].to_owned()]].concat());
        }
        modules.insert(path.clone(), Module::read(file, path, &text));
    }
    modules.retain(|path, _| !(1..=path.len()).any(|end| tests.contains(&path[..end])));
    modules
}

fn module_path(file: &str) -> Path {
    match file.trim_end_matches(".rs").trim_end_matches("/mod") {
        "lib" => Path::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}

impl Module {
    fn read(file: String, path: Path, text: &str) -> Self {
        static COMMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)//.*$").unwrap());
        static INLINE: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"(?ms)^mod \w+ \{$.*?^\}$").unwrap());
        static USE: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"(?m)^\s*(pub\S* )?use ([^;]+);").unwrap());
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let code = COMMENT.replace_all(text, "");
        let to_self = |inline: &Captures| inline[0].replace("super::", "self::");
        let code = INLINE.replace_all(&code, to_self);
        let mut module = Self {
            file,
            path,
            code: USE.replace_all(&code, "").into_owned(),
            names: BTreeMap::new(),
            passed_on: BTreeSet::new(),
        };
        for found in USE.captures_iter(&code) {
            for (name, path) in leaves(&found[2]) {
                if found.get(1).is_some() {
                    module.passed_on.insert(name.clone());
                }
                module.names.entry(name).or_insert(path);
            }
        }
        module
    }

    /// Returns the paths in code and imports, as written.
    fn used(&self) -> impl Iterator<Item = Path> {
        static PATH: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"[a-zA-Z_]\w*(?:::\w+)+").unwrap());
        let words = self.words();
        let imported = self.names.iter().filter(move |(name, _)| {
            !self.passed_on.contains(*name) || words.contains(name.as_str())
        });
        let written = PATH.find_iter(&self.code);
        let written = written.map(|path| segments(path.as_str()));
        written.chain(imported.map(|(_, path)| path.clone()))
    }
}

impl Module {
    /// Returns the paths that `path` imports. For a glob import of a prelude, only names used in
    /// the code count.
    fn passed_on_to(&self, modules: &Modules, path: Path) -> Vec<Path> {
        let Some((_, before)) = path.split_last().filter(|(last, _)| *last == "*") else {
            return vec![path];
        };
        let words = self.words();
        let names = modules.get(before).into_iter();
        let names = names.flat_map(|prelude| &prelude.passed_on);
        let used = names.filter(|name| words.contains(name.as_str()));
        let used = used.map(|name| [before, std::slice::from_ref(name)].concat());
        used.collect()
    }

    fn words(&self) -> BTreeSet<&str> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        self.code.split(|c| !is_word(c)).collect()
    }
}

fn segments(path: &str) -> Path {
    path.split("::")
        .map(|part| part.trim().to_owned())
        .collect()
}

/// Returns the names that a `use` tree imports, with their paths.
fn leaves(tree: &str) -> Vec<(String, Path)> {
    let Some((before, inside)) = tree.split_once('{') else {
        let last = tree.rsplit("::").next().unwrap_or(tree);
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, last));
        return vec![(name.trim().to_owned(), segments(path))];
    };
    let mut depth = 0;
    let branches = inside.trim_end().trim_end_matches('}').split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let branches = branches.map(str::trim).filter(|branch| !branch.is_empty());
    let inner = branches.flat_map(|branch| match branch {
        "self" => leaves(before.trim_end_matches("::")),
        _ => leaves(&format!("{before}{branch}")),
    });
    inner.collect()
}

/// Returns `path`, as written in `module`, from the crate root; `None` outside the crate.
fn absolute(modules: &Modules, module: &Module, path: &[String]) -> Option<Path> {
    let (first, rest) = path.split_first()?;
    let start = match first.as_str() {
        "crate" | "mem" => Path::new(),
        "self" => module.path.clone(),
        "super" => {
            let (_, parent) = module.path.split_last()?;
            if rest.first().is_some_and(|next| next == "super") {
                return absolute(modules, modules.get(parent)?, rest);
            }
            parent.to_owned()
        }
        name => match module.names.get(name) {
            Some(imported) if imported[0] != name => absolute(modules, module, imported)?,
            _ => {
                let child = [&module.path[..], &[name.to_owned()]].concat();
                modules.contains_key(&child).then_some(child)?
            }
        },
    };
    Some([&start, rest].concat())
}

/// Returns the file that defines the item at `path`; `None` for a module.
fn definer<'m>(modules: &'m Modules, path: &[String]) -> Option<&'m str> {
    if modules.contains_key(path) {
        return None;
    }
    let split = |end| Some((modules.get(&path[..end])?, &path[end], &path[end + 1..]));
    let (module, item, rest) = (0..path.len()).rev().find_map(split)?;
    if !module.passed_on.contains(item) {
        return Some(&module.file);
    }
    let source = absolute(modules, module, &module.names[item])?;
    definer(modules, &[&source, rest].concat())
}
