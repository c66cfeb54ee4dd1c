//! A network in which there is only loopback, so that no client can talk to anybody but the scripted model.
//!
//! A process can't enter one without unsafe code, so the test starts itself again inside it.

use std::process::Command;

/// Set inside the network of its own.
const INSIDE_VARIABLE: &str = "INTERAGENT_TEST_NETWORK";

/// Brings loopback up with whatever the machine has for it, then becomes what follows.
const INNER: &str =
    "PATH=$PATH:/usr/sbin:/sbin; ip link set lo up 2>/dev/null || ifconfig lo up || exit 1; exec \"$@\"";

/// What network a test runs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    /// Loopback, and nothing else.
    OfItsOwn,
    /// The one of the machine, and why.
    Shared(String),
}

/// Runs the body in a network of its own, or, where the machine has none to give, in the shared one.
/// `test` is the whole name of the test that calls this.
pub fn within_own_network(test: &str, body: impl FnOnce(Network)) {
    if std::env::var_os(INSIDE_VARIABLE).is_some() {
        return body(Network::OfItsOwn);
    }
    let ways = [&["-n"][..], &["-r", "-n"]];
    let Some(way) = ways.into_iter().find(|way| leads_inside(way)) else {
        return body(Network::Shared("`unshare -rn` with loopback does not work here".to_owned()));
    };
    let mut again = inside(way);
    again.arg(std::env::current_exe().unwrap());
    again.args(["--exact", test, "--include-ignored", "--nocapture"]).env(INSIDE_VARIABLE, "1");
    let status = again.status().unwrap();
    assert!(status.success(), "{test} failed in its own network, see above: {status}");
}

fn inside(way: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    command.args(way).args(["--", "sh", "-c", INNER, "sh"]);
    command
}

fn leads_inside(way: &[&str]) -> bool {
    inside(way).arg("true").output().is_ok_and(|done| done.status.success())
}
