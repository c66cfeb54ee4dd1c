//! From words to commands: lists, pipelines, loops, branches, functions.

use std::rc::Rc;

use super::read::Reader;
use super::syntax::{Node, Redirect, Simple, Step, Word};

/// Words that begin or end something, where a command could begin.
const ENDS: [&str; 8] = ["then", "do", "done", "fi", "elif", "else", "esac", "}"];
/// Of what was typed, so much is quoted to people.
const SOURCE_CHARS: usize = 160;

/// The commands of a whole text, and whether that is all of them.
pub(super) fn parse(text: &str, depth: usize) -> (Vec<Step>, bool) {
    let mut reader = Reader::new(text, depth);
    let steps = reader.list(&[]);
    (steps, !reader.gave_up)
}

/// Whether every quote that a text begins ends in it.
pub(super) fn is_whole(text: &str) -> bool {
    let mut reader = Reader::new(text, 0);
    reader.list(&[]);
    !reader.is_open
}

impl Reader {
    /// Commands up to one of these words, which stays. What ends nothing here is passed over.
    pub(super) fn list(&mut self, until: &[&str]) -> Vec<Step> {
        let mut steps = Vec::new();
        // What is joined by `&&` and `||`: whether it runs in the background is known at its end.
        let mut joined: Vec<Node> = Vec::new();
        loop {
            self.skip_blanks();
            let Some(c) = self.peek() else { break };
            if until.iter().any(|end| self.at_end(end)) {
                break;
            }
            let before = self.at;
            match c {
                '\n' => {
                    self.end_line();
                    flush(&mut joined, &mut steps, false);
                }
                '&' if self.take("&&") => {}
                '&' if !self.looking_at("&>") => {
                    self.at += 1;
                    flush(&mut joined, &mut steps, true);
                }
                '|' if self.take("||") => {}
                ';' | '|' | ')' => {
                    self.at += 1;
                    flush(&mut joined, &mut steps, false);
                }
                _ => {
                    // After `&&` and `||` the list goes on; otherwise a separator was seen, or nothing before.
                    if let Some(node) = self.pipeline() {
                        joined.push(node);
                    }
                }
            }
            if self.at == before {
                self.at += 1;
            }
        }
        flush(&mut joined, &mut steps, false);
        steps
    }

    /// Whether this keyword, parenthesis or `;;` stands here.
    fn at_end(&self, end: &str) -> bool {
        match end {
            ")" | ";;" | ";&" => self.looking_at(end),
            keyword => self.keyword(keyword),
        }
    }

    /// Whether this word stands here, whole and unquoted.
    fn keyword(&self, word: &str) -> bool {
        self.looking_at(word)
            && self
                .chars
                .get(self.at + word.len())
                .is_none_or(|c| c.is_whitespace() || ";&|()<>".contains(*c))
    }

