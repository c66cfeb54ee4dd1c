//! The team file compared with the team that was applied last.

use interagent_core::team::{TeamConfig, differences, parse};

use crate::error::{CliError, ErrorKind};
use crate::session::TEAM_FILE;

/// Applies the file.
const APPLY: &str = "interagent team take";
/// Pending edits that a refusal names.
const EDITS_NAMED: usize = 3;

/// How the file relates to the applied team.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TeamFile<'a> {
    /// Neither a file nor an applied team.
    None,
    /// A team was applied and its file is gone.
    Missing,
    /// It matches the applied team; comments don't count.
    Applied(&'a TeamConfig),
    /// It can't be applied: the number of problems.
    Faulty(usize),
    /// It has changes that nobody applied.
    Edited,
}

/// Something to report about the file, and the command that helps.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    pub(crate) sentence: String,
    pub(crate) command: &'static str,
}

impl<'a> TeamFile<'a> {
    /// Compares the text of the file with the applied team.
    pub(crate) fn of(text: Option<&str>, applied: Option<&'a TeamConfig>) -> Self {
        match (text.map(parse), applied) {
            (None, None) => Self::None,
            (None, Some(_)) => Self::Missing,
            (Some(Err(problems)), _) => Self::Faulty(problems.len()),
            (Some(Ok(written)), Some(applied)) if written == *applied => Self::Applied(applied),
            (Some(Ok(_)), _) => Self::Edited,
        }
    }

    /// Why an edit has no effect yet.
    pub(crate) fn pending(&self) -> Option<Pending> {
        let (sentence, command) = match self {
            Self::None | Self::Missing | Self::Applied(_) => return None,
            Self::Faulty(count) => {
                let problems = if *count == 1 { "problem" } else { "problems" };
                let sentence = format!("{TEAM_FILE} has {count} {problems} and is not applied");
                (sentence, "interagent team check")
            }
            Self::Edited => (format!("{TEAM_FILE} has changes that are not applied"), APPLY),
        };
        Some(Pending { sentence, command })
    }
}

/// Refuses to change a file that has pending edits: the change would apply them too.
pub(crate) fn must_be_applied(written: &TeamConfig, applied: Option<&TeamConfig>) -> Result<(), CliError> {
    let edits = applied.map(|applied| differences(applied, written)).unwrap_or_default();
    if edits.is_empty() {
        return Ok(());
    }
    let mut named = edits[..edits.len().min(EDITS_NAMED)].join("; ");
    if edits.len() > EDITS_NAMED {
        named.push_str(&format!("; and {} more", edits.len() - EDITS_NAMED));
    }
    let sentence = format!("{TEAM_FILE} has edits that are not applied: {named}");
    Err(CliError::new(ErrorKind::Refused, sentence)
        .with_code("team_file_edited")
        .with_hint(format!("{APPLY} applies them; then run this command again")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_edits_and_faults_are_pending() {
        let text = "project = \"a\"\nformation = \"peers\"\n[agents.claude]\nprofile = \"claude\"\n";
        let parsed = parse(text).unwrap();
        let applied = Some(&parsed);
        let commented = format!("# ours\n{text}");
        let edited = text.replace("\"a\"", "\"b\"");
        let cases = [
            (None, None, None),
            (None, applied, None),
            (Some(commented.as_str()), applied, None),
            (Some(edited.as_str()), applied, Some("interagent team take")),
            (Some(text), None, Some("interagent team take")),
            (Some("project = 1"), applied, Some("interagent team check")),
        ];
        for (text, applied, command) in cases {
            let pending = TeamFile::of(text, applied).pending();
            assert_eq!(pending.map(|pending| pending.command), command, "{text:?}");
        }
    }
}
