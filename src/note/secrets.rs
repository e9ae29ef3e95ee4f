//! Keys, tokens and passwords in a text.
//!
//! The forms are rows of `secrets.txt`. In 12,632 files of public vaults, chats and documents they match four texts:
//! two published tokens, a published test key and a login in a statement of SQL. Ids, commits and prose do not match.

use std::fmt;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::{Match, Regex};
use ulid::Ulid;

use crate::note::words::lists;

const FORMS: &str = include_str!("secrets.txt");
/// Minimum number of distinct characters of a token, and of a password, which is shorter; placeholders repeat one.
const MIN_DISTINCT: usize = 8;
const MIN_DISTINCT_NAMED: usize = 5;

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// What it is, like `GitHub token`.
    pub form: &'static str,
    /// Line in the text, from 1.
    pub line: usize,
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in line {}", self.form, self.line)
    }
}

/// A row of `secrets.txt`.
struct Form {
    name: &'static str,
    literals: Vec<&'static str>,
    pattern: &'static str,
    /// Compiled on the first use: most processes need none.
    compiled: OnceLock<Regex>,
    /// Whether only a name before the value reveals it.
    is_named: bool,
}

static ALL: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let section = |name: &'static str, is_named| {
        lists::rows(FORMS, name).map(move |row| {
            let mut parts = row.splitn(3, "; ");
            let mut part = || parts.next().expect("three parts");
            Form {
                name: part(),
                literals: part().split(',').collect(),
                pattern: part(),
                compiled: OnceLock::new(),
                is_named,
            }
        })
    };
    section("tokens", false)
        .chain(section("named", true))
        .collect()
});

/// Returns the secrets in `text`, the first one of each form. A value is reported once, by its most specific form.
pub fn find(text: &str) -> Vec<Secret> {
    let lower = text.to_ascii_lowercase();
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut secrets = Vec::new();
    for form in ALL.iter() {
        if !form.literals.iter().any(|part| lower.contains(part)) {
            continue;
        }
        let pattern = || Regex::new(form.pattern).expect("a valid pattern");
        let values = form
            .compiled
            .get_or_init(pattern)
            .captures_iter(text)
            .filter_map(|parts| parts.get(1).or(parts.get(0)));
        let is_new = |value: &Match<'_>| {
            spans
                .iter()
                .all(|span| value.end() <= span.start || span.end <= value.start())
        };
        let found: Vec<Range<usize>> = values
            .filter(|value| is_new(value) && form.is_secret(value.as_str()))
            .map(|value| value.range())
            .collect();
        if let Some(first) = found.first() {
            let line = text[..first.start].matches('\n').count() + 1;
            secrets.push(Secret {
                form: form.name,
                line,
            });
        }
        spans.extend(found);
    }
    secrets
}

impl Form {
    fn is_secret(&self, value: &str) -> bool {
        let mut characters: Vec<char> = value.chars().collect();
        characters.sort_unstable();
        characters.dedup();
        let lower = value.to_ascii_lowercase();
        let is_placeholder =
            || lists::words(FORMS, "placeholders").any(|word| lower.contains(word));
        let has = |is: fn(&char) -> bool| characters.iter().any(is);
        let is_random = || {
            has(char::is_ascii_digit)
                && has(char::is_ascii_alphabetic)
                && Ulid::from_string(value).is_err()
                && !is_uuid(value)
                && !is_quantity_or_version(&lower)
        };
        let least = if self.is_named {
            MIN_DISTINCT_NAMED
        } else {
            MIN_DISTINCT
        };
        characters.len() >= least && !is_placeholder() && (!self.is_named || is_random())
    }
}

fn is_uuid(value: &str) -> bool {
    let parts: Vec<&str> = value.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let is_hex = |part: &&str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    lengths == [8, 4, 4, 4, 12] && parts.iter().all(is_hex)
}

