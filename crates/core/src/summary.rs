//! The summary's action items: what should happen next, by whom, in sentences for a person.
//!
//! Pure: given what is open, it says whom to tell what. It changes nothing and enforces nothing.

mod headlines;
mod held;
#[cfg(test)]
mod tests;

pub use headlines::{Headline, headlines};

use crate::decide::decision::DECIDE_SUBJECT;
use crate::event::Micros;
use crate::ids::{AgentId, MessageId, TaskId};
use crate::line::quoted_line;
use crate::name::Name;
use crate::permission::{Place, Prompt};
use crate::phrasing::{Dialect, Links, Obligation};
use crate::rules::{anybody_may_approve, reviewers, superior};
use crate::team::{Formation, Ladder, TeamConfig};
use crate::vocabulary::{Duty, HoldReason};
use crate::words;

/// Characters of a title or subject in a sentence.
const TITLE_CHARS: usize = 60;

words! {
    /// What kind of thing should happen.
    pub enum Action as "the action" {
        /// A client asks the person for a permission.
        Permit = "permit",
        /// A client shows another dialog, such as for trust or a login.
        Dialog = "dialog",
        /// An escalation waits for a person's word.
        Decide = "decide",
        /// A held message waits for a release.
        Release = "release",
        /// Work was left by somebody who takes part no longer.
        Reassign = "reassign",
        /// Work is stuck.
        Unblock = "unblock",
        /// Completed work waits for a verdict.
        Review = "review",
        /// Something is owed for too long.
        Answer = "answer",
        /// A task was given and not begun.
        Start = "start",
        /// Blocked work can go on.
        Resume = "resume",
        /// Mail waits.
        Read = "read",
    }
}

/// A member, as sentences need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// For ever.
    pub id: AgentId,
    /// Its name at its home.
    pub name: Name,
    /// Its name as shown here.
    pub shown: String,
    /// It takes part no longer.
    pub retired: bool,
}

/// A task in question.
#[derive(Clone, Debug)]
pub struct TaskItem {
    /// Its id.
    pub id: TaskId,
    /// As it was written.
    pub title: String,
    /// Who works on it.
    pub assignee: Option<Person>,
    /// Who wants it.
    pub assigner: Person,
}

/// Something owed.
#[derive(Clone, Debug)]
pub struct DutyItem {
    /// What.
    pub duty: Duty,
    /// By which message.
    pub message: MessageId,
    /// About which task.
    pub task: Option<TaskId>,
    /// The records that the message points at.
    pub links: Links,
    /// Who owes it.
    pub agent: Person,
    /// To whom.
    pub from: Person,
    /// As it was written.
    pub subject: String,
    /// Since when.
    pub since: Micros,
    /// The message carries an escalation.
    pub escalation: bool,
    /// The agent has not read the message.
    pub unread: bool,
    /// How often it was asked.
    pub asked: u32,
}

/// A message that waits for a release.
#[derive(Clone, Debug)]
pub struct HeldItem {
    /// Its id.
    pub id: MessageId,
    /// Who wrote it.
    pub from: Person,
    /// As it was written.
    pub subject: String,
    /// Why it waits.
    pub reason: HoldReason,
}

/// A permission prompt that is open in an agent's client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptItem {
    /// Whose client.
    pub agent: Person,
    /// Which kind of client.
    pub client: String,
    /// Its tmux pane, where that is known.
    pub pane: Option<String>,
    /// What it asks.
    pub prompt: Prompt,
    /// Where it is answered.
    pub place: Place,
}

/// A dialog on an agent's screen that no hook reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialogItem {
    /// The agent whose client shows it.
    pub agent: Person,
    /// Where it is answered.
    pub place: Place,
}

/// Unread mail of one member.
#[derive(Clone, Debug)]
pub struct MailItem {
    /// Whose.
    pub agent: Person,
    /// How much.
    pub unread: u32,
}

