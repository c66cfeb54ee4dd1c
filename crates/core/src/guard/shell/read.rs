//! From characters to words: quoting, expansions, here-documents.
//!
//! Total: whatever cannot be understood is taken as text or left out, and nesting deeper than anybody types ends the
//! reading. The grammar above words is in `grammar`.

use std::cell::OnceCell;
use std::rc::Rc;

use super::syntax::{Part, Redirect, Step, Word};

/// Nesting of commands in commands. People and agents stay below ten; the stack holds this many.
const DEPTH: usize = 60;

/// How far the end of `((` is looked for: an arithmetic expression is short, and a text may hold many beginnings.
const ARITHMETIC_CHARS: usize = 4_096;

/// A here-document that begins after the end of this line.
struct Awaited {
    delimiter: String,
    literal: bool,
    strip_tabs: bool,
    body: Rc<OnceCell<Word>>,
}

/// Reads a command line from left to right.
pub(super) struct Reader {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    pub(super) depth: usize,
    /// Something was nested too deeply, and the rest of it was left out.
    pub(super) gave_up: bool,
    /// A quote was begun and not ended.
    pub(super) is_open: bool,
    awaited: Vec<Awaited>,
}

impl Reader {
    pub(super) fn new(text: &str, depth: usize) -> Self {
        Self {
            chars: text.chars().collect(),
            at: 0,
            depth,
            gave_up: false,
            is_open: false,
            awaited: Vec::new(),
        }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    /// Passes over a text, where it stands here.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.looking_at(text);
        if found {
            self.at += text.chars().count();
        }
        found
    }

