//! Standard output and standard error.
//!
//! Owns writing: one buffer, one flush, and what it means when a write fails. Does not decide what is printed.

use std::io::{self, BufWriter, ErrorKind, Write};

use interagent_core::harmless::{BRACKET, tags};
use serde::Serialize;

use super::harmless::{Lines, escape_json, harmless};
use super::line::{Hang, Line};
use super::look::{ColourChoice, Look, Role, UNBOUNDED};
use super::pager::Pager;
use super::table::Table;
use super::wrap::wrap;
use crate::config::env::Env;
use crate::error::{self, CliError};

/// Output is collected up to this much, so that a listing is a few system calls and not one per line.
const BUFFER_BYTES: usize = 64 * 1024;

/// How the writing of an answer ended.
#[must_use = "a hand-over counts only when its answer was written whole"]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    Whole,
    /// The reader closed its end, as `head` does. For a listing this is success; what was to be handed over was not.
    ReaderLeft,
}

/// The answer could not be written, for instance because the disk behind standard output is full.
///
/// A listing that fails this way ends with exit code 5. A command that has committed something reports this on standard
/// error and still ends with 0: exit 0 says that it is durable, and a repeated send would be a second message.
#[derive(Debug)]
pub(crate) struct OutputError(io::Error);

/// Which form answers and errors take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Tables and sentences.
    People,
    /// `--json`: exactly one document on standard output.
    Json,
}

/// The one door to the terminal.
///
/// Writing never fails in the middle: the first failure is kept, later writes do nothing, and [`Printer::finish`] tells.
/// A standard output that was closed before the start is opened to `/dev/null` by the runtime and behaves like it.
pub(crate) struct Printer<'a> {
    out: BufWriter<Box<dyn Write + 'a>>,
    err: Box<dyn Write + 'a>,
    form: Form,
    look: Look,
    err_look: Look,
    failure: Option<io::Error>,
    /// Standard output is the null device, or was closed before we began: what is written reaches nobody.
    nobody_reads: bool,
    /// A model reads the answer: tags in which clients wrap words of their own are escaped.
    escapes_tags: bool,
    /// Where a pager may show the answer: what was written since the last flush.
    held: Option<(Pager, Vec<u8>)>,
}

impl Printer<'static> {
    /// The printer of this process.
    pub(crate) fn for_process(env: &Env, form: Form, choice: ColourChoice) -> Self {
        let mut printer = Self::new(Box::new(io::stdout()), Box::new(io::stderr()), form);
        printer.look = Look::for_stdout(env, choice);
        printer.err_look = Look::for_stderr(env, choice);
        printer.nobody_reads = env.terminals.stdout_is_null;
        printer
    }
}

impl<'a> Printer<'a> {
    /// A printer without colour and width.
    pub(crate) fn new(out: Box<dyn Write + 'a>, err: Box<dyn Write + 'a>, form: Form) -> Self {
        let out = BufWriter::with_capacity(BUFFER_BYTES, out);
        Self {
            out,
            err,
            form,
            look: Look::PLAIN,
            err_look: Look::PLAIN,
            failure: None,
            nobody_reads: false,
            escapes_tags: false,
            held: None,
        }
    }

    /// Lets [`Printer::page`] show answers in a pager; until then they are held back.
    pub(crate) fn allow(&mut self, pager: Option<Pager>) {
        self.held = pager.filter(|_| self.form == Form::People).map(|pager| (pager, Vec::new()));
    }

    /// Whether [`Printer::page`] would show what was written so far in a pager.
    pub(crate) fn needs_pager(&self) -> bool {
        self.held.as_ref().is_some_and(|(pager, answer)| pager.is_needed_for(answer))
    }

    /// Shows no pager in this run.
    pub(crate) fn forget_pager(&mut self) {
        let held = self.held.take().map(|(_, answer)| answer).unwrap_or_default();
        self.write_out(&held);
    }

    /// Prepares for a model as the reader of what others wrote.
    pub(crate) fn for_agent(&mut self) {
        self.escapes_tags = true;
    }

    /// The same with another look.
    pub(crate) fn with_look(mut self, look: Look) -> Self {
        self.look = look;
        self
    }

