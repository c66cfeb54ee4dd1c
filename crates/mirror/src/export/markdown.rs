//! The record for people: tasks with what became of them, then every conversation, oldest first.

use std::collections::BTreeMap;
use std::io::Write;

use interagent_core::entity::{Message, Task};
use interagent_core::ids::{AgentId, MessageId};
use interagent_core::line::{moment, one_line};
use interagent_core::text::TextHash;
use interagent_store::reader::{PageStart, Reader};
use interagent_store::{Store, StoreError};

use super::{ExportError, Exported, PAGE, Secrets, Wanted, shown};

/// Characters of a title.
const TITLE: usize = 200;

pub(super) fn write(
    store: &mut Store,
    wanted: &Wanted,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Exported, ExportError> {
    let total = store.head()?.seq.unsigned_abs();
    let names = store.read(names)?;
    let mut record = Record { wanted, names, out, done: Exported::default() };
    record.begin(store)?;
    writeln!(record.out, "\n## Tasks")?;
    let mut start = PageStart { at: i64::MIN, id: String::new() };
    loop {
        let page = store.read(|reader: &mut Reader<'_>| reader.tasks_from(&start, PAGE))?;
        for task in &page {
            start = PageStart { at: task.created.at, id: task.id.to_string() };
            if record.is_wanted(task.updated.wall) {
                store.read(|reader| record.task(reader, task))?;
            }
        }
        if page.len() < PAGE as usize {
            break;
        }
    }
    writeln!(record.out, "\n## Conversations")?;
    let mut start = PageStart { at: i64::MIN, id: String::new() };
    loop {
        let page = store.read(|reader: &mut Reader<'_>| reader.threads_from(&start, PAGE))?;
        for first in &page {
            start = PageStart { at: first.sent.at, id: first.id.to_string() };
            record.thread(store, first)?;
        }
        progress(record.done.entries, total);
        if page.len() < PAGE as usize {
            break;
        }
    }
    Ok(record.done)
}

/// Every member's name, with its replica where several have it or it lives elsewhere.
fn names(reader: &mut Reader<'_>) -> Result<BTreeMap<AgentId, String>, StoreError> {
    let aliases: BTreeMap<_, _> =
        reader.origins()?.into_iter().map(|origin| (origin.id, origin.alias)).collect();
    let mut names = BTreeMap::new();
    for agent in reader.agents()? {
        let name = match reader.is_home(&agent.home)? {
            true => agent.name.to_string(),
            false => {
                let home = aliases.get(&agent.home).cloned().unwrap_or_else(|| agent.home.to_string());
                format!("{}@{home}", agent.name)
            }
        };
        names.insert(agent.id, name);
    }
    Ok(names)
}

struct Record<'w> {
    wanted: &'w Wanted,
    names: BTreeMap<AgentId, String>,
    out: &'w mut dyn Write,
    done: Exported,
}

impl Record<'_> {
    fn is_wanted(&self, wall: i64) -> bool {
        self.wanted.since.is_none_or(|since| wall >= since)
    }

    fn name(&self, id: &AgentId) -> String {
        self.names.get(id).cloned().unwrap_or_else(|| id.to_string())
    }

    fn begin(&mut self, store: &mut Store) -> Result<(), ExportError> {
        let (head, now) = (store.head()?, store.clock().wall_us());
        let project = store.read(|reader: &mut Reader<'_>| reader.team())?.map(|team| team.config.project);
        let project = project.unwrap_or_else(|| head.hub_id.clone());
        writeln!(self.out, "# {}\n", one_line(&project, TITLE))?;
        writeln!(self.out, "Exported {} after {} entries. Times are in UTC.", moment(now), head.seq)?;
        if let Some(since) = self.wanted.since {
            writeln!(self.out, "Only what happened since {}.", moment(since))?;
        }
        if self.wanted.secrets == Secrets::HeldBack {
            writeln!(self.out, "Texts that look like secrets are held back.")?;
        }
        let mut members: Vec<String> = self.names.values().cloned().collect();
        members.sort_unstable();
        writeln!(self.out, "\nMembers: {}", members.join(", "))?;
        Ok(())
    }

    fn text(&mut self, reader: &mut Reader<'_>, hash: &TextHash) -> Result<String, StoreError> {
        shown(reader, hash, self.wanted.secrets, &mut self.done)
    }

    /// What somebody wrote, as a quotation: no line of it can be taken for one of ours.
    fn quote(&mut self, text: &str) -> Result<(), ExportError> {
        for line in text.lines() {
            let harmless: String = line.chars().filter(|c| !c.is_control() || *c == '\t').collect();
            writeln!(self.out, "{}", format!("> {harmless}").trim_end())?;
        }
        Ok(())
    }

    fn task(&mut self, reader: &mut Reader<'_>, task: &Task) -> Result<(), ExportError> {
        let title = self.text(reader, &task.brief.title)?;
        writeln!(self.out, "\n### {} ({})\n", one_line(&title, TITLE), task.id)?;
        let assignee = task.assignee.as_ref().map_or_else(|| "nobody".to_owned(), |id| self.name(id));
        let assigner = self.name(&task.brief.assigner);
        writeln!(self.out, "- status: {}", task.status)?;
        writeln!(self.out, "- given by {assigner} to {assignee}, {}", moment(task.created.wall))?;
        if !task.depends_on.is_empty() {
            let waits: Vec<String> = task.depends_on.iter().map(ToString::to_string).collect();
            writeln!(self.out, "- waits for: {}", waits.join(", "))?;
        }
        if let Some(description) = &task.brief.description {
            let text = self.text(reader, description)?;
            writeln!(self.out)?;
            self.quote(&text)?;
        }
        for note in &task.notes {
            self.said(reader, note.when.wall, &note.by, "noted", Some(&note.note))?;
        }
        for report in &task.reports {
            let what = format!("reported {}", report.report.status);
            self.said(reader, report.when.wall, &report.report.worker, &what, Some(&report.report.summary))?;
        }
        for judged in &task.judgements {
            let what = format!("judged: {}", judged.verdict);
            self.said(reader, judged.when.wall, &judged.by, &what, judged.note.as_ref())?;
        }
        Ok(())
    }

    fn said(
        &mut self,
        reader: &mut Reader<'_>,
        wall: i64,
        by: &AgentId,
        what: &str,
        text: Option<&TextHash>,
    ) -> Result<(), ExportError> {
        writeln!(self.out, "\n{}: {} {what}\n", moment(wall), self.name(by))?;
        if let Some(hash) = text {
            let text = self.text(reader, hash)?;
            self.quote(&text)?;
        }
        Ok(())
    }

    fn thread(&mut self, store: &mut Store, first: &Message) -> Result<(), ExportError> {
        let mut begun = false;
        let mut start = PageStart { at: i64::MIN, id: String::new() };
        loop {
            let page =
                store.read(|reader: &mut Reader<'_>| reader.thread_from(&first.thread, &start, PAGE))?;
            for message in &page {
                start = PageStart { at: message.sent.at, id: message.id.to_string() };
                if !self.is_wanted(message.sent.wall) {
                    continue;
                }
                store.read(|reader| {
                    if !std::mem::replace(&mut begun, true) {
                        self.title(reader, &first.thread, first)?;
                    }
                    self.message(reader, message)
                })?;
            }
            if page.len() < PAGE as usize {
                return Ok(());
            }
        }
    }

    fn title(
        &mut self,
        reader: &mut Reader<'_>,
        thread: &MessageId,
        first: &Message,
    ) -> Result<(), ExportError> {
        let subject = self.text(reader, &first.subject)?;
        let about = first.task.as_ref().map(|task| format!(", about {task}")).unwrap_or_default();
        writeln!(self.out, "\n### {} ({thread}{about})", one_line(&subject, TITLE))?;
        Ok(())
    }

    fn message(&mut self, reader: &mut Reader<'_>, message: &Message) -> Result<(), ExportError> {
        let to: Vec<String> = message.deliveries.keys().map(|id| self.name(id)).collect();
        writeln!(
            self.out,
            "\n{}: {} to {} ({}, {})\n",
            moment(message.sent.wall),
            self.name(&message.from),
            to.join(", "),
            message.intent,
            message.id
        )?;
        let text = match &message.body {
            Some(body) => self.text(reader, body)?,
            None => self.text(reader, &message.subject)?,
        };
        self.quote(&text)?;
        self.done.entries += 1;
        Ok(())
    }
}