/// Everything that may need doing.
#[derive(Clone, Debug)]
pub struct Situation<'a> {
    /// The wall clock.
    pub now: Micros,
    /// The rules, if there are any.
    pub team: Option<&'a TeamConfig>,
    /// The human of this replica.
    pub operator: Person,
    /// Those who take part, to find whom the rules name.
    pub members: Vec<Person>,
    /// Completed or under review, oldest first.
    pub awaiting_verdict: Vec<TaskItem>,
    /// Given to somebody and not begun, though nothing holds them back.
    pub not_started: Vec<TaskItem>,
    /// Stuck, oldest first.
    pub blocked: Vec<TaskItem>,
    /// Blocked work whose worker has the answer it asked for, oldest first.
    pub answered: Vec<TaskItem>,
    /// Still to be done by somebody who takes part no longer, oldest first.
    pub left: Vec<TaskItem>,
    /// What is owed, oldest first.
    pub owed: Vec<DutyItem>,
    /// Messages that wait for a release.
    pub held: Vec<HeldItem>,
    /// Open permission prompts, oldest first.
    pub prompts: Vec<PromptItem>,
    /// Other dialogs on the screens of agents.
    pub dialogs: Vec<DialogItem>,
    /// Unread mail.
    pub mail: Vec<MailItem>,
}

/// Something that should happen next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionItem {
    /// Who should act.
    pub who: Person,
    /// What kind of thing.
    pub action: Action,
    /// What to do, without its end.
    pub clause: String,
    /// The command with which a person does it, or where.
    pub way: String,
    /// The id of the record that the command names, for readers who have other commands.
    pub record: Option<String>,
    /// How many things it is about.
    pub count: u32,
    /// The task it is about.
    pub task: Option<TaskId>,
    /// The permission prompt it is about.
    pub prompt: Option<PromptItem>,
    /// The dialog it is about.
    pub dialog: Option<DialogItem>,
}

impl ActionItem {
    fn new(who: Person, action: Action, clause: String, way: String) -> Self {
        Self { who, action, clause, way, record: None, count: 1, task: None, prompt: None, dialog: None }
    }

    fn on_message(self, message: &MessageId) -> Self {
        Self { record: Some(message.to_string()), ..self }
    }

    fn on_task(self, task: &TaskId) -> Self {
        Self { record: Some(task.to_string()), task: Some(task.clone()), ..self }
    }

    /// The whole sentence, for people.
    pub fn sentence(&self) -> String {
        format!("{} ({}).", self.clause, self.way)
    }
}

/// What should happen next: what the operator has to do first, then in the order work flows.
pub fn actions(situation: &Situation<'_>) -> Vec<ActionItem> {
    let mut items: Vec<ActionItem> = situation.prompts.iter().map(|item| permit(situation, item)).collect();
    items.extend(situation.dialogs.iter().map(|item| dialog(situation, item)));
    items.extend(situation.owed.iter().filter_map(|duty| owed(situation, duty)));
    items.extend(held::items(situation));
    items.extend(situation.left.iter().map(|task| reassign_left(situation, task)));
    items.extend(situation.blocked.iter().filter(|task| !is_left(task)).map(|task| unblock(situation, task)));
    items.extend(situation.answered.iter().filter_map(|task| resume(situation, task)));
    items.extend(situation.awaiting_verdict.iter().filter_map(|task| review(situation, task)));
    items.extend(situation.not_started.iter().filter_map(|task| start(situation, task)));
    let unread = situation.mail.iter().filter_map(|mail| {
        let unread = mail.unread.saturating_sub(has_items(situation, &items, &mail.agent));
        (unread > 0).then(|| read(situation, &MailItem { unread, ..mail.clone() }))
    });
    let unread: Vec<ActionItem> = unread.collect();
    items.extend(unread);
    items.sort_by_key(|item| (item.who.id != situation.operator.id, item.action));
    items
}

