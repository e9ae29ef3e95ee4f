//! Selects the embedding model according to the settings.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::thread;

use jiff::{SignedDuration, Timestamp};

use super::key;
use crate::embed::{
    EmbedError, EmbedOptions, Embedder, EncoderUse, Endpoint, Provider, Setup, embedded,
    encoder_named, encoders,
};
use crate::error::{Error, Result};
use crate::http::HttpError;

/// The embedder of this run.
#[derive(Debug)]
pub enum SelectedEmbedder {
    /// The token table.
    Table,
    /// The encoder whose vectors the index has, else the token table.
    Auto {
        encoder: Cell<Option<&'static dyn Embedder>>,
    },
    /// A server.
    Endpoint(Box<Endpoint>),
    /// No embedder.
    Off,
}

impl SelectedEmbedder {
    /// Returns the embedder that `settings` select, without contacting a server.
    ///
    /// `failures` contains recent timeouts; `environment` returns the variable with the key.
    pub fn of(
        settings: &EmbedOptions,
        failures: &EndpointFailures,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        match settings.provider {
            Provider::Embedded => Ok(match settings.encoder {
                EncoderUse::Auto => Self::Auto {
                    encoder: Cell::new(None),
                },
                EncoderUse::Off => Self::Table,
            }),
            Provider::Off => Ok(Self::Off),
            Provider::Endpoint => {
                let rests = failures.recent(&settings.url);
                let setup = setup(settings, rests, environment)?;
                let endpoint = Endpoint::new(setup).map_err(|error| {
                    Error::new(error)
                        .hint("set it with `mem config embed.url http://localhost:11434`")
                })?;
                Ok(Self::Endpoint(Box::new(endpoint)))
            }
        }
    }

    /// Returns the embedder, if there is one.
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        match self {
            Self::Auto { encoder } => Some(encoder.get().unwrap_or(embedded())),
            Self::Table => Some(embedded()),
            Self::Endpoint(endpoint) => Some(&**endpoint),
            Self::Off => None,
        }
    }

    /// Selects the encoder or the token table by the model that computed the vectors of the index.
    pub fn follow(&self, model: Option<&str>) {
        if let Self::Auto { encoder } = self {
            encoder.set(model.and_then(encoder_named));
        }
    }

    /// Whether an encoder may be used.
    pub fn permits_encoder(&self) -> bool {
        matches!(self, Self::Auto { .. }) && encoders().is_some()
    }

    /// Returns the encoder in use.
    pub fn encoder(&self) -> Option<&'static dyn Embedder> {
        match self {
            Self::Auto { encoder } => encoder.get(),
            _ => None,
        }
    }
}

/// Records an endpoint that timed out, so that later commands skip it.
///
/// Every command is a new process and would wait again. Stored as a few lines in a machine-local
/// file.
#[derive(Debug)]
pub struct EndpointFailures {
    /// The path of that file.
    pub file: PathBuf,
    /// The time of this run.
    pub now: Timestamp,
}

/// How long queries skip an endpoint after a timeout.
const SKIP_DURATION: SignedDuration = SignedDuration::from_secs(60);

impl EndpointFailures {
    /// Records that the endpoint `url` failed to answer a query, if it timed out.
    ///
    /// If this cannot be saved, the next command waits again.
    pub fn record(&self, url: &str, error: &EmbedError) {
        if matches!(error, EmbedError::Http(HttpError::TimedOut { .. }))
            && let Some(folder) = self.file.parent()
        {
            let _ = fs::create_dir_all(folder);
            let _ = fs::write(&self.file, format!("{}\n{url}\n{error}\n", self.now));
        }
    }

    /// Returns why the endpoint at `url` is skipped, if it is.
    fn recent(&self, url: &str) -> Option<String> {
        let text = fs::read_to_string(&self.file).ok()?;
        let mut lines = text.lines();
        let at: Timestamp = lines.next()?.parse().ok()?;
        let since = self.now.duration_since(at);
        let is_recent = !since.is_negative() && since < SKIP_DURATION;
        let is_it = is_recent && lines.next()? == url;
        lines.next().filter(|_| is_it).map(str::to_owned)
    }
}

