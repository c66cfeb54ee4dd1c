//! Tables that fit the screen.
//!
//! Owns the layout of rows and columns. A column either keeps its whole width (identifiers, times) or gives way
//! (subjects, titles); where that leaves too little to read, columns that can be spared are left out, the last first;
//! where nothing fits, each row becomes a small block of lines. Cells are made harmless here, so callers pass text as it
//! was stored.

use super::harmless::{Lines, harmless};
use super::look::{Look, Role, columns_of, cut_to_columns};
use super::wrap::wrap;

/// Columns between two columns of a table.
const GAP: usize = 2;
/// A column that gives way keeps at least this much; below, a cut text says nothing any more.
const LEAST_COLUMNS: usize = 8;
/// Below this, a text is worth more than a column that can be spared.
const READABLE_COLUMNS: usize = 20;

/// To which side the text of a column leans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// What happens to a column when the screen is narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It is never cut: an identifier is of no use in part.
    Whole,
    /// It is cut with `…`.
    GivesWay,
}

/// One column of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) title: &'static str,
    pub(crate) align: Align,
    pub(crate) fit: Fit,
    /// Left out where the screen is too narrow for all.
    pub(crate) spare: bool,
}

impl Column {
    /// Can be left out where the screen is narrow.
    pub(crate) const fn spare(self) -> Self {
        Self { spare: true, ..self }
    }

    /// Leans left and is never cut.
    pub(crate) const fn whole(title: &'static str) -> Self {
        Self { title, align: Align::Left, fit: Fit::Whole, spare: false }
    }

    /// Leans left and gives way.
    pub(crate) const fn text(title: &'static str) -> Self {
        Self { title, align: Align::Left, fit: Fit::GivesWay, spare: false }
    }

    /// Leans right and is never cut.
    pub(crate) const fn number(title: &'static str) -> Self {
        Self { title, align: Align::Right, fit: Fit::Whole, spare: false }
    }
}

/// One cell: harmless text and what it is.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    role: Role,
}

impl Cell {
    pub(crate) fn new(role: Role, text: &str) -> Self {
        Self { text: harmless(text, Lines::One).into_owned(), role }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::new(Role::Plain, text)
    }
}

/// Rows under titles.
#[derive(Debug)]
pub(crate) struct Table<const COLUMNS: usize> {
    columns: [Column; COLUMNS],
    rows: Vec<[Cell; COLUMNS]>,
}