/// Whether `value` is a number with a unit, like `12characters`, or a version.
fn is_quantity_or_version(value: &str) -> bool {
    let unit = value.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_quantity =
        unit.len() < value.len() && unit.chars().all(|c| c.is_alphabetic() || c == '-');
    let version = value.strip_prefix('v').unwrap_or(value);
    let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    is_quantity || version.contains('.') && version.split('.').all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `text` with each `~` removed, so that scanners of source code do not report this file.
    fn found(text: &str) -> Vec<(&'static str, usize)> {
        let secrets = find(&text.replace('~', ""));
        secrets
            .iter()
            .map(|secret| (secret.form, secret.line))
            .collect()
    }

    #[test]
    fn secrets_are_found_with_their_line() {
        let key = "-----BEGIN OPENSSH ~PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz\n";
        for (text, form, line) in [
            (
                "The bot uses\nghp_~k9Qm2ZxT7wLr4VbN8sYd1HfJ6pGc3AeUoI5R.",
                "GitHub token",
                2,
            ),
            ("AKIA~2E7QKLZ4MNPWRT5V", "AWS access key", 1),
            (key, "private key", 2),
            (
                "sk-ant-~api03-Zk4mQ9xT2wLr7VbN1sYd8HfJ5pGc0AeUoI3RtBhKzXq",
                "Anthropic key",
                1,
            ),
            (
                "xoxb-~2147483647-8412659037-kQ9mZxTwLrVbNsYdHfJpGcAe",
                "Slack token",
                1,
            ),
            (
                "Staging: postgres://app:t7Kw~9qLm2x@db.local/orders",
                "password in an address",
                1,
            ),
            ("- **Password:** `t7Kw~9qLm2x`", "password", 1),
            ("DB_PASSWORD=t7Kw~9qLm2x", "password", 1),
            ("password: Kx92~hhQp", "password", 1),
            (
                "The wifi password is hunter~2correct, guests may use it",
                "password",
                1,
            ),
            ("The password for the NAS is t7Kw~9qLm2x.", "password", 1),
            ("Das Passwort vom WLAN lautet t7Kw~9qLm2x", "password", 1),
            ("PGPASSWORD=t7Kw~9qLm2x psql", "password", 1),
            ("DB_PASS=t7Kw~9qLm2x", "password", 1),
            (
                "curl -s -u admin:t7Kw~9qLm2x https://db.local",
                "password on a command line",
                1,
            ),
            (
                "Authorization: Basic ~YWRtaW46dDdLdzlxTG0yeA==",
                "basic credentials",
                1,
            ),
            (
                "machine db.local\n  login app\n  password t7Kw~9qLm2x",
                "netrc password",
                3,
            ),
            (
                "DEPLOY_TOKEN=k9Qm2Zx~T7wLr4VbN8sYd",
                "credential in a variable",
                1,
            ),
            ("| db | password | t7Kw~9qLm2x |", "password", 1),
            ("Password (staging): t7Kw~9qLm2x", "password", 1),
            ("**Passwort** (NAS): t7Kw~9qLm2x", "password", 1),
            ("The password is now t7Kw~9qLm2x.", "password", 1),
            ("La password è t7Kw~9qLm2x", "password", 1),
            ("client_secret: kQ9~mZx!T7wLr", "client secret", 1),
            ("SECRET_KEY=kQ9~mZxT7wLr4V", "credential in a variable", 1),
            ("token: k9Qm2Zx~T7wLr4VbN8sYd", "secret token", 1),
            ("Mot de passe : t7Kw~9qLm2x", "password", 1),
            ("WLAN-Kennwort: t7Kw~9qLm2x", "password", 1),
            ("La contraseña: t7Kw~9qLm2x", "password", 1),
            ("パスワード：t7Kw~9qLm2x", "password", 1),
            ("api_key = \"9f8~c2d1e7b6a5f4e3d2c1b0a\"", "API key", 1),
            ("api key: sk-~9f8c2d1e", "API key or token", 1),
            ("The key of the bot: sk-~Zk4mQ9xT2wLr7VbN1sYd", "API key", 1),
            ("The API token is k9Qm2~ZxT7wLr.", "API key or token", 1),
            (
                "Our access token for the shop is now `k9Qm2~ZxT7wLr`",
                "API key or token",
                1,
            ),
            ("Der API-Key lautet k9Qm2~ZxT7wLr", "API key or token", 1),
            ("api_token = k9Qm2~ZxT7wLr", "API key or token", 1),
            ("The wifi password is sunflower~7.", "password", 1),
            ("wifi password is Sommer~2024!", "password", 1),
            (
                "Authorization: Bearer ~k9Qm2ZxT7wLr4VbN8sYd1Hf",
                "bearer token",
                1,
            ),
        ] {
            assert_eq!(found(text), [(form, line)], "{text}");
        }
    }

    #[test]
    fn one_value_is_reported_once() {
        let token = "ghp_~k9Qm2ZxT7wLr4VbN8sYd1HfJ6pGc3AeUoI5R";
        let other = "9f8~c2d1e7b6a5f4e3d2c1b0a";
        let text = format!("api_key = {token}\napi_key = {token}\napi_key = {other}");
        assert_eq!(found(&text), [("GitHub token", 1), ("API key", 3)]);
    }

    #[test]
    fn ids_hashes_and_prose_are_no_secrets() {
        for text in [
            "01KN4EMBG0SE0ZJRCB90402SND",
            "access token: 01KN4EMBG0SE0ZJRCB90402SND",
            "api key: 550e8400-e29b-41d4-a716-446655440000",
            "commit 5e721491a8f2c3d4e5b6a7988f9e0d1c2b3a4f5e fixes the token: see sha256:9f86d081884c7d659a2feaa0c55ad015",
            "The password: at least 8 characters, see passwords-2024.",
            "password: your-password-123",
            "| Password | text | Minimum8Characters: see `v2` |",
            "| token | type | next-token-prediction-2024 |",
            "Token: 5e721491 in the lexer of v2.10.3.",
            "The client secret: see vault/prod-2 for it.",
            "The password is stored in the keychain.",
            "the password is stored in the vault",
            "The API token is stored in 1Password, the API key in vault/prod2.",
            "The API key is rotated every 90days, the access token is 12characters long.",
            "The wifi password is 12characters long and on the back of the router.",
            "The access token is v2.10.3beta, its secret key is 2FA-protected.",
            "The API token: see item-42, or the page about OAuth.",
            "The API key is base64-encoded and the auth token is a JWT.",
            "The private key is the answer, the secret token is friendship.",
            "The password is argon2id-hashed, the token is base64-encoded.",
            "The password for release v2.10.3beta is printed once.",
            "La contraseña del wifi de invitados es naranja-42.",
            "The password was changed on 2024-03-05T10:00.",
            "curl -u user:$PASSWORD_2024 https://db.local",
            "The machine asks for a login and a password at 08h15.",
            "export OPENAI_API_KEY=sk-proj-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "AKIA~IOSFODNN7EXAMPLE",
            "-----BEGIN PRIVATE KEY----- begins a PEM file.",
            "https://user:password@example.com",
            "The secret token of the story is a ring; its API key is unknown.",
            "api_key = os.environ[\"API_KEY_2\"]",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn every_pattern_compiles() {
        for form in ALL.iter() {
            Regex::new(form.pattern).unwrap();
            assert!(
                form.literals
                    .iter()
                    .all(|part| *part == part.to_lowercase()),
                "{}",
                form.name
            );
        }
    }
}
