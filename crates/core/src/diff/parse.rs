//! Reading a unified diff, as git or `diff -u` writes it, or as a person shortened it.

use super::{Diff, DiffLine, FileDiff, Hunk, LineKind};

/// What git writes for the missing side of a new or deleted file.
const NO_FILE: &str = "/dev/null";
/// The prefixes git puts before paths: the usual pair, and those of `diff.mnemonicPrefix`.
const PREFIXES: [(&str, &str); 6] =
    [("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"), ("b/", "a/")];

/// Numbers of the next lines of a hunk, and how many the header promised.
struct Count {
    old: u32,
    new: u32,
    old_left: u32,
    new_left: u32,
}

pub(super) fn parse(text: &str) -> Diff<'_> {
    let lines: Vec<&str> = text.lines().collect();
    let mut diff = Diff::default();
    let mut count: Option<Count> = None;
    let mut at = 0;
    while let Some(line) = lines.get(at).copied() {
        at += 1;
        if line.starts_with("diff --git ") {
            count = None;
            diff.files.push(FileDiff { old: None, new: None, head: vec![line], hunks: Vec::new() });
            continue;
        }
        if let Some((hunk, counted)) = hunk_header(line)
            && let Some(file) = diff.files.last_mut()
        {
            file.hunks.push(hunk);
            count = Some(counted);
            continue;
        }
        let is_full = count.as_ref().is_none_or(|count| count.old_left == 0 && count.new_left == 0);
        let starts_file =
            line.starts_with("--- ") && lines.get(at).is_some_and(|next| next.starts_with("+++ "));
        if is_full && starts_file {
            let is_gits =
                diff.files.last().is_some_and(|file| file.hunks.is_empty() && !file.head.is_empty());
            if !is_gits {
                diff.files.push(FileDiff { old: None, new: None, head: Vec::new(), hunks: Vec::new() });
            }
            count = None;
            if let (Some(file), Some(next)) = (diff.files.last_mut(), lines.get(at).copied()) {
                file.head.extend([line, next]);
            }
            at += 1;
            continue;
        }
        let Some(file) = diff.files.last_mut() else { continue };
        match (&mut count, file.hunks.last_mut()) {
            // After a hunk's last line comes the text before the next patch.
            (Some(_), Some(hunk)) if is_full => {
                if line.starts_with('\\') {
                    hunk.lines.push(remark(line));
                }
            }
            (Some(count), Some(hunk)) => {
                hunk.lines.push(body_line(line, count).unwrap_or_else(|| remark(line)));
            }
            _ => file.head.push(line),
        }
    }
    diff.files.iter_mut().for_each(name);
    diff.files.retain(|file| file.old.is_some() || file.new.is_some());
    diff
}

fn remark(raw: &str) -> DiffLine<'_> {
    DiffLine { kind: LineKind::Remark, raw, old: None, new: None }
}

impl Count {
    fn next_old(&mut self) -> Option<u32> {
        self.old_left = self.old_left.saturating_sub(1);
        let number = self.old;
        self.old = self.old.saturating_add(1);
        Some(number)
    }

    fn next_new(&mut self) -> Option<u32> {
        self.new_left = self.new_left.saturating_sub(1);
        let number = self.new;
        self.new = self.new.saturating_add(1);
        Some(number)
    }
}

fn body_line<'t>(raw: &'t str, count: &mut Count) -> Option<DiffLine<'t>> {
    let (kind, old, new) = match raw.as_bytes().first() {
        Some(b'+') => (LineKind::Added, None, count.next_new()),
        Some(b'-') => (LineKind::Removed, count.next_old(), None),
        Some(b' ') => (LineKind::Context, count.next_old(), count.next_new()),
        Some(b'\\') => (LineKind::Remark, None, None),
        // Some tools strip the blank of an empty context line.
        None if count.old_left > 0 && count.new_left > 0 => {
            (LineKind::Context, count.next_old(), count.next_new())
        }
        _ => return None,
    };
    Some(DiffLine { kind, raw, old, new })
}

/// Reads `@@ -3,4 +5,6 @@ context`.
fn hunk_header(line: &str) -> Option<(Hunk<'_>, Count)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |part: &str| {
        let (start, length) = part.split_once(',').unwrap_or((part, "1"));
        Some((start.parse::<u32>().ok()?, length.parse::<u32>().ok()?))
    };
    let ((old_start, old_left), (new_start, new_left)) = (range(old)?, range(new)?);
    let hunk = Hunk { header: line, old_start, new_start, lines: Vec::new() };
    Some((hunk, Count { old: old_start.max(1), new: new_start.max(1), old_left, new_left }))
}

