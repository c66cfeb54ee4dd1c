//! What repeats a text word for word: the program itself copies the subject of a message into its replies, and what
//! a task says into the message that announces it.

use interagent_core::entity::Message;
use interagent_core::ids::{EntityRef, MessageId};
use interagent_core::limits;
use interagent_core::line::quoted_text;
use interagent_core::refusal::Refusal;
use interagent_core::secrets;
use interagent_store::reader::{MessageFilter, PageStart, Reader};

/// So many of the newest messages are looked through.
pub(super) const MESSAGES: u32 = 1000;

/// So many texts elsewhere that hold the same secret are followed at once.
pub(super) const ELSEWHERE: usize = 200;

/// Secrets of one text that are looked for elsewhere.
const SECRETS: usize = 20;

/// Shorter texts are words that anybody may have written.
const SHORTEST: usize = 4;

/// Texts of this length are found in the middle of a line too: nobody writes as much by chance.
const NO_CHANCE: usize = 20;

/// What begins a line that goes on with somebody else's words.
const OPENINGS: [&str; 3] = [": ", "> ", "- "];

/// What really stands around an entity, without the entity itself; and whether there are more messages.
///
/// Of a message, its conversation; of a task, the messages about it and its reviews; of the rest, the messages that point
/// at it, as announcements do. The same sentence anywhere else is another text, however long it is.
pub(super) fn around(reader: &mut Reader<'_>, entity: &EntityRef) -> Result<(Vec<EntityRef>, bool), Refusal> {
    let (messages, more) = messages_around(reader, entity)?;
    let mut found: Vec<EntityRef> = messages.into_iter().map(EntityRef::Message).collect();
    if let EntityRef::Task(id) = entity {
        found.extend(reader.reviews_of(id)?.into_iter().map(|review| EntityRef::Review(review.id)));
    }
    found.retain(|other| other != entity);
    Ok((found, more))
}

/// The messages around an entity, newest first; and whether there are more.
fn messages_around(reader: &mut Reader<'_>, entity: &EntityRef) -> Result<(Vec<MessageId>, bool), Refusal> {
    let (filter, pointed_at) = match entity {
        EntityRef::Message(id) => match reader.message(id)? {
            Some(message) => {
                (MessageFilter { thread: Some(message.thread), ..MessageFilter::default() }, None)
            }
            None => return Ok((Vec::new(), false)),
        },
        EntityRef::Task(id) => (MessageFilter { task: Some(id.clone()), ..MessageFilter::default() }, None),
        EntityRef::Review(id) => (MessageFilter::default(), Some(id.to_string())),
        EntityRef::Decision(id) => (MessageFilter::default(), Some(id.to_string())),
        EntityRef::Spec(name) => (MessageFilter::default(), Some(name.to_string())),
        _ => return Ok((Vec::new(), false)),
    };
    let mut found: Vec<Message> = reader.messages(&filter, &PageStart::default(), MESSAGES + 1)?;
    let more = found.len() > MESSAGES as usize;
    found.truncate(MESSAGES as usize);
    if let Some(target) = pointed_at {
        // With the answers to what points at it.
        let threads: Vec<MessageId> = found
            .iter()
            .filter(|message| message.refs.iter().any(|reference| reference.target == target))
            .map(|message| message.thread.clone())
            .collect();
        found.retain(|message| threads.contains(&message.thread));
    }
    Ok((found.into_iter().map(|message| message.id).collect(), more))
}

/// What holds one of these parts, wherever it was written; and whether there is more of it.
pub(super) fn holding(reader: &mut Reader<'_>, parts: &[&str]) -> Result<(Vec<EntityRef>, bool), Refusal> {
    if parts.is_empty() {
        return Ok((Vec::new(), false));
    }
    let mut hashes = reader.texts_containing(parts, ELSEWHERE + 1)?;
    let more = hashes.len() > ELSEWHERE;
    hashes.truncate(ELSEWHERE);
    let mut found: Vec<EntityRef> = Vec::new();
    for hash in hashes {
        // What is held back says to whom it belongs; for the rest the log has to be walked.
        let owners = match reader.held_text(&hash)?.and_then(|held| held.entity) {
            Some(owner) => vec![owner],
            None => reader.pointing_to(&hash)?,
        };
        found.extend(owners);
    }
    Ok((found, more))
}

