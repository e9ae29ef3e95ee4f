//! Errors inside a scan.

use std::cell::RefCell;

use crate::cache::CacheError;

/// The first error of closures that return a plain value; reported after the scan that calls them.
#[derive(Default)]
pub(super) struct FirstError(RefCell<Option<CacheError>>);

impl FirstError {
    pub(super) fn or_default<T: Default>(&self, result: Result<T, CacheError>) -> T {
        result.unwrap_or_else(|error| {
            self.0.borrow_mut().get_or_insert(error);
            T::default()
        })
    }

    /// Returns `value`, or the first error.
    pub(super) fn or<T>(self, value: T) -> Result<T, CacheError> {
        self.0.into_inner().map_or(Ok(value), Err)
    }
}
