//! Control of an agent's own session: which clients can do what, and what its sender is told.

use crate::name::Name;
use crate::refusal::Refusal;
use crate::vocabulary::ControlVerb;

/// What a kind of client can be made to do, as its profile says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// What people call the client.
    pub client: String,
    /// What it can be made to do.
    pub verbs: Vec<ControlVerb>,
    /// A line can be typed into its composer, which wakes it where a supervisor runs.
    pub typed: bool,
    /// Its hooks bring mail.
    pub hooks: bool,
    /// It takes a model when it starts.
    pub model_at_start: bool,
}

impl Abilities {
    /// Refuses what the client can't do, with what helps instead.
    pub fn must_have(&self, verb: ControlVerb, agent: &Name) -> Result<(), Refusal> {
        if self.verbs.contains(&verb) {
            return Ok(());
        }
        let (what, instead) = match verb {
            ControlVerb::Clear => (
                "has no command that clears a conversation",
                format!("interagent restart {agent} begins a new one"),
            ),
            ControlVerb::Model if self.model_at_start => (
                "can't change its model while it runs",
                format!(
                    "set `model` of {agent} in team.toml, then interagent team take and interagent restart {agent}"
                ),
            ),
            ControlVerb::Model => (
                "can't be given a model",
                format!("choose it in the settings of {}, then interagent restart {agent}", self.client),
            ),
            ControlVerb::Stop => {
                ("can't be stopped from outside", format!("end it in the terminal of {agent}"))
            }
            ControlVerb::Resume => (
                "can't go on with an earlier session",
                format!("interagent restart {agent} begins a new one"),
            ),
        };
        Err(Refusal::rule("no_such_control", format!("{} of {agent} {what}", self.client)).hint(instead))
    }
}

/// Longest name of a model.
const MODEL_CHARS: usize = 80;

/// Whether this can be a model's name: one word wherever it is put, and no option.
pub fn is_model_name(word: &str) -> bool {
    let is_plain = |symbol: char| symbol.is_ascii_alphanumeric() || "._-:/@[]".contains(symbol);
    word.chars().all(is_plain)
        && word.starts_with(|first: char| first.is_ascii_alphanumeric())
        && word.len() <= MODEL_CHARS
}

/// Whether this machine can carry out a control message now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hands {
    /// A supervisor runs.
    pub supervisor: bool,
    /// The agent has a session.
    pub session: bool,
}

/// Describes to the sender what will happen.
pub fn promise(verb: ControlVerb, agent: &str, model: Option<&str>, has_words: bool, hands: Hands) -> String {
    let does = match (verb, model) {
        (ControlVerb::Clear, _) => format!("clear the conversation of {agent}"),
        (ControlVerb::Model, Some(model)) => format!("switch {agent} to {model}"),
        (ControlVerb::Model, None) => format!("switch the model of {agent}"),
        (ControlVerb::Stop, _) => format!("end the session of {agent}"),
        (ControlVerb::Resume, _) => format!("start {agent} again where its session ended"),
    };
    let needs_session = verb != ControlVerb::Resume;
    let which = if hands.supervisor { "the" } else { "a" };
    let when = if needs_session && hands.session { " as soon as it is idle" } else { "" };
    let mut said = format!("{which} supervisor will {does}{when}");
    if verb == ControlVerb::Clear && has_words {
        said.push_str("; your words are the first it reads then");
    }
    if needs_session && !hands.session {
        said.push_str(&format!("; {agent} has no session now"));
    }
    if !hands.supervisor {
        said.push_str("; no supervisor runs: interagent supervise");
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_can_not_do_is_refused_with_another_way() {
        let kimi = Name::parse("kimi").unwrap();
        let verbs = vec![ControlVerb::Stop];
        let abilities =
            Abilities { client: "Kimi Code".into(), verbs, typed: true, hooks: true, model_at_start: true };
        assert!(abilities.must_have(ControlVerb::Stop, &kimi).is_ok());
        let refused: Vec<String> = [ControlVerb::Clear, ControlVerb::Model, ControlVerb::Resume]
            .iter()
            .map(|verb| abilities.must_have(*verb, &kimi).unwrap_err())
            .map(|refusal| format!("{}; {}", refusal.sentence, refusal.hint.unwrap_or_default()))
            .collect();
        insta::assert_snapshot!(refused.join("\n"), @r"
        Kimi Code of kimi has no command that clears a conversation; interagent restart kimi begins a new one
        Kimi Code of kimi can't change its model while it runs; set `model` of kimi in team.toml, then interagent team take and interagent restart kimi
        Kimi Code of kimi can't go on with an earlier session; interagent restart kimi begins a new one
        ");
        let without = Abilities { model_at_start: false, ..abilities };
        let refusal = without.must_have(ControlVerb::Model, &kimi).unwrap_err();
        insta::assert_snapshot!(format!("{}; {}", refusal.sentence, refusal.hint.unwrap_or_default()), @"Kimi Code of kimi can't be given a model; choose it in the settings of Kimi Code, then interagent restart kimi");
    }

    #[test]
    fn promise_names_what_is_missing() {
        let clear = |supervisor, session| {
            promise(ControlVerb::Clear, "kimi", None, false, Hands { supervisor, session })
        };
        let said = [(true, true), (true, false), (false, true), (false, false)].map(|(s, p)| clear(s, p));
        insta::assert_snapshot!(said.join("\n"), @r"
        the supervisor will clear the conversation of kimi as soon as it is idle
        the supervisor will clear the conversation of kimi; kimi has no session now
        a supervisor will clear the conversation of kimi as soon as it is idle; no supervisor runs: interagent supervise
        a supervisor will clear the conversation of kimi; kimi has no session now; no supervisor runs: interagent supervise
        ");
    }
}