fn permit(situation: &Situation<'_>, item: &PromptItem) -> ActionItem {
    let PromptItem { agent, client, prompt, place, .. } = item;
    let what = match (&prompt.tool, &prompt.command) {
        (Some(tool), Some(command)) => format!("{tool} {}", quoted_line(command, TITLE_CHARS)),
        (Some(tool), None) => tool.clone(),
        (None, _) => "a dialog is open".to_owned(),
    };
    let open = age((situation.now - prompt.since) / 1_000_000);
    let clause =
        format!("Answer the permission prompt of {} ({client}), open for {open}: {what}", agent.shown);
    let who = situation.operator.clone();
    ActionItem { prompt: Some(item.clone()), ..ActionItem::new(who, Action::Permit, clause, place.told()) }
}

fn dialog(situation: &Situation<'_>, item: &DialogItem) -> ActionItem {
    let clause = format!("Answer the dialog of {}", item.agent.shown);
    let who = situation.operator.clone();
    ActionItem {
        dialog: Some(item.clone()),
        ..ActionItem::new(who, Action::Dialog, clause, item.place.told())
    }
}

/// What the operator owes at once; what an agent owes once the wake-ups of the ladder had their time.
fn owed(situation: &Situation<'_>, item: &DutyItem) -> Option<ActionItem> {
    let mut subject = quoted_line(&item.subject, TITLE_CHARS);
    if item.asked > 1 {
        subject.push_str(&format!(" (asked {} times)", item.asked));
    }
    let from = &item.from.shown;
    if item.escalation && item.agent.id == situation.operator.id {
        let clause = format!("Answer {from}, who can't go on: {subject}");
        let way = format!("interagent msg answer {} -m TEXT", item.message);
        let action = ActionItem::new(item.agent.clone(), Action::Decide, clause, way);
        return Some(action.on_message(&item.message));
    }
    let patience_s =
        situation.team.map_or_else(|| Ladder::default().next_channel_s, |t| t.ladder.next_channel_s);
    let age_s = (situation.now - item.since) / 1_000_000;
    let is_own = item.agent.id == situation.operator.id;
    if !is_own && age_s < i64::from(patience_s) {
        return None;
    }
    if is_told_by_task(situation, item) {
        return None;
    }
    if item.agent.retired {
        return answer_for(situation, item, &subject);
    }
    let obligation = Obligation {
        duty: item.duty,
        message: item.message.as_str(),
        task: item.task.as_ref().map(TaskId::as_str),
        links: &item.links,
    };
    let way = obligation.settle(Dialect::Shell);
    let record = obligation.record();
    let owing = |clause: String| {
        let action = ActionItem::new(item.agent.clone(), Action::Answer, clause, way.clone());
        ActionItem { record: record.clone(), ..action }
    };
    if item.duty == Duty::Answer && item.links.decide.is_some() {
        let question = item.subject.strip_prefix(DECIDE_SUBJECT).unwrap_or(&item.subject);
        let (call, question) = (call(situation, &item.agent, "decide"), quoted_line(question, TITLE_CHARS));
        let clause = format!("{call} {question}, open for {}", age(age_s));
        return Some(owing(clause));
    }
    let call = call(situation, &item.agent, "answer");
    Some(owing(format!("{call} {from} on {subject}, open for {}", age(age_s))))
}

/// Whether the sentence about a task asks for the same: the verdict on it, its start, or help with it.
fn is_told_by_task(situation: &Situation<'_>, item: &DutyItem) -> bool {
    let tasks = match item.duty {
        Duty::Verdict => &situation.awaiting_verdict,
        Duty::Unblock if item.links.declined.is_some() => &situation.not_started,
        Duty::Unblock => &situation.blocked,
        Duty::Start => &situation.not_started,
        _ => return false,
    };
    tasks.iter().any(|task| Some(&task.id) == item.task.as_ref())
}

