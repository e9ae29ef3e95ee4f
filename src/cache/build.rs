//! Builds a cache next to the one in use.

use std::fs;
use std::path::{Path, PathBuf};

use super::catalog::Catalog;
use super::home::{CURRENT, current};
use super::meta::{CacheMeta, FORMAT};
use super::text::index::TextIndex;
use super::{Cache, CacheError, Result, failpoint};
use crate::note::LanguageSetting;
use crate::vault::own_files;

/// A cache being built next to the one in use; removed if dropped unpublished.
#[derive(Debug)]
pub(super) struct Build {
    home: PathBuf,
    name: String,
    published: bool,
}

impl Build {
    /// Starts an empty cache; `instance` identifies it. The caller holds the lock.
    pub(super) fn begin(
        home: &Path,
        instance: u64,
        language: LanguageSetting,
    ) -> Result<(Self, Cache)> {
        // The number comes from the run's seed, which may equal that of the previous run.
        let mut instance = instance;
        while home.join(format!("{instance:016x}")).exists() {
            instance = instance.wrapping_add(1);
        }
        let name = format!("{instance:016x}");
        let folder = home.join(&name);
        fs::create_dir_all(folder.join("text")).map_err(CacheError::at(&folder))?;
        let build = Self {
            home: home.to_owned(),
            name,
            published: false,
        };
        let meta = CacheMeta {
            format: FORMAT,
            instance,
            language: language.to_string(),
            ..CacheMeta::default()
        };
        let catalog = Catalog::create(&folder, &meta)?;
        let text = TextIndex::create(&folder.join("text"), language.fallback())?;
        Ok((
            build,
            Cache {
                folder,
                catalog,
                text,
                language,
                vector_model: None,
            },
        ))
    }

    /// Replaces the cache in use, and removes it.
    pub(super) fn publish(mut self) -> Result<()> {
        let io = &CacheError::at(&self.home);
        let old = current(&self.home);
        own_files::write_atomically(&self.home.join(CURRENT), self.name.as_bytes()).map_err(io)?;
        self.published = true;
        failpoint::pass(&self.home);
        if let Some(old) = old.filter(|old| *old != self.name) {
            let _ = fs::remove_dir_all(self.home.join(old));
        }
        Ok(())
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        if !self.published {
            let _ = fs::remove_dir_all(self.home.join(&self.name));
        }
    }
}
