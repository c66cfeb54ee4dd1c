//! Messages in their envelopes, as many as one prompt holds: what a person pastes, and what a client is started with.

use interagent_core::envelope::{self, ANSWER_BYTES, Label, part, room};
use interagent_wire::answer::MailView;
use sha2::{Digest, Sha256};

/// The first messages of some mail in their envelopes. What does not fit is left for a later look.
///
/// The mark of each follows from its id, which was drawn after its text was written: two prompts about the same mail are
/// the same, and no author knew it.
pub fn letters(mail: &[MailView]) -> Vec<String> {
    let mut letters = Vec::new();
    let mut used = 0;
    for mail in mail {
        if used >= ANSWER_BYTES {
            break;
        }
        let part = part(mail.body.as_deref().unwrap_or_default(), 0, room(used));
        used += part.text.len();
        let refs = mail.refs.iter().map(|r| (r.target.as_str(), r.first_line, r.last_line));
        let label = Label {
            id: &mail.id,
            from: &mail.from.name,
            auth: mail.auth,
            human: mail.human,
            spoken_by: mail.spoken_by.as_ref().map(|by| by.name.as_str()),
            intent: mail.intent,
            sent: mail.sent.0,
            subject: &mail.subject,
            about: &envelope::about(mail.task.as_deref(), refs),
        };
        let rest = |_| format!("`interagent read {}`", mail.id);
        letters.push(envelope::sealed(&label, &part, seed(&mail.id), rest));
    }
    letters
}

fn seed(id: &str) -> u32 {
    Sha256::digest(id.as_bytes()).iter().take(4).fold(0, |seed, byte| seed << 8 | u32::from(*byte))
}
