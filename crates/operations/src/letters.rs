//! Messages in their envelopes: what stands on one, what is in it, and as many as one prompt holds.
//!
//! A prompt is what a person pastes, and what a client is started with.

use interagent_core::envelope::{self, ANSWER_BYTES, Label, Voice, part, room};
use interagent_core::event::Micros;
use interagent_core::phrasing::{Arg, Dialect, Links, Operation, Step};
use interagent_wire::answer::{MailView, RefView};
use sha2::{Digest, Sha256};

/// The first messages of some mail in their envelopes. What does not fit is left for a later look.
///
/// The mark of each follows from its id, which was drawn after its text was written: two prompts about the same mail are
/// the same, and no author knew it.
pub fn letters(mail: &[MailView], dialect: Dialect<'_>) -> Vec<(Voice, String)> {
    let mut letters = Vec::new();
    let mut used = 0;
    for mail in mail {
        if used >= ANSWER_BYTES {
            break;
        }
        let (body, about) = (body(mail), about(mail));
        let part = part(&body, 0, room(used));
        used += part.text.len();
        let rest = |_| format!("`{}`", dialect.say(&Step::new(Operation::Read).with(Arg::Message, &mail.id)));
        let label = label(mail, &about, None);
        letters.push((label.voice(), envelope::sealed(&label, &part, seed(&mail.id), rest)));
    }
    letters
}

/// A message's text, and the texts it points at.
pub(crate) fn body(mail: &MailView) -> String {
    let mut body = mail.body.clone().unwrap_or_default();
    for reference in &mail.refs {
        if let Some(text) = &reference.text {
            body.push_str(&format!("\n\n[{} {}]\n{text}", reference.kind, reference.target));
        }
    }
    body
}

/// What a message is about, in a few words.
pub fn about(mail: &MailView) -> String {
    let refs = mail.refs.iter().map(|r| (r.target.as_str(), r.first_line, r.last_line));
    envelope::about(mail.task.as_deref(), refs)
}

/// The records that references point at.
pub fn links(refs: &[RefView]) -> Links {
    Links::of(refs.iter().map(|one| (one.kind.as_str(), one.target.as_str())))
}

/// What stands on a message's envelope. `read` is now, unless the text must be the same whenever it is made.
pub fn label<'m>(mail: &'m MailView, about: &'m str, read: Option<Micros>) -> Label<'m> {
    Label {
        id: &mail.id,
        from: &mail.from.name,
        auth: mail.auth,
        human: mail.human,
        spoken_by: mail.spoken_by.as_ref().map(|by| by.name.as_str()),
        replica: mail.from.replica.as_deref(),
        intent: mail.intent,
        sent: mail.sent.0,
        read,
        subject: &mail.subject,
        about,
    }
}

fn seed(id: &str) -> u32 {
    Sha256::digest(id.as_bytes()).iter().take(4).fold(0, |seed, byte| seed << 8 | u32::from(*byte))
}
