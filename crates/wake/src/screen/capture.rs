//! A screen as tmux captured it: characters with the little of their style that tells typed text from a hint.

/// A character without width, which one client draws below its cursor.
const NO_WIDTH: char = '\u{200b}';

/// A space at which no line is broken; on a screen it is one like any other.
const UNBROKEN: char = '\u{a0}';

/// The colour of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Whatever the terminal has.
    #[default]
    Plain,
    /// One of 256.
    Numbered(u8),
    /// Red, green and blue.
    Mixed(u8, u8, u8),
}

/// One character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The character.
    pub symbol: char,
    /// Weaker than others.
    pub is_faint: bool,
    /// With its colours exchanged: how many clients draw their cursor.
    pub is_reversed: bool,
    /// Its colour. No reader asks for it, but text that only changes its colour is not at rest.
    pub colour: Colour,
}

/// One line of the screen, without the spaces at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Row(Vec<Cell>);

impl Row {
    /// Its characters with their styles.
    pub fn cells(&self) -> &[Cell] {
        &self.0
    }

    /// Its characters.
    pub fn text(&self) -> String {
        let text: String = self.0.iter().map(|cell| cell.symbol).collect();
        text.trim_end().to_owned()
    }
}

/// What a pane shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Capture {
    rows: Vec<Row>,
    size: (u16, u16),
    cursor: (u16, u16),
}

impl Capture {
    /// Reads what `capture-pane -p -e` says of a pane of this size.
    pub fn read(text: &str, size: (u16, u16), cursor: (u16, u16)) -> Self {
        let mut style = Style::default();
        let rows = text.lines().map(|line| read_row(line, &mut style)).collect();
        Self { rows, size, cursor }
    }

    /// Its lines from the top.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// All of it without styles.
    pub fn text(&self) -> String {
        self.rows.iter().map(|row| row.text() + "\n").collect()
    }

    /// Columns and lines.
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// Column and line of the cursor, from 0.
    pub fn cursor(&self) -> (u16, u16) {
        self.cursor
    }
}

#[derive(Clone, Copy, Default)]
struct Style {
    is_faint: bool,
    is_reversed: bool,
    colour: Colour,
}

/// Styles go on over the end of a line.
fn read_row(line: &str, style: &mut Style) -> Row {
    let mut cells = Vec::new();
    let mut rest = line.chars();
    while let Some(symbol) = rest.next() {
        if symbol != '\u{1b}' {
            let Style { is_faint, is_reversed, colour } = *style;
            let symbol = if symbol == UNBROKEN { ' ' } else { symbol };
            if !symbol.is_control() && symbol != NO_WIDTH {
                cells.push(Cell { symbol, is_faint, is_reversed, colour });
            }
            continue;
        }
        skip_sequence(&mut rest, style);
    }
    Row(cells)
}

/// Reads a style, and passes over links and other sequences.
fn skip_sequence(rest: &mut std::str::Chars<'_>, style: &mut Style) {
    match rest.next() {
        Some('[') => {
            let mut numbers = String::new();
            for symbol in rest.by_ref() {
                match symbol {
                    '0'..='9' | ';' | ':' => numbers.push(symbol),
                    'm' => return style.change(&numbers),
                    _ => return,
                }
            }
        }
        Some(']') => {
            while let Some(symbol) = rest.next() {
                if symbol == '\u{7}' {
                    return;
                }
                if symbol == '\u{1b}' {
                    rest.next();
                    return;
                }
            }
        }
        // A set of characters is chosen by one more.
        Some('(' | ')') => drop(rest.next()),
        _ => {}
    }
}

