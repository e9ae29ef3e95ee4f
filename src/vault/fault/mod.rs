//! The recording and failing [`Fs`] of the tests.
//!
//! It performs every operation on the real disk, numbers those that change something, and at a
//! chosen number fails once, or stops for good as a process does that is killed. With a [`Platter`]
//! it also knows what of all that a disk would have kept if the power had failed then, and
//! [`FaultFs::power_fails`] puts just that on the real disk, for recovery to find.

mod platter;

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::fs::{Fs, Meta, RealFs, is_half_moved};
use platter::Platter;

pub(crate) use platter::Loss;

/// One recorded operation: its name and the file name it was about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Op {
    pub(crate) name: &'static str,
    pub(crate) path: PathBuf,
}

/// What goes wrong, counting changing operations from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fault {
    #[default]
    None,
    /// Operation N fails with an IO error; everything else works.
    Fail(usize),
    /// Operation N and all later ones do nothing.
    Stop(usize),
    /// As `Stop`, and a write at N leaves half of its bytes.
    Tear(usize),
    /// From N on the disk is full: files can be made, not filled, and no folders.
    Full(usize),
}

/// How much of an operation takes place; only a write has a half, all else is nothing then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Half,
    Whole,
}

/// Does `act` as a whole or not at all.
fn whole(act: impl Fn() -> io::Result<()>) -> impl Fn(Part) -> io::Result<()> {
    move |part| match part {
        Part::Whole => act(),
        Part::Half => Err(io::Error::other("nothing")),
    }
}

type Hook = Box<dyn FnMut(&Op, When) + Send>;

/// Whether a hook runs before or after the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Before,
    After,
}

#[derive(Default)]
pub(crate) struct FaultFs {
    real: RealFs,
    fault: Fault,
    without_exchange: bool,
    folding: bool,
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

    /// Follows no link in `root`.
    pub(crate) fn beneath(mut self, root: &Path) -> Self {
        self.real = RealFs::beneath(root.to_owned());
        self
    }

    /// Knows what of everything in `root` is durable, from now on.
    pub(crate) fn with_platter(mut self, root: &Path) -> Self {
        self.platter = Some(Mutex::new(Platter::of(root)));
        self
    }

    /// Leaves on the real disk what a power failure at this moment would.
    pub(crate) fn power_fails(&self, loss: Loss) {
        let platter = self.platter.as_ref().expect("made with a platter");
        platter.lock().unwrap().fail(loss);
    }

    /// Behaves as a file system that knows no flags of `renameat2`: it cannot exchange two files,
    /// and moves one to a free name by link and unlink.
    pub(crate) fn without_exchange(mut self) -> Self {
        self.without_exchange = true;
        self
    }

    /// Calls `hook` around every changing operation: the editor that saves at the same moment.
    pub(crate) fn with_hook(self, hook: impl FnMut(&Op, When) + Send + 'static) -> Self {
        *self.hook.lock().unwrap() = Some(Box::new(hook));
        self
    }

    /// Behaves as a file system to which `Tea.md` and `tea.md` are one name, as Linux drives them: a
    /// rename from one to the other does nothing.
    pub(crate) fn folding(mut self) -> Self {
        self.folding = true;
        self
    }

    /// Returns the name under which a path is listed.
    fn listed(&self, path: &Path) -> PathBuf {
        if !self.folding || path.symlink_metadata().is_ok() {
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

    /// Returns what was done, in order.
    pub(crate) fn ops(&self) -> Vec<Op> {
        self.done.lock().unwrap().clone()
    }

    fn change(
        &self,
        name: &'static str,
        path: &Path,
        act: impl Fn(Part) -> io::Result<()>,
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
                if act(Part::Half).is_ok() {
                    tell();
                }
                return Err(io::ErrorKind::StorageFull.into());
            }
            Fault::Stop(at) if number >= at => return Err(io::Error::other("stopped")),
            Fault::Tear(at) if number >= at => {
                if number == at && act(Part::Half).is_ok() {
                    tell();
                }
                return Err(io::Error::other("stopped"));
            }
            _ => {}
        }
        self.call(&op, When::Before);
        let result = act(Part::Whole);
        if result.is_ok() {
            tell();
        }
        self.call(&op, When::After);
        result
    }

    fn call(&self, op: &Op, when: When) {
        if let Some(hook) = self.hook.lock().unwrap().as_mut() {
            hook(op, when);
        }
    }
}

impl Fs for FaultFs {
    fn stat(&self, path: &Path) -> io::Result<Meta> {
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

    fn read(&self, path: &Path) -> io::Result<(Vec<u8>, Meta)> {
        self.real.read(&self.listed(path))
    }

    fn read_beneath(&self, root: &Path, relative: &Path) -> io::Result<(Vec<u8>, Meta)> {
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
            Part::Whole => self.real.write_new(path, bytes),
            Part::Half => self.real.write_new(path, &bytes[..bytes.len() / 2]),
        };
        self.change("write", path, write, |platter| platter.wrote(path))
    }

    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
        let copy = whole(|| self.real.copy_attributes(&self.listed(from), to));
        self.change("attributes", to, copy, |platter| platter.changed_mode(to))
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        let set = whole(|| self.real.set_mode(path, mode));
        self.change("mode", path, set, |platter| platter.changed_mode(path))
    }

    // A real sync costs 4 ms; the platter knows what it would have done.
    fn sync(&self, path: &Path) -> io::Result<()> {
        let sync = whole(|| self.real.stat(path).map(|_| ()));
        self.change("sync", path, sync, |platter| platter.synced(path))
    }

    fn sync_filesystem(&self, path: &Path) -> io::Result<()> {
        self.change("sync-all", path, whole(|| Ok(())), Platter::synced_all)
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        let (a, b) = (&*self.listed(a), &*self.listed(b));
        if self.without_exchange {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let exchange = whole(|| self.real.exchange(a, b));
        self.change("exchange", b, exchange, |platter| platter.exchanged(a, b))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        let from = &*self.listed(from);
        if self.listed(to) != to {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if !self.without_exchange {
            let rename = whole(|| self.real.rename_new(from, to));
            return self.change("rename-new", to, rename, |platter| {
                platter.renamed(from, to);
            });
        }
        if !is_half_moved(self, from, to) {
            let link = whole(|| fs::hard_link(from, to));
            self.change("link", to, link, |platter| platter.linked(from, to))?;
        }
        self.remove_file(from)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (&*self.listed(from), &*self.listed(to));
        let rename = whole(|| self.real.rename(from, to));
        self.change("rename", to, rename, |platter| platter.renamed(from, to))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let path = &*self.listed(path);
        let remove = whole(|| self.real.remove_file(path));
        self.change("remove", path, remove, |platter| platter.removed(path))
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let remove = whole(|| self.real.remove_folder(path));
        self.change("remove-folder", path, remove, |platter| {
            platter.removed(path);
        })
    }

    fn create_folder(&self, path: &Path, mode: u32) -> io::Result<()> {
        let create = whole(|| self.real.create_folder(path, mode));
        self.change("create-folder", path, create, |platter| {
            platter.made_folder(path);
        })
    }
}
