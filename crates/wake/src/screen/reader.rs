//! Reads a screen by what its client's profile says of it.
//!
//! The cursor is the anchor: where a person would type next is the composer, or there is none. What the profile does not
//! describe exactly is unknown, and unknown is never typed into.

use std::ops::Range;

use interagent_agents::{Composer, Screen};
use unicode_width::UnicodeWidthStr;

use super::capture::{Capture, Cell, Colour};

/// How many lines above the composer may say that the client works: its status, a hint, an empty line.
const NEAR: usize = 4;

/// What a screen shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The composer, and nothing else that wants keys.
    Composer(Held),
    /// The client works.
    Busy,
    /// A question is open: whatever is typed answers it.
    Dialog,
    /// Nothing that the profile knows.
    Unknown,
}

/// What a composer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nothing.
    Nothing,
    /// What was typed, line by line, with the cursor at its end.
    Text(Vec<String>),
    /// What was typed, with the cursor elsewhere: somebody is at work in it.
    Edited,
}

impl Held {
    /// Exactly this text stands there, perhaps broken into lines where the screen is narrow.
    pub fn is(&self, text: &str) -> bool {
        matches!(self, Self::Text(lines) if whole_of(lines, text))
    }

    /// It is a beginning of this text, or empty: the client may still be drawing.
    pub fn begins(&self, text: &str) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(lines) => rest_after(lines, text).is_some(),
            Self::Edited => false,
        }
    }
}

fn whole_of(lines: &[String], text: &str) -> bool {
    rest_after(lines, text) == Some("")
}

/// What of a text is not in these lines, which hold its beginning. Between two words a line may end in the place of the space.
fn rest_after<'t>(lines: &[String], text: &'t str) -> Option<&'t str> {
    let mut rest = text;
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            // No screen breaks a text into a line with nothing in it: somebody broke it.
            rest = rest.strip_prefix(' ').unwrap_or(rest);
            if line.is_empty() {
                return None;
            }
        }
        rest = rest.strip_prefix(line.as_str())?;
    }
    Some(rest)
}

/// What was read, and of which part of the screen it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What it shows.
    pub seen: Seen,
    /// What the composer holds, also while the client works; none where there is none.
    pub composer: Option<Held>,
    /// How many lines from the top end with the composer. Hints below it change by themselves.
    pub matters: usize,
    /// How many percent of the context are left, where the client shows that.
    pub context_left: Option<u8>,
}

/// Reads a screen.
pub fn read(screen: &Screen, capture: &Capture) -> Reading {
    let all = capture.rows().len();
    let Some(place) = screen.composer.as_ref().and_then(|shape| Place::find(shape, capture)) else {
        let asks = says(capture, 0..all, &screen.dialog);
        return Reading {
            seen: if asks { Seen::Dialog } else { Seen::Unknown },
            composer: None,
            matters: all,
            context_left: None,
        };
    };
    let (above, below) = (place.lines.start.saturating_sub(1), place.lines.end + 1);
    let held = place.held(capture);
    let seen = if says(capture, below..all, &screen.dialog) {
        Seen::Dialog
    } else if says(capture, below..all, &screen.busy)
        || works(capture, above.saturating_sub(NEAR)..above, screen)
    {
        Seen::Busy
    } else {
        Seen::Composer(held.clone())
    };
    let context_left = screen.context_used.as_deref().and_then(|before| left(capture, below..all, before));
    Reading { seen, composer: Some(held), matters: below, context_left }
}

/// What a percentage behind a text leaves of a hundred.
fn left(capture: &Capture, rows: Range<usize>, before: &str) -> Option<u8> {
    let mut rows = capture.rows().get(rows).unwrap_or_default().iter().map(super::Row::text);
    rows.find_map(|row| {
        let (_, behind) = row.split_once(before)?;
        let (number, _) = behind.split_once('%')?;
        100u8.checked_sub(number.parse().ok()?)
    })
}

fn says(capture: &Capture, rows: Range<usize>, words: &[String]) -> bool {
    let mut rows = capture.rows().get(rows).unwrap_or_default().iter().map(super::Row::text);
    rows.any(|row| words.iter().any(|word| row.contains(word.as_str())))
}

/// A line begins like a status and says what a status says, as far as the profile knows of either.
fn works(capture: &Capture, rows: Range<usize>, screen: &Screen) -> bool {
    if screen.spinner.is_empty() && screen.status.is_empty() {
        return false;
    }
    let begins = |row: &str| row.trim_start().starts_with(|first| screen.spinner.contains(first));
    let says = |row: &str| screen.status.iter().any(|word| row.contains(word.as_str()));
    let mut rows = capture.rows().get(rows).unwrap_or_default().iter().map(super::Row::text);
    rows.any(|row| (screen.spinner.is_empty() || begins(&row)) && (screen.status.is_empty() || says(&row)))
}

/// Where a composer is: its lines, and how each begins.
struct Place<'s> {
    shape: &'s Composer,
    lines: Range<usize>,
    first: &'s str,
}

