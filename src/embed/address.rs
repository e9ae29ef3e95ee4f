//! The address of an endpoint, as the user writes it.

use ureq::http::Uri;

use super::error::EmbedError;

/// Returns the whole address of the embeddings of a server, and whether that is this machine.
pub(super) fn address(given: &str) -> Result<(String, bool), EmbedError> {
    let wrong = |why| {
        // A password or key in it is not for the screen.
        let url = given.rsplit_once('@').map_or(given, |(_, host)| host);
        let url = url.split('?').next().unwrap_or_default();
        let url = url.to_owned();
        Err(EmbedError::Address { url, why })
    };
    let Ok(uri) = given.parse::<Uri>() else {
        return wrong("it is not a URL");
    };
    let (Some("http" | "https"), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return wrong("it must begin with http:// or https://");
    };
    if authority.as_str().contains('@') {
        return wrong("put the key in the environment variable that `embed.key_env` names");
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
    let rest = match base {
        base if base.ends_with("/embeddings") => "",
        base if base.ends_with("/v1") => "/embeddings",
        _ => "/v1/embeddings",
    };
    Ok((base.to_owned() + rest, is_near))
}
