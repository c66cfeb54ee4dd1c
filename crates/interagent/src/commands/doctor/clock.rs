//! Repairing what was written with a clock that ran ahead.

use interagent_core::authority::OperatorAct;
use interagent_store::ClockAhead;
use interagent_wire::Time;
use serde_json::json;

use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// What a person runs. A clock that is behind now looks the same.
pub(super) const HELPS: &str =
    "if this machine's clock is right now: interagent doctor --clock; if it is behind, set it";

const HOUR_US: i64 = 3_600_000_000;

/// What a clock that ran ahead leads to, with both times.
pub(super) fn told(ahead: &ClockAhead, now: i64) -> String {
    let entries = match ahead.entries {
        1 => "its newest entry waits".to_owned(),
        many => format!("its newest {many} entries wait"),
    };
    let (until, now) = (interagent_core::line::moment(ahead.until), interagent_core::line::moment(now));
    format!(
        "the clock of this clone ran {} ahead: {entries} in other clones until {until} (this machine's clock: {now})",
        span(ahead.by)
    )
}

/// A span of more than a day, as roughly as a person says it.
fn span(micros: i64) -> String {
    let hours = micros.saturating_add(HOUR_US / 2) / HOUR_US;
    if hours < 72 { format!("{hours} hours") } else { format!("{} days", (hours + 12) / 24) }
}

/// Writes the overruled entries again. Only a person knows that the clock is right now.
pub(super) fn run(session: &mut Session) -> Result<ExitCode, CliError> {
    session.authorize(OperatorAct::RepairClock, "interagent doctor --clock")?;
    let store = session.hub()?.store();
    let ahead = store.clock_ahead()?;
    let (Some(ahead), Some(corrected)) = (ahead, store.correct_clock()?) else {
        let sentence = "no entry of this clone is from the future: there is nothing to repair";
        return Err(CliError::new(ErrorKind::Refused, sentence)
            .with_code("clock_right")
            .with_hint("interagent doctor"));
    };
    let seq = store.head()?.seq;
    let kept = corrected.kept_in.join("hub.db").display().to_string();
    match session.is_for_people() {
        true => {
            let words = match corrected.entries {
                1 => " the time of 1 entry; other clones get it with the next sync".to_owned(),
                many => format!(" the time of {many} entries; other clones get them with the next sync"),
            };
            session.printer.line(&[(Role::Good, "corrected"), (Role::Plain, &words)]);
            if corrected.others > 0 {
                let words =
                    format!(" {} entries of other clones are from the future too and wait", corrected.others);
                session.printer.line(&[(Role::Warning, "note:"), (Role::Plain, &words)]);
            }
            let back = format!("the store as it was: interagent restore {kept}");
            session.printer.exact(&[(Role::Quiet, &back)]);
        }
        false => session.document(
            seq,
            &json!({
                "entries": corrected.entries,
                "others": corrected.others,
                "ahead_until": Time(ahead.until),
                "kept": kept,
            }),
        ),
    }
    session.conclude(Done::Committed)
}
