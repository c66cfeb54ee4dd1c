//! What a sync did, in a few lines.

use std::path::Path;

use interagent_mirror::git::Report;

use crate::session::Session;
use crate::ui::look::Role;

/// Of a long list, the beginning is enough to begin with.
const SHOWN: usize = 10;

pub(super) fn tell(session: &mut Session, report: &Report, joined: Option<(&Path, &str)>) {
    if let Some((hub_dir, place)) = joined {
        let words = format!(" the team of {place}: {}", hub_dir.display());
        session.printer.line(&[(Role::Good, "joined"), (Role::Plain, &words)]);
    }
    let (word, words) = sentence(report);
    session.printer.line(&[(Role::Good, word), (Role::Plain, &words)]);
    if report.written.is_some() {
        let quiet = "the history goes with your commits: git add .interagent, git commit, git push";
        session.printer.line(&[(Role::Quiet, quiet)]);
    } else if report.remote.is_none() {
        let quiet = "there is no remote: git remote add origin URL, then interagent sync, shares it";
        session.printer.line(&[(Role::Quiet, quiet)]);
    }
    let mut note = |count: u64, one: &str, many: &str| {
        if count > 0 {
            let words = format!("{} {}", count, if count == 1 { one } else { many });
            session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, &words)]);
        }
    };
    note(
        report.waiting,
        "entry is from the future and waits for its time",
        "entries are from the future and wait for their time",
    );
    note(report.held_back, "text is not in git", "texts are not in git");
    for told in &report.notes {
        session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, told)]);
    }
    for void in report.void.iter().take(SHOWN) {
        let words = format!(": {} (interagent log show {})", void.reason, void.entity);
        session.printer.line(&[
            (Role::Warning, "counts for nothing: "),
            (Role::Id, &void.entity),
            (Role::Plain, &words),
        ]);
    }
    for problem in report.problems.iter().take(SHOWN) {
        session.printer.line(&[(Role::Bad, "left out: "), (Role::Plain, problem)]);
    }
    let more = report.void.len().saturating_sub(SHOWN) + report.problems.len().saturating_sub(SHOWN);
    if more > 0 {
        let words = format!("{more} more; --json has them all");
        session.printer.line(&[(Role::Quiet, &words)]);
    }
}

fn sentence(report: &Report) -> (&'static str, String) {
    if let Some(written) = report.written {
        let did = counted(&[("took in", report.taken_in), ("wrote", written)]);
        return match did.is_empty() {
            true => ("nothing new", ": the files in .interagent/log have everything".to_owned()),
            false => ("synced", format!(" with the files in .interagent/log: {did}")),
        };
    }
    let Some(remote) = &report.remote else {
        return match report.committed {
            0 => ("nothing new", ": the branch interagent has everything".to_owned()),
            count => ("committed", format!(" {} on the branch interagent", entries(count))),
        };
    };
    let did = counted(&[("took in", report.taken_in), ("sent", report.sent)]);
    match did.is_empty() {
        true => ("nothing new", format!(": {remote} and this clone have the same")),
        false => ("synced", format!(" with {remote}: {did}")),
    }
}

fn entries(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

/// What was done, without what was not.
fn counted(did: &[(&str, u64)]) -> String {
    let done = did.iter().filter(|(_, count)| *count > 0);
    done.map(|(verb, count)| format!("{verb} {}", entries(*count))).collect::<Vec<_>>().join(", ")
}