    pub(crate) fn form(&self) -> Form {
        self.form
    }

    pub(crate) fn look(&self) -> Look {
        self.look
    }

    /// One line from pieces; each is made harmless and coloured by its role. Where it is wider than the screen it
    /// goes on below, further in than it began.
    pub(crate) fn line(&mut self, pieces: &[(Role, &str)]) {
        let rendered = Line::of(pieces).render(self.look, Hang::FurtherIn);
        self.show(&rendered);
    }

    /// The same for a line whose text stands in a column: it goes on in that column.
    pub(crate) fn hanging(&mut self, column: usize, pieces: &[(Role, &str)]) {
        let rendered = Line::of(pieces).render(self.look, Hang::At(column));
        self.show(&rendered);
    }

    /// One line that is copied or read by its first column, such as a command or a line of a change: never broken.
    pub(crate) fn exact(&mut self, pieces: &[(Role, &str)]) {
        let rendered = Line::of(pieces).render(Look { width: UNBOUNDED, ..self.look }, Hang::FurtherIn);
        self.show(&rendered);
    }

    /// Prose or a body, wrapped to the width after `indent` spaces.
    pub(crate) fn text(&mut self, text: &str, indent: usize) {
        let mut wrapped = wrap(&harmless(text, Lines::Many), self.look.width, indent);
        wrapped.push('\n');
        self.show(&wrapped);
    }

    pub(crate) fn table<const COLUMNS: usize>(&mut self, table: &Table<COLUMNS>) {
        self.show(&table.render(self.look));
    }

    /// One document on one line. Characters that could drive a terminal are escaped, so nothing is lost.
    pub(crate) fn json(&mut self, document: &impl Serialize) {
        match serde_json::to_string(document) {
            Ok(text) => {
                self.show_json(&escape_json(&text));
                self.write(b"\n");
            }
            Err(error) => self.fail(error.into()),
        }
    }