impl Style {
    fn change(&mut self, numbers: &str) {
        let mut groups = numbers.split(';');
        while let Some(group) = groups.next() {
            // What stands behind a colon says more of the code before it, and is no code.
            let (code, more) = group.split_once(':').map_or((group, None), |(code, more)| (code, Some(more)));
            let code = number(code);
            match code {
                0 => *self = Self::default(),
                2 => self.is_faint = true,
                7 => self.is_reversed = true,
                22 => self.is_faint = false,
                27 => self.is_reversed = false,
                30..=37 => self.colour = Colour::Numbered(code - 30),
                90..=97 => self.colour = Colour::Numbered(code - 90 + 8),
                39 => self.colour = Colour::Plain,
                // Of the background and of an underline only the numbers must not be taken for codes.
                38 | 48 | 58 => {
                    let colour = match more {
                        Some(more) => grouped_colour(more),
                        None => read_colour(&mut groups.by_ref().map(number)),
                    };
                    if code == 38 {
                        self.colour = colour.unwrap_or(Colour::Plain);
                    }
                }
                _ => {}
            }
        }
    }
}

fn number(text: &str) -> u8 {
    text.parse().unwrap_or(0)
}

/// A colour behind a colon, which may name the space of its numbers first.
fn grouped_colour(text: &str) -> Option<Colour> {
    match text.split(':').map(number).collect::<Vec<u8>>()[..] {
        [5, number, ..] => Some(Colour::Numbered(number)),
        [2, red, green, blue] | [2, _, red, green, blue, ..] => Some(Colour::Mixed(red, green, blue)),
        _ => None,
    }
}

fn read_colour(codes: &mut impl Iterator<Item = u8>) -> Option<Colour> {
    match codes.next()? {
        5 => Some(Colour::Numbered(codes.next()?)),
        2 => Some(Colour::Mixed(codes.next()?, codes.next()?, codes.next()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_read_and_do_not_show() {
        let text = "\u{1b}[38;5;246m>\u{1b}[39m \u{1b}[7mT\u{1b}[0;2mry\u{1b}[0m\n\u{1b}[38;2;1;2;3mx\ny\u{1b}[48;5;2mz\u{1b}]8;;u\u{1b}\\l\n";
        let capture = Capture::read(text, (80, 24), (2, 0));
        assert_eq!(capture.text(), "> Try\nx\nyzl\n");
        let first = capture.rows()[0].cells();
        assert_eq!(first[0].colour, Colour::Numbered(246));
        assert!(first[2].is_reversed && !first[2].is_faint && first[3].is_faint && !first[3].is_reversed);
        assert_eq!(capture.rows()[1].cells()[0].colour, Colour::Mixed(1, 2, 3));
        let last = capture.rows()[2].cells();
        assert!(last.iter().all(|cell| cell.colour == Colour::Mixed(1, 2, 3)), "a style goes on: {last:?}");
    }

    #[test]
    fn the_colour_and_the_kind_of_an_underline_are_no_styles() {
        let faint = |text: &str| {
            let capture = Capture::read(text, (80, 24), (0, 0));
            capture.rows()[0].cells().iter().map(|cell| cell.is_faint).collect::<Vec<_>>()
        };
        for underline in ["58;5;2", "58;2;2;2;2", "58:5:2", "58:2::2:2:2", "4:2", "48:5:2", "48;5;2"] {
            assert_eq!(faint(&format!("\u{1b}[{underline}mx")), [false], "{underline}");
        }
        for underline in ["58;5;0", "58;2;0;0;0", "58:2::0:0:0", "4:0", "38:5:22", "38;5;22"] {
            assert_eq!(faint(&format!("\u{1b}[2m\u{1b}[{underline}mx")), [true], "{underline}");
        }
        let colour =
            |text: &str| Capture::read(text, (80, 24), (0, 0)).rows()[0].cells().first().unwrap().colour;
        assert_eq!(colour("\u{1b}[58;5;2;38;5;7mx"), Colour::Numbered(7));
        assert_eq!(colour("\u{1b}[38:5:7mx"), Colour::Numbered(7));
        assert_eq!(colour("\u{1b}[38:2:1:2:3mx"), Colour::Mixed(1, 2, 3));
        assert_eq!(colour("\u{1b}[38:2::1:2:3mx"), Colour::Mixed(1, 2, 3));
    }
}
