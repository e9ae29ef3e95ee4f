//! Refuses to save keys, tokens and passwords.

use crate::commands::prelude::*;
use crate::note::secrets;

#[derive(Clone, Debug, Default, clap::Args)]
pub struct SecretCheck {
    /// Save it even if it contains a key, token or password
    #[arg(long)]
    pub allow_secrets: bool,
}

impl SecretCheck {
    /// Fails if `text` contains a secret; `what` names the text.
    pub(crate) fn check(&self, what: &str, text: &str) -> Result<()> {
        match secrets::find(text).first() {
            Some(secret) if !self.allow_secrets => {
                Err(Error::new(format!("{secret} of {what}; nothing was saved"))
                    .hint("leave it out, or save it on purpose with `--allow-secrets`"))
            }
            _ => Ok(()),
        }
    }
}
