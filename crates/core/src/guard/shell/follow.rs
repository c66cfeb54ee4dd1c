//! Follows a command line as a shell would, without running anything: where it goes, and what it starts there.

use std::rc::Rc;

use super::command::{Command, is_option};
use super::printed::said;
use super::syntax::{Node, Part, Redirect, Simple, Step, Word};
use super::values::Shell;
use super::wrappers::{self, SHELLS};
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
pub(super) struct Manner {
    background: bool,
    looped: bool,
    piped: bool,
    pub(super) depth: usize,
}

/// What a text of commands runs.
pub(super) fn follow(command: &str, start: Start<'_>) -> Followed {
    let near = path::tidy(start.directory);
    let mut shell = Shell { directory: Some(near.clone()), near, ..Shell::default() };
    if let Some(home) = start.home {
        shell.variables.insert("HOME".to_owned(), Some(home.to_owned()));
    }
    let mut follower = Follower { runs: Vec::new(), left: BUDGET, complete: true };
    let manner = Manner { background: start.background, ..Manner::default() };
    follower.text(command, &mut shell, manner);
    Followed { runs: follower.runs, complete: follower.complete }
}

pub(super) struct Follower {
    runs: Vec<Run>,
    /// What may still be spent.
    left: usize,
    /// Nothing was left out so far.
    complete: bool,
}

/// A text that goes through a pipe, where it is known.
pub(super) type Piped = Option<String>;

/// Where the input and output of a command are.
#[derive(Debug, Default)]
pub(super) struct Files {
    writes: Vec<String>,
    hides: Vec<String>,
    reads: Vec<String>,
    input: Option<String>,
}

impl Files {
    fn is_empty(&self) -> bool {
        self.writes.is_empty() && self.hides.is_empty() && self.reads.is_empty()
    }
}

impl Follower {
    /// Whether there is too much to go on.
    pub(super) fn must_stop(&mut self, manner: Manner) -> bool {
        let stops = self.runs.len() >= RUNS || self.left == 0 || manner.depth > DEPTH;
        self.complete &= !stops;
        stops
    }

