//! The full scan: every report of a superior's subordinates since its last turn, whatever its mail says.
//!
//! A superior that is woken looks at all of them. How far it has seen is a mark of this machine; it moves when the session
//! shows that it has what it was told.

use std::cmp::Reverse;

use interagent_core::briefing::{Count, Listed, ReportLine};
use interagent_core::entity::Agent;
use interagent_core::event::Micros;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_store::reader::{Reader, Reported};
use interagent_store::{StoreError, Writer};

use crate::names::Names;

/// Marks of how far somebody has seen the reports.
const SEEN: &str = "reports.seen";
/// Reports that are told line by line; more of them fit into no text. The others are a number.
const LINES: u32 = 30;

/// Reports that somebody has not seen.
pub(crate) struct Scan {
    lines: Vec<ReportLine>,
    counted: u32,
    /// Up to which report this is.
    pub(crate) upto: Micros,
}

impl Scan {
    /// For a text.
    pub(crate) fn listed(&self) -> Listed<'_, ReportLine> {
        let count = Count::up_to(self.counted as usize, limits::COUNTED as usize);
        Listed { first: &self.lines, count }
    }
}

/// What is new for a superior; nothing for everybody else. Asked at every prompt: where none of the new reports is of its
/// subordinates, no report is read.
pub(crate) fn since_last_turn(reader: &mut Reader<'_>, agent: &Agent) -> Result<Option<Scan>, Refusal> {
    let Some(newest) = reader.newest_report()? else { return Ok(None) };
    let seen = seen(reader, agent)?;
    if newest <= seen {
        return Ok(None);
    }
    let Some(team) = reader.team()?.map(|team| team.config) else { return Ok(None) };
    let (mut counted, mut found) = (0_u32, Vec::new());
    for name in team.agents.keys().filter(|name| rules::superior(&team, name) == Some(&agent.name)) {
        for worker in reader.ids_named(name.as_str())? {
            let count = reader.count_reports_of(&worker, seen, limits::COUNTED)?;
            if count > 0 {
                counted = counted.saturating_add(count);
                found.extend(reader.reports_of(&worker, seen, LINES)?.into_iter().map(|one| (name, one)));
            }
        }
    }
    if counted == 0 {
        return Ok(None);
    }
    found.sort_by_key(|(_, one)| Reverse(one.report.when.at));
    found.truncate(LINES as usize);
    let mut names = Names::new(reader);
    let mut lines = Vec::with_capacity(found.len());
    for (worker, Reported { task, report }) in &found {
        lines.push(ReportLine {
            task: task.id.clone(),
            title: names.line(&task.brief.title)?,
            worker: worker.to_string(),
            status: report.report.status,
            summary: names.line(&report.report.summary)?,
            has_gap: report.report.purpose_gap.is_some(),
        });
    }
    Ok(Some(Scan { lines, counted, upto: newest }))
}

fn seen(reader: &mut Reader<'_>, agent: &Agent) -> Result<Micros, StoreError> {
    Ok(reader.mark(SEEN, agent.id.as_str())?.and_then(|at| at.parse().ok()).unwrap_or_default())
}

/// Notes that somebody has seen the reports up to one.
pub(crate) fn has_seen(writer: &mut Writer<'_, '_>, agent: &Agent, upto: Micros) -> Result<(), StoreError> {
    if seen(&mut writer.look(), agent)? < upto {
        writer.put_mark(SEEN, agent.id.as_str(), &upto.to_string())?;
    }
    Ok(())
}
