//! Writing the record out.
//!
//! Owns the command: who may, where it goes, and that nothing is overwritten unasked. The formats are the mirror's.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use interagent_core::authority::OperatorAct;
use interagent_mirror::export::{self, ExportError, Exported, Secrets, Wanted};
use serde_json::json;

use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;
use crate::ui::printer::{Form, Printer};
use crate::values::Moment;

/// What is written to the terminal or a pipe at once.
const PIECE_BYTES: usize = 64 * 1024;
/// What everybody wrote is for its owner's eyes.
const FILE_MODE: u32 = 0o600;

/// Writes the whole record out: for other tools, or for people to read.
///
/// jsonl has every line of the log byte for byte, each followed by the texts it points to; md has tasks and
/// conversations, oldest first. Texts that look like secrets are left out.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent export --format md --out record.md\n  interagent export --format jsonl --since 7d > week.jsonl"
)]
pub(crate) struct Export {
    /// jsonl for programs, md for people.
    #[arg(long, value_name = "FORMAT")]
    format: Format,
    /// Into this file; one that exists is left alone. Without it, to the standard output.
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Only what happened then or later: a length (7d ago) or a time.
    #[arg(long, value_name = "WHEN")]
    since: Option<Moment>,
    /// Write texts that look like secrets too.
    #[arg(long)]
    with_secrets: bool,
    /// Replace the file that is there.
    #[arg(long)]
    force: bool,
}

/// The formats by their names.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Jsonl,
    Md,
}

impl Export {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        session.authorize(OperatorAct::Export, "interagent export")?;
        let wanted = Wanted {
            format: match self.format {
                Format::Jsonl => export::Format::Jsonl,
                Format::Md => export::Format::Markdown,
            },
            since: self.since.map(|since| since.ago().0),
            secrets: if self.with_secrets { Secrets::Included } else { Secrets::HeldBack },
        };
        if wanted.format == export::Format::Jsonl
            && let Err(error) = session.hub()?.store().sign()
        {
            let words = format!("warning: {error}; the export has no new signature");
            session.printer.note(Role::Warning, &words);
        }
        match &self.out {
            Some(path) => into_file(session, path, self.force, &wanted),
            None if !session.is_for_people() => {
                let sentence = "--json tells about a file: name it with --out";
                Err(CliError::new(ErrorKind::Usage, sentence)
                    .with_hint("--format jsonl writes JSON to the standard output by itself"))
            }
            None => to_output(session, &wanted),
        }
    }
}

/// Beside the file first, so that one that is there is whole or replaced, and never half.
fn into_file(session: &mut Session, path: &Path, force: bool, wanted: &Wanted) -> Result<ExitCode, CliError> {
    if fs::symlink_metadata(path).is_ok() && !force {
        let sentence = format!("`{}` exists and is left alone", path.display());
        return Err(CliError::new(ErrorKind::Conflict, sentence)
            .with_code("file_exists")
            .with_hint("choose another name, or replace it with --force"));
    }
    let failed = |source: io::Error| {
        CliError::new(ErrorKind::Unavailable, format!("`{}` can't be written", path.display()))
            .with_source(source)
    };
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = PathBuf::from(beside);
    let file =
        OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&beside).map_err(failed)?;
    let progress = session.progress("exporting");
    let mut out = BufWriter::new(file);
    let store = session.hub()?.store();
    let written = export::export(store, wanted, &mut out, &mut |done, total| progress.tell(done, total));
    drop(progress);
    let done = written.map_err(told).and_then(|done| {
        out.get_ref().sync_all().and_then(|()| fs::rename(&beside, path)).map_err(failed)?;
        Ok(done)
    });
    if done.is_err() {
        // What is half is of no use to anybody.
        let _ = fs::remove_file(&beside);
    }
    let done = done?;
    let seq = session.hub()?.store().head()?.seq;
    match session.is_for_people() {
        true => tell(session, path, wanted, &done),
        false => session.document(seq, &json!({ "file": path.display().to_string(), "written": done })),
    }
    session.conclude(Done::Committed)
}

fn tell(session: &mut Session, path: &Path, wanted: &Wanted, done: &Exported) {
    let what = match (wanted.format, done.entries) {
        (export::Format::Jsonl, 1) => "entry",
        (export::Format::Jsonl, _) => "entries",
        (export::Format::Markdown, 1) => "message",
        (export::Format::Markdown, _) => "messages",
    };
    let texts = if done.texts == 1 { "text" } else { "texts" };
    let words = format!(" {} {what} and {} {texts} to {}", done.entries, done.texts, path.display());
    session.printer.line(&[(Role::Good, "exported"), (Role::Plain, &words)]);
    if done.held > 0 {
        let looks = if done.held == 1 {
            "text looks like a secret and is"
        } else {
            "texts look like secrets and are"
        };
        let words = format!("{} {looks} not in it: interagent hold list", done.held);
        session.printer.line(&[(Role::Warning, &words)]);
    }
}

fn to_output(session: &mut Session, wanted: &Wanted) -> Result<ExitCode, CliError> {
    let mut hub = session.take_hub()?;
    let shown = session.env.terminals.stdout.then_some(match wanted.format {
        export::Format::Jsonl => Form::Json,
        export::Format::Markdown => Form::People,
    });
    let mut out = Pieces { printer: &mut session.printer, piece: Vec::with_capacity(PIECE_BYTES), shown };
    let written = export::export(hub.store(), wanted, &mut out, &mut |_, _| {});
    session.use_hub(hub);
    match written {
        // Whoever read it has seen enough.
        Err(ExportError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            session.conclude(Done::Looked)
        }
        other => {
            other.map_err(told)?;
            session.conclude(Done::Looked)
        }
    }
}

fn told(error: ExportError) -> CliError {
    match error {
        ExportError::Store(error) => error.into(),
        ExportError::Write(source) => {
            CliError::new(ErrorKind::Unavailable, "the export can't be written").with_source(source)
        }
    }
}

/// The door to the standard output, in pieces.
struct Pieces<'p> {
    printer: &'p mut Printer<'static>,
    piece: Vec<u8>,
    /// How a terminal gets it; a file or pipe gets every byte.
    shown: Option<Form>,
}

impl Pieces<'_> {
    /// Whole lines only, so that no character is cut.
    fn show(&mut self, form: Form) {
        let whole = self.piece.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let rest = self.piece.split_off(whole);
        let lines = std::mem::replace(&mut self.piece, rest);
        self.printer.piece(&String::from_utf8_lossy(&lines), form);
    }
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.shown {
            Some(form) => self.show(form),
            None => {
                self.printer.raw(&self.piece);
                self.piece.clear();
            }
        }
        match self.printer.flush() {
            Ok(crate::ui::printer::Written::ReaderLeft) => Err(io::ErrorKind::BrokenPipe.into()),
            Ok(_) => Ok(()),
            Err(_) => Err(io::Error::other("the standard output takes nothing more")),
        }
    }
}
