//! Test vaults, and [`FaultFs`], the recording and failing [`Fs`].
//!
//! [`FaultFs`] performs every operation on the real disk and numbers those that change something.
//! At a chosen number it fails once, or stops for good like a killed process. With a [`Platter`] it
//! also models what a disk would have kept if the power had failed then. [`FaultFs::power_fails`]
//! writes that state to the real disk for recovery to find.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{fmt, fs, io};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::fs::{FileMeta, Fs, RealFs, is_half_moved};
use super::*;

/// Writes these files below `root`, and creates their folders and the `.mem` folder.
pub(crate) fn write_vault<P: AsRef<Path>, T: AsRef<[u8]>>(
    root: &Path,
    files: impl IntoIterator<Item = (P, T)>,
) {
    fs::create_dir_all(root.join(OWN_FOLDER)).unwrap();
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// A recorded operation: its name and the path it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Op {
    pub(crate) name: &'static str,
    pub(crate) path: PathBuf,
}

/// A fault, counting changing operations from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fault {
    #[default]
    None,
    /// Operation N fails with an I/O error; all others work.
    Fail(usize),
    /// Operation N and all later ones do nothing.
    Stop(usize),
    /// Like `Stop`, and a write at N leaves half of its bytes.
    Tear(usize),
    /// From operation N the disk is full: files can be created but not filled, and folders cannot
    /// be created.
    Full(usize),
}

/// The part of an operation that takes effect; only writes have a half, others then do nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Half,
    Whole,
}

/// Performs `act` as a whole or not at all.
fn all_or_nothing(act: impl Fn() -> io::Result<()>) -> impl Fn(Extent) -> io::Result<()> {
    move |part| match part {
        Extent::Whole => act(),
        Extent::Half => Err(io::Error::other("nothing")),
    }
}

type Hook = Box<dyn FnMut(&Op, HookPhase) + Send>;

/// Whether a hook runs before or after the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HookPhase {
    Before,
    After,
}

#[derive(Default)]
pub(crate) struct FaultFs {
    real: RealFs,
    fault: Fault,
    without_exchange: bool,
    case_insensitive: bool,
    platter: Option<Mutex<Platter>>,
    done: Mutex<Vec<Op>>,
    hook: Mutex<Option<Hook>>,
}

impl fmt::Debug for FaultFs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FaultFs({:?})", self.fault)
    }
}

impl FaultFs {
    pub(crate) fn new(fault: Fault) -> Self {
        Self {
            fault,
            ..Self::default()
        }
    }

    /// Follows no links in `root`.
    pub(crate) fn beneath(mut self, root: &Path) -> Self {
        self.real = RealFs::beneath(root.to_owned());
        self
    }

    /// Tracks from now on which changes in `root` are durable.
    pub(crate) fn with_platter(mut self, root: &Path) -> Self {
        self.platter = Some(Mutex::new(Platter::of(root)));
        self
    }

    /// Changes the real disk to its state after a power failure at this moment.
    pub(crate) fn power_fails(&self, loss: Loss) {
        let platter = self.platter.as_ref().expect("made with a platter");
        platter.lock().unwrap().fail(loss);
    }

    /// Simulates a file system without the flags of `renameat2`. It cannot exchange two files, and
    /// moves files to free names by link and unlink.
    pub(crate) fn without_exchange(mut self) -> Self {
        self.without_exchange = true;
        self
    }

    /// Calls `hook` before and after every changing operation, to simulate concurrent editors.
    pub(crate) fn with_hook(self, hook: impl FnMut(&Op, HookPhase) + Send + 'static) -> Self {
        *self.hook.lock().unwrap() = Some(Box::new(hook));
        self
    }

    /// Simulates a file system where `Tea.md` and `tea.md` are one name. As on Linux, a rename from
    /// one to the other does nothing.
    pub(crate) fn case_insensitive(mut self) -> Self {
        self.case_insensitive = true;
        self
    }

