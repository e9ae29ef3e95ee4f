//! A vault for testing requests without a process.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use tempfile::TempDir;

use super::Request;
use super::setup::settings::SCHEMA;
use crate::error::Error;
use crate::output::reply::{Page, Reply, print};
use crate::output::{Form, Output};
use crate::session::{Environment, Session};
use crate::vault::tests::write_vault;

/// An open vault in a temporary folder, on 2026-04-01 at noon.
pub(crate) struct TestVault {
    pub(crate) session: Session,
    _home: TempDir,
}

impl TestVault {
    /// Creates a vault of these notes, as path and text.
    pub(crate) fn new(notes: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let vault = home.path().join("notes");
        write_vault(&vault, notes.iter().copied());
        let now: Timestamp = "2026-04-01T12:00:00Z".parse().unwrap();
        let env = Environment {
            output: Output::buffered(Form::Human),
            ..Environment::of_test(home.path(), now.to_zoned(TimeZone::UTC), &SCHEMA)
        };
        Self {
            session: env.open().unwrap(),
            _home: home,
        }
    }

    /// Returns the reply to `request` as JSON.
    pub(crate) fn json(&self, request: &impl Request) -> Result<Value, Error> {
        let (reply, _) = request.reply(&self.session);
        assert_eq!(self.session.env.output.take(), Default::default());
        Ok(serde_json::to_value(&reply?).unwrap())
    }

    /// Returns the reply to `request` as text, and its messages.
    pub(crate) fn text(&self, request: &impl Request) -> Result<(String, Vec<String>), Error> {
        let reply = request.answer(&self.session)?;
        let env = &self.session.env;
        print(&Page::new(&env.output, &env.now), &reply, Reply::show)?;
        Ok(env.output.take())
    }
}
