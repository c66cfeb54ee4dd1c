//! What follows from the requests that reached the model: one row for each thing that an agent needs.

use std::time::Duration;

use interagent_agents::setup::What;
use interagent_core::briefing::agent_named;
use interagent_mock_model::{By, Conversation};

use super::super::super::report::{Report, State};
use crate::commands::run::client::How;

/// Most of a client's or a tool's words that a row shows.
const WORDS_CHARS: usize = 160;

/// What a client that is set up right does.
pub(super) struct Expected<'a> {
    /// What people call the client.
    pub(super) title: &'a str,
    pub(super) executable: &'a str,
    /// The agent that its session is.
    pub(super) agent: &'a str,
    /// Our tools, as its model calls them. Empty for a client without MCP.
    pub(super) tools: Vec<String>,
    /// Whether a hook of the client can brief the model.
    pub(super) briefs: bool,
    /// What its files don't have.
    pub(super) lacks: &'a [What],
    /// Hooks that it skips until its person trusts them.
    pub(super) untrusted: &'a [String],
    /// The command that sets it up.
    pub(super) connect: &'a str,
    pub(super) confirm_server: Option<&'a str>,
    pub(super) confirm_hooks: Option<&'a str>,
    /// How long it may take.
    pub(super) limit: Duration,
}

/// What the client did.
pub(super) struct Seen {
    pub(super) how: How,
    /// Its last words.
    pub(super) words: String,
    /// The requests of its conversation, in order.
    pub(super) conversations: Vec<Conversation>,
}

/// Adds the rows. A row that depends on a bad one is left out: nothing unchecked is green.
pub(super) fn judge(expected: &Expected<'_>, seen: &Seen, report: &mut Report) {
    let title = expected.title;
    let failure = failure(expected, seen);
    let requests = seen.conversations.len();
    if requests == 0 {
        let why = failure.unwrap_or_else(|| with_words("it ended without a request".to_owned(), &seen.words));
        let sentence = format!("{title} sent the prompt to no model on this machine: {why}");
        let helps =
            format!("start {} by hand: it may ask something first, such as a login", expected.executable);
        return report.finding(State::Bad, "model", sentence, Some(&helps));
    }
    let requests = if requests == 1 { "1 request".to_owned() } else { format!("{requests} requests") };
    report.ok("model", format!("the prompt reached the model ({requests})"));
    briefing(expected, seen, report);
    if tools(expected, seen, report) {
        identity(expected, seen, report);
    }
    if let Some(failure) = failure {
        let helps = format!("start {} by hand to see more", expected.executable);
        report.finding(State::Bad, "client", format!("{title} failed: {failure}"), Some(&helps));
    }
}

/// Why the run is no success, where it is none.
fn failure(expected: &Expected<'_>, seen: &Seen) -> Option<String> {
    let what = match &seen.how {
        How::Exit(0) => return None,
        How::Exit(code) => format!("it ended with exit code {code}"),
        How::Signal(signal) => format!("signal {signal} ended it"),
        How::Timeout(_) => format!("it did not end within {} s", expected.limit.as_secs()),
        How::Broken(why) => why.clone(),
        How::Cancelled => "it was stopped".to_owned(),
    };
    Some(with_words(what, &seen.words))
}

fn with_words(what: String, words: &str) -> String {
    match last_line(words) {
        Some(words) => format!("{what}: {words}"),
        None => what,
    }
}

fn briefing(expected: &Expected<'_>, seen: &Seen, report: &mut Report) {
    if !expected.briefs {
        return;
    }
    let agent = expected.agent;
    let told = |conversation: &Conversation| {
        let items = conversation.items.iter().filter(|item| matches!(item.by, By::System | By::User));
        let texts = std::iter::once(&conversation.system).chain(items.map(|item| &item.text));
        texts.filter_map(|text| agent_named(text)).map(str::to_owned).next()
    };
    match seen.conversations.iter().find_map(told) {
        Some(named) if named == agent => {
            report.ok("briefing", format!("the hooks briefed the model as {agent}"));
        }
        Some(named) => {
            let sentence = format!("the hooks briefed the model as {named}, and this is {agent}'s place");
            report.finding(State::Bad, "briefing", sentence, Some(expected.connect));
        }
        None => {
            let mut sentence =
                "no hook briefed the model: the agent gets no mail, briefing or guard".to_owned();
            let helps = match (expected.lacks.contains(&What::Hooks), expected.untrusted) {
                (true, _) => expected.connect,
                (false, []) => expected.confirm_hooks.unwrap_or("interagent doctor --canary tries each hook"),
                (false, untrusted) => {
                    sentence = format!("{sentence}; not trusted: {}", untrusted.join(", "));
                    expected.confirm_hooks.unwrap_or("trust them in the client")
                }
            };
            report.finding(State::Bad, "briefing", sentence, Some(helps));
        }
    }
}

/// Whether the model could call them.
fn tools(expected: &Expected<'_>, seen: &Seen, report: &mut Report) -> bool {
    if expected.tools.is_empty() {
        return false;
    }
    let is_offered =
        |name: &&String| seen.conversations.iter().any(|offer| offer.tool_names().contains(name));
    let (wanted, offered) = (expected.tools.len(), expected.tools.iter().filter(is_offered).count());
    if offered == wanted {
        report.ok("tools", format!("the model was offered {offered} tools of interagent"));
        return true;
    }
    let sentence = match offered {
        0 => "the model was offered no tool of interagent".to_owned(),
        _ => format!("the model was offered {offered} of {wanted} tools of interagent"),
    };
    let helps = match (expected.lacks.contains(&What::Mcp), offered) {
        (true, _) => expected.connect,
        (false, 0) => expected.confirm_server.unwrap_or("interagent doctor --canary tries the server"),
        (false, _) => "allow all of them in the client's settings",
    };
    report.finding(State::Bad, "tools", sentence, Some(helps));
    offered > 0
}

fn identity(expected: &Expected<'_>, seen: &Seen, report: &mut Report) {
    let agent = expected.agent;
    let answer = seen.conversations.iter().find_map(|conversation| conversation.results().first().copied());
    let (sentence, helps) = match (answer, answer.and_then(agent_named)) {
        (_, Some(named)) if named == agent => {
            return report.ok("identity", format!("a tool call was answered for {agent}"));
        }
        (_, Some(named)) => {
            (format!("a tool call was answered for {named}, and this is {agent}'s place"), expected.connect)
        }
        (Some(answer), None) => {
            let words = last_line(answer).unwrap_or_default();
            (format!("a tool call failed: {words}"), "allow the tools of interagent in the client's settings")
        }
        (None, None) => (
            "the client did not answer the model's tool call".to_owned(),
            "allow the tools of interagent in the client's settings",
        ),
    };
    report.finding(State::Bad, "identity", sentence, Some(helps));
}

/// The last line that says something, cut to what a row shows.
fn last_line(words: &str) -> Option<String> {
    let line = words.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(line.chars().take(WORDS_CHARS).collect())
}

#[cfg(test)]
mod tests;
