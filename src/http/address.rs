//! Validates and completes server addresses.

use ureq::http::Uri;

/// Returns the URL of `path` on a server with an OpenAI-compatible API, and whether it is this
/// machine. The base may end before `/v1`, with it, or with `path`. Errors quote it without
/// passwords.
pub fn address(given: &str, path: &str) -> Result<(String, bool), String> {
    let wrong = |why| {
        // Do not print a password or key.
        let url = given.rsplit_once('@').map_or(given, |(_, host)| host);
        let url = url.split('?').next().unwrap_or_default();
        Err(format!("`{url}` is not a valid address of a server: {why}"))
    };
    let Ok(uri) = given.parse::<Uri>() else {
        return wrong("it is not a URL");
    };
    let (Some("http" | "https"), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return wrong("it must begin with http:// or https://");
    };
    if authority.as_str().contains('@') {
        return wrong("a key belongs in an environment variable, named by `key_env`");
    }
    if uri.query().is_some() || given.contains('#') {
        return wrong("it must end with its path");
    }
    let host = authority
        .host()
        .trim_start_matches('[')
        .trim_end_matches(']');
    let ip: Option<std::net::IpAddr> = host.parse().ok();
    let is_near = host.eq_ignore_ascii_case("localhost") || ip.is_some_and(|ip| ip.is_loopback());
    let base = given.trim_end_matches('/');
    let version = if base.ends_with("/v1") { "" } else { "/v1" };
    Ok(if base.ends_with(path) {
        (base.to_owned(), is_near)
    } else {
        (format!("{base}{version}{path}"), is_near)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_completed_or_refused() {
        for (given, whole, is_near) in [
            (
                "http://localhost:11434",
                "http://localhost:11434/v1/embeddings",
                true,
            ),
            (
                "http://127.0.0.1:8080/",
                "http://127.0.0.1:8080/v1/embeddings",
                true,
            ),
            (
                "http://[::1]:8080/v1",
                "http://[::1]:8080/v1/embeddings",
                true,
            ),
            (
                "https://api.openai.com/v1/",
                "https://api.openai.com/v1/embeddings",
                false,
            ),
            (
                "https://a.b/v1/embeddings",
                "https://a.b/v1/embeddings",
                false,
            ),
            (
                "https://a.b/v1beta/openai/embeddings",
                "https://a.b/v1beta/openai/embeddings",
                false,
            ),
            ("https://a.b/api", "https://a.b/api/v1/embeddings", false),
        ] {
            assert_eq!(
                address(given, "/embeddings"),
                Ok((whole.to_owned(), is_near))
            );
        }
        for (given, why) in [
            ("", "it is not a URL"),
            ("localhost:11434", "it must begin with http:// or https://"),
            ("/v1", "it must begin with http:// or https://"),
            ("ftp://a.b", "it must begin with http:// or https://"),
            ("http://a b", "it is not a URL"),
            (
                "http://me:pass@a.b",
                "a key belongs in an environment variable",
            ),
            ("http://a.b/v1?key=pass", "it must end with its path"),
        ] {
            let error = address(given, "/embeddings").unwrap_err();
            assert!(error.contains(why), "{error}");
            assert!(!error.contains("pass"), "{error}");
        }
    }
}
