//! Control of an agent's own client: forget the conversation, change the model, end.
//!
//! What a client can do stands in its profile; what it can't is refused with the reason. Typed with the same gates and the same exactness as
//! a nudge, because a command answers an open dialog as well as any other text.

use interagent_agents::Profile;
use interagent_core::control::is_model_name;
use rustix::process::{Pid, Signal, kill_process};

use crate::nudge::{self, Outcome, Reason, Target, Witness};
use crate::process::Registered;
use crate::tmux::{BadLine, ControlLine, Typing};

/// What an agent's client is told to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Forget the conversation.
    Clear,
    /// Go on with another model.
    Model(String),
    /// End politely.
    Stop,
}

/// Why a client can't be told so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cannot {
    /// It has no command that forgets the conversation.
    #[error("{client} has no command that clears its conversation")]
    Clear {
        /// What people call the client.
        client: String,
    },
    /// It changes its model only when it starts.
    #[error("{client} takes another model only when it starts: stop it and start it again with the model")]
    ModelOnlyAtStart {
        /// What people call the client.
        client: String,
    },
    /// Its model can't be chosen.
    #[error("{client} lets nobody choose its model from outside")]
    Model {
        /// What people call the client.
        client: String,
    },
    /// It has no command that ends it.
    #[error("{client} has no command that ends it: its process is asked to end instead")]
    Stop {
        /// What people call the client.
        client: String,
    },
    /// The name of the model, or what the profile says, can't be typed.
    #[error("`{text}` can't be typed: {why}")]
    NotTyped {
        /// What was to be typed.
        text: String,
        /// Why not.
        why: BadLine,
    },
    /// The name of the model is no plain word.
    #[error("`{word}` is no name: it has something else than letters, digits and . _ - : / @ [ ]")]
    NoName {
        /// What was given.
        word: String,
    },
}

/// The command that a client understands for an order.
pub fn command(profile: &Profile, order: &Order) -> Result<Typing, Cannot> {
    let client = || profile.title.clone();
    let words = match order {
        Order::Clear => profile.control.clear.clone().ok_or_else(|| Cannot::Clear { client: client() })?,
        Order::Stop => profile.control.quit.clone().ok_or_else(|| Cannot::Stop { client: client() })?,
        Order::Model(model) => {
            let template = profile.control.model.as_deref();
            let can_at_start = !profile.launch.model.is_empty();
            let template = template.ok_or_else(|| match can_at_start {
                true => Cannot::ModelOnlyAtStart { client: client() },
                false => Cannot::Model { client: client() },
            })?;
            template.replace("{model}", name(model)?)
        }
    };
    let line = ControlLine::new(words.clone()).map_err(|why| Cannot::NotTyped { text: words, why })?;
    Ok(Typing::Command(line))
}

/// Types the command, or presses no key and says why. A client that asks back is not answered: the outcome says that a question is open.
pub fn carry_out(
    target: Target<'_>,
    profile: &Profile,
    order: &Order,
    witness: &dyn Witness,
) -> Result<Outcome, Cannot> {
    let outcome = nudge::type_into(target, &command(profile, order)?, witness);
    Ok(match (order, outcome) {
        // Who was told to end and is gone has done so.
        (Order::Stop, Outcome::Stranded(Reason::Gone | Reason::NotForeground | Reason::NoPane)) => {
            Outcome::Submitted
        }
        (Order::Model(_), Outcome::Submitted) if nudge::asks(target) => Outcome::Stranded(Reason::Dialog),
        _ => outcome,
    })
}

/// Whether a process was asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// It was.
    Now,
    /// It had ended before.
    NotThere,
}

/// Asks the registered process to end, and no other that may have its number by now.
pub fn ask_to_end(process: &Registered) -> std::io::Result<Asked> {
    let Some(pid) = Pid::from_raw(process.pid).filter(|_| process.is_alive()) else {
        return Ok(Asked::NotThere);
    };
    kill_process(pid, Signal::TERM)?;
    Ok(Asked::Now)
}

fn name(word: &str) -> Result<&str, Cannot> {
    if is_model_name(word) { Ok(word) } else { Err(Cannot::NoName { word: word.to_owned() }) }
}

#[cfg(test)]
mod tests {
    use interagent_agents::Profiles;

    use super::*;

    fn profile(name: &str) -> Profile {
        Profiles::shipped().get(name).unwrap()
    }

    fn said(name: &str, order: &Order) -> String {
        match command(&profile(name), order) {
            Ok(line) => line.as_str().to_owned(),
            Err(cannot) => cannot.to_string(),
        }
    }

    #[test]
    fn every_client_is_told_in_its_own_words_or_not_at_all() {
        let mut table = String::new();
        for name in
            ["claude", "kimi", "kimi-cli", "codex", "gemini", "copilot", "qwen", "opencode", "generic"]
        {
            for order in [Order::Clear, Order::Model("opus".to_owned()), Order::Stop] {
                table.push_str(&format!("{name}: {}\n", said(name, &order)));
            }
        }
        insta::assert_snapshot!("orders", table);
    }

    #[test]
    fn a_model_is_one_word() {
        for bad in ["", "a b", "-x", "a;b", "a\nb", "/clear", "größe", "{model}", &"m".repeat(81)] {
            let order = Order::Model(bad.to_owned());
            assert!(matches!(command(&profile("claude"), &order), Err(Cannot::NoName { .. })), "{bad:?}");
        }
        assert_eq!(said("claude", &Order::Model("claude-opus-5[1m]".to_owned())), "/model claude-opus-5[1m]");
    }

    #[test]
    fn only_the_registered_process_is_asked_to_end() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = Registered::now(i32::try_from(child.id()).unwrap()).unwrap();
        let other = Registered { started: process.started + 1, ..process.clone() };
        assert_eq!(ask_to_end(&other).unwrap(), Asked::NotThere);
        assert!(process.is_alive());
        assert_eq!(ask_to_end(&process).unwrap(), Asked::Now);
        child.wait().unwrap();
        assert_eq!(ask_to_end(&process).unwrap(), Asked::NotThere);
    }
}
