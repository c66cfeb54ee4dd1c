//! Where the server may listen: on this machine, and nowhere else.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;

/// An address that only this machine reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpAddress(SocketAddr);

impl HttpAddress {
    pub(super) fn socket(self) -> SocketAddr {
        self.0
    }
}

impl fmt::Display for HttpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for HttpAddress {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let local = given.strip_prefix("localhost:").and_then(|port| port.parse().ok());
        let address = match local {
            Some(port) => SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            None => given.parse::<SocketAddr>().map_err(|_| {
                "an address is 127.0.0.1:PORT or [::1]:PORT; port 0 takes any that is free".to_owned()
            })?,
        };
        if address.ip().is_loopback() {
            return Ok(Self(address));
        }
        Err(format!(
            "{} can be reached from other machines, and tokens would cross the network in the clear: only 127.0.0.1 \
             and [::1] are served",
            address.ip()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_served() {
        for (given, wanted) in [
            ("127.0.0.1:7717", Some("127.0.0.1:7717")),
            ("127.0.0.2:0", Some("127.0.0.2:0")),
            ("localhost:80", Some("127.0.0.1:80")),
            ("[::1]:7717", Some("[::1]:7717")),
            ("0.0.0.0:7717", None),
            ("[::]:7717", None),
            ("192.168.1.2:7717", None),
            ("[::ffff:127.0.0.1]:1", None),
            ("example.org:7717", None),
            ("localhost:x", None),
            ("7717", None),
            ("", None),
        ] {
            let found = given.parse::<HttpAddress>().ok().map(|address| address.0.to_string());
            assert_eq!(found.as_deref(), wanted, "{given}");
        }
    }
}