/// Parts of texts that must be nowhere: what looks like a secret in them, and what was asked for.
pub(super) fn secret_parts<'t>(texts: impl Iterator<Item = &'t str>, asked: Option<&'t str>) -> Vec<&'t str> {
    const LEAST: usize = 8;
    let mut parts: Vec<&str> = asked.into_iter().collect();
    for text in texts {
        parts.extend(secrets::all(text, SECRETS).into_iter().map(|found| &text[found.place]));
    }
    parts.retain(|part| part.chars().count() >= LEAST);
    parts
}

/// Whether a text repeats another as the program does, or at such length that it is no chance.
pub(super) fn repeats(text: &str, original: &str) -> bool {
    let original = original.trim();
    let length = original.chars().count();
    if length < SHORTEST {
        return false;
    }
    // As what goes up quotes what it is about.
    let is_quoted = || format!("\n{text}\n").contains(&format!("\n{}\n", quoted_text(original)));
    is_reply_subject(text, original)
        || is_quoted()
        || text.match_indices(original).any(|(at, found)| {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            let begins = before.is_empty()
                || before.ends_with('\n')
                || OPENINGS.iter().any(|opening| before.ends_with(opening));
            // An escalation names the question before the reason.
            let is_question = before.ends_with("Escalation: ") && after.starts_with(" - ");
            let ends = after.is_empty() || after.starts_with(['\n', '\r']) || is_question;
            length >= NO_CHANCE || (begins && ends)
        })
}

/// Whether a text is the subject the program gives a reply to a message with this subject: nothing in it is of who replied.
pub(super) fn is_reply_subject(text: &str, subject: &str) -> bool {
    let Some(repeated) = text.strip_prefix("Re: ") else { return false };
    let subject = subject.trim().trim_start_matches("Re: ");
    let cut = repeated.chars().count() == limits::SUBJECT_CHARS - 4 && subject.starts_with(repeated);
    subject.chars().count() >= SHORTEST && (repeated == subject || cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_copies_is_found_and_chance_is_not() {
        assert!(repeats("Re: my key", "my key"));
        assert!(repeats("Escalation of msg-7k3m: my key", "my key\n"), "as it was written before");
        assert!(repeats("Escalation: my key - lost", "my key\n"));
        assert!(repeats("Re: Escalation: Which one? - my key", "my key\n"));
        assert!(repeats("They wrote:\n> my key\nWhy?", "my key"));
        let goes_up = format!("No idea.\n\nmsg-7k3m, from kimi:\n{}\n", quoted_text("my  key\n\nis lost"));
        assert!(repeats(&goes_up, "my  key\n\nis lost"), "{goes_up}");
        assert!(repeats("we use correct-horse-battery now", "correct-horse-battery"));
        for other in ["is my key lost?", "my keys", "Re: the key", ""] {
            assert!(!repeats(other, "my key"), "{other}");
        }
        assert!(!repeats("Re: now", "now"), "too short");
    }

    #[test]
    fn the_subject_of_a_reply_is_known_also_when_it_was_cut() {
        let long = "x".repeat(limits::SUBJECT_CHARS);
        assert!(is_reply_subject(&format!("Re: {}", &long[4..]), &long));
        assert!(!is_reply_subject(&format!("Re: {}", &long[5..]), &long));
        assert!(is_reply_subject("Re: my key", "Re: my key"), "the reply to a reply");
        assert!(!is_reply_subject("Re: my key, and more", "my key"));
    }
}
