//! Random facts about a few entities, as members would never write them but replicas may have to fold them.

use interagent_core::draft::Draft;
use interagent_core::event::{
    AgentRegistered, AgentRenamed, AgentRetired, DecisionDecided, DecisionOpened, DecisionPosition,
    DecisionSuperseded, LeaseReleased, LeaseTaken, MessageAcknowledged, MessageCarriedOut, MessageControl,
    MessageDeclined, MessageDelivered, MessageHeld, MessageReleased, MessageSettled, ReviewCommented,
    ReviewJudged, ReviewOpened, ReviewResolved, ReviewRound, SkillCandidate, SkillPromoted, SkillRejected,
    SpecPublished, SpecSubscribed, TaskAssigned, TaskDependency, TaskEdited, TaskJudged, TaskMoved,
    TaskNoted, TaskReported, TaskSubmitted, TextPurged,
};
use interagent_core::ids::{
    AgentId, CommentId, DecisionId, EntityRef, LeaseId, MessageId, ReviewId, SpecName, TaskId,
};
use interagent_core::name::Name;
use interagent_core::skill::SkillKey;
use interagent_core::text::TextHash;
use interagent_core::vocabulary::{
    ControlOutcome, ControlVerb, Disposition, HoldReason, LeaseMode, Priority, ReportStatus, Settlement,
    TaskStatus, Verdict, Via,
};
use interagent_store::texts_of;

use crate::facts;

/// How many kinds of facts there are.
pub const KINDS: u8 = 35;

