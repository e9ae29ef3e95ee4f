//! Settings for the display on a terminal.

use serde::{Deserialize, Serialize};

use super::Environment;
use crate::config::{Trust, section};
use crate::error::{Exit, Result};
use crate::output::reply::{Page, Reply, print};

/// The default pager.
const DEFAULT_PAGER: &str = "less";

section! {
    /// The settings `ui.…`.
    #[derive(Eq)]
    pub struct UiOptions: "ui", everyday [pager] {
        /// pager for output longer than the terminal: `auto` is `$PAGER`, else `less`; `$MEM_PAGER`
        /// takes precedence
        pager: String = "auto".to_owned(), "auto, never or a command", Trust::Nothing;
        /// whether paths and links are clickable; `auto`: on terminals known to support it
        hyperlinks: Hyperlinks, "auto, always or never";
    }
}

/// When paths and links are printed as hyperlinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Hyperlinks {
    /// On terminals known to support them.
    #[default]
    Auto,
    Always,
    Never,
}

impl Environment {
    /// Sends the following output to the user's pager if it is longer than the terminal.
    pub fn page(&self) -> Result<()> {
        if self.no_pager || !self.output.stdout_is_terminal {
            return Ok(());
        }
        // A vault cannot set the pager.
        let set = self.settings(None).of::<UiOptions>().pager;
        let pager = pager(&set, |name| std::env::var(name).ok());
        pager.map_or(Ok(()), |pager| self.output.page(&pager))
    }

    /// Prints a reply in the selected output form, and returns its exit status.
    pub fn print(&self, reply: &impl Reply) -> Result<Exit> {
        self.print_as(reply, Reply::show)
    }

    /// Like [`Self::print`], with `show` as the text form.
    pub fn print_as<R: Reply>(&self, reply: &R, show: impl FnOnce(&R, &Page<'_>)) -> Result<Exit> {
        self.page()?;
        print(&Page::new(&self.output, &self.now), reply, show)
    }
}

/// Returns the pager to use, if any.
fn pager(set: &str, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let set = (set != "auto").then(|| set.to_owned());
    let wanted = variable("MEM_PAGER")
        .or(set)
        .or_else(|| variable("PAGER"))
        .unwrap_or_else(|| DEFAULT_PAGER.to_owned());
    let is_none = matches!(wanted.trim(), "" | "never" | "cat");
    (!is_none).then_some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_setting_selects_the_pager() {
        for (set, own, all, expected) in [
            ("auto", None, None, Some("less")),
            ("auto", None, Some("more -s"), Some("more -s")),
            ("bat", None, Some("more"), Some("bat")),
            ("bat", Some("most"), Some("more"), Some("most")),
            ("bat", Some(""), Some("more"), None),
            ("never", None, Some("more"), None),
            ("auto", None, Some("cat"), None),
        ] {
            let variable = |name: &str| match name {
                "MEM_PAGER" => own.map(str::to_owned),
                _ => all.map(str::to_owned),
            };
            assert_eq!(
                pager(set, variable).as_deref(),
                expected,
                "{set} {own:?} {all:?}"
            );
        }
    }
}
