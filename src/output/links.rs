//! OSC 8 hyperlinks.
//!
//! A target never contains raw text of a note. All characters that are not plain in a URL are
//! percent-encoded, so that nothing ends the escape sequence or begins another.

use std::fmt::Write as _;
use std::path::Path;

/// Returns `text` as a link to `target`, which must come from [`file`] or [`web`].
pub(super) fn link(target: &str, text: &str) -> String {
    format!("\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\")
}

/// Returns the `file:` URL of a file on this machine.
pub(super) fn file(path: &Path) -> String {
    let system = rustix::system::uname();
    let host = encoded(system.nodename().to_bytes(), false);
    let path = encoded(path.as_os_str().as_encoded_bytes(), false);
    format!("file://{host}{path}")
}

/// Returns the encoded URL if it is a safe http or https address.
pub(super) fn web(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let scheme = ["http", "https"]
        .into_iter()
        .find(|known| scheme.eq_ignore_ascii_case(known))?;
    // User info before the host can imitate one: `https://bank.org@evil.org`.
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_plain = !host.is_empty()
        && host
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-.:[]".contains(&b));
    let is_linkable = is_plain && address.len() <= MAX_TARGET_BYTES;
    is_linkable.then(|| format!("{scheme}://{}", encoded(rest.as_bytes(), true)))
}

/// Maximum length in bytes of a target; terminals do not accept longer ones.
const MAX_TARGET_BYTES: usize = 2000;

fn encoded(bytes: &[u8], is_address: bool) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        let is_plain = byte.is_ascii_alphanumeric()
            || b"-._~/".contains(byte)
            || is_address && b":?#[]@!$&'()*+,;=%".contains(byte);
        if is_plain {
            text.push(char::from(*byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// Returns whether the terminal is known to support hyperlinks.
pub(super) fn are_supported(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is = |name: &str, known: &str| {
        variable(name).is_some_and(|value| known.split(' ').any(|known| value.contains(known)))
    };
    let has = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let vte = variable("VTE_VERSION").and_then(|version| version.parse::<u32>().ok());
    // A multiplexer decides by itself, whatever terminal it runs in.
    if is("TERM", "screen tmux dumb linux") {
        return false;
    }
    vte.is_some_and(|version| version >= 5000)
        || is(
            "TERM_PROGRAM",
            "Hyper iTerm.app WezTerm vscode ghostty terminology",
        )
        || is("TERM", "kitty alacritty foot ghostty contour wezterm")
        || ["WT_SESSION", "KONSOLE_VERSION", "DOMTERM"]
            .into_iter()
            .any(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_web_addresses_are_linked() {
        for (address, expected) in [
            ("https://a.org/b?c=d#e", Some("https://a.org/b?c=d#e")),
            ("HTTP://a.org", Some("http://a.org")),
            (
                "https://a.org/\x1b]8;;x\x07 é",
                Some("https://a.org/%1B]8;;x%07%20%C3%A9"),
            ),
            ("https://bank.org@evil.org/", None),
            ("https://bänk.org/", None),
            ("https://", None),
            ("javascript:alert(1)", None),
            ("file:///etc/passwd", None),
            ("ssh://host", None),
            ("a.md", None),
        ] {
            assert_eq!(web(address).as_deref(), expected, "{address}");
        }
        assert_eq!(
            web(&format!("https://a.org/{}", "x".repeat(MAX_TARGET_BYTES))),
            None
        );
    }

    #[test]
    fn path_cannot_end_the_escape_sequence() {
        let address = file(Path::new("/notes/a b\x1b\\ü;%.md"));
        assert!(address.starts_with("file://"), "{address}");
        assert!(
            address.ends_with("/notes/a%20b%1B%5C%C3%BC%3B%25.md"),
            "{address}"
        );
    }

    #[test]
    fn terminals_with_link_support_are_detected() {
        for (name, value, expected) in [
            ("VTE_VERSION", "7200", true),
            ("VTE_VERSION", "4600", false),
            ("TERM", "xterm-kitty", true),
            ("TERM", "xterm-256color", false),
            ("TERM", "dumb", false),
            ("TERM_PROGRAM", "vscode", true),
            ("WT_SESSION", "x", true),
        ] {
            let variable = |wanted: &str| (wanted == name).then(|| value.to_owned());
            assert_eq!(are_supported(variable), expected, "{name}={value}");
        }
        let both = |wanted: &str| match wanted {
            "TERM" => Some("screen-256color".to_owned()),
            "VTE_VERSION" => Some("7200".to_owned()),
            _ => None,
        };
        assert!(!are_supported(both));
    }
}
