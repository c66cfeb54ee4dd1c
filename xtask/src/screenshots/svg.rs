//! A screen with its colours, as a picture that any browser shows: text stays text.

use std::fmt::Write;

const CELL_WIDTH: f64 = 8.4;
const LINE_HEIGHT: f64 = 18.0;
const MARGIN: f64 = 12.0;
const BACKGROUND: &str = "#1b1d23";
const FOREGROUND: &str = "#d5d8df";
/// The sixteen colours of a terminal.
const PALETTE: [&str; 16] = [
    "#3b4048", "#e06c75", "#98c379", "#d9b36a", "#61afef", "#c678dd", "#56b6c2", "#d5d8df", "#6b7280",
    "#ef8b93", "#b5d99c", "#ecd08f", "#8cc7f7", "#d9a0ea", "#84d3dc", "#ffffff",
];

/// How characters look from some place on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Style {
    colour: Option<String>,
    behind: Option<String>,
    bold: bool,
    dim: bool,
    reverse: bool,
}

/// Characters of one line that look alike.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    column: usize,
    width: usize,
    text: String,
    style: Style,
}

/// The picture of a screen as `tmux capture-pane -e` tells it.
pub(super) fn picture(screen: &str, columns: usize) -> String {
    let mut style = Style::default();
    let lines: Vec<Vec<Run>> = screen.lines().map(|line| runs(line, &mut style)).collect();
    let size = |cells: usize, one: f64| f64::from(u32::try_from(cells).unwrap_or(0)) * one + 2.0 * MARGIN;
    let (width, height) = (size(columns, CELL_WIDTH), size(lines.len(), LINE_HEIGHT));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n"
    );
    for (row, runs) in lines.iter().enumerate() {
        let top = size(row, LINE_HEIGHT) - MARGIN;
        for run in runs {
            draw(&mut svg, run, top);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw(svg: &mut String, run: &Run, top: f64) {
    let place = |cells: usize| f64::from(u32::try_from(cells).unwrap_or(0)) * CELL_WIDTH;
    let (left, width) = (place(run.column) + MARGIN, place(run.width));
    let style = &run.style;
    let (mut colour, mut behind) = (style.colour.clone(), style.behind.clone());
    if style.reverse {
        (colour, behind) = (
            Some(behind.unwrap_or_else(|| BACKGROUND.to_owned())),
            Some(colour.unwrap_or_else(|| FOREGROUND.to_owned())),
        );
    }
    // Writing into a string can't fail.
    if let Some(behind) = behind {
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{LINE_HEIGHT}\" fill=\"{behind}\"/>"
        );
    }
    if run.text.trim().is_empty() {
        return;
    }
    let weight = if style.bold { " font-weight=\"bold\"" } else { "" };
    let opacity = if style.dim { " opacity=\"0.6\"" } else { "" };
    let colour = colour.unwrap_or_else(|| FOREGROUND.to_owned());
    let baseline = top + 13.5;
    let _ = writeln!(
        svg,
        "<text x=\"{left:.1}\" y=\"{baseline:.1}\" textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\" \
         xml:space=\"preserve\" fill=\"{colour}\"{weight}{opacity}>{}</text>",
        escaped(&run.text)
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Cuts a line where its looks change.
fn runs(line: &str, style: &mut Style) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut column = 0;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            let mut sequence = String::new();
            if rest.peek() == Some(&'[') {
                rest.next();
                for c in rest.by_ref() {
                    if c.is_ascii_alphabetic() {
                        if c == 'm' {
                            apply(style, &sequence);
                        }
                        break;
                    }
                    sequence.push(c);
                }
            } else {
                // A change of the character set, of two characters.
                rest.next();
                rest.next();
            }
            continue;
        }
        if c.is_control() {
            continue;
        }
        let width = if is_wide(c) { 2 } else { 1 };
        match runs.last_mut() {
            Some(last) if last.style == *style => {
                last.text.push(c);
                last.width += width;
            }
            _ => runs.push(Run { column, width, text: c.to_string(), style: style.clone() }),
        }
        column += width;
    }
    runs
}

/// Letters and signs of East Asia take two columns.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xff00..=0xff60 | 0x1f300..=0x1faff)
}

fn apply(style: &mut Style, sequence: &str) {
    let codes: Vec<usize> = sequence.split([';', ':']).map(|code| code.parse().unwrap_or(0)).collect();
    let mut at = 0;
    while let Some(code) = codes.get(at) {
        match code {
            0 => *style = Style::default(),
            1 => style.bold = true,
            2 => style.dim = true,
            7 => style.reverse = true,
            22 => (style.bold, style.dim) = (false, false),
            27 => style.reverse = false,
            30..=37 => style.colour = Some(PALETTE[code - 30].to_owned()),
            90..=97 => style.colour = Some(PALETTE[code - 82].to_owned()),
            39 => style.colour = None,
            40..=47 => style.behind = Some(PALETTE[code - 40].to_owned()),
            100..=107 => style.behind = Some(PALETTE[code - 92].to_owned()),
            49 => style.behind = None,
            38 | 48 => {
                let (found, used) = long_colour(&codes[at + 1..]);
                match code {
                    38 => style.colour = found,
                    _ => style.behind = found,
                }
                at += used;
            }
            _ => {}
        }
        at += 1;
    }
}

/// One of 256 colours, or one of all; and how many numbers that took.
fn long_colour(codes: &[usize]) -> (Option<String>, usize) {
    match codes {
        [5, number, ..] => (Some(indexed(*number)), 2),
        [2, red, green, blue, ..] => (Some(format!("#{red:02x}{green:02x}{blue:02x}")), 4),
        _ => (None, codes.len()),
    }
}

fn indexed(number: usize) -> String {
    match number {
        0..=15 => PALETTE[number].to_owned(),
        16..=231 => {
            let level = |part: usize| if part == 0 { 0 } else { 55 + 40 * part };
            let number = number - 16;
            let (red, green, blue) = (level(number / 36), level(number / 6 % 6), level(number % 6));
            format!("#{red:02x}{green:02x}{blue:02x}")
        }
        _ => {
            let grey = 8 + 10 * (number.min(255) - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_read_and_text_is_harmless() {
        let mut style = Style::default();
        let runs = runs("a\u{1b}[1;31mb<\u{1b}[0m c", &mut style);
        let seen: Vec<(usize, &str, bool)> =
            runs.iter().map(|run| (run.column, run.text.as_str(), run.style.bold)).collect();
        assert_eq!(seen, [(0, "a", false), (1, "b<", true), (3, " c", false)]);
        let svg = picture("a\u{1b}[1;31mb<\u{1b}[0m\n", 10);
        assert!(svg.contains("fill=\"#e06c75\" font-weight=\"bold\">b&lt;</text>"), "{svg}");
        assert_eq!((indexed(196), indexed(232)), ("#ff0000".to_owned(), "#080808".to_owned()));
    }
}