    /// Returns the path as its folder lists it.
    fn listed(&self, path: &Path) -> PathBuf {
        if !self.case_insensitive || path.symlink_metadata().is_ok() {
            return path.to_owned();
        }
        let caseless = |name: &std::ffi::OsStr| name.to_string_lossy().to_lowercase();
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return path.to_owned();
        };
        let names = self.real.list(folder).unwrap_or_default();
        let found = names.iter().find(|found| caseless(found) == caseless(name));
        folder.join(found.map_or(name, |found| found))
    }

    /// Returns the performed operations in order.
    pub(crate) fn ops(&self) -> Vec<Op> {
        self.done.lock().unwrap().clone()
    }

    fn change(
        &self,
        name: &'static str,
        path: &Path,
        act: impl Fn(Extent) -> io::Result<()>,
        tell: impl Fn(&mut Platter),
    ) -> io::Result<()> {
        let op = Op {
            name,
            path: path.to_owned(),
        };
        let number = {
            let mut done = self.done.lock().unwrap();
            done.push(op.clone());
            done.len() - 1
        };
        let tell = || {
            if let Some(platter) = &self.platter {
                tell(&mut platter.lock().unwrap());
            }
        };
        match self.fault {
            Fault::Fail(at) if number == at => return Err(io::Error::other("injected")),
            Fault::Full(at) if number >= at && ["write", "create-folder"].contains(&name) => {
                if act(Extent::Half).is_ok() {
                    tell();
                }
                return Err(io::ErrorKind::StorageFull.into());
            }
            Fault::Stop(at) if number >= at => return Err(io::Error::other("stopped")),
            Fault::Tear(at) if number >= at => {
                if number == at && act(Extent::Half).is_ok() {
                    tell();
                }
                return Err(io::Error::other("stopped"));
            }
            _ => {}
        }
        self.call(&op, HookPhase::Before);
        let result = act(Extent::Whole);
        if result.is_ok() {
            tell();
        }
        self.call(&op, HookPhase::After);
        result
    }

    fn call(&self, op: &Op, when: HookPhase) {
        if let Some(hook) = self.hook.lock().unwrap().as_mut() {
            hook(op, when);
        }
    }
}

impl Fs for FaultFs {
    fn stat(&self, path: &Path) -> io::Result<FileMeta> {
        self.real.stat(&self.listed(path))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        let listed = self.listed(path);
        let real = self.real.canonical(&listed)?;
        Ok(match path.file_name() {
            Some(name) if listed != path => real.with_file_name(name),
            _ => real,
        })
    }

    fn read(&self, path: &Path) -> io::Result<(Vec<u8>, FileMeta)> {
        self.real.read(&self.listed(path))
    }

    fn read_beneath(&self, root: &Path, relative: &Path) -> io::Result<(Vec<u8>, FileMeta)> {
        let listed = self.listed(&root.join(relative));
        self.real
            .read_beneath(root, listed.strip_prefix(root).unwrap_or(relative))
    }

    fn read_span(&self, path: &Path, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        self.real.read_span(path, offset, length)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.real.list(path)
    }

    fn is_writable(&self, path: &Path) -> bool {
        self.real.is_writable(&self.listed(path))
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let write = |part| match part {
            Extent::Whole => self.real.write_new(path, bytes),
            Extent::Half => self.real.write_new(path, &bytes[..bytes.len() / 2]),
        };
        self.change("write", path, write, |platter| platter.wrote(path))
    }

    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
        let copy = all_or_nothing(|| self.real.copy_attributes(&self.listed(from), to));
        self.change("attributes", to, copy, |platter| platter.changed_mode(to))
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        let set = all_or_nothing(|| self.real.set_mode(path, mode));
        self.change("mode", path, set, |platter| platter.changed_mode(path))
    }

    // A real sync costs 4 ms; the platter models its effect.
    fn sync(&self, path: &Path) -> io::Result<()> {
        let sync = all_or_nothing(|| self.real.stat(path).map(|_| ()));
        self.change("sync", path, sync, |platter| platter.synced(path))
    }

    fn sync_filesystem(&self, path: &Path) -> io::Result<()> {
        self.change(
            "sync-all",
            path,
            all_or_nothing(|| Ok(())),
            Platter::synced_all,
        )
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        let (a, b) = (&*self.listed(a), &*self.listed(b));
        if self.without_exchange {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let exchange = all_or_nothing(|| self.real.exchange(a, b));
        self.change("exchange", b, exchange, |platter| platter.exchanged(a, b))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        let from = &*self.listed(from);
        if self.listed(to) != to {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if !self.without_exchange {
            let rename = all_or_nothing(|| self.real.rename_new(from, to));
            return self.change("rename-new", to, rename, |platter| {
                platter.renamed(from, to);
            });
        }
        if !is_half_moved(self, from, to) {
            let link = all_or_nothing(|| fs::hard_link(from, to));
            self.change("link", to, link, |platter| platter.linked(from, to))?;
        }
        self.remove_file(from)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (&*self.listed(from), &*self.listed(to));
        let rename = all_or_nothing(|| self.real.rename(from, to));
        self.change("rename", to, rename, |platter| platter.renamed(from, to))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let path = &*self.listed(path);
        let remove = all_or_nothing(|| self.real.remove_file(path));
        self.change("remove", path, remove, |platter| platter.removed(path))
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let remove = all_or_nothing(|| self.real.remove_folder(path));
        self.change("remove-folder", path, remove, |platter| {
            platter.removed(path);
        })
    }

    fn create_folder(&self, path: &Path, mode: u32) -> io::Result<()> {
        let create = all_or_nothing(|| self.real.create_folder(path, mode));
        self.change("create-folder", path, create, |platter| {
            platter.made_folder(path);
        })
    }
}

/// The operations that survive a power failure although they were not durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// All of them with every byte: only the process died.
    Nothing,
    /// None of them.
    Everything,
    /// Those up to a random moment, like on a journaling file system; file contents at random.
    Tail(u64),
    /// Any subset of them.
    Some(u64),
}