    /// Does something one level deeper, or gives the rest up.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEPTH {
            self.at = self.chars.len();
            self.gave_up = true;
            return None;
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        Some(found)
    }

    /// Reads a text that stands inside this one.
    fn inside<T>(&mut self, text: &str, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.deeper(|above| {
            let mut inner = Self::new(text, above.depth);
            let found = read(&mut inner);
            above.gave_up |= inner.gave_up;
            above.is_open |= inner.is_open;
            found
        })
    }

    /// Passes over blanks, continued lines and a comment.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.looking_at("\\\n") => self.at += 2,
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Passes over the end of a line, and over the here-documents that follow it.
    pub(super) fn end_line(&mut self) {
        self.at += 1;
        for awaited in std::mem::take(&mut self.awaited) {
            let mut body = String::new();
            while self.at < self.chars.len() {
                let mut line = String::new();
                while let Some(c) = self.peek() {
                    self.at += 1;
                    if c == '\n' {
                        break;
                    }
                    line.push(c);
                }
                let line = if awaited.strip_tabs { line.trim_start_matches('\t') } else { &line };
                if line.trim_end_matches('\r') == awaited.delimiter {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            let word = match awaited.literal {
                true => Word::quoted(body),
                false => self.inside(&body, |inner| inner.quoted_until(None)).unwrap_or_default(),
            };
            let _first_and_only = awaited.body.set(word);
        }
    }

    /// A redirection, where one begins here.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        const OPERATORS: [&str; 12] =
            ["&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">"];
        let starts_word = (self.looking_at("<(") || self.looking_at(">(")) && start == self.at;
        let both_after_digits = self.at > start && self.peek() == Some('&');
        let found = OPERATORS.iter().find(|operator| self.looking_at(operator));
        let Some(operator) = found.filter(|_| !starts_word && !both_after_digits) else {
            self.at = start;
            return None;
        };
        self.at += operator.len();
        self.skip_blanks();
        let target = self.word().unwrap_or_default();
        Some(match *operator {
            "<<" | "<<-" => {
                let (delimiter, literal) = target.delimiter();
                let body = Rc::new(OnceCell::new());
                let strip_tabs = *operator == "<<-";
                self.awaited.push(Awaited { delimiter, literal, strip_tabs, body: Rc::clone(&body) });
                Redirect::Input(body)
            }
            "<<<" => Redirect::Input(Rc::new(OnceCell::from(target))),
            "<" => Redirect::Read(target),
            "<&" => Redirect::Between,
            ">&" => match target.bare() {
                Some(fd) if fd.chars().all(|c| c.is_ascii_digit() || c == '-') => Redirect::Between,
                _ => Redirect::Write(target),
            },
            _ => Redirect::Write(target),
        })
    }

    /// A word, where one begins here.
    pub(super) fn word(&mut self) -> Option<Word> {
        let start = self.at;
        let mut parts = Parts::default();
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | ')' => break,
                '<' | '>' if self.at == start && self.looking_at(&format!("{c}(")) => {
                    self.at += 2;
                    let steps = self.commands_in_parentheses();
                    parts.0.push(Part::Process(steps));
                }
                '<' | '>' => break,
                '(' if parts.ends_with(&['=']) => {
                    self.at += 1;
                    let words = self.deeper(Self::values).unwrap_or_default();
                    parts.0.push(Part::List(words));
                }
                // A pattern such as `!(x)`; anything else is another command.
                '(' if parts.ends_with(&['?', '*', '+', '@', '!']) => {
                    self.skip_parentheses();
                    parts.0.push(Part::Unknown);
                }
                '(' => break,
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') => {}
                        Some(c) => parts.push(c, true),
                        None => break,
                    }
                    self.at += 1;
                }
                '\'' => {
                    self.at += 1;
                    parts.text(self.until('\''), true);
                }
                '"' => {
                    self.at += 1;
                    let quoted = self.deeper(|reader| reader.quoted_until(Some('"')));
                    parts.0.extend(quoted.unwrap_or_default().parts);
                }
                '$' => self.expansion(&mut parts, false),
                '`' => self.backquoted(&mut parts),
                '~' if self.at == start => {
                    self.at += 1;
                    let mut user = String::new();
                    while let Some(c) = self.peek().filter(|c| c.is_alphanumeric() || "_-.+".contains(*c)) {
                        user.push(c);
                        self.at += 1;
                    }
                    parts.0.push(match user.as_str() {
                        "" => Part::Variable { name: "HOME".to_owned(), quoted: true },
                        "+" => Part::Variable { name: "PWD".to_owned(), quoted: true },
                        _ => Part::Unknown,
                    });
                }
                c => {
                    parts.push(c, false);
                    self.at += 1;
                }
            }
        }
        (self.at > start).then_some(Word { parts: parts.0 })
    }

    /// The rest of a text in which only expansions mean something, up to a quote or the end.
    pub(super) fn quoted_until(&mut self, end: Option<char>) -> Word {
        let mut parts = Parts::default();
        // Two quotes with nothing between them are a word all the same.
        parts.text(String::new(), true);
        while let Some(c) = self.peek() {
            match c {
                c if Some(c) == end => {
                    self.at += 1;
                    return Word { parts: parts.0 };
                }
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') => {}
                        Some(c @ ('$' | '`' | '\\')) => parts.push(c, true),
                        Some(c) if Some(c) == end => parts.push(c, true),
                        Some(c) => {
                            parts.push('\\', true);
                            parts.push(c, true);
                        }
                        None => {
                            parts.push('\\', true);
                            break;
                        }
                    }
                    self.at += 1;
                }
                '$' => self.expansion(&mut parts, true),
                '`' => self.backquoted(&mut parts),
                c => {
                    parts.push(c, true);
                    self.at += 1;
                }
            }
        }
        self.is_open |= end.is_some();
        Word { parts: parts.0 }
    }

    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_alphanumeric() || *c == '_') {
            name.push(c);
            self.at += 1;
        }
        name
    }

    /// The commands up to the closing parenthesis, which is passed over.
    pub(super) fn commands_in_parentheses(&mut self) -> Rc<Vec<Step>> {
        let steps = self.deeper(|reader| {
            let steps = reader.list(&[")"]);
            reader.take(")");
            steps
        });
        Rc::new(steps.unwrap_or_default())
    }

    fn backquoted(&mut self, parts: &mut Parts) {
        self.at += 1;
        let mut inside = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '`' => break,
                '\\' if matches!(self.peek(), Some('`' | '\\' | '$')) => {
                    inside.extend(self.peek());
                    self.at += 1;
                }
                c => inside.push(c),
            }
        }
        let steps = self.inside(&inside, |inner| inner.list(&[]));
        parts.0.push(Part::Commands(Rc::new(steps.unwrap_or_default())));
    }

    /// The characters up to this one, which is passed over.
    fn until(&mut self, end: char) -> String {
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            if c == end {
                return text;
            }
            text.push(c);
        }
        self.is_open = true;
        text
    }

    /// From an opening parenthesis: where its closing one is, among so many characters.
    fn closing(&self, within: usize) -> Option<usize> {
        let mut open = 0_usize;
        for (i, c) in self.chars.iter().enumerate().skip(self.at).take(within) {
            match c {
                '(' => open += 1,
                ')' if open == 1 => return Some(i),
                ')' => open -= 1,
                _ => {}
            }
        }
        None
    }

    /// Whether `((` here is arithmetic: both are closed together, and no line ends between.
    pub(super) fn closes_twice(&self) -> bool {
        self.closing(ARITHMETIC_CHARS).is_some_and(|end| {
            self.chars.get(end - 1) == Some(&')') && !self.chars[self.at..end].contains(&'\n')
        })
    }

    /// Passes over what stands in parentheses.
    pub(super) fn skip_parentheses(&mut self) {
        self.at = self.closing(usize::MAX).map_or(self.chars.len(), |end| end + 1);
    }
}

/// The pieces of a word, with neighbouring characters put together.
#[derive(Default)]
pub(super) struct Parts(pub(super) Vec<Part>);

impl Parts {
    pub(super) fn push(&mut self, c: char, is_quoted: bool) {
        match self.0.last_mut() {
            Some(Part::Text { text, quoted }) if *quoted == is_quoted => text.push(c),
            _ => self.0.push(Part::Text { text: c.to_string(), quoted: is_quoted }),
        }
    }

    pub(super) fn text(&mut self, text: String, quoted: bool) {
        self.0.push(Part::Text { text, quoted });
    }

    fn ends_with(&self, last: &[char]) -> bool {
        matches!(self.0.last(), Some(Part::Text { text, quoted: false }) if text.ends_with(last))
    }
}
