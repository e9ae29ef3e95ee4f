//! The recording and failing [`Fs`] of the tests.
//!
//! It performs every operation on the real disk, numbers those that change something, and at a
//! chosen number fails once, or stops for good as a process does when the power fails.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::fs::{Fs, Meta, RealFs};

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
    fault: Fault,
    without_exchange: bool,
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

    /// Behaves as a file system that cannot exchange two files.
    pub(crate) fn without_exchange(mut self) -> Self {
        self.without_exchange = true;
        self
    }

    /// Calls `hook` around every changing operation: the editor that saves at the same moment.
    pub(crate) fn with_hook(self, hook: impl FnMut(&Op, When) + Send + 'static) -> Self {
        *self.hook.lock().unwrap() = Some(Box::new(hook));
        self
    }

    /// Returns what was done, in order.
    pub(crate) fn ops(&self) -> Vec<Op> {
        self.done.lock().unwrap().clone()
    }

    fn change<T>(
        &self,
        name: &'static str,
        path: &Path,
        torn: impl FnOnce(),
        act: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        let op = Op {
            name,
            path: path.to_owned(),
        };
        let number = {
            let mut done = self.done.lock().unwrap();
            done.push(op.clone());
            done.len() - 1
        };
        match self.fault {
            Fault::Fail(at) if number == at => return Err(io::Error::other("injected")),
            Fault::Stop(at) if number >= at => return Err(io::Error::other("stopped")),
            Fault::Tear(at) if number >= at => {
                if number == at {
                    torn();
                }
                return Err(io::Error::other("stopped"));
            }
            _ => {}
        }
        self.call(&op, When::Before);
        let result = act();
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
        RealFs.stat(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        RealFs.canonical(path)
    }

    fn read(&self, path: &Path) -> io::Result<(Vec<u8>, Meta)> {
        RealFs.read(path)
    }

    fn read_beneath(&self, root: &Path, relative: &Path) -> io::Result<(Vec<u8>, Meta)> {
        RealFs.read_beneath(root, relative)
    }

    fn read_span(&self, path: &Path, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        RealFs.read_span(path, offset, length)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        RealFs.list(path)
    }

    fn is_writable(&self, path: &Path) -> bool {
        RealFs.is_writable(path)
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let half = || {
            let _ = RealFs.write_new(path, &bytes[..bytes.len() / 2]);
        };
        self.change("write", path, half, || RealFs.write_new(path, bytes))
    }

    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.change("attributes", to, || (), || RealFs.copy_attributes(from, to))
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.change("mode", path, || (), || RealFs.set_mode(path, mode))
    }

    // Nothing here tests what the platter holds, and real syncs cost 4 ms each.
    fn sync(&self, path: &Path) -> io::Result<()> {
        self.change("sync", path, || (), || RealFs.stat(path).map(|_| ()))
    }

    fn sync_filesystem(&self, path: &Path) -> io::Result<()> {
        self.change("sync-all", path, || (), || Ok(()))
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        if self.without_exchange {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.change("exchange", b, || (), || RealFs.exchange(a, b))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.change("rename-new", to, || (), || RealFs.rename_new(from, to))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.change("rename", to, || (), || RealFs.rename(from, to))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.change("remove", path, || (), || RealFs.remove_file(path))
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.change("remove-folder", path, || (), || RealFs.remove_folder(path))
    }

    fn create_folder(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.change(
            "create-folder",
            path,
            || (),
            || RealFs.create_folder(path, mode),
        )
    }
}
