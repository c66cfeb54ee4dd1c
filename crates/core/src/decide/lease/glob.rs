//! Path globs: their one spelling, and whether two of them could mean the same file.
//!
//! Owns no rule of leases. Whether two globs overlap takes time in proportion to the product of their lengths at most,
//! whatever they hold.

use crate::limits;
use crate::refusal::Refusal;

/// A glob in its one spelling: relative, forward slashes, no `.` or `..`.
pub fn normal_glob(given: &str) -> Result<String, Refusal> {
    let bad = |why: &str| {
        Refusal::usage("bad_glob", format!("`{}` {why}", given.chars().take(100).collect::<String>()))
    };
    let trimmed = given.trim();
    // An empty argument is a slip; the whole project is spelled `.` or `**`.
    if trimmed.is_empty() || given.len() > limits::WORD_BYTES || given.contains('\0') {
        return Err(bad("is not a path"));
    }
    let slashed = trimmed.replace('\\', "/");
    if slashed.starts_with('/') {
        return Err(bad("must be relative to the project"));
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in slashed.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part != ".." {
            parts.push(part);
            continue;
        }
        // One step back is plain where the name before it is.
        match parts.pop() {
            Some(before) if !has_wildcards(before) => {}
            Some(_) => return Err(bad("steps back over a wildcard")),
            None => return Err(bad("leaves the project")),
        }
    }
    if parts.is_empty() {
        return Ok("**".to_owned());
    }
    let mut normal = parts.join("/");
    if slashed.ends_with('/') {
        normal.push_str("/**");
    }
    Ok(normal)
}

/// Whether a glob could mean more than the one path it spells, and what lies below it.
pub fn has_wildcards(glob: &str) -> bool {
    glob.contains(['*', '?', '[', '{'])
}

/// Whether some path could match both globs. `*` and `?` stay inside a name, `**` crosses directories, and a path
/// also covers what lies below it. Case does not tell files apart on every disk, so it is ignored. When in doubt the
/// answer is yes: a false alarm costs a question, a miss a file.
pub fn overlap(a: &str, b: &str) -> bool {
    Glob::read(a).overlaps(&Glob::read(b))
}

/// A glob taken apart, for comparing it with many.
#[derive(Clone, Debug)]
pub struct Glob(Vec<Part>);

impl Glob {
    /// Takes a glob apart.
    pub fn read(glob: &str) -> Self {
        Self(path(glob))
    }

    /// As [`overlap`].
    pub fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        // meets[j]: whether the parts of `a` from the current one on overlap those of `b` from `j` on.
        // A glob that is at its end covers everything below.
        let mut meets = vec![true; b.len() + 1];
        for part in a.iter().rev() {
            let below = meets.clone();
            for j in (0..b.len()).rev() {
                meets[j] = match (part, &b[j]) {
                    (Part::AnyDepth, _) | (_, Part::AnyDepth) => below[j] || meets[j + 1],
                    (Part::Name(x), Part::Name(y)) => below[j + 1] && names_overlap(x, y),
                };
            }
        }
        meets[0]
    }
}