    /// Bytes of a protocol or an export, exactly as they are. Never for text that a person reads.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.write(bytes);
    }

    /// A piece of a text that others wrote, as a terminal may get it: a document for people, or lines of JSON.
    pub(crate) fn piece(&mut self, text: &str, form: Form) {
        match form {
            Form::People => self.show(&harmless(text, Lines::Many)),
            Form::Json => self.show_json(&escape_json(text)),
        }
    }

    /// Writes what people read.
    fn show(&mut self, shown: &str) {
        match self.escapes_tags {
            true => self.write(tags(shown, BRACKET).as_bytes()),
            false => self.write(shown.as_bytes()),
        }
    }

    /// Writes JSON. With its own escapes it stays the same document.
    fn show_json(&mut self, shown: &str) {
        match self.escapes_tags {
            true => self.write(tags(shown, "\\u003c").as_bytes()),
            false => self.write(shown.as_bytes()),
        }
    }

    /// A remark for people on standard error: it never mixes with an answer.
    pub(crate) fn note(&mut self, role: Role, text: &str) {
        let text = harmless(text, Lines::One);
        let text = if self.escapes_tags { tags(&text, BRACKET) } else { text };
        let line = self.err_look.paint(role, &text);
        // There is nobody left to tell when standard error can't be written.
        let _ = writeln!(self.err, "{line}");
    }

    /// Shows why the command failed: lines on standard error, or with `--json` the document on standard output.
    pub(crate) fn error(&mut self, error: &CliError) {
        match self.form {
            Form::Json => self.json(&error.document()),
            Form::People => {
                for line in error.lines() {
                    let role = if line.starts_with("error:") { Role::Bad } else { Role::Quiet };
                    self.note(role, &line);
                }
            }
        }
    }

    /// Hands over a whole answer: in the pager where there is one and the screen is too small, otherwise as it is.
    pub(crate) fn page(&mut self) -> Result<Written, OutputError> {
        if let Some((pager, answer)) = &mut self.held
            && pager.is_needed_for(answer)
            && let Some(written) = pager.show(answer)
        {
            answer.clear();
            return Ok(written);
        }
        self.flush()
    }

    /// Hands over what was collected so far, for output that goes on.
    pub(crate) fn flush(&mut self) -> Result<Written, OutputError> {
        let held = self.held.as_mut().map(|(_, answer)| std::mem::take(answer)).unwrap_or_default();
        self.write_out(&held);
        if self.failure.is_none()
            && let Err(error) = self.out.flush()
        {
            self.fail(error);
        }
        match &self.failure {
            None if self.nobody_reads => Ok(Written::ReaderLeft),
            None => Ok(Written::Whole),
            Some(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Written::ReaderLeft),
            Some(error) => Err(OutputError(copy_of(error))),
        }
    }

    /// Writes what is left and tells how it went.
    pub(crate) fn finish(mut self) -> Result<Written, OutputError> {
        self.flush()
    }

    fn write(&mut self, bytes: &[u8]) {
        match &mut self.held {
            Some((_, answer)) => answer.extend_from_slice(bytes),
            None => self.write_out(bytes),
        }
    }

    fn write_out(&mut self, bytes: &[u8]) {
        if self.failure.is_none()
            && let Err(error) = self.out.write_all(bytes)
        {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.failure = Some(error);
        // What is still in the buffer would be tried again when the printer is dropped.
        let abandoned = BufWriter::with_capacity(0, Box::new(io::sink()) as Box<dyn Write + 'a>);
        let _ = std::mem::replace(&mut self.out, abandoned).into_parts();
    }
}

fn copy_of(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

impl From<OutputError> for CliError {
    fn from(OutputError(source): OutputError) -> Self {
        Self::new(error::ErrorKind::Unavailable, "the answer could not be written to standard output")
            .with_code("output_failed")
            .with_source(source)
            .with_hint("check where the output goes: the disk may be full")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;

    fn printed(form: Form, print: impl FnOnce(&mut Printer<'_>)) -> (String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut printer = Printer::new(Box::new(&mut out), Box::new(&mut err), form);
        print(&mut printer);
        assert_eq!(printer.finish().unwrap(), Written::Whole);
        (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }

    #[test]
    fn no_way_of_printing_lets_a_terminal_be_driven() {
        let hostile = "a\u{1b}[2J\u{9b}1m\u{202e}";
        let (out, err) = printed(Form::People, |printer| {
            printer.line(&[(Role::Bad, hostile)]);
            printer.text(hostile, 0);
            printer.json(&hostile);
            printer.note(Role::Plain, hostile);
            let mut table = Table::new([super::super::table::Column::text("t")]);
            table.row([hostile.into()]);
            printer.table(&table);
        });
        let all = out + &err;
        assert!(all.chars().all(|c| c == '\n' || (!c.is_control() && c != '\u{202e}')), "{all:?}");
        assert_eq!(all.matches("␛[2J").count(), 4);
        assert!(all.contains(r#""a\u001b[2J\u009b1m\u202e""#), "{all}");
    }

    #[test]
    fn an_error_is_lines_for_people_and_one_document_for_programs() {
        let error =
            CliError::new(error::ErrorKind::NotFound, "there is no task task-1").with_hint("list them");
        let (out, err) = printed(Form::People, |printer| printer.error(&error));
        assert_eq!((out.as_str(), err.as_str()), ("", "error: there is no task task-1\nhint: list them\n"));
        let (out, err) = printed(Form::Json, |printer| printer.error(&error));
        assert_eq!((out.lines().count(), err.as_str()), (1, ""));
    }

    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_left_is_no_error_but_is_told() {
        let mut printer = Printer::new(Box::new(Closed), Box::new(io::sink()), Form::People);
        for _ in 0..100_000 {
            printer.line(&[(Role::Plain, "a line of a long listing")]);
        }
        assert_eq!(printer.finish().unwrap(), Written::ReaderLeft);
    }

    #[test]
    fn a_full_disk_is_an_error_with_exit_code_5() {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut printer = Printer::new(Box::new(full), Box::new(io::sink()), Form::People);
        printer.line(&[(Role::Plain, "short")]);
        let error = CliError::from(printer.finish().unwrap_err());
        assert_eq!(error.exit_code() as u8, 5);
        insta::assert_snapshot!(error.lines().join("\n"), @"
        error: the answer could not be written to standard output
        cause: No space left on device (os error 28)
        hint: check where the output goes: the disk may be full
        ");
    }
}