/// Finds the two paths in the lines before the first hunk.
fn name(file: &mut FileDiff<'_>) {
    let after = |prefix: &str| file.head.iter().find_map(|line| line.strip_prefix(prefix));
    let is = |prefix: &str| after(prefix).is_some();
    let plain = |path: &str| unquoted(path.split('\t').next().unwrap_or(path));
    let (old, new) = match (after("--- "), after("+++ "), after("rename from "), after("rename to ")) {
        (.., Some(old), Some(new)) => (Some(unquoted(old)), Some(unquoted(new))),
        (Some(old), Some(new), ..) => {
            let (old, new) = (plain(old), plain(new));
            let named = after("diff --git ").and_then(|names| both(names, &old, &new));
            without_prefixes(old, new, named)
        }
        // A change of mode, an empty file or a binary one has only the first line.
        _ => match after("diff --git ").and_then(both_alike) {
            Some(path) => (Some(path.clone()), Some(path)),
            None => (None, None),
        },
    };
    let (is_new, is_deleted) = (is("new file mode "), is("deleted file mode "));
    file.old = old.filter(|_| !is_new);
    file.new = new.filter(|_| !is_deleted);
}

/// The two paths without git's prefixes. `named` is how the first line names a file of which one side is missing: it shows
/// which prefixes there are.
fn without_prefixes(
    old: String,
    new: String,
    named: Option<(String, String)>,
) -> (Option<String>, Option<String>) {
    let strip = |path: &str, prefix: &str| path.strip_prefix(prefix).map(str::to_owned);
    let stripped = |old: &str, new: &str| {
        PREFIXES.iter().find_map(|(before, after)| Some((strip(old, before)?, strip(new, after)?)))
    };
    let is_named = named.is_some();
    let named = named.map(|(old, new)| stripped(&old, &new).unwrap_or((old, new)));
    match (old == NO_FILE, new == NO_FILE) {
        (true, true) => (None, None),
        (true, _) if is_named => (None, named.map(|(_, new)| new)),
        (_, true) if is_named => (named.map(|(old, _)| old), None),
        (true, _) => (None, Some(strip(&new, "b/").unwrap_or(new))),
        (_, true) => (Some(strip(&old, "a/").unwrap_or(old)), None),
        _ => {
            let (old, new) = stripped(&old, &new).unwrap_or((old, new));
            (Some(old), Some(new))
        }
    }
}

/// The two paths in the first line of a new or deleted file, of which only one is in the lines below it.
fn both(names: &str, old: &str, new: &str) -> Option<(String, String)> {
    let known = if old == NO_FILE { new } else { old };
    if known == NO_FILE || (old != NO_FILE && new != NO_FILE) {
        return None;
    }
    let halves = match names.strip_prefix('"').and_then(|quoted| quoted.find("\" ")) {
        Some(end) => (names.get(..end + 2)?, names.get(end + 3..)?),
        None => {
            let half = names.len().checked_sub(1)? / 2;
            (names.get(..half)?, names.get(half + 1..)?)
        }
    };
    let (old, new) = (unquoted(halves.0), unquoted(halves.1));
    (old == known || new == known).then_some((old, new))
}

/// The path in `a/PATH b/PATH`, where both are the same.
fn both_alike(names: &str) -> Option<String> {
    if let Some(quoted) = names.strip_prefix('"') {
        let end = quoted.find("\" ")?;
        let path = unquoted(&names[..end + 2]);
        return Some(path.split_once('/')?.1.to_owned());
    }
    // Each half is a prefix of two characters and the path; a blank is between them.
    let half = names.len().checked_sub(1)? / 2;
    let (old, new) = (names.get(..half)?, names.get(half + 1..)?);
    let (old, new) = (old.split_once('/')?.1, new.split_once('/')?.1);
    (old == new).then(|| old.to_owned())
}

/// A path without the quotes that git puts around special characters.
fn unquoted(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return path.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(digit @ b'0'..=b'3') => {
                let mut code = digit - b'0';
                for _ in 0..2 {
                    if let Some(next) = rest.next_if(|next| (b'0'..=b'7').contains(next)) {
                        code = code.wrapping_mul(8).wrapping_add(next - b'0');
                    }
                }
                bytes.push(code);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The part of a git diff that is about files whose old path is wanted.
pub fn keep_files(text: &str, is_wanted: impl Fn(&str) -> bool) -> String {
    let mut kept = String::new();
    let mut section = String::new();
    let mut keep = |section: &mut String| {
        let wanted = parse(section).files.iter().any(|file| file.old.as_deref().is_some_and(&is_wanted));
        if wanted {
            kept.push_str(section);
        }
        section.clear();
    };
    for line in text.split_inclusive('\n') {
        if line.starts_with("diff --git ") {
            keep(&mut section);
        }
        section.push_str(line);
    }
    keep(&mut section);
    kept
}
