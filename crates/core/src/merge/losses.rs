//! What somebody is told whose decision came too late.

use crate::event::Event;
use crate::ids::EntityRef;

/// A decision that did not count, in words for who made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// One line.
    pub subject: String,
    /// What holds instead, and what to do.
    pub body: String,
    /// The command that shows what did not count.
    pub shown_by: String,
}

/// What to tell a member whose event is void; `None` for what nobody misses, such as a second acknowledgement.
///
/// `loser` is that member and `winner` who decided the same before, as they are called here; `why` is the reason the event
/// has no effect.
pub fn loss(entity: &EntityRef, event: &Event, loser: &str, winner: Option<&str>, why: &str) -> Option<Loss> {
    let (what, shows, next) = match event {
        Event::TaskAssigned(given) if given.claimed => {
            (format!("your claim of {entity}"), "task show", "find other work")
        }
        Event::TaskAssigned(_) => (format!("your assignment of {entity}"), "task show", "talk to who has it"),
        Event::TaskMoved(moved) => (
            format!("your step of {entity} to {}", moved.to),
            "task show",
            "do it again if it still makes sense",
        ),
        Event::TaskEdited(_) => {
            (format!("your change of {entity}"), "task show", "make a new task if it is needed")
        }
        Event::SpecPublished(published) => (
            format!("your version {} of {entity}", published.version),
            "spec show",
            "publish what is missing in it as the next version",
        ),
        Event::DecisionDecided(_) => {
            (format!("your outcome of {entity}"), "decision show", "open a new decision to replace it")
        }
        Event::ReviewRound(round) => (
            format!("your round {} of {entity}", round.round),
            "review show",
            "compare, and add your change as the next round",
        ),
        Event::ReviewJudged(_) => (format!("your verdict on {entity}"), "review show", "talk to who gave it"),
        _ => return None,
    };
    let subject = match winner {
        Some(winner) => format!("{what} came after {winner}'s"),
        None => format!("{what} came too late"),
    };
    let mut first = subject.chars();
    let subject: String = first.next().into_iter().flat_map(char::to_uppercase).chain(first).collect();
    let named = entity.to_string();
    let named = named.strip_prefix("spec:").unwrap_or(&named);
    let story = format!("interagent log show {entity}");
    let (yours, shown_by) = match event {
        Event::SpecPublished(published) => {
            let version = published.version;
            let shown_by = format!("interagent {shows} {named} --version {version} --publisher {loser}");
            (format!(" Your text is kept as version {version} by {loser}."), shown_by)
        }
        _ => (String::new(), story),
    };
    let body = format!(
        "Two clones of this hub decided about {entity} before they synced. The first decision applies everywhere, and \
         {what} does not: {why}.{yours}\n\nNext: {next}"
    );
    Some(Loss { subject, body, shown_by })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{MessageAcknowledged, SpecPublished, TaskAssigned};
    use crate::ids::{AgentId, SpecName, TaskId};
    use crate::text::TextHash;

    #[test]
    fn the_loser_hears_what_was_lost_to_whom_and_what_to_do() {
        let (me, task) = (AgentId::from_bits(1), EntityRef::Task(TaskId::from_bits(2)));
        let claim = TaskAssigned { assignee: me.clone(), before: None, claimed: true }.into();
        let told = loss(&task, &claim, "kimi", Some("kimi@west"), "another agent has the task").unwrap();
        assert_eq!(told.subject, "Your claim of task-000000000002 came after kimi@west's");
        assert!(told.body.ends_with("another agent has the task.\n\nNext: find other work"), "{}", told.body);
        assert_eq!(told.shown_by, "interagent log show task-000000000002");
        let spec = EntityRef::Spec(SpecName::parse("api").unwrap());
        let body = TextHash::of("", "x");
        let version = SpecPublished { version: 3, body, publisher: me.clone(), note: None }.into();
        let told = loss(&spec, &version, "kimi", None, "that version exists").unwrap();
        assert_eq!(told.subject, "Your version 3 of spec:api came too late");
        assert!(told.body.contains(" Your text is kept as version 3 by kimi.\n"), "{}", told.body);
        assert_eq!(told.shown_by, "interagent spec show api --version 3 --publisher kimi");
        assert_eq!(loss(&task, &MessageAcknowledged { agent: me }.into(), "kimi", None, ""), None);
    }
}
