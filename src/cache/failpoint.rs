//! Fail points between changes of the cache folder, where tests inspect the state after a crash.

#[cfg(not(test))]
pub(super) fn pass(_: &std::path::Path) {}
#[cfg(test)]
pub(super) use watched::{pass, watch};

#[cfg(test)]
mod watched {
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex};

    type Hook = Arc<dyn Fn() + Send + Sync>;

    /// Watched cache folders; tests run in parallel.
    static WATCHED: Mutex<Vec<(PathBuf, Hook)>> = Mutex::new(Vec::new());

    /// Marks a moment before or after a change in `folder`.
    pub(in crate::cache) fn pass(folder: &Path) {
        let watched = WATCHED.lock().unwrap();
        let entry = watched.iter().find(|(home, _)| folder.starts_with(home));
        let hook = entry.map(|(_, hook)| Arc::clone(hook));
        drop(watched);
        if let Some(hook) = hook {
            hook();
        }
    }

    /// Calls `hook` at each fail point below `home` that `run` passes.
    pub(in crate::cache) fn watch(
        home: &Path,
        hook: impl Fn() + Send + Sync + 'static,
        run: impl FnOnce(),
    ) {
        WATCHED
            .lock()
            .unwrap()
            .push((home.to_owned(), Arc::new(hook)));
        run();
        let mut watched = WATCHED.lock().unwrap();
        watched.retain(|(watched, _)| watched != home);
    }
}