#[derive(Clone, Debug)]
enum Part {
    /// `**`: any number of directories.
    AnyDepth,
    Name(Vec<Letter>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letter {
    /// `*`: any number of characters.
    Any,
    /// `?`, or one of a set.
    One,
    Is(char),
}

fn path(glob: &str) -> Vec<Part> {
    let lower = glob.to_lowercase();
    let mut parts = Vec::new();
    for part in lower.split('/') {
        // Braces may span directories; what they stand for is then anything.
        if part.matches('{').count() != part.matches('}').count() {
            parts.push(Part::AnyDepth);
            return parts;
        }
        parts.push(if part == "**" { Part::AnyDepth } else { Part::Name(name(part)) });
    }
    parts
}

fn name(part: &str) -> Vec<Letter> {
    let mut letters = Vec::new();
    let mut rest = part;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let (letter, end) = match c {
            '*' => (Letter::Any, Some(0)),
            '?' => (Letter::One, Some(0)),
            '[' => (Letter::One, set_end(rest)),
            '{' => (Letter::Any, rest.rfind('}').map(|at| at + 1)),
            c => (Letter::Is(c), Some(0)),
        };
        // What is opened and not closed could mean anything.
        let Some(end) = end else {
            letters.push(Letter::Any);
            break;
        };
        letters.push(letter);
        rest = &rest[end..];
    }
    letters
}

/// Where a set of characters ends. Right after its opening, or after the sign that inverts it, `]` is a member.
fn set_end(set: &str) -> Option<usize> {
    let members = set.strip_prefix(['!', '^']).unwrap_or(set);
    let at = members.char_indices().skip(1).find(|(_, c)| *c == ']')?.0;
    Some(set.len() - members.len() + at + 1)
}

/// Whether some name matches both patterns.
fn names_overlap(x: &[Letter], y: &[Letter]) -> bool {
    let plain = |letters: &[Letter]| letters.iter().all(|letter| matches!(letter, Letter::Is(_)));
    if plain(x) && plain(y) {
        return x == y;
    }
    // meets[j]: whether the letters of `x` from the current one on overlap those of `y` from `j` on.
    let mut meets = vec![false; y.len() + 1];
    meets[y.len()] = true;
    for j in (0..y.len()).rev() {
        meets[j] = y[j] == Letter::Any && meets[j + 1];
    }
    for letter in x.iter().rev() {
        let below = meets.clone();
        meets[y.len()] = *letter == Letter::Any && below[y.len()];
        for j in (0..y.len()).rev() {
            meets[j] = match (*letter, y[j]) {
                (Letter::Any, _) | (_, Letter::Any) => below[j] || meets[j + 1],
                (Letter::Is(c), Letter::Is(d)) => c == d && below[j + 1],
                (Letter::One, _) | (_, Letter::One) => below[j + 1],
            };
        }
    }
    meets[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_back_inside_the_project_is_the_path_it_means() {
        assert_eq!(normal_glob("src/../d/f"), Ok("d/f".into()));
        for bad in ["..", "a/../../b", "**/../b"] {
            assert!(normal_glob(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn overlaps_are_found_and_neighbours_are_not() {
        for (a, b) in [
            ("src/a.rs", "src/a.rs"),
            ("src/**", "src/x/y.rs"),
            ("**", "anything"),
            ("src", "src/a.rs"),
            ("src/*.rs", "src/a.rs"),
            ("**/*.rs", "src/deep/a.rs"),
            ("src/a*", "src/ab*"),
            ("src/**/test.rs", "src/test.rs"),
            ("src/a?.rs", "src/*b.rs"),
            ("src/[a-c].rs", "src/b.rs"),
            ("src/[]x].rs", "src/x.rs"),
            ("src/[!]].rs", "src/x.rs"),
            ("src/a}{b", "src/a}c"),
            ("src/{a,b}.rs", "src/a.rs"),
            ("src/{a,b/c}.rs", "src/b/c.rs"),
            ("{src,docs}/**", "docs/x.md"),
            ("**/a/**", "**/b/**"),
            ("src/[.rs", "src/x.rs"),
            ("README.md", "readme.md"),
        ] {
            assert!(overlap(a, b) && overlap(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("src/a.rs", "src/b.rs"),
            ("src/*.rs", "src/a.md"),
            ("src/*.rs", "src/*.md"),
            ("src/**", "docs/**"),
            ("src/*.rs", "src/x/a.rs"),
            ("src/a*", "src/b*"),
            ("src/a?c", "src/ac"),
            ("src/[ab].rs", "src/ab.rs"),
            ("src/**/a.rs", "docs/**/a.rs"),
            ("src/{a,b}.rs", "src/a.md"),
        ] {
            assert!(!overlap(a, b) && !overlap(b, a), "{a} {b}");
        }
    }

    #[test]
    fn globs_stay_inside_the_project() {
        assert_eq!(normal_glob("./src//a.rs"), Ok("src/a.rs".into()));
        assert_eq!(normal_glob("src/"), Ok("src/**".into()));
        assert_eq!(normal_glob("."), Ok("**".into()));
        assert_eq!(normal_glob("src\\a.rs"), Ok("src/a.rs".into()));
        for bad in ["/etc/passwd", "\\etc", "../x", "a/../../b", "a\0b", "", "  "] {
            assert!(normal_glob(bad).is_err(), "{bad:?}");
        }
        assert!(normal_glob(&"x".repeat(limits::WORD_BYTES)).is_ok());
        assert!(normal_glob(&"x".repeat(limits::WORD_BYTES + 1)).is_err());
    }

    #[test]
    fn regression_hostile_globs_take_no_exponential_time() {
        let stars = format!("{}b", "*a".repeat(500));
        assert!(!overlap(&stars, &"a".repeat(1000)));
        let depths = format!("docs/{}x", "**/a/".repeat(200));
        assert!(!overlap(&depths, &format!("src/{}y", "a/**/".repeat(200))));
        assert!(overlap(&depths, &format!("docs/{}y", "a/**/".repeat(200))));
    }
}
