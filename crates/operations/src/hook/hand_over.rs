//! Hands messages over at a hook: offers them to the session, and says them in their envelopes.

use interagent_core::entity::Agent;
use interagent_core::hook::{self, Handed, Hearer};
use interagent_core::ids::MessageId;
use interagent_core::limits;
use interagent_core::phrasing::Dialect;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::Via;
use interagent_store::Writer;
use interagent_wire::answer::MailView;

use super::Visit;
use crate::draw;
use crate::letters::{about, body, label, links};
use crate::mail;
use crate::names::Names;

/// What one hook hands over.
#[derive(Default)]
pub(super) struct HandOver {
    pub(super) text: Option<String>,
    pub(super) ids: Vec<String>,
    /// Its moment, by which it is known later.
    pub(super) stamp: Option<i64>,
}

impl Visit<'_> {
    /// Offers what waits and says it in envelopes. What has just arrived counts as waiting until this is committed.
    pub(super) fn hand_over(
        &self,
        writer: &mut Writer<'_, '_>,
        agent: &Agent,
        (hearer, dialect): (Hearer, Dialect<'_>),
        arrived: &[MessageId],
    ) -> Result<HandOver, Refusal> {
        let mut rows = self.waiting(&mut writer.look(), agent)?;
        rows.retain(|row| !arrived.contains(&row.message.id));
        let mut mails = Vec::new();
        {
            let mut look = writer.look();
            let mut names = Names::new(&mut look);
            for row in rows.iter().take(limits::OFFER_MESSAGES as usize) {
                mails.push(mail::mail_view(&mut names, row, &self.holder, mail::Extent::Text)?);
            }
        }
        let bodies: Vec<String> = mails.iter().map(body).collect();
        let fit = hook::that_fit(bodies.iter().map(String::len));
        if fit == 0 {
            return Ok(HandOver::default());
        }
        let now = writer.look().now();
        for row in &rows[..fit] {
            mail::offer(writer, &agent.id, row, &self.holder, Via::Hook, now)?;
        }
        let abouts: Vec<String> = mails.iter().map(about).collect();
        let handed = |n: usize| {
            let mail: &MailView = &mails[n];
            Handed {
                label: label(mail, &abouts[n], Some(now)),
                body: &bodies[n],
                duty: mail.duty,
                task: mail.task.as_deref(),
                links: links(&mail.refs),
                redelivered: mail.redelivered,
            }
        };
        let handed: Vec<Handed<'_>> = (0..fit).map(handed).collect();
        let waiting = rows.len() - fit;
        let text = hook::hand_over(&agent.name, hearer, dialect, &handed, waiting, draw::seed());
        let ids = mails[..fit].iter().map(|mail| mail.id.clone()).collect();
        Ok(HandOver { text: Some(text), ids, stamp: Some(now) })
    }
}