/// How many unread messages of a member ask for something that has an item of its own, by their text or by their task.
fn has_items(situation: &Situation<'_>, items: &[ActionItem], member: &Person) -> u32 {
    let by_task = |duty: &DutyItem| {
        let asks = |item: &ActionItem| item.who.id == member.id && item.task == duty.task;
        is_told_by_task(situation, duty) && items.iter().any(asks)
    };
    let unread = situation.owed.iter().filter(|duty| duty.unread && duty.agent.id == member.id);
    let told = unread.filter(|duty| by_task(duty) || owed(situation, duty).is_some());
    u32::try_from(told.count()).unwrap_or(u32::MAX)
}

/// What a retired member owes, a person answers in its place. Work that it left behind has a sentence of its own.
fn answer_for(situation: &Situation<'_>, item: &DutyItem, subject: &str) -> Option<ActionItem> {
    if situation.left.iter().any(|task| Some(&task.id) == item.task.as_ref()) {
        return None;
    }
    let clause =
        format!("Answer {} in place of {}, who was retired: {subject}", item.from.shown, item.agent.shown);
    let way = format!("interagent read {}", item.message);
    let action = ActionItem::new(situation.operator.clone(), Action::Answer, clause, way);
    Some(action.on_message(&item.message))
}

fn is_left(task: &TaskItem) -> bool {
    task.assignee.as_ref().is_some_and(|worker| worker.retired)
}

/// Whether its assignee declined it and it was not reassigned yet.
fn is_declined(situation: &Situation<'_>, task: &TaskItem) -> bool {
    let is_of_task = |item: &DutyItem| item.links.declined.as_deref() == Some(task.id.as_str());
    situation.owed.iter().any(|item| item.duty == Duty::Unblock && is_of_task(item))
}

fn reassign(situation: &Situation<'_>, task: &TaskItem, why: &str) -> ActionItem {
    let who = director(situation.team, &situation.operator, &situation.members, task);
    let title = quoted_line(&task.title, TITLE_CHARS);
    let call = call(situation, &who, "reassign");
    let way = format!("interagent task reassign {} --to NAME", task.id);
    ActionItem::new(who, Action::Reassign, format!("{call} {title}, {why}"), way).on_task(&task.id)
}

fn reassign_left(situation: &Situation<'_>, task: &TaskItem) -> ActionItem {
    let of = task.assignee.as_ref().map_or("nobody", |worker| worker.shown.as_str());
    reassign(situation, task, &format!("left by {of}, who was retired"))
}

fn unblock(situation: &Situation<'_>, task: &TaskItem) -> ActionItem {
    let who = director(situation.team, &situation.operator, &situation.members, task);
    let title = quoted_line(&task.title, TITLE_CHARS);
    let of = task.assignee.as_ref().map(|worker| format!(" of {}", worker.shown)).unwrap_or_default();
    let call = call(situation, &who, "unblock");
    let way = format!("interagent task show {} says what is missing", task.id);
    ActionItem::new(who, Action::Unblock, format!("{call} {title}{of}"), way).on_task(&task.id)
}

/// The worker has the help it asked for and can continue.
fn resume(situation: &Situation<'_>, task: &TaskItem) -> Option<ActionItem> {
    let who = task.assignee.clone().filter(|who| !who.retired)?;
    let title = quoted_line(&task.title, TITLE_CHARS);
    let call = call(situation, &who, "resume");
    let way = format!("interagent task update {} --status in_progress", task.id);
    Some(
        ActionItem::new(who, Action::Resume, format!("{call} {title}: its question is answered"), way)
            .on_task(&task.id),
    )
}