/// The index of a file or folder.
type Node = usize;

/// A name in a folder.
type Name = (Node, OsString);

#[derive(Clone, Debug)]
enum Body {
    Folder,
    Link(PathBuf),
    File {
        written: Vec<u8>,
        /// Its durable bytes and mode.
        synced: Option<(Vec<u8>, u32)>,
    },
}

#[derive(Clone, Debug)]
struct DiskEntry {
    body: Body,
    mode: u32,
}

/// A change of names that is not durable yet.
#[derive(Clone, Debug)]
struct PendingChange {
    sets: Vec<(Name, Option<Node>)>,
    /// The files and folders that it moves, creates or removes.
    moved: BTreeSet<Node>,
}

impl PendingChange {
    fn folders(&self) -> impl Iterator<Item = Node> {
        self.sets.iter().map(|((folder, _), _)| *folder)
    }

    fn names(&self) -> impl Iterator<Item = &Name> {
        self.sets.iter().map(|(name, _)| name)
    }

    /// Whether this change cannot survive without `earlier`.
    fn builds_on(&self, earlier: &Self) -> bool {
        !self.moved.is_disjoint(&earlier.moved)
            || self
                .names()
                .any(|name| earlier.names().any(|other| other == name))
            || self.folders().any(|folder| earlier.moved.contains(&folder))
            || earlier.folders().any(|folder| self.moved.contains(&folder))
    }
}

/// The disk model of the fault tests: the contents of a disk after a power failure.
///
/// A [`Platter`] tracks one folder. Its initial contents are durable, and it receives every
/// changing operation. Its assumptions about a disk:
///
/// * The bytes and the mode of a file are durable after a sync of that file. Before, a crash may
///   leave all of them, none, a prefix, or zeros.
/// * A name (a file created, linked, renamed, exchanged or removed) is durable after a sync of a
///   folder in which it was changed, and so is everything that this change builds on. A sync of the
///   file system makes all of it durable.
/// * An operation on names happens as a whole or not at all, also between two folders.
/// * Independent operations may survive in any combination. One that concerns the same name, the
///   same file, or a folder created or removed by another operation survives only together with it.
///
/// Not modelled: bit rot, disks that lie about syncs, names lost on the way between two folders
/// (FAT), and extended attributes.
#[derive(Clone, Debug)]
pub(crate) struct Platter {
    root: PathBuf,
    things: Vec<DiskEntry>,
    durable: BTreeMap<Name, Node>,
    now: BTreeMap<Name, Node>,
    pending: Vec<PendingChange>,
}

const ROOT: Node = 0;

impl Platter {
    /// Starts with the current contents of `root`.
    pub(crate) fn of(root: &Path) -> Self {
        let root = root.canonicalize().unwrap();
        let mut platter = Self {
            root: root.clone(),
            things: vec![DiskEntry {
                body: Body::Folder,
                mode: 0o700,
            }],
            durable: BTreeMap::new(),
            now: BTreeMap::new(),
            pending: Vec::new(),
        };
        platter.add_tree(&root, ROOT);
        platter.durable.clone_from(&platter.now);
        platter
    }

