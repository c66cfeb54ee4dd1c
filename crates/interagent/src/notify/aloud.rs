//! What a herald does, said on the terminal of whoever started it.

use serde_json::json;

use super::herald::Said;
use super::replies::Taken;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// Says it, in the form that the session has. A reader that left harms nothing.
pub(crate) fn aloud(session: &mut Session, said: &Said<'_>) {
    match session.is_for_people() {
        true => to_people(session, said),
        false => to_programs(session, said),
    }
    let _ = session.deliver(Done::Committed);
}

fn to_people(session: &mut Session, said: &Said<'_>) {
    match said {
        Said::Notice(notice) => {
            session.printer.line(&[(Role::Warning, &notice.title)]);
            for line in notice.whole().lines() {
                session.printer.exact(&[(Role::Plain, "  "), (Role::Plain, line)]);
            }
        }
        Said::Reply(taken) => {
            if let Some(words) = words(taken) {
                session.printer.line(&[(Role::Plain, &words)]);
            }
        }
        Said::Trouble(why) => session.printer.note(Role::Warning, why),
    }
}

fn to_programs(session: &mut Session, said: &Said<'_>) {
    let document = match said {
        Said::Notice(notice) => {
            json!({ "announced": notice.title, "text": notice.whole(), "message": notice.about })
        }
        Said::Reply(taken) => match words(taken) {
            Some(words) => json!({ "reply": words }),
            None => return,
        },
        Said::Trouble(why) => json!({ "trouble": why }),
    };
    session.document(0, &document);
}

fn words(taken: &Taken) -> Option<String> {
    match taken {
        Taken::PassedOver => None,
        Taken::Answered(id) => Some(format!("a reply answered {id}")),
        Taken::SentTo(name) => Some(format!("a reply went to {name}")),
        Taken::Unclear(why) => Some(format!("a reply was not clear: {why}")),
    }
}
