//! What follows a `$` in a word: parameters, arrays, arithmetic, commands and escapes.

use super::read::{Parts, Reader};
use super::syntax::{Part, Word};

impl Reader {
    /// What follows a `$`.
    pub(super) fn expansion(&mut self, parts: &mut Parts, quoted: bool) {
        self.at += 1;
        match self.peek() {
            Some('(') if self.looking_at("((") && self.closes_twice() => {
                self.skip_parentheses();
                parts.0.push(Part::Number);
            }
            Some('(') => {
                self.at += 1;
                let steps = self.commands_in_parentheses();
                parts.0.push(Part::Commands(steps));
            }
            Some('{') => {
                self.at += 1;
                self.parameter(parts, quoted);
            }
            Some('\'') if !quoted => {
                self.at += 1;
                parts.text(self.with_escapes(), true);
            }
            Some('"') if !quoted => {
                self.at += 1;
                let text = self.deeper(|reader| reader.quoted_until(Some('"')));
                parts.0.extend(text.unwrap_or_default().parts);
            }
            Some('@' | '*') => {
                self.at += 1;
                parts.0.push(Part::All { name: "@".to_owned(), quoted });
            }
            Some('#' | '?' | '$' | '!') => {
                self.at += 1;
                parts.0.push(Part::Number);
            }
            Some(c) if c.is_ascii_digit() || c == '-' => {
                self.at += 1;
                parts.0.push(Part::Variable { name: c.to_string(), quoted });
            }
            Some(c) if c.is_alphabetic() || c == '_' => {
                let name = self.name();
                parts.0.push(Part::Variable { name, quoted });
            }
            _ => parts.push('$', quoted),
        }
    }

    /// What stands in `${...}`, behind the brace.
    fn parameter(&mut self, parts: &mut Parts, quoted: bool) {
        let mut name = self.name();
        if name.is_empty() && (self.looking_at("@}") || self.looking_at("*}")) {
            self.at += 2;
            return parts.0.push(Part::All { name: "@".to_owned(), quoted });
        }
        if !name.is_empty() && self.looking_at("[") {
            let index: String = self.chars[self.at..].iter().take_while(|c| **c != ']').skip(1).collect();
            if self.chars.get(self.at + index.chars().count() + 2) == Some(&'}') {
                self.at += index.chars().count() + 3;
                return parts.0.push(match index.as_str() {
                    "@" | "*" => Part::All { name, quoted },
                    index => {
                        name = format!("{name}[{index}]");
                        Part::Variable { name, quoted }
                    }
                });
            }
        }
        if !name.is_empty() && self.take("}") {
            return parts.0.push(Part::Variable { name, quoted });
        }
        let is_default = !name.is_empty() && [":-", "-", ":=", "="].iter().any(|mark| self.take(mark));
        let inside = self.deeper(|reader| reader.quoted_until(Some('}'))).unwrap_or_default();
        if is_default {
            return parts.0.push(Part::Default { name, other: inside.unquoted() });
        }
        parts.0.push(Part::Unknown);
        parts.0.extend(inside.parts.into_iter().filter(|part| matches!(part, Part::Commands(_))));
    }

    /// The values of an array, up to the closing parenthesis.
    pub(super) fn values(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None => return words,
                Some(')') => {
                    self.at += 1;
                    return words;
                }
                Some('\n') => self.end_line(),
                _ => match self.word() {
                    Some(word) => words.push(word),
                    None => self.at += 1,
                },
            }
        }
    }

    /// The inside of `$'...'`.
    fn with_escapes(&mut self) -> String {
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '\'' => break,
                '\\' => {
                    let Some(escaped) = self.peek() else { break };
                    self.at += 1;
                    text.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        'x' => self.code(16, 2),
                        'u' => self.code(16, 4),
                        'U' => self.code(16, 8),
                        '0'..='7' => {
                            self.at -= 1;
                            self.code(8, 3)
                        }
                        other => other,
                    });
                }
                c => text.push(c),
            }
        }
        text
    }

    /// The character whose number is written here, with up to this many digits.
    fn code(&mut self, radix: u32, digits: usize) -> char {
        let mut number = 0;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else { break };
            number = number * radix + digit;
            self.at += 1;
        }
        char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}
