//! Bringing the hub's folder up to date with the log, and drafts in it into the log.
//!
//! Owns the command and what it tells. What the files say and how they are written is `mirror`'s.

mod accept;

use clap::Args;
use interagent_mirror::files::{Draft, Findings, Followed};
use serde_json::{Value, json};

use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// More entries than one command brings into files.
const MANY: i64 = 64;

/// Writes missing readable files, and takes drafts into the log.
///
/// A file in `tasks/active/` or `messages/pending/` of the hub that the program did not write is a draft. It is listed here and
/// by `interagent status`, and enters the log only when it is accepted.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent sync\n  interagent sync --accept\n  interagent sync --accept tasks/active/idea.json"
)]
pub(crate) struct Sync {
    /// Take drafts into the log: all of them, or those in these files.
    #[arg(long, value_name = "FILE", num_args = 0..)]
    accept: Option<Vec<String>>,
}

impl Sync {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let accepted = match &self.accept {
            Some(files) => accept::accept(session, files)?,
            None => Vec::new(),
        };
        let progress = session.progress("writing files");
        let followed = session.write_files();
        drop(progress);
        let followed = followed?;
        let findings = session.look_at_files()?;
        match session.is_for_people() {
            true => tell(session, &followed, &findings, &accepted),
            false => {
                let seq = session.hub()?.store().head()?.seq;
                session.document(seq, &document(&followed, &findings, &accepted));
            }
        }
        let code = session.conclude(Done::Committed)?;
        let refused = accepted.iter().any(|outcome| outcome.id.is_err());
        Ok(if refused { ExitCode::Refused } else { code })
    }
}

fn tell(session: &mut Session, followed: &Followed, findings: &Findings, accepted: &[accept::Outcome]) {
    for outcome in accepted {
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
    }
    let what = match followed {
        Followed { busy: true, .. } => ": another process writes them".to_owned(),
        Followed { written: 0, removed: 0, .. } => ": up to date".to_owned(),
        Followed { written, removed: 0, .. } => format!(": {written} written"),
        Followed { written, removed, .. } => format!(": {written} written, {removed} removed"),
    };
    session.printer.line(&[(Role::Good, "files"), (Role::Plain, &what)]);
    for note in notes(findings) {
        session.printer.line(&[(Role::Quiet, "note: "), (Role::Plain, &note)]);
    }
    if !findings.drafts.is_empty() {
        session.suggest(&["interagent sync --accept"]);
    }
}

/// What people should know of the files, a sentence for each.
pub(crate) fn notes(findings: &Findings) -> Vec<String> {
    let Findings { edited, kept, drafts, malformed, troubles, behind, .. } = findings;
    let mut notes = troubles.clone();
    // A few are brought by the next command that writes.
    if *behind > MANY || (*behind > 0 && !troubles.is_empty()) {
        notes.push(format!("the readable files are behind by {}: interagent sync", entries(*behind)));
    }
    notes.extend(edited.iter().map(|file| {
        format!("{file} was changed by hand; interagent sync writes it again and keeps the change as {file}.edited")
    }));
    notes.extend(
        kept.iter().map(|file| format!("{file} keeps a change by hand; remove it when it is not needed")),
    );
    notes.extend(drafts.iter().map(|draft| {
        let noun = if matches!(draft, Draft::Task(_)) { "task" } else { "message" };
        format!("{0} is a draft of a {noun}: interagent sync --accept {0}", draft.path())
    }));
    notes.extend(
        malformed.iter().map(|file| format!("{} is no draft that can be accepted: {}", file.path, file.why)),
    );
    notes
}

fn entries(number: i64) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") }
}

fn document(followed: &Followed, findings: &Findings, accepted: &[accept::Outcome]) -> Value {
    let drafts: Vec<Value> = findings.drafts.iter().map(draft).collect();
    let malformed: Vec<Value> =
        findings.malformed.iter().map(|file| json!({ "file": file.path, "why": file.why })).collect();
    let accepted: Vec<Value> = accepted
        .iter()
        .map(|outcome| match &outcome.id {
            Ok(id) => json!({ "file": outcome.path, "id": id }),
            Err(why) => json!({ "file": outcome.path, "refused": why }),
        })
        .collect();
    json!({
        "accepted": accepted,
        "files": {
            "busy": followed.busy,
            "written": followed.written,
            "removed": followed.removed,
            "edited": findings.edited,
            "kept": findings.kept,
            "drafts": drafts,
            "malformed": malformed,
            "troubles": findings.troubles,
            "behind": findings.behind,
        },
    })
}

fn draft(draft: &Draft) -> Value {
    match draft {
        Draft::Task(task) => {
            json!({ "file": task.path, "kind": "task", "alias": task.alias, "title": task.title })
        }
        Draft::Message(message) => {
            json!({ "file": message.path, "kind": "message", "alias": message.alias, "to": message.to })
        }
    }
}