/// Adds a fact; the numbers choose its kind, its entity and its details.
///
/// Entities have the same ids everywhere, so that replicas act on the same ones without having met.
pub fn add(draft: &mut Draft, me: &AgentId, (kind, which, detail): (u8, u8, u8)) {
    let bits = u64::from(which) + 1;
    let other = AgentId::from_bits(u64::from(detail % 3) + 1);
    let [task, message, decision, review, lease] = [
        EntityRef::Task(TaskId::from_bits(bits)),
        EntityRef::Message(MessageId::from_bits(bits)),
        EntityRef::Decision(DecisionId::from_bits(bits)),
        EntityRef::Review(ReviewId::from_bits(bits)),
        EntityRef::Lease(LeaseId::from_bits(bits)),
    ];
    let spec = EntityRef::Spec(SpecName::parse(&format!("spec-{which}")).unwrap());
    let skill = EntityRef::Skill(SkillKey::of(&format!("skill {which}")).unwrap());
    // Ids of agents are random, so two replicas never register the same one.
    let place: u64 = me.as_str().bytes().map(u64::from).sum();
    let agent = EntityRef::Agent(AgentId::from_bits(bits + place * 16));
    let comment = CommentId::from_bits(u64::from(detail % 4));
    let text = draft.plain(&format!("{kind}/{which}/{detail}"));
    let spare = text.clone();
    let status = TaskStatus::ALL[usize::from(detail) % TaskStatus::ALL.len()];
    match kind {
        0 | 1 => {
            let (_, mut created) = facts::task(draft, me, "task");
            created.depends_on = vec![TaskId::from_bits(u64::from(detail % 3) + 1)];
            created.aliases = vec![format!("cmd_{}", detail % 4)];
            draft.add(task, created);
        }
        2 | 3 => {
            let before = (detail % 2 == 0).then(|| other.clone());
            draft.add(task, TaskAssigned { assignee: me.clone(), before, claimed: true });
        }
        4 => draft.add(task, TaskAssigned { assignee: me.clone(), before: None, claimed: true }),
        5..=7 => {
            let from = TaskStatus::ALL[usize::from(detail / 16) % TaskStatus::ALL.len()];
            let assignee =
                (!detail.is_multiple_of(3)).then(|| if detail % 3 == 1 { me.clone() } else { other.clone() });
            draft.add(
                task,
                TaskMoved {
                    from,
                    to: status,
                    assignee,
                    reason: None,
                    successor: None,
                    judges: submitted(detail),
                },
            );
        }
        8 => {
            let to = TaskStatus::Assigned;
            let assignee = (detail % 2 == 0).then(|| me.clone());
            draft.add(
                task,
                TaskMoved {
                    from: TaskStatus::Pending,
                    to,
                    assignee,
                    reason: None,
                    successor: None,
                    judges: None,
                },
            );
        }
        9 => draft.add(task, TaskNoted { note: text }),
        10 => {
            let on = TaskId::from_bits(u64::from(detail % 3) + 1);
            draft.add(task, TaskDependency { on, removed: detail % 2 == 0 });
        }
        11 => {
            let priority = Some(if detail % 2 == 0 { Priority::Low } else { Priority::Critical });
            draft.add(task, TaskEdited { title: Some(text), description: None, priority, branch: None });
        }
        12 if detail % 2 == 0 => draft.add(
            task,
            TaskReported {
                worker: me.clone(),
                status: ReportStatus::Done,
                summary: text,
                files_modified: vec![format!("src/{detail}.rs")],
                notes: None,
                skill_candidate: SkillCandidate { found: false, name: None, description: None, reason: None },
                purpose_gap: None,
                purpose_met: detail % 4 == 0,
                changed_files: Vec::new(),
                verification: None,
                todo_scan: None,
                commit_info: None,
            },
        ),
        12 => {
            let verdict = Verdict::Approved;
            draft.add(
                task,
                TaskJudged {
                    verdict,
                    by: me.clone(),
                    note: None,
                    review: None,
                    overruled: false,
                    judges: submitted(detail),
                },
            );
        }
        13 | 14 => {
            let (_, mut sent) = facts::message(draft, me, &[other, me.clone()], "subject", "body");
            sent.aliases = vec![format!("mail_{}", detail % 4)];
            draft.add(message, sent);
        }
        15 => draft.add(message, MessageDelivered { agent: me.clone(), via: Via::Hook, redelivered: 0 }),
        16 => draft.add(message, MessageAcknowledged { agent: me.clone() }),
        17 => draft.add(message, MessageSettled { agent: other, how: Settlement::Replied, by: None }),
        18 => draft.add(message, MessageDeclined { agent: me.clone(), reason: None }),
        19 => draft.add(message, MessageHeld { reason: HoldReason::Hops }),
        20 => draft.add(message, MessageReleased {}),
        21..=23 => {
            let version = u32::from(detail % 3) + 1;
            draft.add(spec, SpecPublished { version, body: text, publisher: me.clone(), note: None });
        }
        24 => draft.add(spec, SpecSubscribed { agent: other, removed: detail % 2 == 0 }),
        25 => match detail % 4 {
            0 => draft.add(
                decision,
                DecisionOpened {
                    question: text,
                    options: Vec::new(),
                    by: me.clone(),
                    deadline: None,
                    message: None,
                    supersedes: None,
                    aliases: Vec::new(),
                },
            ),
            1 => draft.add(decision, DecisionPosition { agent: other, position: text, reason: None }),
            2 => draft.add(decision, DecisionDecided { outcome: text, by: me.clone(), reason: None }),
            _ => draft.add(decision, DecisionSuperseded { by: DecisionId::from_bits(9) }),
        },
        26 => draft.add(
            review,
            ReviewOpened {
                author: other,
                reviewers: vec![me.clone()],
                title: text,
                task: None,
                diff: None,
                aliases: vec![format!("change_{}", detail % 4)],
            },
        ),
        27 if detail % 5 == 0 => draft.add(
            review,
            ReviewRound {
                round: u32::from(detail / 16 % 4),
                by: me.clone(),
                source: None,
                base: None,
                head: None,
                tree: Some(format!("{detail:040x}")),
                diff: Some(text),
                since_base: None,
                since_head: None,
            },
        ),
        27 => draft.add(
            review,
            ReviewCommented {
                comment: CommentId::from_bits(u64::from(detail / 16 % 4)),
                thread: comment,
                by: me.clone(),
                body: text,
                disposition: Disposition::Note,
                file: None,
                line: None,
                side: None,
                round: (detail % 3 > 0).then_some(1),
            },
        ),
        28 if detail % 2 == 0 => draft.add(review, ReviewResolved { thread: comment, by: me.clone() }),
        28 => {
            let verdict = if detail % 3 == 0 { Verdict::Approved } else { Verdict::RevisionNeeded };
            let round = (detail % 5 > 0).then_some(u32::from(detail / 16 % 3));
            draft.add(
                review,
                ReviewJudged { verdict, by: me.clone(), note: None, round, open_threads: Vec::new() },
            );
        }
        29 => match detail % 3 {
            0 => {
                draft.add(agent, AgentRegistered { name: name(which, detail), profile: "claude".to_owned() });
            }
            1 => draft.add(agent, AgentRenamed { name: name(which, detail) }),
            _ => draft.add(agent, AgentRetired { reason: None }),
        },
        30 if detail % 2 == 0 => draft.add(lease, LeaseReleased {}),
        30 => draft.add(
            lease,
            LeaseTaken {
                holder: me.clone(),
                globs: vec!["src/**".to_owned()],
                mode: LeaseMode::Exclusive,
                ttl_s: 60,
                reason: None,
                task: None,
            },
        ),
        31 if detail % 2 == 0 => draft.add(skill, SkillRejected { reason: text }),
        31 => draft.add(
            skill,
            SkillPromoted { name: format!("skill-{which}"), description: text, times: 2, places: Vec::new() },
        ),
        32 if detail % 2 == 0 => {
            draft.add(message, MessageControl { verb: ControlVerb::Clear, model: None });
        }
        32 => {
            let outcome = if detail % 4 == 1 { ControlOutcome::Done } else { ControlOutcome::Failed };
            draft.add(message, MessageCarriedOut { agent: other, outcome, note: Some(text) });
        }
        33 => draft.add(task, TaskSubmitted { review: ReviewId::from_bits(1), round: u32::from(detail % 2) }),
        // Purges a text that others may bring later, or that nobody ever wrote.
        _ => draft.add(
            EntityRef::Text(TextHash::of("salt", &detail.to_string())),
            TextPurged { reason: Some(text) },
        ),
    }
    let used = draft.facts.last().is_some_and(|fact| texts_of(&fact.event).contains(&&spare));
    draft.texts.retain(|stored| used || stored.hash != spare);
}

fn name(which: u8, detail: u8) -> Name {
    Name::parse(&format!("agent-{which}-{}", detail % 8)).unwrap()
}

/// The change that a verdict judges: none, one, or another one.
fn submitted(detail: u8) -> Option<TaskSubmitted> {
    let round = u32::from(detail % 2);
    (!detail.is_multiple_of(3)).then(|| TaskSubmitted { review: ReviewId::from_bits(1), round })
}
