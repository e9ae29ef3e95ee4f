//! The text index on disk.

use std::path::{Path, PathBuf};

use tantivy::error::DataCorruption;
use tantivy::index::{SegmentComponent, SegmentMeta};
use tantivy::{Index, IndexSettings, SegmentReader};

use super::directory::UnsyncedDirectory;
use super::error::{Result, TextIndexError, guard};
use super::reader::TextReader;
use super::schema::{schema, tokenizers};
use crate::note::Language;

#[derive(Clone)]
pub struct TextIndex {
    pub(super) index: Index,
    pub(super) path: PathBuf,
    language: Language,
}

impl TextIndex {
    /// Creates an empty index in the empty folder `path`.
    pub fn create(path: &Path, language: Language) -> Result<Self> {
        guard(path, || {
            let directory = UnsyncedDirectory::open(path)?;
            let index = Index::create(directory, schema(language), IndexSettings::default())?;
            Ok(Self::over(index, path, language))
        })
    }

    /// Opens the index in the folder `path`.
    ///
    /// Reads only the list of segments; [`TextIndex::reader`] opens their files.
    pub fn open(path: &Path, language: Language) -> Result<Self> {
        if !path.join("meta.json").exists() {
            return Err(TextIndexError::Missing {
                path: path.to_owned(),
            });
        }
        let index = guard(path, || Index::open(UnsyncedDirectory::open(path)?))?;
        if index.schema() != schema(language) {
            return Err(TextIndexError::Outdated {
                path: path.to_owned(),
            });
        }
        Ok(Self::over(index, path, language))
    }

    fn over(mut index: Index, path: &Path, language: Language) -> Self {
        index.set_tokenizers(tokenizers(language));
        Self {
            index,
            path: path.to_owned(),
            language,
        }
    }

    /// Returns the language of the stems.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns the payload of the last commit; empty before the first.
    pub fn payload(&self) -> Result<String> {
        let metas = guard(&self.path, || self.index.load_metas())?;
        Ok(metas.payload.unwrap_or_default())
    }

    /// Opens the last commit for searching.
    pub fn reader(&self) -> Result<TextReader> {
        // A writer may delete merged segments after their list was read and before they are opened.
        let mut attempt = 0;
        loop {
            let opened = guard(&self.path, || {
                let segments = self.index.load_metas()?.segments;
                let readers: Result<Vec<_>, _> = segments
                    .into_iter()
                    .map(|segment| {
                        self.verify_deletions(&segment)?;
                        SegmentReader::open(&self.index.segment(segment))
                    })
                    .collect();
                TextReader::over(readers?, self.language, &self.path)
            });
            attempt += 1;
            match opened {
                Err(TextIndexError::Damaged { .. }) if attempt < 3 => {}
                opened => return opened,
            }
        }
    }

    /// Verifies the checksum of the deletion bitmap. A flipped bit would hide a note or show one twice,
    /// undetected.
    fn verify_deletions(&self, segment: &SegmentMeta) -> tantivy::Result<()> {
        if !segment.has_deletes() {
            return Ok(());
        }
        let list = segment.relative_path(SegmentComponent::Delete);
        if self.index.directory().validate_checksum(&list)? {
            return Ok(());
        }
        let reason = "the list of deleted notes has a wrong checksum".to_owned();
        Err(DataCorruption::new(list, reason).into())
    }

    /// Reads every file and verifies its checksum.
    pub fn verify(&self) -> Result<()> {
        let damaged = guard(&self.path, || {
            // tantivy does not count deletion lists among the files of a segment.
            for segment in self.index.searchable_segments()? {
                self.verify_deletions(segment.meta())?;
            }
            self.index.validate_checksum()
        })?;
        match damaged.iter().min() {
            None => Ok(()),
            Some(file) => Err(TextIndexError::Damaged {
                path: self.path.clone(),
                reason: format!("{} has a wrong checksum", file.display()),
            }),
        }
    }
}
