//! Two agents that change one file within a short time: both are told, once.

use crate::decide::{Post, post};
use crate::draft::Draft;
use crate::event::{Micros, Reference};
use crate::ids::AgentId;
use crate::limits::EDIT_WINDOW_S;
use crate::vocabulary::Intent;

/// What was observed of one file: that an agent changed it, or that one told the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Who changed it, or told.
    pub agent: AgentId,
    /// Who was told; absent for a change.
    pub told: Option<AgentId>,
    /// When.
    pub at: Micros,
}

/// Another agent that changed the same file just before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    /// Who.
    pub other: AgentId,
    /// How long before.
    pub seconds: i64,
    /// Neither has been told of the other within the time.
    pub is_new: bool,
}

/// Who else changed a file within the time that ends now.
pub fn collisions(seen: &[Seen], editor: &AgentId, now: Micros) -> Vec<Collision> {
    let begin = now.saturating_sub(EDIT_WINDOW_S * 1_000_000);
    let recent = || seen.iter().filter(|seen| seen.at > begin && seen.at <= now);
    let knows = |other: &AgentId| {
        let pair = |seen: &&Seen| {
            let told = seen.told.as_ref();
            (&seen.agent == editor && told == Some(other)) || (&seen.agent == other && told == Some(editor))
        };
        recent().any(|seen| pair(&seen))
    };
    let mut found: Vec<Collision> = Vec::new();
    for edit in recent().filter(|seen| seen.told.is_none() && &seen.agent != editor) {
        let seconds = (now - edit.at) / 1_000_000;
        match found.iter_mut().find(|collision| collision.other == edit.agent) {
            Some(known) => known.seconds = known.seconds.min(seconds),
            None => found.push(Collision { other: edit.agent.clone(), seconds, is_new: !knows(&edit.agent) }),
        }
    }
    found
}

/// Tells the earlier agent that the later one changed the same file.
pub fn tell(draft: &mut Draft, editor: &AgentId, other: &AgentId, path: &str, seconds: i64) {
    let when = if seconds == 1 { "1 second".to_owned() } else { format!("{seconds} seconds") };
    let subject = draft.plain(&subject(path));
    let body = draft.plain(&format!(
        "I edited {path} {when} after you. Read it again before you go on; \
         `interagent lease take {path}` keeps a file to one of us."
    ));
    let file = Reference {
        kind: "file".to_owned(),
        target: path.to_owned(),
        first_line: None,
        last_line: None,
        text: None,
    };
    let letter = Post::new(editor, vec![other.clone()], Intent::ContextShare, subject, Some(body));
    post(draft, letter.pointing_at(vec![file]));
}

fn subject(path: &str) -> String {
    crate::line::one_line(&format!("We both edit {path}"), crate::limits::SUBJECT_CHARS)
}

/// What the later agent is told.
pub fn told_to_editor(path: &str, other: &str, seconds: i64) -> String {
    format!(
        "{other} edited {path} {seconds} s before you and was told so. Read the file again before you go on, and agree \
         who changes it: interagent send --to {other} -m \"...\", or interagent lease take {path}."
    )
}