impl<'s> Place<'s> {
    /// The composer around the cursor.
    fn find(shape: &'s Composer, capture: &Capture) -> Option<Self> {
        let rows = capture.rows();
        let (column, line) = cursor(capture);
        let is_edge = |row: usize, edge: &str| {
            let text = rows.get(row).map(super::Row::text).unwrap_or_default();
            match edge {
                "" => text.is_empty(),
                edge => text.trim_start().starts_with(edge),
            }
        };
        let top = (0..line).rev().find(|row| is_edge(*row, &shape.top))?;
        let bottom = (line + 1..rows.len()).find(|row| is_edge(*row, &shape.bottom))?;
        let lines = top + 1..without_padding(shape, capture, top + 1..bottom)?;
        let begins = |first: &&String| inner(shape, capture, lines.start, first).is_some();
        let first = shape.first.iter().find(begins)?;
        let place = Self { shape, lines, first };
        let fits = |row: usize| inner(shape, capture, row, place.start(row)).is_some();
        let is_inside = place.lines.contains(&line) && column >= width(place.start(line));
        (is_inside && place.lines.clone().all(fits)).then_some(place)
    }

    fn start(&self, row: usize) -> &'s str {
        if row == self.lines.start { self.first } else { &self.shape.next }
    }

    fn held(&self, capture: &Capture) -> Held {
        let (column, line) = cursor(capture);
        let inside = |row: usize| inner(self.shape, capture, row, self.start(row)).unwrap_or_default();
        let lines: Vec<Vec<Cell>> = self.lines.clone().map(inside).collect();
        let mut texts: Vec<String> = lines.iter().map(|cells| text_of(cells)).collect();
        // How far the cursor is from where its line begins.
        let typed = column.saturating_sub(width(self.start(line)));
        let at_start = line == self.lines.start && typed == 0;
        // Between two empty lines an empty one proves nothing: only its placeholder tells that it is the composer.
        let is_blank = !self.shape.top.is_empty() && lines.len() == 1 && texts.iter().all(String::is_empty);
        let is_placeholder = self.shape.placeholder.iter().any(|hint| *hint == texts.join("\n").trim_start());
        if at_start && (is_blank || is_placeholder || is_hint(&lines)) {
            return Held::Nothing;
        }
        let Some(last) = texts.last_mut().filter(|_| line + 1 == self.lines.end) else { return Held::Edited };
        if let Some(shorter) = self.shape.hints.iter().find_map(|hint| without(last, hint, typed)) {
            *last = shorter;
        }
        let Some(spaces) = typed.checked_sub(width(last)) else { return Held::Edited };
        // Spaces at the end are not seen; where the cursor stands tells that they were typed.
        last.push_str(&" ".repeat(spaces));
        Held::Text(texts)
    }
}

/// The end of the typed text, above the padding. None if there are fewer empty lines than the client keeps.
fn without_padding(shape: &Composer, capture: &Capture, lines: Range<usize>) -> Option<usize> {
    if shape.padding == 0 {
        return Some(lines.end);
    }
    let (_, cursor) = cursor(capture);
    let is_empty = |row: usize| capture.rows().get(row).is_some_and(|row| row.text().is_empty());
    let end = lines.clone().rev().find(|row| *row <= cursor || !is_empty(*row))? + 1;
    (lines.end - end >= shape.padding).then_some(end)
}

fn cursor(capture: &Capture) -> (usize, usize) {
    (usize::from(capture.cursor().0), usize::from(capture.cursor().1))
}

fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// A line without the hint that begins right behind the cursor.
fn without(line: &str, hint: &str, typed: usize) -> Option<String> {
    let rest = line.strip_suffix(hint)?.trim_end();
    (width(rest) == typed).then(|| rest.to_owned())
}

/// What stands in a line of the composer, without its frame; none where it has not that frame.
fn inner(shape: &Composer, capture: &Capture, row: usize, start: &str) -> Option<Vec<Cell>> {
    let blank = Cell { symbol: ' ', is_faint: false, is_reversed: false, colour: Colour::Plain };
    let begins = start.chars().count();
    let mut cells = capture.rows().get(row)?.cells().to_vec();
    while cells.len() > begins && cells.last().is_some_and(|cell| cell.symbol == ' ') {
        cells.pop();
    }
    cells.extend(std::iter::repeat_n(blank, begins.saturating_sub(cells.len())));
    let keeps = cells.len().checked_sub(shape.end.chars().count())?;
    let symbols = |cells: &[Cell]| cells.iter().map(|cell| cell.symbol).collect::<String>();
    let is_framed = symbols(cells.get(..begins)?) == start && symbols(cells.get(keeps..)?) == shape.end;
    is_framed.then(|| cells.get(begins..keeps).map(<[Cell]>::to_vec)).flatten()
}

fn text_of(cells: &[Cell]) -> String {
    cells.iter().map(|cell| cell.symbol).collect::<String>().trim_end().to_owned()
}

