//! Which tmux server this process means: the one it is in, the user's usual one, or one that was named.

use std::path::{Path, PathBuf};

use interagent_wake::tmux::Server;

/// The socket of another server than the usual one.
const SOCKET_VARIABLE: &str = "INTERAGENT_TMUX_SOCKET";

/// The server that is meant: that of `--socket`, of the variable, the one around this process, or the usual one.
pub(crate) fn server(named: Option<&Path>) -> Server {
    let variable = || std::env::var_os(SOCKET_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    // Who comes later stands in another directory.
    let named = named.map(Path::to_owned).or_else(variable);
    let named = named.map(|path| std::path::absolute(&path).unwrap_or(path));
    Server::at(named.or_else(around).unwrap_or_else(usual))
}

/// The socket of the server that this process runs in.
pub(crate) fn around() -> Option<PathBuf> {
    let value = std::env::var("TMUX").ok()?;
    value.split(',').next().map(PathBuf::from).filter(|socket| socket.is_absolute())
}

/// Where tmux itself has the socket of its usual server.
fn usual() -> PathBuf {
    let below = place("TMUX_TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp"));
    below.join(format!("tmux-{}", rustix::process::getuid().as_raw())).join("default")
}

fn place(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The search path of this process: where a client's interpreter is found.
pub(crate) fn search_path() -> Option<String> {
    std::env::var("PATH").ok()
}