    fn add_tree(&mut self, folder: &Path, node: Node) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let thing = Self::read_node(&entry.path());
            let is_folder = matches!(thing.body, Body::Folder);
            let found = self.add(thing);
            self.now.insert((node, entry.file_name()), found);
            if is_folder {
                self.add_tree(&entry.path(), found);
            }
        }
    }

    /// Returns the file or folder at a path, as durable.
    fn read_node(path: &Path) -> DiskEntry {
        let meta = path.symlink_metadata().unwrap();
        let mode = meta.permissions().mode() & 0o7777;
        let body = if meta.is_dir() {
            Body::Folder
        } else if meta.is_symlink() {
            Body::Link(fs::read_link(path).unwrap())
        } else {
            let written = fs::read(path).unwrap();
            let synced = Some((written.clone(), mode));
            Body::File { written, synced }
        };
        DiskEntry { body, mode }
    }

    fn add(&mut self, thing: DiskEntry) -> Node {
        self.things.push(thing);
        self.things.len() - 1
    }

    /// Returns the current node of a path; unreported files are durable, because another program
    /// created them.
    fn node(&mut self, path: &Path) -> Option<Node> {
        let below = path.strip_prefix(&self.root).ok()?.to_owned();
        let mut node = ROOT;
        let mut at = self.root.clone();
        for part in &below {
            at.push(part);
            let name = (node, part.to_owned());
            node = if let Some(known) = self.now.get(&name) {
                *known
            } else {
                at.symlink_metadata().ok()?;
                let found = self.add(Self::read_node(&at));
                self.durable.insert(name.clone(), found);
                self.now.insert(name, found);
                found
            };
        }
        Some(node)
    }

    fn name(&mut self, path: &Path) -> Option<Name> {
        let folder = self.node(path.parent()?)?;
        Some((folder, path.file_name()?.to_owned()))
    }

    fn change(&mut self, sets: Vec<(Name, Option<Node>)>) {
        let mut moved: BTreeSet<Node> = sets.iter().filter_map(|(_, node)| *node).collect();
        for (name, node) in &sets {
            let before = match node {
                Some(node) => self.now.insert(name.clone(), *node),
                None => self.now.remove(name),
            };
            moved.extend(before);
        }
        self.pending.push(PendingChange { sets, moved });
    }

    pub(crate) fn wrote(&mut self, path: &Path) {
        let thing = DiskEntry {
            body: Body::File {
                written: fs::read(path).unwrap_or_default(),
                synced: None,
            },
            mode: path
                .metadata()
                .map_or(0o600, |meta| meta.permissions().mode() & 0o7777),
        };
        self.made(path, thing);
    }

    pub(crate) fn made_folder(&mut self, path: &Path) {
        let mode = path
            .metadata()
            .map_or(0o700, |meta| meta.permissions().mode() & 0o7777);
        let body = Body::Folder;
        self.made(path, DiskEntry { body, mode });
    }

    fn made(&mut self, path: &Path, thing: DiskEntry) {
        if let Some(name) = self.name(path) {
            let node = self.add(thing);
            self.change(vec![(name, Some(node))]);
        }
    }

    /// Records that the mode of a file changed.
    pub(crate) fn changed_mode(&mut self, path: &Path) {
        if let Some(node) = self.node(path) {
            self.things[node].mode = Self::read_node(path).mode;
        }
    }

    /// Records that a file or folder was renamed.
    pub(crate) fn renamed(&mut self, from: &Path, to: &Path) {
        let (old, new) = (self.name(from), self.name(to));
        if let (Some(old), Some(new)) = (old, new)
            && let Some(node) = self.now.get(&old).copied()
        {
            self.change(vec![(old, None), (new, Some(node))]);
        }
    }

    pub(crate) fn linked(&mut self, from: &Path, to: &Path) {
        if let (Some(node), Some(name)) = (self.node(from), self.name(to)) {
            self.change(vec![(name, Some(node))]);
        }
    }

    pub(crate) fn exchanged(&mut self, a: &Path, b: &Path) {
        let nodes = (self.node(a), self.node(b));
        if let (Some(a), Some(b)) = (self.name(a), self.name(b))
            && let (Some(was_a), Some(was_b)) = nodes
        {
            self.change(vec![(a, Some(was_b)), (b, Some(was_a))]);
        }
    }

    pub(crate) fn removed(&mut self, path: &Path) {
        if let Some(name) = self.name(path)
            && self.now.contains_key(&name)
        {
            self.change(vec![(name, None)]);
        }
    }

    pub(crate) fn synced(&mut self, path: &Path) {
        let Some(node) = self.node(path) else {
            return;
        };
        match &mut self.things[node] {
            DiskEntry {
                body: Body::File { written, synced },
                mode,
            } => *synced = Some((written.clone(), *mode)),
            _ => self.settle(|pending| pending.folders().any(|folder| folder == node)),
        }
    }

    pub(crate) fn synced_all(&mut self) {
        for thing in &mut self.things {
            if let Body::File { written, synced } = &mut thing.body {
                *synced = Some((written.clone(), thing.mode));
            }
        }
        self.settle(|_| true);
    }

    /// Makes the changes selected by `is_synced` durable, with those they build on.
    fn settle(&mut self, is_synced: impl Fn(&PendingChange) -> bool) {
        let synced: Vec<bool> = self.pending.iter().map(is_synced).collect();
        let keep = self.with_foundations(synced);
        let pending = std::mem::take(&mut self.pending);
        for (pending, keep) in pending.into_iter().zip(keep) {
            if keep {
                perform(&mut self.durable, &pending);
            } else {
                self.pending.push(pending);
            }
        }
    }

    fn with_foundations(&self, mut keep: Vec<bool>) -> Vec<bool> {
        for later in (0..keep.len()).rev() {
            if keep[later] {
                let (before, _) = keep.split_at_mut(later);
                for (keep, earlier) in before.iter_mut().zip(&self.pending) {
                    *keep |= self.pending[later].builds_on(earlier);
                }
            }
        }
        keep
    }

    /// Changes the real disk to its state after the power failure.
    pub(crate) fn fail(&self, loss: Loss) {
        let mut chance = Chance::new(loss);
        let mut names = self.durable.clone();
        for (pending, keep) in self.pending.iter().zip(self.survivors(loss, &mut chance)) {
            if keep {
                perform(&mut names, pending);
            }
        }
        for entry in fs::read_dir(&self.root).unwrap() {
            let path = entry.unwrap().path();
            if path.symlink_metadata().unwrap().is_dir() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        }
        let mut written = BTreeMap::new();
        self.write(&self.root, ROOT, &names, &mut chance, &mut written);
    }

    fn survivors(&self, loss: Loss, chance: &mut Chance) -> Vec<bool> {
        let count = self.pending.len();
        match loss {
            Loss::Nothing => vec![true; count],
            Loss::Everything => vec![false; count],
            Loss::Tail(_) => {
                let kept = chance.below(count + 1);
                (0..count).map(|at| at < kept).collect()
            }
            Loss::Some(_) => {
                let mut keep: Vec<bool> = Vec::with_capacity(count);
                for at in 0..count {
                    let stands = (0..at).all(|earlier| {
                        keep[earlier] || !self.pending[at].builds_on(&self.pending[earlier])
                    });
                    keep.push(stands && chance.below(2) == 0);
                }
                keep
            }
        }
    }

    fn write(
        &self,
        target: &Path,
        folder: Node,
        names: &BTreeMap<Name, Node>,
        chance: &mut Chance,
        written: &mut BTreeMap<Node, PathBuf>,
    ) {
        let below = names.range((folder, OsString::new())..(folder + 1, OsString::new()));
        for ((_, name), node) in below {
            let target = target.join(name);
            let thing = &self.things[*node];
            match &thing.body {
                Body::Folder => {
                    fs::create_dir(&target).unwrap();
                    self.write(&target, *node, names, chance, written);
                }
                Body::Link(to) => std::os::unix::fs::symlink(to, &target).unwrap(),
                Body::File { .. } if written.contains_key(node) => {
                    fs::hard_link(&written[node], &target).unwrap();
                    continue;
                }
                Body::File {
                    written: bytes,
                    synced,
                } => {
                    let (bytes, mode) = match synced {
                        Some((bytes, mode)) => (bytes.clone(), *mode),
                        None => (chance.torn(bytes), thing.mode),
                    };
                    fs::write(&target, bytes).unwrap();
                    written.insert(*node, target.clone());
                    fs::set_permissions(&target, fs::Permissions::from_mode(mode)).unwrap();
                    continue;
                }
            }
            if matches!(thing.body, Body::Folder) {
                fs::set_permissions(&target, fs::Permissions::from_mode(thing.mode)).unwrap();
            }
        }
    }
}