    fn spend(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes);
    }

    /// A shell of its own, which changes nothing in this one.
    pub(super) fn copy(&mut self, shell: &Shell) -> Shell {
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
    pub(super) fn fields(&mut self, word: &Word, shell: &Shell) -> Vec<Option<String>> {
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
                self.redirected(redirects, shell, manner, piped);
                let mut own = self.copy(shell);
                self.steps(steps, &mut own, manner, piped);
            }
            Node::Group(steps, redirects) => {
                self.redirected(redirects, shell, manner, piped);
                self.steps(steps, shell, manner, piped);
            }
            Node::Loop { over, steps, redirects } => {
                self.redirected(redirects, shell, manner, piped);
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
            if let Part::Default { other, .. } = part {
                self.substituted(other, shell, manner);
            }
            if let Part::Commands(steps) | Part::Process(steps) = part {
                let deeper = Manner { depth: manner.depth + 1, background: false, piped: false, ..manner };
                let mut own = self.copy(shell);
                self.steps(steps, &mut own, deeper, &mut None);
            }
        }
    }

    /// The redirections of several commands together: a run that does nothing else.
    fn redirected(&mut self, redirects: &[Redirect], shell: &Shell, manner: Manner, piped: &mut Piped) {
        let files = self.files(redirects, shell, manner);
        if files.input.is_some() {
            piped.clone_from(&files.input);
        }
        if !files.is_empty() {
            let is_read = files.writes.is_empty() && files.hides.is_empty();
            let named = files.writes.first().or(files.reads.first().filter(|_| is_read));
            let named = named.map_or("$…", String::as_str);
            let source = format!("… {} {named}", if is_read { '<' } else { '>' });
            self.write_out(files, None, shell, manner, source);
        }
    }

    /// A run that does nothing but what its redirections do, or a program with them.
    fn write_out(
        &mut self,
        files: Files,
        program: Option<(String, Vec<Option<String>>)>,
        shell: &Shell,
        manner: Manner,
        source: String,
    ) {
        let (program, arguments) = program.map_or((None, Vec::new()), |(name, rest)| (Some(name), rest));
        let run = self.run(program, arguments, shell, manner, source);
        let Files { writes, hides, reads, input } = files;
        self.runs.push(Run { writes, hides, reads, input, ..run });
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
            near: shell.near.clone(),
            writes: Vec::new(),
            hides: Vec::new(),
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
    fn files(&mut self, redirects: &[Redirect], shell: &Shell, manner: Manner) -> Files {
        let mut files = Files::default();
        for redirect in redirects {
            match redirect {
                Redirect::Write(word) => {
                    self.substituted(word, shell, manner);
                    match self.value(word, shell) {
                        Some(name) if name.is_empty() => {}
                        Some(name) => files.writes.push(name),
                        None => files.hides.push(shell.listed(word).unwrap_or_default()),
                    }
                }
                Redirect::Read(word) => {
                    self.substituted(word, shell, manner);
                    files.reads.extend(self.value(word, shell).filter(|name| !name.is_empty()));
                }
                Redirect::Input(body) => {
                    if let Some(body) = body.get() {
                        self.substituted(body, shell, manner);
                        files.input = Some(self.script(body, shell));
                    }
                }
                Redirect::Between => {}
            }
        }
        files
    }

    fn simple(&mut self, simple: &Simple, shell: &mut Shell, manner: Manner, piped: &mut Piped) {
        let mut files = self.files(&simple.redirects, shell, manner);
        let input = files.input.take().or_else(|| piped.take());
        let mut settings = Vec::new();
        for (name, value) in &simple.assignments {
            self.substituted(value, shell, manner);
            let known = self.value(value, shell);
            if simple.words.is_empty() {
                self.assigned(name, value, known, shell);
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
        let (mut scripts, mut listed, mut processes) = (Vec::new(), Vec::new(), Vec::new());
        for word in &simple.words {
            self.substituted(word, shell, manner);
            for part in &word.parts {
                if let Part::Process(steps) = part {
                    processes.push(super::printed::printed(steps, shell));
                }
            }
            let fields = self.fields(word, shell);
            // A text that is not wholly known may still be commands that can be read.
            for field in &fields {
                scripts.push(field.clone().unwrap_or_else(|| self.script(word, shell)));
                listed.push(shell.listed(word).filter(|_| field.is_none()));
            }
            words.extend(fields);
        }
        let source = simple.source.clone();
        let command = Command { words, scripts, listed, processes, settings, input, source };
        let mut files = Some(files);
        self.command(command, shell, manner, piped, &mut files);
        // A wrapper or shell writes its files itself.
        if let Some(files) = files.filter(|files| !files.is_empty()) {
            self.write_out(files, None, shell, manner, simple.source.clone());
        }
    }

    pub(super) fn command(
        &mut self,
        command: Command,
        shell: &mut Shell,
        manner: Manner,
        piped: &mut Piped,
        files: &mut Option<Files>,
    ) {
        let Some((program, arguments)) = command.words.split_first() else { return };
        let deeper = Manner { depth: manner.depth + 1, ..manner };
        let Some(name) = program.as_deref().map(path::file_name) else {
            // What it is may run the rest, as `$SUDO rm x` does.
            let known = arguments.iter().position(Option::is_some);
            let rest = known.map(|at| arguments[at..].to_vec());
            let rest = rest.filter(|rest| !rest[0].as_deref().is_some_and(is_option));
            let inner = rest.map(|rest| Command::of(rest, &command));
            self.emit(command, shell, manner, files);
            if let Some(inner) = inner.filter(|_| !self.must_stop(manner)) {
                self.command(inner, shell, deeper, piped, files);
            }
            return;
        };
        if self.must_stop(manner) {
            return;
        }
        if let Some(body) = shell.functions.get(name).cloned() {
            let before = shell.arrays.get("@").cloned().unwrap_or_default();
            shell.set_all("@", arguments.to_vec());
            self.node(&body, shell, deeper, piped);
            return shell.set_all("@", before);
        }
        if let Some(text) = shell.aliases.remove(name) {
            // An alias of its own name means the program.
            self.text(&format!("{text} {}", command.words_as_text(1)), shell, deeper);
            shell.aliases.insert(name.to_owned(), text);
            return;
        }
        if self.built_in(name, &command, shell, deeper) {
            return;
        }
        match name {
            name if SHELLS.contains(&name) => {
                let Some((script, rest)) = command.told() else {
                    return self.emit(command, shell, manner, files);
                };
                let mut inner = self.copy(shell);
                inner.functions.clear();
                inner.aliases.clear();
                inner.variables.extend(command.settings.iter().cloned());
                let mut own = rest.into_iter();
                inner.set("0", own.next().flatten(), Some(String::new()));
                inner.set_all("@", own.collect());
                self.text(&script, &mut inner, deeper);
            }
            "echo" | "printf" => {
                let known: Option<Vec<&str>> = arguments.iter().map(Option::as_deref).collect();
                *piped = known.and_then(|known| said(name, &known));
                self.emit(command, shell, manner, files);
            }
            // `script -qc TEXT FILE`
            "script" | "su" | "runuser" => {
                let gives = |word: &Option<String>| {
                    let letters = word.as_deref().and_then(|word| word.strip_prefix('-'));
                    letters.is_some_and(|letters| letters.ends_with('c') || letters == "-command")
                };
                if let Some(script) =
                    arguments.iter().position(gives).and_then(|at| command.scripts.get(at + 2))
                {
                    let mut inside = self.copy(shell);
                    self.text(script, &mut inside, deeper);
                }
                self.emit(command, shell, manner, files);
            }
            "find" => {
                let below = wrappers::found_below(arguments);
                for words in wrappers::found(arguments, &below) {
                    self.inner(words, &command, shell, deeper);
                }
                // What it prints lies below; of the whole directory no more is known than that.
                *piped = Some(below).filter(|below| below != "./**");
                self.emit(command, shell, manner, files);
            }
            "grep" | "head" | "sort" | "tail" | "uniq"
                if arguments.iter().filter(|word| !word.as_deref().is_some_and(is_option)).count() <= 1 =>
            {
                // It leaves out some of what it is given.
                piped.clone_from(&command.input);
                self.emit(command, shell, manner, files);
            }
            "git" => match super::aliases::expanded(&command, shell) {
                Some(super::aliases::Alias::Words(inner)) => {
                    self.command(inner, shell, deeper, piped, files);
                }
                Some(super::aliases::Alias::Text(text, directory)) => {
                    let mut inside = self.copy(shell);
                    if let Some(directory) = directory {
                        inside.go(directory.as_deref());
                    }
                    self.text(&text, &mut inside, deeper);
                }
                None => {
                    super::aliases::learn(&command, shell);
                    self.emit(command, shell, manner, files);
                }
            },
            _ => match wrappers::unwrap(name, arguments, &command.scripts[1..], command.input.as_deref()) {
                Some(unwrapped) => {
                    let mut inner = Command::of(unwrapped.words, &command);
                    if name == "xargs" {
                        inner.listed =
                            inner.words.iter().map(|word| word.is_none().then(String::new)).collect();
                    }
                    inner.settings.extend(unwrapped.settings);
                    // These run in this very shell: `command cd` goes there.
                    if matches!(name, "builtin" | "command" | "exec") {
                        return self.command(inner, shell, deeper, piped, files);
                    }
                    let mut inside = self.copy(shell);
                    if let Some(directory) = unwrapped.directory {
                        inside.go(directory.as_deref());
                    }
                    if matches!(name, "watch" | "strace") {
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

    pub(super) fn text(&mut self, script: &str, shell: &mut Shell, manner: Manner) {
        self.spend(script.len());
        if !self.must_stop(manner) {
            let (steps, complete) = grammar::parse(script, manner.depth);
            self.complete &= complete;
            self.steps(&steps, shell, manner, &mut None);
        }
    }

    pub(super) fn emit(
        &mut self,
        command: Command,
        shell: &Shell,
        manner: Manner,
        files: &mut Option<Files>,
    ) {
        let Files { writes, hides, reads, .. } = files.take().unwrap_or_default();
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
        self.runs.push(Run { writes, hides, reads, listed, input: command.input, settings, ..run });
    }
}
