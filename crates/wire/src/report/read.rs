//! From YAML to a report: every field by its name, and nothing beside them.

use interagent_core::vocabulary::ReportStatus;

use super::tree::{self, Node, Value, bad};
use super::{BadReport, ReportFile, details};
use crate::Time;
use crate::request::SkillParam;

const FIELDS: &[&str] = &[
    "worker_id",
    "task_id",
    "parent_cmd",
    "timestamp",
    "status",
    "result",
    "skill_candidate",
    "purpose_gap",
    "changed_files",
    "verification",
    "todo_scan",
    "commit_info",
];
const REQUIRED: &[&str] =
    &["worker_id", "task_id", "parent_cmd", "timestamp", "status", "result", "skill_candidate"];
const RESULT_FIELDS: &[&str] = &["summary", "files_modified", "notes"];
const SKILL_FIELDS: &[&str] = &["found", "name", "description", "reason"];

pub(super) fn read(text: &str) -> Result<ReportFile, BadReport> {
    let mut top = Fields::of("", tree::document(text)?, FIELDS)?;
    top.must_have(REQUIRED)?;
    let mut result = Fields::of("result.", top.take("result"), RESULT_FIELDS)?;
    result.must_have(&["summary"])?;
    let mut skill = Fields::of("skill_candidate.", top.take("skill_candidate"), SKILL_FIELDS)?;
    skill.must_have(&["found"])?;
    top.moment("timestamp")?;
    let said_of_purpose = top.has("purpose_gap");
    let purpose_gap = top.text("purpose_gap")?;
    Ok(ReportFile {
        worker_id: top.required("worker_id")?,
        task_id: top.required("task_id")?,
        parent_cmd: top.text("parent_cmd")?,
        status: top.status("status")?,
        summary: result.required("summary")?,
        files_modified: result.list("files_modified")?,
        notes: result.text("notes")?,
        skill_candidate: SkillParam {
            found: skill.flag("found")?,
            name: skill.text("name")?,
            description: skill.text("description")?,
            reason: skill.text("reason")?,
        },
        purpose_met: said_of_purpose && purpose_gap.is_none(),
        purpose_gap,
        changed_files: details::changed_files(top.take("changed_files"))?,
        verification: details::verification(top.take("verification"))?,
        todo_scan: details::todo_scan(top.take("todo_scan"))?,
        commit_info: details::commit_info(top.take("commit_info"))?,
    })
}

/// The fields of one level, named with what stands above them.
pub(super) struct Fields {
    above: &'static str,
    line: usize,
    there: Vec<(String, Node)>,
}

impl Fields {
    pub(super) fn of(above: &'static str, node: Node, known: &[&str]) -> Result<Self, BadReport> {
        let what = if above.is_empty() { "a report" } else { above.trim_end_matches('.') };
        let Value::Map(there) = node.value else {
            return Err(bad(node.line, format!("{what} is a map of {}", known.join(", "))));
        };
        if let Some((name, unknown)) = there.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            let shown: String = name.chars().take(64).collect();
            let sentence =
                format!("`{above}{shown}` is no field of a report; {what} has {}", known.join(", "));
            return Err(bad(unknown.line, sentence));
        }
        Ok(Self { above, line: node.line, there })
    }

    /// Names everything that is missing, all at once.
    pub(super) fn must_have(&self, required: &[&str]) -> Result<(), BadReport> {
        let missing: Vec<String> = required
            .iter()
            .filter(|name| self.there.iter().all(|(there, _)| there != *name))
            .map(|name| format!("{}{name}", self.above))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let line = if self.above.is_empty() { None } else { Some(self.line) };
        Err(BadReport { sentence: format!("the report lacks {}", missing.join(", ")), line })
    }

    pub(super) fn take(&mut self, name: &str) -> Node {
        let absent = Node { line: self.line, value: Value::Null };
        match self.there.iter().position(|(there, _)| there == name) {
            Some(place) => self.there.swap_remove(place).1,
            None => absent,
        }
    }

    fn wrong(&self, name: &str, line: usize, wanted: &str) -> BadReport {
        bad(line, format!("`{}{name}` {wanted}", self.above))
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, BadReport> {
        let Node { line, value } = self.take(name);
        match value {
            Value::Null => Ok(None),
            Value::Plain(text) | Value::Quoted(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
            Value::List(_) | Value::Map(_) => Err(self.wrong(name, line, "is one text")),
        }
    }

    pub(super) fn required(&mut self, name: &str) -> Result<String, BadReport> {
        let line = self.line_of(name);
        self.text(name)?.ok_or_else(|| self.wrong(name, line, "is empty"))
    }

    fn line_of(&self, name: &str) -> usize {
        self.there.iter().find(|(there, _)| there == name).map_or(self.line, |(_, node)| node.line)
    }

    fn list(&mut self, name: &str) -> Result<Vec<String>, BadReport> {
        let Node { line, value } = self.take(name);
        let items = match value {
            Value::Null => return Ok(Vec::new()),
            Value::List(items) => items,
            _ => return Err(self.wrong(name, line, "is a list")),
        };
        items
            .into_iter()
            .map(|item| match item.value {
                Value::Plain(text) | Value::Quoted(text) => Ok(text),
                _ => Err(self.wrong(name, item.line, "is a list of texts")),
            })
            .collect()
    }

    /// A list of texts; one text alone counts as such a list, and a zero as none.
    pub(super) fn list_or_text(&mut self, name: &str) -> Result<Vec<String>, BadReport> {
        let is_list =
            self.there.iter().any(|(there, node)| there == name && matches!(node.value, Value::List(_)));
        if is_list {
            return self.list(name);
        }
        Ok(self.text(name)?.filter(|text| text != "0").into_iter().collect())
    }

    pub(super) fn number(&mut self, name: &str) -> Result<u32, BadReport> {
        let line = self.line_of(name);
        self.required(name)?.parse().map_err(|_| self.wrong(name, line, "is a number"))
    }

    pub(super) fn word<T: std::str::FromStr>(&mut self, name: &str, wanted: &str) -> Result<T, BadReport> {
        let line = self.line_of(name);
        self.required(name)?.parse().map_err(|_| self.wrong(name, line, wanted))
    }

    fn has(&self, name: &str) -> bool {
        self.there.iter().any(|(there, _)| there == name)
    }

    fn flag(&mut self, name: &str) -> Result<bool, BadReport> {
        let Node { line, value } = self.take(name);
        match value {
            Value::Plain(word) if word.eq_ignore_ascii_case("true") => Ok(true),
            Value::Plain(word) if word.eq_ignore_ascii_case("false") => Ok(false),
            _ => Err(self.wrong(name, line, "is true or false")),
        }
    }

    fn status(&mut self, name: &str) -> Result<ReportStatus, BadReport> {
        self.word(name, "is done, failed or blocked")
    }

    /// A time, with or without its distance from UTC. The log keeps its own: it says when the report arrived.
    fn moment(&mut self, name: &str) -> Result<(), BadReport> {
        let line = self.line_of(name);
        let given = self.required(name)?;
        let is_time = given.parse::<Time>().is_ok() || given.parse::<jiff::civil::DateTime>().is_ok();
        if is_time { Ok(()) } else { Err(self.wrong(name, line, "is a time such as 2026-01-31T09:30:00")) }
    }
}
