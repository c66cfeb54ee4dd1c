//! What a sync did, in a few lines or as a document.

use std::path::PathBuf;

use interagent_mirror::files::{Effort, Followed};
use interagent_mirror::git::Report;
use interagent_operations::{AfterTakeIn, Conflict};
use serde_json::{Value, json};

use super::accept::Outcome;
use super::exchange::Exchanged;
use super::files::{self, entries};
use crate::commands::{replica, trust};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// Of a long list, the beginning is enough to begin with.
const SHOWN: usize = 10;

/// Everything that there is to say of a sync.
#[derive(Default)]
pub(super) struct Told {
    pub(super) exchanged: Option<Exchanged>,
    /// The new hub, and whose team it joined.
    pub(super) joined: Option<(PathBuf, String)>,
    /// There is no repository for the history to go to.
    pub(super) is_without_git: bool,
    pub(super) accepted: Vec<Outcome>,
}

impl Told {
    /// Writes the files that are missing, says all that was done, and ends the command.
    pub(super) fn conclude(self, session: &mut Session) -> Result<ExitCode, CliError> {
        // Nothing was decided about a copy, so nothing of it is written.
        let is_undecided = session.hub()?.store().doubt().is_some();
        let followed = match is_undecided {
            true => Followed::default(),
            false => {
                let progress = session.progress("writing files");
                let followed = session.write_files();
                drop(progress);
                followed?
            }
        };
        let findings = session.look_at_files(Effort::All)?;
        let arrived =
            self.exchanged.as_ref().map(|_| trust::waiting(session)).transpose()?.unwrap_or_default();
        let mut replicas = match self.exchanged.is_some() {
            true => replica::waiting(session)?,
            false => Vec::new(),
        };
        if self.joined.is_some() {
            replicas.extend(replica::accepted_by_joining(session)?);
        }
        if session.is_for_people() {
            self.tell(session);
            files::tell(session, &followed, &findings);
            for sentence in &replicas {
                session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, sentence)]);
            }
            for title in &arrived {
                let note = format!("{title} is not trusted yet: interagent trust");
                session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, &note)]);
            }
        } else {
            let seq = session.hub()?.store().head()?.seq;
            let mut document = self.document();
            document["files"] = files::document(&followed, &findings);
            document["untrusted"] = json!(arrived);
            document["replicas"] = json!(replicas);
            session.document(seq, &document);
        }
        session.conclude(if is_undecided { Done::Looked } else { Done::Committed })
    }

    fn tell(&self, session: &mut Session) {
        for outcome in &self.accepted {
            accepted(session, outcome);
        }
        if let Some((hub_dir, place)) = &self.joined {
            let words = format!(" the team of {place}: {}", hub_dir.display());
            session.printer.line(&[(Role::Good, "joined"), (Role::Plain, &words)]);
        }
        if let Some(exchanged) = &self.exchanged {
            history(session, &exchanged.history);
            merge(session, &exchanged.after);
        }
        if self.is_without_git {
            let quiet = "there is no git repository around the hub: its history stays on this machine";
            session.printer.line(&[(Role::Quiet, quiet)]);
        }
    }

    fn document(&self) -> Value {
        let outcome = |outcome: &Outcome| match &outcome.id {
            Ok(id) => json!({ "file": outcome.path, "id": id, "notes": outcome.notes }),
            Err(why) => json!({ "file": outcome.path, "refused": why }),
        };
        let conflict = |conflict: &Conflict| {
            json!({
                "entity": conflict.entity,
                "loser": conflict.loser,
                "winner": conflict.winner,
                "sentence": conflict.sentence,
                "shown_by": conflict.shown_by,
            })
        };
        let accepted: Vec<Value> = self.accepted.iter().map(outcome).collect();
        let history = self.exchanged.as_ref().map(|exchanged| &exchanged.history);
        let after = self.exchanged.as_ref().map(|exchanged| &exchanged.after);
        let conflicts: Vec<Value> =
            after.map_or(&[][..], |after| &after.conflicts).iter().map(conflict).collect();
        json!({
            "history": history,
            "conflicts": conflicts,
            "repairs": after.map_or(&[][..], |after| &after.repairs),
            "told": after.map_or(&[][..], |after| &after.told),
            "waiting": after.map_or(0, |after| after.waiting),
            "accepted": accepted,
        })
    }
}

fn accepted(session: &mut Session, outcome: &Outcome) {
    let file = format!(" {}", outcome.path);
    match &outcome.id {
        Ok(id) => session.printer.line(&[
            (Role::Good, "accepted"),
            (Role::Plain, &file),
            (Role::Plain, " as "),
            (Role::Plain, id),
        ]),
        Err(why) => session.printer.line(&[
            (Role::Bad, "not accepted"),
            (Role::Plain, &file),
            (Role::Plain, ": "),
            (Role::Plain, why),
        ]),
    }
    for note in &outcome.notes {
        session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, note)]);
    }
}

fn history(session: &mut Session, report: &Report) {
    let (word, words) = sentence(report);
    session.printer.line(&[(Role::Good, word), (Role::Plain, &words)]);
    if report.written.is_some() {
        let quiet = "the history goes with your commits: git add .interagent, git commit, git push";
        session.printer.line(&[(Role::Quiet, quiet)]);
    } else if report.remote.is_none() {
        let quiet = "there is no remote: git remote add origin URL, then interagent sync, shares it";
        session.printer.line(&[(Role::Quiet, quiet)]);
    }
    if report.held_back > 0 {
        let words = match report.held_back {
            1 => "1 text is not in git: interagent hold list".to_owned(),
            many => format!("{many} texts are not in git: interagent hold list"),
        };
        session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, &words)]);
    }
    for told in &report.notes {
        session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, told)]);
    }
    for problem in report.problems.iter().take(SHOWN) {
        session.printer.line(&[(Role::Bad, "left out: "), (Role::Plain, problem)]);
    }
    more(session, report.problems.len());
}

/// What came together, and did not fit.
fn merge(session: &mut Session, after: &AfterTakeIn) {
    if after.waiting > 0 {
        let words = match after.waiting {
            1 => "1 entry is from the future and waits for its time".to_owned(),
            many => format!("{many} entries are from the future and wait for their time"),
        };
        session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, &words)]);
    }
    for Conflict { entity, loser, sentence, shown_by, .. } in after.conflicts.iter().take(SHOWN) {
        let words = format!(" to {}: {sentence} ({shown_by})", loser.name);
        session.printer.line(&[(Role::Warning, "conflict: "), (Role::Id, entity), (Role::Plain, &words)]);
    }
    more(session, after.conflicts.len());
    for repair in after.repairs.iter().take(SHOWN) {
        session.printer.line(&[(Role::Warning, "settled: "), (Role::Plain, repair)]);
    }
    more(session, after.repairs.len());
    if !after.told.is_empty() {
        let mut names: Vec<&str> = after.told.iter().map(|who| who.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let words = format!("a message says so to {}", names.join(", "));
        session.printer.line(&[(Role::Quiet, &words)]);
    }
}

fn more(session: &mut Session, count: usize) {
    if count > SHOWN {
        let words = format!("{} more; --json has them all", count - SHOWN);
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

/// What was done, without what was not.
fn counted(did: &[(&str, u64)]) -> String {
    let done = did.iter().filter(|(_, count)| *count > 0);
    done.map(|(verb, count)| format!("{verb} {}", entries(*count))).collect::<Vec<_>>().join(", ")
}
