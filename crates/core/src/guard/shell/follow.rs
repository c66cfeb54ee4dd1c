//! Follows a command line as a shell would, without running anything: where it goes, and what it starts there.

use std::rc::Rc;

use super::syntax::{Node, Redirect, Simple, Step, Word};
use super::values::Shell;
use super::wrappers::{self, SHELLS, Told};
use super::{Followed, Run, Start, grammar};
use crate::guard::path;

/// Programs looked at in one command line. A loop over names counts once for each.
const RUNS: usize = 5_000;
/// Texts run by texts, and functions called by functions.
const DEPTH: usize = 20;
/// Names a `for` runs through one by one; of more, the value is not known.
const VALUES: usize = 50;

/// What may be spent on one command line, in bytes that are read, copied or put together. Functions that call themselves,
/// loops in loops and words that double would otherwise take for ever.
const BUDGET: usize = 4_000_000;
/// What looking at one command costs beside its words.
const STEP: usize = 100;

/// How commands are run that belong together.
#[derive(Clone, Copy, Debug, Default)]
struct Manner {
    background: bool,
    looped: bool,
    piped: bool,
    depth: usize,
}

/// What a text of commands runs.
pub(super) fn follow(command: &str, start: Start<'_>) -> Followed {
    let mut shell = Shell { directory: Some(path::tidy(start.directory)), ..Shell::default() };
    if let Some(home) = start.home {
        shell.variables.insert("HOME".to_owned(), Some(home.to_owned()));
    }
    let mut follower = Follower { runs: Vec::new(), left: BUDGET, complete: true };
    let manner = Manner { background: start.background, ..Manner::default() };
    follower.text(command, &mut shell, manner);
    Followed { runs: follower.runs, complete: follower.complete }
}

struct Follower {
    runs: Vec<Run>,
    /// What may still be spent.
    left: usize,
    /// Nothing was left out so far.
    complete: bool,
}

/// A text that goes through a pipe, where it is known.
type Piped = Option<String>;

impl Follower {
    /// Whether there is too much to go on.
    fn must_stop(&mut self, manner: Manner) -> bool {
        let stops = self.runs.len() >= RUNS || self.left == 0 || manner.depth > DEPTH;
        self.complete &= !stops;
        stops
    }

