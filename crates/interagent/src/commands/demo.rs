//! A short story of two agents and you, played for real.
//!
//! Owns the stage: a scratch hub, and each line of the story run by the program itself as the member who says it. What
//! is shown is what was run and what it answered; nothing is made up. The story is in `story`.

mod story;

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::{Args, Parser};
use interagent_core::shell::quoted;
use serde_json::json;

use self::story::{Line, STORY};
use crate::cli::{Cli, Global};
use crate::config::env::Env;
use crate::config::facts::Chain;
use crate::config::hub::HUB_NAME;
use crate::config::surroundings;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::files;
use crate::session::{Done, Session};
use crate::ui::look::{Look, Role, columns_of};
use crate::ui::printer::{Form, Printer};

/// Columns by which an answer stands further to the right than the line that caused it.
const INDENT: usize = 4;
/// Directories that are tried before giving up on finding a free name.
const TRIES: u32 = 100;

/// Plays a short story of two agents and you, and leaves its hub for you to explore.
///
/// A question, a reviewed task, a handoff, and an escalation that you answer. Every line is a command that runs for real,
/// in a new directory; no agent and no network is needed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interagent demo\n  interagent demo --dir ./story")]
pub(crate) struct Demo {
    /// Where; a new directory for temporary files when left out.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Demo {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let dir = match &self.dir {
            Some(dir) => new_directory(dir)?,
            None => free_directory(&surroundings::temporary_directory())?,
        };
        let mut stage = Stage::new(&session.env, session.printer.look(), &dir);
        let mut told = Vec::new();
        if session.is_for_people() {
            opening(&mut session.printer, &dir);
        }
        for scene in STORY {
            if session.is_for_people() {
                session.printer.line(&[]);
                session.printer.line(&[(Role::Heading, scene.title)]);
                session.printer.text(scene.about, 0);
            }
            for line in scene.lines {
                let words = stage.words(line, session)?;
                let command = shown(&words);
                let answer = stage.play(line, words)?;
                if session.is_for_people() {
                    let who = format!("  {:>6}$ ", line.who);
                    session.printer.line(&[]);
                    session.printer.exact(&[(Role::Name, &who), (Role::Heading, &command)]);
                    session.printer.raw(answer.as_bytes());
                    let _ = session.deliver(Done::Looked)?;
                }
                told.push(json!({ "who": line.who, "command": command }));
            }
        }
        match session.is_for_people() {
            true => closing(&mut session.printer, &dir),
            false => session.document(0, &json!({ "hub": dir, "lines": told })),
        }
        session.conclude(Done::Committed)
    }
}

fn opening(printer: &mut Printer<'_>, dir: &Path) {
    printer.line(&[(Role::Heading, "claude decides, kimi implements, and you are the operator.")]);
    let text = format!(
        "Every line below is a command that runs for real; agents run the same ones, or have them as tools. The hub is \
         {} and stays there.",
        dir.display()
    );
    printer.text(&text, 0);
}

fn closing(printer: &mut Printer<'_>, dir: &Path) {
    printer.line(&[]);
    printer.line(&[(Role::Heading, "What to try now")]);
    let directory = dir.display().to_string();
    let enter = format!("cd {}", quoted(&directory));
    let program = surroundings::program_off_path()
        .map(|path| format!("alias interagent={}", quoted(&path.display().to_string())));
    let lines = [
        (Some(enter.as_str()), "the hub is found from there"),
        (program.as_deref(), "unless interagent is on your PATH"),
        (Some("interagent summary"), "who should do what next"),
        (Some("interagent log"), "everything that happened, and who did it"),
        (Some("interagent search token"), "every word that was written"),
        (Some("interagent send --to kimi -m 'Well done'"), "take part yourself"),
        (Some("INTERAGENT_AGENT=kimi interagent inbox"), "be kimi, and get it"),
        (Some("interagent init"), "in a project of yours: a hub for your own agents"),
    ];
    let width = lines.iter().filter_map(|(command, _)| command.map(columns_of)).max().unwrap_or_default();
    for (command, why) in lines {
        let Some(command) = command else { continue };
        let gap = " ".repeat(width - columns_of(command) + 2);
        let line = [(Role::Plain, "  "), (Role::Id, command), (Role::Plain, &*gap), (Role::Quiet, why)];
        printer.hanging(width + 4, &line);
    }
}

/// Where the story is played, and what its members remember.
struct Stage {
    env: Env,
    look: Look,
    dir: PathBuf,
    /// Ids that earlier lines were given, by the name the story has for them.
    ids: HashMap<&'static str, String>,
}

impl Stage {
    fn new(env: &Env, look: Look, dir: &Path) -> Self {
        // Who really calls must not take part in the story: an agent that plays it would speak for kimi.
        let env = Env {
            cwd: Some(dir.to_owned()),
            hub: None,
            session: None,
            tmux_pane: None,
            client_markers: Vec::new(),
            ancestors_end: Some(std::process::id()),
            chain: Chain::default(),
            ..env.clone()
        };
        let width = if look.width > 10 * INDENT { look.width - INDENT } else { look.width };
        Self { env, look: Look { width, ..look }, dir: dir.to_owned(), ids: HashMap::new() }
    }

