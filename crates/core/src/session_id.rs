//! Ids of sessions. A client gives its own; where it gives none, or where something else than a client has a session, one is
//! made here. Such an id means nothing to any client.

/// Begins the id of a run without a person.
const RUN: &str = "run-";
/// Begins the id of a session that an MCP server has for itself or for one of its clients.
const SERVER: &str = "mcp-";

/// The id of a run, from random bits.
pub fn of_run(bits: u64) -> String {
    format!("{RUN}{bits:016x}")
}

/// Whether a session is a run without a person.
pub fn is_run(id: &str) -> bool {
    id.starts_with(RUN)
}

/// The id of a server's session, with what tells it from others.
pub fn of_server(rest: &str) -> String {
    format!("{SERVER}{rest}")
}

/// What tells a server's session from others; nothing for any other session.
pub fn server(id: &str) -> Option<&str> {
    id.strip_prefix(SERVER)
}

/// The id of a client that names none: its process.
pub fn of_process(profile: &str, pid: i64, started: i64) -> String {
    format!("{profile}-{pid}-{started}")
}

/// Whether a client of this kind gave this id itself, so that it knows the conversation by it.
pub fn is_clients(id: &str, profile: &str) -> bool {
    !is_run(id) && server(id).is_none() && !is_of_process(id, profile)
}

/// Whether an id was made from the process of a client of this kind, because the client's own was not known.
pub fn is_of_process(id: &str, profile: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let process = id.strip_prefix(profile).and_then(|rest| rest.strip_prefix('-')?.split_once('-'));
    process.is_some_and(|(pid, started)| is_number(pid) && is_number(started))
}

/// When a session was made, in milliseconds since 1970, where its id tells: a UUID of version 7 begins with that.
pub fn created_ms(id: &str) -> Option<u64> {
    let parts: Vec<&str> = id.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let is_hex = parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if lengths != [8, 4, 4, 4, 12] || !is_hex || !parts[2].starts_with('7') {
        return None;
    }
    u64::from_str_radix(&format!("{}{}", parts[0], parts[1]), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuid_of_version_7_tells_its_time() {
        assert_eq!(created_ms("01a1ee13-f583-7541-835f-81326cc136a8"), Some(1_794_995_647_875));
        for other in ["", "01a1ee13-f583-4541-835f-81326cc136a8", "01a1ee13-f583-7541", "codex-42-7"] {
            assert_eq!(created_ms(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_made_here_is_no_clients() {
        let made = [of_run(7), of_server("4711-90210"), of_server("0-7+"), of_process("kimi", 4711, 90210)];
        for id in made {
            assert!(!is_clients(&id, "kimi"), "{id}");
        }
        for id in ["0b7c61e2-7d1f-4a55", "kimi-4711", "kimi-4711-9a", "claude-4711-90210", "4711-90210", ""] {
            assert!(is_clients(id, "kimi"), "{id}");
        }
    }
}