fn perform(names: &mut BTreeMap<Name, Node>, pending: &PendingChange) {
    for (name, node) in &pending.sets {
        match node {
            Some(node) => names.insert(name.clone(), *node),
            None => names.remove(name),
        };
    }
}

/// A seeded random generator.
struct Chance {
    loss: Loss,
    seed: u64,
    count: u64,
}

impl Chance {
    fn new(loss: Loss) -> Self {
        let seed = match loss {
            Loss::Tail(seed) | Loss::Some(seed) => seed,
            Loss::Nothing | Loss::Everything => 0,
        };
        let count = 0;
        Self { loss, seed, count }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.count += 1;
        (xxh3_64_with_seed(&self.count.to_le_bytes(), self.seed) % bound as u64) as usize
    }

    /// Returns the content of a file whose bytes were not synced.
    fn torn(&mut self, bytes: &[u8]) -> Vec<u8> {
        match self.loss {
            Loss::Nothing => bytes.to_vec(),
            Loss::Everything => Vec::new(),
            Loss::Tail(_) | Loss::Some(_) => match self.below(4) {
                0 => bytes.to_vec(),
                1 => Vec::new(),
                2 => bytes[..bytes.len() / 2].to_vec(),
                _ => vec![0; bytes.len()],
            },
        }
    }
}

