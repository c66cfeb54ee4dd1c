//! A text that a person writes in their own editor.
//!
//! Owns the file it is written in: only its owner reads it, it lies in the hub's state directory, and it stays there
//! when what was written could not be sent.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::error::{CliError, ErrorKind};
use crate::input;
use crate::session::Session;
use crate::ui::harmless::{Lines, harmless};

/// From this line on everything is left out. Not every line with `#`: those are headings in Markdown.
const SCISSORS: &str = "# ------------------------ >8 ------------------------";

/// A text that was written, and where it is kept until it has arrived.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) text: String,
    path: PathBuf,
}

/// Whether a person is there who could use an editor.
pub(crate) fn is_possible(session: &mut Session) -> bool {
    let terminals = session.env.terminals;
    // The shell of an agent may have a terminal; the agent could not leave an editor.
    terminals.stdin && terminals.stdout && session.is_operator()
}

/// Opens the editor with a template that says what is written.
pub(crate) fn compose(session: &mut Session, about: &str) -> Result<Draft, CliError> {
    let Some(editor) = session.env.editor.clone() else {
        return Err(CliError::new(ErrorKind::Usage, "there is no text")
            .with_hint("give it as an argument, with - from standard input, or with --file FILE")
            .with_hint("with VISUAL or EDITOR set, it is written in that editor"));
    };
    let path = session.hub()?.state_dir().join(format!("draft-{}.md", std::process::id()));
    make(&path, &template(about)).map_err(|source| unwritable(&path, source))?;
    edit(&editor, &path, "give the text with -m").inspect_err(|_| discard(&path))?;
    let written = input::from_file(&path)
        .map_err(|error| error.with_hint(format!("what you wrote is kept: {}", path.display())))?;
    let text = kept(&written).to_owned();
    if text.trim().is_empty() {
        discard(&path);
        return Err(
            CliError::new(ErrorKind::Refused, "nothing was sent: the text is empty").with_code("cancelled")
        );
    }
    Ok(Draft { text, path })
}

/// Opens the editor with a document to fill in; one that was left as it was sends nothing.
pub(crate) fn fill_in(session: &mut Session, document: &str) -> Result<Draft, CliError> {
    let Some(editor) = session.env.editor.clone() else {
        return Err(CliError::new(ErrorKind::Usage, "there is nothing to report")
            .with_hint("give it as options, with - from standard input, or with --file FILE")
            .with_hint("with VISUAL or EDITOR set, it is written in that editor"));
    };
    let path = session.hub()?.state_dir().join(format!("draft-{}.yaml", std::process::id()));
    make(&path, document).map_err(|source| unwritable(&path, source))?;
    edit(&editor, &path, "give the report as options or with --file FILE").inspect_err(|_| discard(&path))?;
    let text = input::from_file(&path)
        .map_err(|error| error.with_hint(format!("what you wrote is kept: {}", path.display())))?;
    if text.trim().is_empty() || text == document {
        discard(&path);
        return Err(CliError::new(ErrorKind::Refused, "nothing was sent: the document is as it was")
            .with_code("cancelled"));
    }
    Ok(Draft { text, path })
}

impl Draft {
    /// Removes the file once its text has arrived; otherwise says where it is.
    pub(crate) fn settle<T>(self, outcome: Result<T, CliError>) -> Result<T, CliError> {
        match outcome {
            Ok(done) => {
                discard(&self.path);
                Ok(done)
            }
            Err(error) => Err(match fs::write(&self.path, &self.text) {
                Ok(()) => error.with_hint(format!("your text is kept: --file {}", self.path.display())),
                Err(_) => error,
            }),
        }
    }
}

fn template(about: &str) -> String {
    let about = harmless(about, Lines::One);
    format!(
        "\n\n{SCISSORS}\n# {about}\n# Write it above, in Markdown. This and everything below is left out.\n# An empty text sends nothing.\n"
    )
}

/// What stands above the line that cuts.
fn kept(text: &str) -> &str {
    let end = match text.starts_with(SCISSORS) {
        true => Some(0),
        false => text.find(&format!("\n{SCISSORS}")),
    };
    text[..end.unwrap_or(text.len())].trim_end()
}

fn make(path: &Path, text: &str) -> io::Result<()> {
    // A left-over of a process that had our number and died.
    let _ = fs::remove_file(path);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

/// The variable is a command with options, as everywhere; so a shell reads it, and only it. `instead` is the other way to say
/// the same.
fn edit(editor: &str, path: &Path, instead: &str) -> Result<(), CliError> {
    let mut command = Command::new("sh");
    let ended = command.arg("-c").arg(format!("{editor} \"$@\"")).arg("sh").arg(path).status();
    let failed = |how: String| {
        CliError::new(ErrorKind::Unavailable, format!("the editor `{editor}` {how}, so nothing was sent"))
            .with_code("editor_failed")
            .with_hint(format!("set VISUAL or EDITOR to one that works, or {instead}"))
    };
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(how_it_ended(status))),
        Err(source) => Err(failed("can't be started".to_owned()).with_source(source)),
    }
}

fn how_it_ended(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("ended with exit code {code}"),
        None => "was stopped".to_owned(),
    }
}

fn discard(path: &Path) {
    // It is one's own, and only a left-over when it stays.
    let _ = fs::remove_file(path);
}

fn unwritable(path: &Path, source: io::Error) -> CliError {
    CliError::new(ErrorKind::Unavailable, format!("cannot write `{}`", path.display())).with_source(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_stay_and_what_is_below_the_line_goes() {
        let written = template("A message to kimi.").replacen("\n", "# Plan\n\n- one\n", 1);
        assert_eq!(kept(&written), "# Plan\n\n- one");
        assert_eq!(kept(&template("A message to kimi.")), "");
        assert_eq!(kept(SCISSORS), "");
        assert_eq!(kept("no line at all\n"), "no line at all");
    }

    #[test]
    fn a_hostile_name_does_not_leave_the_comment() {
        assert_eq!(template("to a\nrm -rf").lines().filter(|line| !line.starts_with('#')).count(), 2);
    }
}