    fn spend(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes);
    }

    /// A shell of its own, which changes nothing in this one.
    fn copy(&mut self, shell: &Shell) -> Shell {
        self.spend(shell.weight());
        shell.clone()
    }

    /// Whether a word can be put together: variables that hold each other grow fast.
    fn can_pay_for(&mut self, word: &Word, shell: &Shell) -> bool {
        self.spend(shell.length(word));
        self.complete &= self.left > 0;
        self.left > 0
    }

    /// The words that a word becomes.
    fn fields(&mut self, word: &Word, shell: &Shell) -> Vec<Option<String>> {
        if self.can_pay_for(word, shell) { shell.fields(word) } else { vec![None] }
    }

    fn value(&mut self, word: &Word, shell: &Shell) -> Option<String> {
        if self.can_pay_for(word, shell) { shell.value(word) } else { None }
    }

    fn script(&mut self, word: &Word, shell: &Shell) -> String {
        if self.can_pay_for(word, shell) { shell.script(word) } else { String::new() }
    }

    fn steps(&mut self, steps: &[Step], shell: &mut Shell, manner: Manner, piped: &mut Piped) {
        let mut passed = piped.take();
        for step in steps {
            let manner = Manner { background: manner.background || step.background, ..manner };
            self.node(&step.node, shell, manner, &mut passed);
            // What one prints is no input of the next; only the last goes on through a pipe around all of them.
            *piped = passed.take();
        }
    }

    fn node(&mut self, node: &Node, shell: &mut Shell, manner: Manner, piped: &mut Piped) {
        self.spend(STEP);
        if self.must_stop(manner) {
            return;
        }
        match node {
            Node::Simple(simple) => self.simple(simple, shell, manner, piped),
            Node::Pipeline(nodes) => {
                let mut passed = piped.take();
                for (place, node) in nodes.iter().enumerate() {
                    let mut own = self.copy(shell);
                    let manner = Manner { piped: manner.piped || place > 0, ..manner };
                    self.node(node, &mut own, manner, &mut passed);
                }
            }
            Node::Subshell(steps, redirects) => {
                self.redirected(redirects, shell, manner);
                let mut own = self.copy(shell);
                self.steps(steps, &mut own, manner, piped);
            }
            Node::Group(steps, redirects) => {
                self.redirected(redirects, shell, manner);
                self.steps(steps, shell, manner, piped);
            }
            Node::Loop { over, steps, redirects } => {
                self.redirected(redirects, shell, manner);
                let manner = Manner { looped: true, ..manner };
                let mut values: Vec<Option<String>> = vec![None];
                let mut listed = None;
                if let Some((_, words)) = over {
                    listed = words.iter().find_map(|word| shell.listed(word));
                    words.iter().for_each(|word| self.substituted(word, shell, manner));
                    let known: Vec<_> = words.iter().flat_map(|word| self.fields(word, shell)).collect();
                    if (1..=VALUES).contains(&known.len()) {
                        values = known;
                    }
                }
                for value in values {
                    if let Some((name, _)) = over {
                        let listed = listed.clone().filter(|_| value.is_none());
                        shell.set(name, value, listed);
                    }
                    self.steps(steps, shell, manner, piped);
                }
            }
            Node::Function { name, body } => {
                shell.functions.insert(name.clone(), Rc::clone(body));
            }
        }
    }

    /// Runs what stands for a part of a word.
    fn substituted(&mut self, word: &Word, shell: &Shell, manner: Manner) {
        for part in &word.parts {
            if let super::syntax::Part::Commands(steps) = part {
                let deeper = Manner { depth: manner.depth + 1, background: false, piped: false, ..manner };
                let mut own = self.copy(shell);
                self.steps(steps, &mut own, deeper, &mut None);
            }
        }
    }

    /// The redirections of several commands together: a run that does nothing else.
    fn redirected(&mut self, redirects: &[Redirect], shell: &Shell, manner: Manner) {
        let (writes, reads, input) = self.files(redirects, shell, manner);
        if !writes.is_empty() || !reads.is_empty() {
            let arrow = if writes.is_empty() { '<' } else { '>' };
            let named = writes.first().or(reads.first()).cloned().unwrap_or_default();
            let run = self.run(None, Vec::new(), shell, manner, format!("… {arrow} {named}"));
            self.runs.push(Run { writes, reads, input, ..run });
        }
    }

    fn run(
        &self,
        program: Option<String>,
        arguments: Vec<Option<String>>,
        shell: &Shell,
        manner: Manner,
        source: String,
    ) -> Run {
        Run {
            program,
            arguments,
            listed: Vec::new(),
            directory: shell.directory.clone(),
            writes: Vec::new(),
            reads: Vec::new(),
            input: None,
            settings: Vec::new(),
            background: manner.background,
            looped: manner.looped,
            piped: manner.piped,
            source,
        }
    }

    /// Files that are written and read, and the text on standard input.
    fn files(
        &mut self,
        redirects: &[Redirect],
        shell: &Shell,
        manner: Manner,
    ) -> (Vec<String>, Vec<String>, Option<String>) {
        let (mut writes, mut reads, mut input) = (Vec::new(), Vec::new(), None);
        for redirect in redirects {
            match redirect {
                Redirect::Write(word) => {
                    self.substituted(word, shell, manner);
                    writes.extend(self.value(word, shell).filter(|name| !name.is_empty()));
                }
                Redirect::Read(word) => {
                    self.substituted(word, shell, manner);
                    reads.extend(self.value(word, shell).filter(|name| !name.is_empty()));
                }
                Redirect::Input(body) => {
                    if let Some(body) = body.get() {
                        self.substituted(body, shell, manner);
                        input = Some(self.script(body, shell));
                    }
                }
                Redirect::Between => {}
            }
        }
        (writes, reads, input)
    }

    fn simple(&mut self, simple: &Simple, shell: &mut Shell, manner: Manner, piped: &mut Piped) {
        let (writes, reads, input) = self.files(&simple.redirects, shell, manner);
        let input = input.or_else(|| piped.take());
        let mut settings = Vec::new();
        for (name, value) in &simple.assignments {
            self.substituted(value, shell, manner);
            let known = self.value(value, shell);
            if simple.words.is_empty() {
                let listed = shell.listed(value).filter(|_| known.is_none());
                shell.set(name, known, listed);
            } else {
                settings.push((name.clone(), known));
            }
        }
        if let (Some(only), [word]) = (input.as_ref(), simple.words.as_slice())
            && word.bare() == Some("cat")
        {
            // What it is given goes on through the pipe.
            *piped = Some(only.clone());
        }
        let mut words = Vec::new();
        let (mut scripts, mut listed) = (Vec::new(), Vec::new());
        for word in &simple.words {
            self.substituted(word, shell, manner);
            let fields = self.fields(word, shell);
            // A text that is not wholly known may still be commands that can be read.
            for field in &fields {
                scripts.push(field.clone().unwrap_or_else(|| self.script(word, shell)));
                listed.push(shell.listed(word).filter(|_| field.is_none()));
            }
            words.extend(fields);
        }
        let command = Command { words, scripts, listed, settings, input, source: simple.source.clone() };
        let mut files = Some((writes, reads));
        self.command(command, shell, manner, piped, &mut files);
        // A wrapper or shell writes its files itself.
        if let Some((writes, reads)) = files.filter(|(writes, reads)| !writes.is_empty() || !reads.is_empty())
        {
            let run = self.run(None, Vec::new(), shell, manner, simple.source.clone());
            self.runs.push(Run { writes, reads, ..run });
        }
    }

    fn command(
        &mut self,
        command: Command,
        shell: &mut Shell,
        manner: Manner,
        piped: &mut Piped,
        files: &mut Option<(Vec<String>, Vec<String>)>,
    ) {
        let Some((program, arguments)) = command.words.split_first() else { return };
        let Some(name) = program.as_deref().map(path::file_name) else {
            self.emit(command, shell, manner, files);
            return;
        };
        let deeper = Manner { depth: manner.depth + 1, ..manner };
        if self.must_stop(manner) {
            return;
        }
        if let Some(body) = shell.functions.get(name).cloned() {
            for (i, argument) in arguments.iter().enumerate() {
                let listed = command.listed.get(i + 1).cloned().flatten();
                shell.set(&(i + 1).to_string(), argument.clone(), listed);
            }
            self.node(&body, shell, deeper, piped);
            return;
        }
        match name {
            "cd" | "chdir" | "pushd" => {
                let to = arguments.iter().find(|word| !word.as_deref().is_some_and(is_option));
                let home = shell.variable("HOME").map(str::to_owned);
                if name == "pushd" {
                    shell.stack.push(shell.directory.clone());
                }
                match to {
                    Some(to) => shell.go(to.as_deref()),
                    None => shell.go(home.as_deref()),
                }
            }
            "popd" => {
                let to = shell.stack.pop().flatten();
                shell.go(to.as_deref());
            }
            "export" | "declare" | "local" | "readonly" | "typeset" => {
                for argument in arguments.iter().flatten() {
                    if let Some((name, value)) = argument.split_once('=') {
                        shell.variables.insert(name.to_owned(), Some(value.to_owned()));
                    }
                }
            }
            "unset" => {
                for argument in arguments.iter().flatten() {
                    shell.variables.remove(argument);
                    shell.functions.remove(argument);
                }
            }
            "read" | "mapfile" | "readarray" => {
                for name in arguments.iter().flatten().filter(|word| !is_option(word)) {
                    shell.set(name, None, Some(String::new()));
                }
            }
            "eval" => self.text(&command.scripts[1..].join(" "), shell, deeper),
            "trap" => {
                if let Some(script) = command.scripts.get(1) {
                    self.text(script, shell, deeper);
                }
            }
            name if SHELLS.contains(&name) => {
                let script = match wrappers::told(arguments) {
                    Told::Argument(i) => command.scripts.get(i + 1).cloned(),
                    Told::Input => command.input.clone(),
                    Told::File => None,
                };
                match script {
                    Some(script) => {
                        let mut inner = self.copy(shell);
                        inner.functions.clear();
                        inner.variables.extend(command.settings.iter().cloned());
                        self.text(&script, &mut inner, deeper);
                    }
                    None => self.emit(command, shell, manner, files),
                }
            }
            "echo" | "printf" => {
                let said = match (name, arguments) {
                    ("echo", said) => {
                        let said = said.iter().skip_while(|word| word.as_deref().is_some_and(is_option));
                        said.cloned().collect::<Option<Vec<_>>>().map(|said| said.join(" "))
                    }
                    (_, [Some(_), Some(said)]) | (_, [Some(said)]) => Some(said.replace("\\n", "\n")),
                    _ => None,
                };
                *piped = said;
                self.emit(command, shell, manner, files);
            }
            "find" => {
                let start = arguments.iter().flatten().find(|word| !is_option(word));
                let start = start.map_or(".", String::as_str);
                let below = format!("{}/**", start.trim_end_matches('/'));
                for words in wrappers::found(arguments, &below) {
                    self.inner(words, &command, shell, deeper);
                }
                // What it prints lies below; of the whole directory no more is known than that.
                *piped = Some(below).filter(|_| start != ".");
                self.emit(command, shell, manner, files);
            }
            "grep" | "head" | "sort" | "tail" | "uniq"
                if arguments.iter().filter(|word| !word.as_deref().is_some_and(is_option)).count() <= 1 =>
            {
                // It leaves out some of what it is given.
                piped.clone_from(&command.input);
                self.emit(command, shell, manner, files);
            }
            _ => match wrappers::unwrap(name, arguments, command.input.as_deref()) {
                Some(unwrapped) => {
                    let mut inner = Command::of(unwrapped.words, &command);
                    if name == "xargs" {
                        inner.listed =
                            inner.words.iter().map(|word| word.is_none().then(String::new)).collect();
                    }
                    inner.settings.extend(unwrapped.settings);
                    // These run in this very shell: `command cd` goes there.
                    if matches!(name, "builtin" | "command") {
                        return self.command(inner, shell, deeper, piped, files);
                    }
                    let mut inside = self.copy(shell);
                    if let Some(directory) = unwrapped.directory {
                        inside.go(directory.as_deref());
                    }
                    if name == "watch" {
                        self.emit(command, shell, manner, files);
                    }
                    self.command(inner, &mut inside, deeper, piped, files);
                }
                None => self.emit(command, shell, manner, files),
            },
        }
    }

    fn inner(&mut self, words: Vec<Option<String>>, outer: &Command, shell: &Shell, manner: Manner) {
        let command = Command::of(words, outer);
        let mut own = self.copy(shell);
        self.command(command, &mut own, manner, &mut None, &mut None);
    }

    fn text(&mut self, script: &str, shell: &mut Shell, manner: Manner) {
        self.spend(script.len());
        if !self.must_stop(manner) {
            let (steps, complete) = grammar::parse(script, manner.depth);
            self.complete &= complete;
            self.steps(&steps, shell, manner, &mut None);
        }
    }

    fn emit(
        &mut self,
        command: Command,
        shell: &Shell,
        manner: Manner,
        files: &mut Option<(Vec<String>, Vec<String>)>,
    ) {
        let (writes, reads) = files.take().unwrap_or_default();
        let mut words = command.words.into_iter();
        let program = words.next().flatten().map(|program| path::file_name(&program).to_owned());
        let run = self.run(program, words.collect(), shell, manner, command.source);
        let listed = command.listed.into_iter().skip(1).collect();
        // What was exported before, and only that of git: nothing else is asked for.
        let is_of_git =
            |name: &str| matches!(name, "GIT_DIR" | "GIT_WORK_TREE") || name.starts_with("GIT_CONFIG_");
        let before = shell.variables.iter().filter(|(name, _)| is_of_git(name));
        let set =
            command.settings.into_iter().chain(before.map(|(name, value)| (name.clone(), value.clone())));
        let settings = set.filter_map(|(name, value)| Some((name, value?))).collect();
        self.runs.push(Run { writes, reads, listed, input: command.input, settings, ..run });
    }
}

fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1
}

/// A command whose words are known as far as they are.
#[derive(Clone, Debug)]
struct Command {
    words: Vec<Option<String>>,
    /// Each word as a text of commands.
    scripts: Vec<String>,
    /// For each word that commands print, where it begins.
    listed: Vec<Option<String>>,
    settings: Vec<(String, Option<String>)>,
    input: Option<String>,
    source: String,
}

impl Command {
    /// What another command runs.
    fn of(words: Vec<Option<String>>, outer: &Self) -> Self {
        // The words are the last of the outer ones, so their texts are, too.
        let after = outer.scripts.len().saturating_sub(words.len());
        let texts = words.iter().zip(outer.scripts[after..].iter().chain(std::iter::repeat(&outer.source)));
        let scripts = texts.map(|(word, text)| word.clone().unwrap_or_else(|| text.clone())).collect();
        let listed = words.iter().zip(outer.listed[after..].iter().chain(std::iter::repeat(&None)));
        let listed = listed.map(|(word, listed)| listed.clone().filter(|_| word.is_none())).collect();
        Self {
            words,
            scripts,
            listed,
            settings: outer.settings.clone(),
            input: outer.input.clone(),
            source: outer.source.clone(),
        }
    }
}
