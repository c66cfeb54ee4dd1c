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

/// What will happen, for whoever asked for it.
pub fn promise(verb: ControlVerb, agent: &str, model: Option<&str>, has_words: bool) -> String {
    let idle = "as soon as it is idle";
    match (verb, model) {
        (ControlVerb::Clear, _) if has_words => {
            format!(
                "the supervisor clears the conversation of {agent} {idle}; your words are the first it reads then"
            )
        }
        (ControlVerb::Clear, _) => format!("the supervisor clears the conversation of {agent} {idle}"),
        (ControlVerb::Model, Some(model)) => format!("the supervisor changes {agent} to {model} {idle}"),
        (ControlVerb::Model, None) => format!("the supervisor changes the model of {agent} {idle}"),
        (ControlVerb::Stop, _) => format!("the supervisor ends the session of {agent} {idle}"),
        (ControlVerb::Resume, _) => format!("the supervisor starts {agent} again where its session ended"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_can_not_do_is_refused_with_another_way() {
        let kimi = Name::parse("kimi").unwrap();
        let verbs = vec![ControlVerb::Stop];
        let abilities = Abilities { client: "Kimi Code".into(), verbs, typed: true, model_at_start: true };
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
}