fn setup(
    settings: &EmbedOptions,
    rests: Option<String>,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Setup> {
    for (key, value, example) in [
        ("embed.url", &settings.url, "http://localhost:11434"),
        ("embed.model", &settings.model, "nomic-embed-text"),
    ] {
        if value.is_empty() {
            let message = format!("`embed.provider` is \"endpoint\", but `{key}` is not set");
            return Err(Error::new(message).hint(format!("`mem config {key} {example}`")));
        }
    }
    let key = key::from_environment("embed.key_env", &settings.key_env, environment)?;
    Ok(Setup {
        options: settings.clone(),
        key,
        rests,
        wait: thread::sleep,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint() -> EmbedOptions {
        EmbedOptions {
            provider: Provider::Endpoint,
            url: "http://localhost:11434".to_owned(),
            model: "nomic".to_owned(),
            key_env: "EMBED_KEY".to_owned(),
            ..EmbedOptions::default()
        }
    }

    fn chosen(settings: &EmbedOptions) -> Result<SelectedEmbedder, String> {
        let key = |name: &str| (name == "EMBED_KEY").then(|| "secret\n".to_owned());
        let failures = EndpointFailures {
            file: PathBuf::new(),
            now: Timestamp::UNIX_EPOCH,
        };
        SelectedEmbedder::of(settings, &failures, key).map_err(|error| error.message())
    }

    #[test]
    fn the_settings_select_the_embedder() {
        let chosen_by = |provider| {
            let settings = EmbedOptions {
                provider,
                ..endpoint()
            };
            let chosen = chosen(&settings).unwrap();
            let embedder = chosen.embedder();
            embedder.map(|embedder| embedder.model().id.clone())
        };
        let own = embedded().model().id.clone();
        assert_eq!(chosen_by(Provider::Embedded), Some(own));
        let theirs = "endpoint:nomic".to_owned();
        assert_eq!(chosen_by(Provider::Endpoint), Some(theirs));
        assert_eq!(chosen_by(Provider::Off), None);
    }

    #[test]
    fn the_model_of_the_index_selects_the_built_in_one() {
        let encoders = encoders().into_iter().flatten();
        let encoders: Vec<&str> = encoders
            .map(|encoder| encoder.model().id.as_str())
            .collect();
        let table = embedded().model().id.as_str();
        let others = [None, Some(""), Some("endpoint:nomic"), Some(table)];
        let models = encoders.iter().map(|id| Some(*id)).chain(others);
        for model in models {
            let settings = |encoder| EmbedOptions {
                encoder,
                ..EmbedOptions::default()
            };
            let auto = chosen(&settings(EncoderUse::Auto)).unwrap();
            assert_eq!(auto.permits_encoder(), !encoders.is_empty());
            auto.follow(model);
            let encoder = model.filter(|model| encoders.contains(model));
            assert_eq!(
                auto.embedder().unwrap().model().id,
                encoder.unwrap_or(table)
            );
            assert_eq!(auto.encoder().is_some(), encoder.is_some());
            let off = chosen(&settings(EncoderUse::Off)).unwrap();
            off.follow(model);
            assert_eq!(off.embedder().unwrap().model().id, table);
            assert!(!off.permits_encoder() && off.encoder().is_none());
        }
    }

    #[test]
    fn missing_settings_are_reported() {
        let none = String::new();
        for (settings, message) in [
            (
                EmbedOptions {
                    url: none.clone(),
                    ..endpoint()
                },
                "`embed.provider` is \"endpoint\", but `embed.url` is not set",
            ),
            (
                EmbedOptions {
                    model: none.clone(),
                    ..endpoint()
                },
                "`embed.provider` is \"endpoint\", but `embed.model` is not set",
            ),
            (
                EmbedOptions {
                    key_env: "OTHER".to_owned(),
                    ..endpoint()
                },
                "`OTHER`, named by `embed.key_env`, is not set in the environment",
            ),
        ] {
            assert_eq!(chosen(&settings).unwrap_err(), message);
        }
        let shown = format!("{:?}", chosen(&endpoint()));
        assert!(!shown.contains("secret"), "{shown}");
        assert!(
            chosen(&EmbedOptions {
                key_env: none,
                ..endpoint()
            })
            .is_ok()
        );
    }

    #[test]
    fn a_timed_out_endpoint_is_skipped_for_a_minute() {
        let folder = tempfile::tempdir().unwrap();
        let at = |now: &str| EndpointFailures {
            file: folder.path().join("mem/endpoint"),
            now: now.parse().unwrap(),
        };
        let then = at("2026-01-31T12:00:00Z");
        let url = "http://a".to_owned();
        let slow = EmbedError::Http(HttpError::TimedOut {
            url: url.clone(),
            limit: std::time::Duration::from_secs(2),
            is_connected: true,
        });
        // This endpoint fails at once, so the next query does not wait either.
        let missing = EmbedError::Http(HttpError::Unreachable {
            url: url.clone(),
            cause: "refused".to_owned(),
        });
        then.record(&url, &missing);
        assert_eq!(then.recent(&url), None);
        then.record(&url, &slow);
        let why = Some("`http://a` did not answer within 2s".to_owned());
        for (now, url, expected) in [
            ("2026-01-31T12:00:00Z", "http://a", &why),
            ("2026-01-31T12:00:59Z", "http://a", &why),
            ("2026-01-31T12:00:59Z", "http://b", &None),
            ("2026-01-31T12:01:00Z", "http://a", &None),
            ("2026-01-31T11:59:59Z", "http://a", &None),
        ] {
            assert_eq!(at(now).recent(url), *expected, "{now} {url}");
        }
        fs::write(&then.file, "\n").unwrap();
        assert_eq!(then.recent(&url), None);
    }
}