impl<const COLUMNS: usize> Table<COLUMNS> {
    pub(crate) fn new(columns: [Column; COLUMNS]) -> Self {
        Self { columns, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: [Cell; COLUMNS]) {
        self.rows.push(cells);
    }

    /// The table as lines for a screen that looks like `look`, each ended by a line break.
    pub(crate) fn render(&self, look: Look) -> String {
        match self.widths(look.width) {
            Some(widths) => self.render_columns(look, &widths),
            None => self.render_blocks(look),
        }
    }

    /// The width of each column that is shown; none where no choice of them fits.
    fn widths(&self, screen: usize) -> Option<[Option<usize>; COLUMNS]> {
        let mut shown = [true; COLUMNS];
        loop {
            let spared = (0..COLUMNS).rev().find(|index| shown[*index] && self.columns[*index].spare);
            let least = if spared.is_some() { READABLE_COLUMNS } else { LEAST_COLUMNS };
            if let Some(widths) = self.widths_of(shown, screen, least) {
                return Some(std::array::from_fn(|index| shown[index].then_some(widths[index])));
            }
            shown[spared?] = false;
        }
    }

    fn widths_of(&self, shown: [bool; COLUMNS], screen: usize, least: usize) -> Option<[usize; COLUMNS]> {
        let mut widths = std::array::from_fn(|index| {
            let cells = self.rows.iter().map(|row| columns_of(&row[index].text));
            let widest = cells.chain([columns_of(self.columns[index].title)]).max().unwrap_or(0);
            if shown[index] { widest } else { 0 }
        });
        let gaps = GAP * shown.iter().filter(|shown| **shown).count().saturating_sub(1);
        let needed = widths.iter().sum::<usize>() + gaps;
        for _ in screen..needed {
            // The widest gives way first, so that short texts stay whole for as long as possible.
            let (_, width) = (widths.iter_mut().enumerate())
                .filter(|(index, width)| self.columns[*index].fit == Fit::GivesWay && **width > least)
                .max_by_key(|(_, width)| **width)?;
            *width -= 1;
        }
        Some(widths)
    }

    fn render_columns(&self, look: Look, widths: &[Option<usize>; COLUMNS]) -> String {
        let titles = self.columns.map(|column| Cell::new(Role::Heading, column.title));
        let mut rendered = String::new();
        for row in std::iter::once(&titles).chain(&self.rows) {
            // Spaces in front of text are written only when text follows: no line ends in spaces.
            let mut owed = 0;
            for ((cell, column), width) in row.iter().zip(&self.columns).zip(widths) {
                let Some(width) = *width else { continue };
                let text = cut_to_columns(&cell.text, width);
                let padding = width - columns_of(&text).min(width);
                let (before, after) = match column.align {
                    Align::Left => (0, padding),
                    Align::Right => (padding, 0),
                };
                owed += before;
                if !text.is_empty() {
                    rendered.push_str(&" ".repeat(owed));
                    rendered.push_str(&look.paint(cell.role, &text));
                    owed = 0;
                }
                owed += after + GAP;
            }
            rendered.push('\n');
        }
        rendered
    }

    fn render_blocks(&self, look: Look) -> String {
        let mut rendered = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            if number > 0 {
                rendered.push('\n');
            }
            for (cell, column) in row.iter().zip(&self.columns).filter(|(cell, _)| !cell.text.is_empty()) {
                let lines = wrap(&format!("{}: {}", column.title, cell.text), look.width, 0);
                for line in lines.lines() {
                    rendered.push_str(&look.paint(cell.role, line));
                    rendered.push('\n');
                }
            }
        }
        rendered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::look::UNBOUNDED;

    fn inbox() -> Table<4> {
        let mut table = Table::new([
            Column::whole("id"),
            Column::text("from"),
            Column::text("subject"),
            Column::number("age"),
        ]);
        let rows = [
            ["msg-0a1b", "claude", "The parser loses the last token of every file it reads", "3 min"],
            ["msg-9zyx", "kimi", "構文解析が最後の字句を失うので修正してください", "12 h"],
            ["msg-5555", "codex", "👩\u{200d}💻 done 👍🏽", ""],
            ["msg-6666", "\u{1b}[31mevil", "two\nlines \u{202e}txt", "1 d"],
        ];
        for [id, from, subject, age] in rows {
            table.row([Cell::new(Role::Id, id), Cell::new(Role::Name, from), subject.into(), age.into()]);
        }
        table
    }

    fn at(width: usize) -> String {
        inbox().render(Look { colour: false, width })
    }

    #[test]
    fn columns_that_can_be_spared_go_first_the_last_of_them_before_the_others() {
        let mut table = Table::new([
            Column::whole("id"),
            Column::whole("intent").spare(),
            Column::text("subject"),
            Column::number("age").spare(),
        ]);
        table.row(["msg-0a1b".into(), "question".into(), "The parser".into(), "3 min".into()]);
        let at = |width| table.render(Look { colour: false, width });
        insta::assert_snapshot!(at(37) + &at(34) + &at(20) + &at(17), @r"
        id        intent    subject       age
        msg-0a1b  question  The parser  3 min
        id        intent    subject
        msg-0a1b  question  The parser
        id        subject
        msg-0a1b  The parser
        id: msg-0a1b
        intent: question
        subject: The
        parser
        age: 3 min
        ");
    }

    #[test]
    fn eighty_columns() {
        insta::assert_snapshot!(at(80), @r"
        id        from       subject                                                 age
        msg-0a1b  claude     The parser loses the last token of every file it re…  3 min
        msg-9zyx  kimi       構文解析が最後の字句を失うので修正してください         12 h
        msg-5555  codex      👩‍💻 done 👍🏽
        msg-6666  ␛[31mevil  two␊lines \u{202e}txt                                   1 d
        ");
    }

    #[test]
    fn forty_columns() {
        insta::assert_snapshot!(at(40), @r"
        id        from       subject         age
        msg-0a1b  claude     The parser…   3 min
        msg-9zyx  kimi       構文解析が…    12 h
        msg-5555  codex      👩‍💻 done 👍🏽
        msg-6666  ␛[31mevil  two␊lines \…    1 d
        ");
    }

    #[test]
    fn twenty_columns_become_blocks() {
        insta::assert_snapshot!(at(20), @r"
        id: msg-0a1b
        from: claude
        subject: The parser
        loses the last token
        of every file it
        reads
        age: 3 min

        id: msg-9zyx
        from: kimi
        subject: 構文解析が
        最後の字句を失うので
        修正してください
        age: 12 h

        id: msg-5555
        from: codex
        subject: 👩‍💻 done 👍🏽

        id: msg-6666
        from: ␛[31mevil
        subject: two␊lines
        \u{202e}txt
        age: 1 d
        ");
    }

    #[test]
    fn one_column_neither_panics_nor_loses_text() {
        let shown: String = at(1).split_whitespace().collect();
        assert!(shown.contains("Theparserlosesthelasttokenofeveryfileitreads"), "{shown}");
        assert!(shown.contains("構文解析が最後の字句を失う"), "{shown}");
    }

    #[test]
    fn no_line_is_wider_than_the_screen() {
        for width in 2..120 {
            for line in at(width).lines() {
                assert!(columns_of(line) <= width, "{line:?} in {width}");
                assert_eq!(line.trim_end(), line);
            }
        }
        assert!(at(UNBOUNDED).contains("of every file it reads"));
    }

    #[test]
    fn colour_is_outside_the_text_and_does_not_count_as_width() {
        let plain = at(60);
        let coloured = inbox().render(Look { colour: true, width: 60 });
        let mut stripped = coloured.clone();
        for code in ["0", "1", "34", "36"] {
            stripped = stripped.replace(&format!("\u{1b}[{code}m"), "");
        }
        assert_eq!(stripped, plain);
        assert!(coloured.contains("\u{1b}[36mclaude\u{1b}[0m"), "{coloured:?}");
    }

    #[test]
    fn an_empty_table_is_its_titles() {
        let table: Table<2> = Table::new([Column::whole("id"), Column::number("age")]);
        assert_eq!(table.render(Look::PLAIN), "id  age\n");
        assert_eq!(table.render(Look { colour: false, width: 1 }), "");
    }
}