    fn take_keyword(&mut self, word: &str) -> bool {
        let found = self.keyword(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn pipeline(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        loop {
            nodes.extend(self.deeper(Self::command).flatten());
            self.skip_blanks();
            if self.peek() != Some('|') || self.looking_at("||") {
                break;
            }
            self.at += 1;
            self.take("&");
            loop {
                self.skip_blanks();
                if self.peek() != Some('\n') {
                    break;
                }
                self.end_line();
            }
            if self.peek().is_none() {
                break;
            }
        }
        match nodes.len() {
            0 => None,
            1 => nodes.pop(),
            _ => Some(Node::Pipeline(nodes)),
        }
    }

    fn command(&mut self) -> Option<Node> {
        loop {
            self.skip_blanks();
            if self.take_keyword("!") || self.take_keyword("coproc") {
                continue;
            }
            if self.take_keyword("time") {
                self.skip_blanks();
                self.take_keyword("-p");
                continue;
            }
            break;
        }
        if self.peek() == Some('(') {
            if self.looking_at("((") && self.closes_twice() {
                self.skip_parentheses();
                return None;
            }
            self.at += 1;
            let steps = self.list(&[")"]);
            self.take(")");
            return Some(Node::Subshell(steps, self.redirects()));
        }
        if self.take_keyword("{") {
            let steps = self.list(&["}"]);
            self.take_keyword("}");
            return Some(Node::Group(steps, self.redirects()));
        }
        if self.take_keyword("if") {
            let mut steps = Vec::new();
            loop {
                steps.extend(self.list(&["then", "elif", "else", "fi"]));
                let goes_on =
                    self.take_keyword("then") || self.take_keyword("elif") || self.take_keyword("else");
                if !goes_on {
                    break;
                }
            }
            self.take_keyword("fi");
            return Some(Node::Group(steps, self.redirects()));
        }
        if self.take_keyword("while") || self.take_keyword("until") {
            let mut steps = self.list(&["do", "done"]);
            steps.extend(self.body());
            return Some(Node::Loop { over: None, steps, redirects: self.redirects() });
        }
        if self.take_keyword("for") || self.take_keyword("select") {
            return Some(self.counted());
        }
        if self.take_keyword("case") {
            return Some(self.case());
        }
        if self.take_keyword("[[") {
            let mut words = Vec::new();
            while self.peek().is_some() && !self.take_keyword("]]") {
                match self.word() {
                    Some(word) => words.push(word),
                    None => self.at += 1,
                }
                self.skip_blanks();
            }
            return Some(tested(words));
        }
        if self.take_keyword("function") {
            self.skip_blanks();
            let name = self.word()?.bare()?.to_owned();
            self.skip_blanks();
            self.take("()");
            return Some(self.function(name));
        }
        self.simple()
    }

    /// `do ... done`, or the braces that some write instead.
    fn body(&mut self) -> Vec<Step> {
        let closing = if self.take_keyword("do") {
            "done"
        } else if self.take_keyword("{") {
            "}"
        } else {
            return Vec::new();
        };
        let steps = self.list(&[closing]);
        self.take_keyword(closing);
        steps
    }

    fn counted(&mut self) -> Node {
        self.skip_blanks();
        let mut over = None;
        if self.looking_at("((") {
            self.skip_parentheses();
        } else if let Some(name) = self.word().and_then(|word| word.bare().map(str::to_owned)) {
            self.skip_space();
            let mut values = Vec::new();
            if self.take_keyword("in") {
                self.skip_blanks();
                while let Some(word) = self.word() {
                    values.push(word);
                    self.skip_blanks();
                }
            }
            over = Some((name, values));
        }
        self.skip_space();
        while self.take(";") {
            self.skip_space();
        }
        let steps = self.body();
        Node::Loop { over, steps, redirects: self.redirects() }
    }

    fn case(&mut self) -> Node {
        self.skip_blanks();
        let mut steps = Vec::new();
        // What is looked at may be what a command prints.
        if let Some(word) = self.word() {
            steps.push(Step { node: tested(vec![word]), background: false });
        }
        self.skip_space();
        self.take_keyword("in");
        loop {
            self.skip_space();
            if self.take_keyword("esac") || self.peek().is_none() {
                break;
            }
            self.take("(");
            while let Some(c) = self.peek().filter(|c| !")\n".contains(*c)) {
                if c == '|' || self.word().is_none() {
                    self.at += 1;
                }
                self.skip_blanks();
            }
            self.take(")");
            steps.extend(self.list(&[";;", ";&", "esac"]));
            self.take(";;&");
            self.take(";;");
            self.take(";&");
        }
        Node::Group(steps, self.redirects())
    }

    fn function(&mut self, name: String) -> Node {
        self.skip_space();
        let body = self.deeper(Self::command).flatten().unwrap_or(Node::Group(Vec::new(), Vec::new()));
        Node::Function { name, body: Rc::new(body) }
    }

    fn simple(&mut self) -> Option<Node> {
        let start = self.at;
        let mut simple = Simple::default();
        let mut end = start;
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect() {
                simple.redirects.push(redirect);
                end = self.at;
                continue;
            }
            let Some(word) = self.word() else {
                // `name ()`
                let name = match simple.words.as_slice() {
                    [only] if simple.assignments.is_empty() => only.bare().map(str::to_owned),
                    _ => None,
                };
                let parentheses = self.peek() == Some('(')
                    && self.chars[self.at + 1..].iter().find(|c| !c.is_whitespace()) == Some(&')');
                if let Some(name) = name.filter(|name| parentheses && !ENDS.contains(&name.as_str())) {
                    self.skip_parentheses();
                    return Some(self.function(name));
                }
                break;
            };
            end = self.at;
            match word.assignment() {
                Some(assignment) if simple.words.is_empty() => simple.assignments.push(assignment),
                _ => simple.words.push(word),
            }
        }
        if end == start {
            return None;
        }
        simple.source = one_line(&self.chars[start..end]);
        Some(Node::Simple(simple))
    }

    fn redirects(&mut self) -> Vec<Redirect> {
        let mut redirects = Vec::new();
        self.skip_blanks();
        while let Some(redirect) = self.redirect() {
            redirects.push(redirect);
            self.skip_blanks();
        }
        redirects
    }

    /// Blanks, comments and ends of lines.
    fn skip_space(&mut self) {
        self.skip_blanks();
        while self.peek() == Some('\n') {
            self.end_line();
            self.skip_blanks();
        }
    }
}

/// Words that are only looked at: what stands for their values may still run.
fn tested(mut words: Vec<Word>) -> Node {
    words.insert(0, Word::quoted(":".to_owned()));
    Node::Simple(Simple { words, ..Simple::default() })
}

/// Ends a list that was joined.
fn flush(joined: &mut Vec<Node>, steps: &mut Vec<Step>, background: bool) {
    if joined.is_empty() {
        return;
    }
    let nodes = std::mem::take(joined).into_iter().map(|node| Step { node, background: false });
    if background {
        // What runs beside the shell changes nothing in it.
        steps.push(Step { node: Node::Subshell(nodes.collect(), Vec::new()), background: true });
    } else {
        steps.extend(nodes);
    }
}

/// What was typed, on one line and not too long.
fn one_line(chars: &[char]) -> String {
    let text: String = chars.iter().take(SOURCE_CHARS + 1).collect();
    crate::line::one_line(&text, SOURCE_CHARS)
}