/// Returns the remaining files as `name=text` parts.
fn remaining(root: &Path, disk: &FaultFs, loss: Loss) -> String {
    disk.power_fails(loss);
    let files = walkdir::WalkDir::new(root).min_depth(1).sort_by_file_name();
    let shown = files.into_iter().map(Result::unwrap).map(|entry| {
        let name = entry
            .path()
            .strip_prefix(root)
            .unwrap()
            .display()
            .to_string();
        match fs::read_to_string(entry.path()) {
            Ok(text) => format!("{name}={text}"),
            Err(_) => name,
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn synced_changes_survive() {
    type Act = fn(&FaultFs, &dyn Fn(&str) -> PathBuf);
    let cases: [(&str, Act, &str, &str); 9] = [
        ("nothing done", |_, _| {}, "a=1 d d/b=2", "a=1 d d/b=2"),
        (
            "bytes without a name",
            |disk, at| {
                disk.write_new(&at("n"), b"new").unwrap();
                disk.sync(&at("n")).unwrap();
            },
            "a=1 d d/b=2",
            "a=1 d d/b=2 n=new",
        ),
        (
            "a name without bytes",
            |disk, at| {
                disk.write_new(&at("n"), b"new").unwrap();
                disk.sync(&at("")).unwrap();
            },
            "a=1 d d/b=2 n=",
            "a=1 d d/b=2 n=new",
        ),
        (
            "both",
            |disk, at| {
                disk.write_new(&at("n"), b"new").unwrap();
                disk.sync(&at("n")).unwrap();
                disk.sync(&at("")).unwrap();
            },
            "a=1 d d/b=2 n=new",
            "a=1 d d/b=2 n=new",
        ),
        (
            "in a folder whose own name is not synced",
            |disk, at| {
                disk.create_folder(&at("e"), 0o700).unwrap();
                disk.rename_new(&at("a"), &at("e/a")).unwrap();
                disk.remove_file(&at("d/b")).unwrap();
            },
            "a=1 d d/b=2",
            "d e e/a=1",
        ),
        (
            "moved, one of the folders synced",
            |disk, at| {
                disk.rename_new(&at("a"), &at("d/a")).unwrap();
                disk.sync(&at("d")).unwrap();
            },
            "d d/a=1 d/b=2",
            "d d/a=1 d/b=2",
        ),
        (
            "exchanged",
            |disk, at| disk.exchange(&at("a"), &at("d/b")).unwrap(),
            "a=1 d d/b=2",
            "a=2 d d/b=1",
        ),
        (
            "removed for good, with what was in it",
            |disk, at| {
                disk.remove_file(&at("d/b")).unwrap();
                disk.remove_folder(&at("d")).unwrap();
                disk.sync(&at("")).unwrap();
            },
            "a=1",
            "a=1",
        ),
        (
            "all synced",
            |disk, at| {
                disk.write_new(&at("n"), b"new").unwrap();
                disk.remove_file(&at("a")).unwrap();
                disk.sync_filesystem(&at("")).unwrap();
            },
            "d d/b=2 n=new",
            "d d/b=2 n=new",
        ),
    ];
    for (name, act, without, with) in cases {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::write(root.join("a"), "1").unwrap();
        fs::create_dir(root.join("d")).unwrap();
        fs::write(root.join("d/b"), "2").unwrap();
        let disk = FaultFs::default().with_platter(&root);
        act(&disk, &|name| root.join(name));
        assert_eq!(remaining(&root, &disk, Loss::Nothing), with, "{name}");
        assert_eq!(remaining(&root, &disk, Loss::Everything), without, "{name}");
        // Each operation survives as a whole or not at all.
        for seed in 0..8 {
            for loss in [Loss::Tail(seed), Loss::Some(seed)] {
                let found = remaining(&root, &disk, loss);
                let both = found.matches("a=").count() + found.matches("b=").count();
                let gone = with.matches("a=").count() + with.matches("b=").count();
                assert!((gone..=2).contains(&both), "{name}, {loss:?}: {found}");
            }
        }
    }
}

fn path(text: &str) -> VaultPath {
    VaultPath::new(text).unwrap()
}

#[test]
fn the_nearest_vault_upwards_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("outer/.mem")).unwrap();
    fs::create_dir_all(root.join("outer/inner/.mem")).unwrap();
    fs::create_dir_all(root.join("outer/inner/a/b")).unwrap();
    for (start, expected) in [
        ("outer/inner/a/b", "outer/inner"),
        ("outer/inner", "outer/inner"),
        ("outer", "outer"),
    ] {
        assert_eq!(
            Vault::find(&root.join(start)).unwrap().root(),
            root.join(expected)
        );
    }
    fs::create_dir(root.join("evil")).unwrap();
    symlink(root.join("outer/.mem"), root.join("evil/.mem")).unwrap();
    let refused = Vault::find(&root.join("evil"));
    assert!(
        matches!(refused, Err(OpenError::OwnFolderNotAFolder { .. })),
        "{refused:?}"
    );
}

#[test]
fn reads_only_text_inside_the_vault() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("vault");
    fs::create_dir_all(root.join(".mem")).unwrap();
    fs::write(dir.path().join("secret.md"), "s").unwrap();
    fs::write(root.join("good.md"), "\u{feff}tea\r\n").unwrap();
    fs::write(root.join("bad.md"), b"ok\xff").unwrap();
    symlink("../secret.md", root.join("out.md")).unwrap();
    let vault = Vault::open(&root).unwrap();
    let good = vault.read(&path("good.md")).unwrap();
    assert_eq!(good.text, "\u{feff}tea\r\n");
    assert_eq!(good.stat, vault.stat(&path("good.md")).unwrap());
    assert!(matches!(
        vault.read(&path("bad.md")),
        Err(ReadError::NotText { at: 2, .. })
    ));
    assert!(matches!(
        vault.read(&path("out.md")),
        Err(ReadError::Outside { .. })
    ));
    assert!(matches!(
        vault.read(&path("none.md")),
        Err(ReadError::Missing { .. })
    ));
    assert!(matches!(
        vault.read(&path(".mem")),
        Err(ReadError::Io { .. })
    ));
}

#[test]
fn keys_are_unique_per_vault() {
    let dir = tempfile::tempdir().unwrap();
    let keys: Vec<String> = ["My Notes", "x/My Notes", "日記"]
        .iter()
        .map(|name| {
            fs::create_dir_all(dir.path().join(name).join(".mem")).unwrap();
            Vault::open(&dir.path().join(name)).unwrap().key()
        })
        .collect();
    assert!(keys[0].starts_with("my-notes-"), "{keys:?}");
    assert_ne!(keys[0], keys[1]);
    assert_eq!(keys[2].len(), 16, "{keys:?}");
}