    /// The line's words with ids and your answer in their places.
    fn words(&self, line: &Line, session: &mut Session) -> Result<Vec<String>, CliError> {
        line.words
            .iter()
            .map(|word| match word.strip_prefix('{').and_then(|word| word.strip_suffix('}')) {
                Some("answer") => your_answer(session),
                Some(name) => self.ids.get(name).cloned().ok_or_else(|| lost(line)),
                None => Ok((*word).to_owned()),
            })
            .collect()
    }

    /// Runs one line as the member who says it.
    fn play(&mut self, line: &Line, words: Vec<String>) -> Result<String, CliError> {
        let program = std::iter::once("interagent".to_owned());
        let Cli { global, command } = Cli::try_parse_from(program.chain(words)).map_err(|error| {
            CliError::new(ErrorKind::Unavailable, format!("the story has a wrong line: {error}"))
        })?;
        let agent = Some(line.who.to_owned()).filter(|who| who != story::YOU);
        let written = Page::default();
        let printer =
            Printer::new(Box::new(written.clone()), Box::new(io::sink()), Form::People).with_look(self.look);
        let global = Global { hub: Some(self.dir.join(HUB_NAME).into_os_string()), ..global };
        let mut member = Session::with_printer(Env { agent, ..self.env.clone() }, global, printer);
        super::run(command, &mut member)?;
        let text = written.text();
        if let Some((name, kind)) = line.keep {
            let id = first_id(&text, kind).ok_or_else(|| lost(line))?;
            self.ids.insert(name, id);
        }
        let indent = " ".repeat(INDENT);
        let shift = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("{indent}{line}\n") };
        Ok(text.lines().map(shift).collect())
    }
}

fn lost(line: &Line) -> CliError {
    CliError::new(ErrorKind::Unavailable, format!("the story lost its thread at: {}", line.words.join(" ")))
}

/// What was written for one member to see.
#[derive(Clone, Default)]
struct Page(Rc<RefCell<Vec<u8>>>);

impl Page {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The first id of a kind in an answer.
fn first_id(text: &str, kind: &str) -> Option<String> {
    let start = text.find(kind)?;
    let id: String = text[start..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    Some(id)
}

/// Asks the person at the terminal; without one, the story's own answer is taken.
fn your_answer(session: &mut Session) -> Result<String, CliError> {
    let terminals = session.env.terminals;
    if !(session.is_for_people() && terminals.stdin && terminals.stdout) {
        return Ok(story::ANSWER.to_owned());
    }
    session.printer.line(&[]);
    session.printer.line(&[(Role::Warning, "kimi waits for your answer. "), (Role::Plain, story::QUESTION)]);
    let default = format!("Your answer (Enter for: {}): ", story::ANSWER);
    session.printer.raw(default.as_bytes());
    let _ = session.deliver(Done::Looked)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(|error| {
        CliError::new(ErrorKind::Unavailable, "your answer could not be read").with_source(error)
    })?;
    let answer = answer.trim();
    Ok(if answer.is_empty() { story::ANSWER } else { answer }.to_owned())
}

/// The command as one would type it.
fn shown(words: &[String]) -> String {
    std::iter::once("interagent".to_owned())
        .chain(words.iter().map(|word| quoted(word)))
        .collect::<Vec<_>>()
        .join(" ")
}

fn new_directory(dir: &Path) -> Result<PathBuf, CliError> {
    // The place itself, as every other command will name it: `../story` is a way to it from here only.
    let place = |dir: &Path| dir.canonicalize().map_err(|error| unusable(dir, error));
    match std::fs::read_dir(dir).map(|mut entries| entries.next().is_none()) {
        Ok(true) => place(dir),
        Ok(false) => Err(CliError::new(ErrorKind::Usage, format!("`{}` is not empty", dir.display()))
            .with_hint("the story needs a directory of its own: name a new one, or leave --dir out")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            files::make_private(dir).map_err(|error| unusable(dir, error))?;
            place(dir)
        }
        Err(error) => Err(unusable(dir, error)),
    }
}

fn free_directory(temporary: &Path) -> Result<PathBuf, CliError> {
    for number in 1..=TRIES {
        let dir = temporary.join(format!("interagent-demo-{number}"));
        match files::make_private(&dir) {
            Ok(()) => return Ok(dir),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(unusable(&dir, error)),
        }
    }
    let sentence = format!("`{}` holds {TRIES} stories already", temporary.display());
    Err(CliError::new(ErrorKind::Unavailable, sentence)
        .with_hint("remove some, or name a directory with --dir"))
}

fn unusable(dir: &Path, error: io::Error) -> CliError {
    CliError::new(ErrorKind::Unavailable, format!("`{}` can't hold the story", dir.display()))
        .with_source(error)
        .with_hint("name another directory with --dir")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_a_shell_needs_them() {
        let words = ["send", "-m", "it's", "", "src/a.rs:1-2"].map(str::to_owned);
        assert_eq!(shown(&words), r"interagent send -m 'it'\''s' '' src/a.rs:1-2");
    }

    #[test]
    fn an_id_ends_where_its_letters_end() {
        assert_eq!(first_id("sent msg-0xt0qjsdw0jg to claude", "msg-").as_deref(), Some("msg-0xt0qjsdw0jg"));
        assert_eq!(first_id("nothing", "msg-"), None);
    }
}
