//! Where a request may come from: a program of this machine that asked for us by name, and never a web page.
//!
//! A page that makes its own name point to this machine (DNS rebinding) sends that name as `Host`; one that sends a form or
//! a script's request here sends its `Origin` or `Sec-Fetch-Site`.

use std::net::SocketAddr;

use http::header::{HOST, ORIGIN};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};

use super::refuse::{self, Answer};

const HTTP_PORT: u16 = 80;
const FETCH_SITE: &str = "sec-fetch-site";

/// The names under which this server may be asked.
#[derive(Debug)]
pub(super) struct Origins {
    hosts: Vec<String>,
}

impl Origins {
    pub(super) fn of(address: SocketAddr) -> Self {
        let port = address.port();
        let mut hosts = vec![
            address.to_string(),
            format!("localhost:{port}"),
            format!("127.0.0.1:{port}"),
            format!("[::1]:{port}"),
        ];
        if port == HTTP_PORT {
            // Then clients leave it out.
            let bare: Vec<String> =
                hosts.iter().filter_map(|host| host.strip_suffix(":80").map(ToOwned::to_owned)).collect();
            hosts.extend(bare);
        }
        Self { hosts }
    }

    /// The hosts, for the SDK's own check.
    pub(super) fn hosts(&self) -> Vec<String> {
        self.hosts.clone()
    }

    /// The origins, for the SDK's own check. The port is always said: one without would mean any.
    pub(super) fn origins(&self) -> Vec<String> {
        let said = |host: &&String| host.rsplit(':').next().is_some_and(|port| port.parse::<u16>().is_ok());
        self.hosts.iter().filter(said).map(|host| format!("http://{host}")).collect()
    }

    /// Refuses a request that was not meant for us, or that a web page made.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Answer> {
        let named = uri.authority().is_none_or(|authority| self.is_host(authority.as_str()));
        if !named || !only(headers, HOST.as_str()).is_some_and(|host| self.is_host(host)) {
            let sentence = "the request is for another host";
            return Err(refuse::with(StatusCode::MISDIRECTED_REQUEST, "wrong_host", sentence));
        }
        let is_ours = |origin: &str| origin.strip_prefix("http://").is_some_and(|host| self.is_host(host));
        if headers.contains_key(ORIGIN) && !only(headers, ORIGIN.as_str()).is_some_and(is_ours) {
            let sentence = "the request comes from a page of another origin";
            return Err(refuse::with(StatusCode::FORBIDDEN, "wrong_origin", sentence));
        }
        let is_fine = |site: &str| ["same-origin", "none"].contains(&site);
        if headers.contains_key(FETCH_SITE) && !only(headers, FETCH_SITE).is_some_and(is_fine) {
            let sentence = "the request comes from a page of another site";
            return Err(refuse::with(StatusCode::FORBIDDEN, "wrong_site", sentence));
        }
        Ok(())
    }

    fn is_host(&self, given: &str) -> bool {
        self.hosts.iter().any(|host| host.eq_ignore_ascii_case(given))
    }
}

/// A header's value, if there is exactly one that is text.
fn only<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter().map(HeaderValue::to_str);
    match (values.next(), values.next()) {
        (Some(Ok(value)), None) => Some(value),
        _ => None,
    }
}
