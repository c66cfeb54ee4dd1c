//! Splits Rust source into code, string literals and comments, so that a check looks only at what it is
//! about. A scanner, not a parser: it knows quotes and comments and nothing of the grammar.

/// One source text in its three parts. Lines count from 1.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Scanned {
    /// The source with comments and the inside of literals blanked; line breaks are kept.
    pub(crate) code: String,
    /// Every string literal with the line it starts on, without quotes, escapes as written.
    pub(crate) strings: Vec<(usize, String)>,
    /// Every comment with the line it starts on.
    pub(crate) comments: Vec<(usize, String)>,
    /// Where inline unit tests start, if there are any; by custom they are the end of a file.
    pub(crate) tests_from: Option<usize>,
}

impl Scanned {
    /// The code lines with their numbers, without inline unit tests.
    pub(crate) fn product_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = self.tests_from.unwrap_or(usize::MAX);
        self.code
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line))
            .take_while(move |(line, _)| *line < end)
    }

    /// Whether this line belongs to inline unit tests.
    pub(crate) fn is_test_line(&self, line: usize) -> bool {
        self.tests_from.is_some_and(|start| line >= start)
    }
}

pub(crate) fn scan(source: &str) -> Scanned {
    let mut scanner = Scanner { chars: source.chars().collect(), at: 0, line: 1, out: Scanned::default() };
    scanner.run();
    let mut scanned = scanner.out;
    scanned.tests_from = tests_from(&scanned.code);
    scanned
}

struct Scanner {
    chars: Vec<char>,
    at: usize,
    line: usize,
    out: Scanned,
}

impl Scanner {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    /// Takes one character; it stays visible in the code or becomes a blank there.
    fn take(&mut self, visible: bool) -> char {
        let character = self.peek(0);
        self.at += 1;
        if character == '\n' {
            self.line += 1;
        }
        self.out.code.push(if visible || character == '\n' { character } else { ' ' });
        character
    }

    fn run(&mut self) {
        let mut previous = '\0';
        while self.at < self.chars.len() {
            let character = self.peek(0);
            let in_word = previous.is_alphanumeric() || previous == '_';
            match character {
                '/' if self.peek(1) == '/' => self.line_comment(),
                '/' if self.peek(1) == '*' => self.block_comment(),
                '"' => self.string(),
                'r' | 'b' | 'c' if !in_word && self.raw_hashes().is_some() => self.raw_string(),
                '\'' => self.char_or_lifetime(),
                _ => {
                    self.take(true);
                }
            }
            previous = character;
        }
    }

    fn line_comment(&mut self) {
        let line = self.line;
        let mut text = String::new();
        while self.at < self.chars.len() && self.peek(0) != '\n' {
            text.push(self.take(false));
        }
        self.out.comments.push((line, text));
    }

    fn block_comment(&mut self) {
        let line = self.line;
        let mut text = String::new();
        let mut depth = 0usize;
        while self.at < self.chars.len() {
            let pair = (self.peek(0), self.peek(1));
            text.push(self.take(false));
            match pair {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ => continue,
            }
            text.push(self.take(false));
            if depth == 0 {
                break;
            }
        }
        self.out.comments.push((line, text));
    }

    fn string(&mut self) {
        let line = self.line;
        let mut text = String::new();
        self.take(true);
        while self.at < self.chars.len() && self.peek(0) != '"' {
            if self.peek(0) == '\\' {
                text.push(self.take(false));
            }
            text.push(self.take(false));
        }
        self.take(true);
        self.out.strings.push((line, text));
    }

    /// For `r"`, `r#"`, `br"`, `cr"`: how many characters introduce it and how many hashes it has.
    fn raw_hashes(&self) -> Option<(usize, usize)> {
        let prefix = match (self.peek(0), self.peek(1)) {
            ('r', _) => 1,
            ('b' | 'c', 'r') => 2,
            _ => return None,
        };
        let hashes = (prefix..).take_while(|ahead| self.peek(*ahead) == '#').count();
        (self.peek(prefix + hashes) == '"').then_some((prefix, hashes))
    }

    fn raw_string(&mut self) {
        let line = self.line;
        let (prefix, hashes) = self.raw_hashes().unwrap_or_default();
        for _ in 0..=prefix + hashes {
            self.take(true);
        }
        let mut text = String::new();
        let closes =
            |scanner: &Self| scanner.peek(0) == '"' && (1..=hashes).all(|ahead| scanner.peek(ahead) == '#');
        while self.at < self.chars.len() && !closes(self) {
            text.push(self.take(false));
        }
        for _ in 0..=hashes {
            self.take(true);
        }
        self.out.strings.push((line, text));
    }

    /// `'a'` and `'\n'` are literals; `'a` without a closing quote is a lifetime.
    fn char_or_lifetime(&mut self) {
        let escaped = self.peek(1) == '\\';
        if !escaped && self.peek(2) != '\'' {
            self.take(true);
            return;
        }
        self.take(true);
        if escaped {
            self.take(false);
        }
        self.take(false);
        while self.at < self.chars.len() && self.peek(0) != '\'' && self.peek(0) != '\n' {
            self.take(false);
        }
        self.take(true);
    }
}

/// The line of `#[cfg(test)]` above an inline module.
fn tests_from(code: &str) -> Option<usize> {
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    lines.iter().enumerate().find_map(|(index, line)| {
        let opens_module = lines[index + 1..]
            .iter()
            .find(|next| !next.is_empty() && !next.starts_with("#["))
            .is_some_and(|next| next.split_whitespace().any(|word| word == "mod") && next.ends_with('{'));
        (*line == "#[cfg(test)]" && opens_module).then_some(index + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_comments_and_code_are_told_apart() {
        let scanned = scan("let a = \"x // y\"; // z \"q\"\nlet b = r#\"a \"b\" c\"#; /* d /* e */ f */ end");
        assert_eq!(scanned.strings, [(1, "x // y".to_owned()), (2, "a \"b\" c".to_owned())]);
        assert_eq!(scanned.comments, [(1, "// z \"q\"".to_owned()), (2, "/* d /* e */ f */".to_owned())]);
        assert!(scanned.code.contains("let b") && scanned.code.ends_with(" end"));
        assert!(!scanned.code.contains('y') && !scanned.code.contains('z'));
    }

    #[test]
    fn escapes_chars_and_lifetimes_do_not_open_strings() {
        let scanned = scan(r#"fn f<'a>(x: &'a str) { let q = '"'; let b = '\''; g("a\"b"); h('\u{41}') }"#);
        assert_eq!(scanned.strings, [(1, r#"a\"b"#.to_owned())]);
        assert!(scanned.code.contains("fn f<'a>(x: &'a str)") && scanned.code.ends_with('}'));
    }

    #[test]
    fn lines_stay_where_they_were() {
        let scanned = scan("/* one\ntwo */\n\"three\nfour\"\nfive");
        assert_eq!(scanned.code.lines().nth(4), Some("five"));
        assert_eq!(scanned.strings, [(3, "three\nfour".to_owned())]);
    }

    #[test]
    fn inline_tests_end_the_product_code() {
        let scanned = scan("fn a() {}\n#[cfg(test)]\nmod tests {\nfn b() {}\n}");
        assert_eq!(scanned.product_lines().map(|(line, _)| line).collect::<Vec<_>>(), [1]);
        assert!(scanned.is_test_line(4) && !scanned.is_test_line(1));
        assert_eq!(scan("#[cfg(test)]\nmod tests;\nfn a() {}").tests_from, None);
    }
}