/// Who sees to work that does not go on: who wanted it, who leads its worker, or the operator; whoever of them takes part
/// and is not the worker.
pub fn director(team: Option<&TeamConfig>, operator: &Person, members: &[Person], task: &TaskItem) -> Person {
    let worker = task.assignee.as_ref();
    let other = |name: &Name| {
        let there = members.iter().find(|member| member.name == *name);
        there.filter(|member| worker.is_none_or(|worker| worker.id != member.id))
    };
    let leader = match (team, worker) {
        (Some(team), Some(worker)) if team.formation == Formation::Captain => superior(team, &worker.name),
        (Some(team), _) if team.formation == Formation::Duo => team.principal.as_ref(),
        _ => None,
    };
    let giver = members.iter().find(|member| member.id == task.assigner.id);
    let giver = giver.filter(|giver| worker.is_none_or(|worker| worker.id != giver.id));
    giver.or_else(|| leader.and_then(other)).unwrap_or(operator).clone()
}

fn review(situation: &Situation<'_>, task: &TaskItem) -> Option<ActionItem> {
    let who = judge(situation.team, &situation.operator, &situation.members, task)?;
    let by = match &task.assignee {
        Some(worker) => format!(", done by {}", worker.shown),
        None => String::new(),
    };
    let title = quoted_line(&task.title, TITLE_CHARS);
    let way = format!("interagent task verdict {} approved", task.id);
    let clause = format!("{} {title}{by}", call(situation, &who, "review"));
    Some(ActionItem::new(who, Action::Review, clause, way).on_task(&task.id))
}

/// Who gives the verdict on a task: whom the rules name first; among equals who wanted it; the operator where nobody
/// else can. Nobody for work of an agent's own that any other agent may judge.
pub fn judge(
    team: Option<&TeamConfig>,
    operator: &Person,
    members: &[Person],
    task: &TaskItem,
) -> Option<Person> {
    let worker = task.assignee.as_ref();
    let assigner =
        Some(&task.assigner).filter(|assigner| worker.is_none_or(|worker| worker.id != assigner.id));
    if assigner.is_none() && anybody_may_approve(team) {
        return None;
    }
    let named = match (team, worker) {
        (Some(team), Some(worker)) if team.formation != Formation::Peers => {
            let by_rule = reviewers(team, &worker.name);
            by_rule.iter().find_map(|name| members.iter().find(|member| member.name == *name))
        }
        _ => assigner,
    };
    Some(named.unwrap_or(operator).clone())
}

fn start(situation: &Situation<'_>, task: &TaskItem) -> Option<ActionItem> {
    let who = task.assignee.clone().filter(|who| !who.retired)?;
    if is_declined(situation, task) {
        let why = format!("which {} declined", who.shown);
        return Some(reassign(situation, task, &why));
    }
    let title = quoted_line(&task.title, TITLE_CHARS);
    let call = call(situation, &who, "start");
    let way = format!("interagent task update {} --status in_progress", task.id);
    Some(ActionItem::new(who, Action::Start, format!("{call} {title}"), way).on_task(&task.id))
}

fn read(situation: &Situation<'_>, mail: &MailItem) -> ActionItem {
    let messages = if mail.unread == 1 { "message" } else { "messages" };
    let call = call(situation, &mail.agent, "read");
    let clause = format!("{call} {} unread {messages}", mail.unread);
    let way = format!("interagent inbox --agent {}", mail.agent.shown);
    ActionItem { count: mail.unread, ..ActionItem::new(mail.agent.clone(), Action::Read, clause, way) }
}

/// The beginning of a sentence to the operator, who reads the summary: do it, or tell whose it is to do it.
fn call(situation: &Situation<'_>, who: &Person, verb: &str) -> String {
    if who.id != situation.operator.id {
        return format!("Tell {} to {verb}", who.shown);
    }
    let mut rest = verb.chars();
    rest.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(rest).collect()
}

/// A span of time, as roughly as a person says it.
fn age(seconds: i64) -> String {
    let (number, unit) = match seconds {
        0..=119 => (seconds, "second"),
        120..=7_199 => (seconds / 60, "minute"),
        7_200..=172_799 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}