/// Faint text is nobody's: a client proposes it. Its first character may be below a drawn cursor.
fn is_hint(lines: &[Vec<Cell>]) -> bool {
    let mut shown = lines.iter().flatten().filter(|cell| cell.symbol != ' ').peekable();
    shown.next_if(|cell| cell.is_reversed);
    shown.peek().is_some() && shown.all(|cell| cell.is_faint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen() -> Screen {
        let composer = Composer {
            top: "──".to_owned(),
            bottom: "──".to_owned(),
            first: vec!["> ".to_owned()],
            next: "  ".to_owned(),
            placeholder: vec!["Say something".to_owned()],
            ..Composer::default()
        };
        Screen { composer: Some(composer), ..Screen::default() }
    }

    /// What a composer with these lines holds, with the cursor so far from the left in the last of them.
    fn held(lines: &[&str], column: u16) -> Option<Held> {
        let text = format!("before\n────\n{}\n────\nbelow\n", lines.join("\n"));
        let line = u16::try_from(lines.len()).unwrap() + 1;
        read(&screen(), &Capture::read(&text, (20, 9), (column, line))).composer
    }

    fn text(lines: &[&str]) -> Option<Held> {
        Some(Held::Text(lines.iter().map(ToString::to_string).collect()))
    }

    #[test]
    fn spaces_that_are_not_seen_are_told_by_the_cursor() {
        assert_eq!(held(&["> abc"], 5), text(&["abc"]));
        assert_eq!(held(&["> abc"], 7), text(&["abc  "]));
        assert_eq!(held(&["> "], 2), Some(Held::Nothing));
        assert_eq!(held(&["> "], 3), text(&[" "]));
        assert_eq!(held(&["> abc"], 4), Some(Held::Edited));
        assert_eq!(held(&["> abc"], 1), None, "the cursor is outside");
        assert_eq!(held(&["> 漢字"], 6), text(&["漢字"]), "a wide character has two columns");
    }

    #[test]
    fn hints_are_nobodys_text() {
        assert_eq!(held(&["> Say something"], 2), Some(Held::Nothing));
        assert_eq!(held(&["> Say something"], 15), text(&["Say something"]), "typed by somebody");
        assert_eq!(held(&["> \u{1b}[7mT\u{1b}[0m\u{1b}[2mry this\u{1b}[0m"], 2), Some(Held::Nothing));
        assert_eq!(held(&["> \u{1b}[7mT\u{1b}[0mry this"], 2), Some(Held::Edited), "not faint");
        assert_eq!(held(&["> \u{1b}[7mT\u{1b}[0m"], 2), Some(Held::Edited), "one letter below the cursor");
    }

    #[test]
    fn a_line_that_is_broken_by_the_screen_is_still_the_line() {
        let broken = held(&["> inbox3, or run:", "  interagent inbox"], 18).unwrap();
        assert!(broken.is("inbox3, or run: interagent inbox"));
        assert!(!broken.is("inbox3, or run: interagent inbox "));
        assert!(
            held(&["> inbox3, or r", "  un: inter"], 11).unwrap().begins("inbox3, or run: interagent inbox")
        );
        assert!(
            !held(&["> inbox3", "  ", "  or run"], 8).unwrap().is("inbox3 or run"),
            "an empty line is a line"
        );
    }

    #[test]
    fn padding_is_not_typed() {
        let mut screen = screen();
        let shape = screen.composer.as_mut().unwrap();
        (shape.first, shape.next, shape.padding) = (vec![" ".to_owned()], String::new(), 2);
        let held = |lines: &[&str], cursor: (u16, u16)| {
            let text = format!("before\n────\n{}\n────\nbelow\n", lines.join("\n"));
            read(&screen, &Capture::read(&text, (20, 9), (cursor.0, cursor.1 + 2))).composer
        };
        assert_eq!(held(&["", "", ""], (1, 0)), Some(Held::Nothing));
        assert_eq!(held(&[" ab", "", ""], (3, 0)), text(&["ab"]));
        assert_eq!(held(&[" ab", "c", "", ""], (1, 1)), text(&["ab", "c"]));
        assert_eq!(held(&[" ab", "c", "", ""], (3, 0)), Some(Held::Edited));
        assert_eq!(held(&["", "c", "", ""], (1, 0)), Some(Held::Edited), "somebody typed below the cursor");
        assert_eq!(held(&[" ", "", "", ""], (0, 1)), text(&["", ""]), "the cursor is not at the start");
        assert_eq!(held(&["", ""], (1, 0)), None, "it may be scrolled");
        assert_eq!(held(&["", "", ""], (0, 0)), None, "the cursor is outside");
    }

    #[test]
    fn another_mark_or_a_broken_frame_is_no_composer() {
        assert_eq!(held(&["! abc"], 5), None);
        assert_eq!(held(&["> abc", "def"], 3), None);
        let open = Capture::read("────\n> abc\nno edge\n", (20, 9), (5, 1));
        assert_eq!(read(&screen(), &open).seen, Seen::Unknown);
    }
}
