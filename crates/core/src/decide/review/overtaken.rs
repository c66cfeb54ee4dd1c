//! Reviewers who asked for a revision, and whom an approval by another reviewer overtakes.

use super::to_review;
use crate::decide::{Post, post};
use crate::draft::Draft;
use crate::entity::{Agent, Review};
use crate::rules;
use crate::team::TeamConfig;
use crate::text::{TextHash, subject_of};
use crate::vocabulary::{Intent, Verdict};

/// An approval of a review: on its own, or together with its task.
pub(in crate::decide) struct Approval<'a> {
    /// The review.
    pub(in crate::decide) review: &'a Review,
    /// Its title.
    pub(in crate::decide) title: &'a str,
    /// The member that approves.
    pub(in crate::decide) member: &'a Agent,
    /// The rules.
    pub(in crate::decide) team: Option<&'a TeamConfig>,
    /// The agents who may have judged earlier rounds and still take part.
    pub(in crate::decide) participants: &'a [Agent],
    /// What the member says of it.
    pub(in crate::decide) note: Option<&'a TextHash>,
}

impl Approval<'_> {
    /// The other reviewers who asked for a revision, each with the round. They judged no round since: a verdict ends its round.
    fn overtaken(&self) -> Vec<(&Agent, u32)> {
        let mut found: Vec<(&Agent, u32)> = Vec::new();
        for end in self.review.verdicts.iter().rev().filter(|end| end.verdict == Verdict::RevisionNeeded) {
            let is_other = |agent: &&Agent| agent.id == end.by && agent.id != self.member.id;
            let Some(agent) = self.participants.iter().find(is_other) else { continue };
            if found.iter().all(|(other, _)| other.id != agent.id) {
                found.push((agent, end.round));
            }
        }
        found
    }

    /// Warns that another reviewer's request for a revision is overridden, and notifies those reviewers. One verdict decides
    /// for all.
    pub(in crate::decide) fn tell_overtaken(&self, draft: &mut Draft) {
        let overtaken = self.overtaken();
        if overtaken.is_empty() {
            return;
        }
        for (agent, round) in &overtaken {
            draft.remark(format!(
                "{} asked for a revision in round {round} and has not judged round {}",
                agent.name,
                self.review.round()
            ));
        }
        let takes_mail = |agent: &&Agent| !rules::is_captain(self.team, &agent.name);
        let to = overtaken.into_iter().map(|(agent, _)| agent).filter(takes_mail);
        let to = to.map(|agent| agent.id.clone()).collect();
        let subject = format!("{} by {}: {}", Verdict::Approved, self.member.name, self.title);
        let subject = draft.plain(&subject_of(&subject));
        let letter = Post::new(&self.member.id, to, Intent::ContextShare, subject, self.note.cloned());
        post(draft, letter.pointing_at(vec![to_review(&self.review.id, None)]));
    }
}
