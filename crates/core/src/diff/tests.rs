//! Diffs, positions and where they go.

use proptest::prelude::*;

use super::*;

const PARSER: &str = "\
diff --git a/src/parser.rs b/src/parser.rs
index 111..222 100644
--- a/src/parser.rs
+++ b/src/parser.rs
@@ -10,4 +10,5 @@ fn tokens() {
     let mut rest = input;
-    while let Some(token) = split(rest) {
+    while let Some((token, after)) = split(rest) {
+        found.push(token);
     }
     found
@@ -40,2 +41,2 @@
-fn old_name() {}
+fn new_name() {}
 // end
diff --git a/old.txt b/new.txt
similarity index 90%
rename from old.txt
rename to new.txt
--- a/old.txt
+++ b/new.txt
@@ -1 +1 @@
-one
+two
\\ No newline at end of file
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-- dash
-last
";

fn place(path: &str, side: Side, line: u32) -> Position {
    Position { path: path.to_owned(), side, line: Some(line) }
}

#[test]
fn a_git_diff_is_read_with_its_numbers() {
    let diff = Diff::parse(PARSER);
    let paths: Vec<_> = diff.files.iter().map(|file| (file.old.as_deref(), file.new.as_deref())).collect();
    assert_eq!(
        paths,
        [
            (Some("src/parser.rs"), Some("src/parser.rs")),
            (Some("old.txt"), Some("new.txt")),
            (Some("gone.txt"), None)
        ]
    );
    let numbers: Vec<_> = diff.files[0].hunks[0].lines.iter().map(|line| (line.old, line.new)).collect();
    let n = Some;
    assert_eq!(
        numbers,
        [(n(10), n(10)), (n(11), None), (None, n(11)), (None, n(12)), (n(12), n(13)), (n(13), n(14))]
    );
    assert_eq!(diff.files[1].hunks[0].lines[2].kind, LineKind::Remark);
    assert_eq!(diff.files[2].hunks[0].lines[0].text(), "- dash");
    assert_eq!(diff.summary().as_deref(), Some("Changes in src/parser.rs and 2 more files"));
}

#[test]
fn unusual_headers_are_read() {
    for (text, old, new) in [
        ("--- a.c\t2026-01-01\n+++ b.c\t2026-01-02\n@@ -1 +1 @@\n-x\n+y\n", Some("a.c"), Some("b.c")),
        ("--- i/a.c\n+++ w/a.c\n@@ -1 +1 @@\n-x\n+y\n", Some("a.c"), Some("a.c")),
        ("--- c/a.c\n+++ c/a.c\n@@ -1 +1 @@\n-x\n+y\n", Some("c/a.c"), Some("c/a.c")),
        ("diff --git a/run b/run\nold mode 100644\nnew mode 100755\n", Some("run"), Some("run")),
        ("diff --git a/x y b/x y\nnew file mode 100644\n", None, Some("x y")),
        (
            "diff --git \"a/t\\tb\" \"b/t\\tb\"\n--- \"a/t\\tb\"\n+++ \"b/t\\tb\"\n@@ -1 +1 @@\n-x\n+y\n",
            Some("t\tb"),
            Some("t\tb"),
        ),
        ("--- \"a/\\303\\251\"\n+++ \"b/\\303\\251\"\n@@ -1 +1 @@\n-x\n+y\n", Some("é"), Some("é")),
    ] {
        let diff = Diff::parse(text);
        let paths: Vec<_> =
            diff.files.iter().map(|file| (file.old.as_deref(), file.new.as_deref())).collect();
        assert_eq!(paths, [(old, new)], "{text}");
    }
    assert_eq!(Diff::parse("-old\n+new\n").files, []);
}

#[test]
fn mnemonic_prefixes_of_new_files_are_removed() {
    let new = |old: &str, path: &str| {
        format!(
            "diff --git {old}src/new.rs {path}src/new.rs\nnew file mode 100644\n--- /dev/null\n\
             +++ {path}src/new.rs\n@@ -0,0 +1 @@\n+x\n"
        )
    };
    for (old, path, wanted) in [
        ("a/", "b/", "src/new.rs"),
        ("i/", "w/", "src/new.rs"),
        ("c/", "i/", "src/new.rs"),
        ("", "", "src/new.rs"),
        ("b/", "b/", "b/src/new.rs"),
    ] {
        let text = new(old, path);
        let diff = Diff::parse(&text);
        assert_eq!(diff.files[0].new.as_deref(), Some(wanted), "{text}");
    }
    let gone = "diff --git i/gone.rs w/gone.rs\ndeleted file mode 100644\n--- i/gone.rs\n+++ /dev/null\n\
                @@ -1 +0,0 @@\n-x\n";
    assert_eq!(Diff::parse(gone).files[0].old.as_deref(), Some("gone.rs"));
}

/// Two patches of one file, as `git format-patch --stdout` writes them.
const SERIES: &str = "\
From 111 Mon Sep 17 00:00:00 2001
Subject: [PATCH 1/2] First
---
 f | 2 +-

diff --git a/f b/f
index 1..2 100644
--- a/f
+++ b/f
@@ -1,2 +1,2 @@
-one
+two
 same
-- 
2.43.0

From 222 Mon Sep 17 00:00:00 2001
Subject: [PATCH 2/2] Second

- a bullet
+ another
---
 f | 2 +-

diff --git a/f b/f
index 2..3 100644
--- a/f
+++ b/f
@@ -8,2 +8,2 @@
-eight
+nine
 end
\\ No newline at end of file
-- 
2.43.0
";

#[test]
fn text_between_patches_is_no_line() {
    let diff = Diff::parse(SERIES);
    let lines: Vec<Vec<&str>> =
        diff.files.iter().map(|file| file.lines().map(|line| line.raw).collect()).collect();
    assert_eq!(
        lines,
        [vec!["-one", "+two", " same"], vec!["-eight", "+nine", " end", "\\ No newline at end of file"]]
    );
}

#[test]
fn thread_appears_in_the_patch_with_its_line() {
    let diff = Diff::parse(SERIES);
    let at =
        |line| Some(Place { path: "f".to_owned(), side: Side::New, line: Some(line), how: Placement::Exact });
    let rows = layout(&diff, &[at(8), at(400)]);
    let before = |index: usize| {
        let at = rows.iter().position(|row| *row == Row::Thread(index)).unwrap();
        match &rows[at - 1] {
            Row::Line(line) => line.raw,
            Row::Head(text) | Row::Hunk(text) => text,
            Row::Thread(_) => "a thread",
        }
    };
    assert_eq!((before(0), before(1)), ("+nine", "\\ No newline at end of file"));
}

#[test]
fn a_removed_line_of_dashes_is_no_header() {
    let text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- one\n+++ two\n same\n";
    let diff = Diff::parse(text);
    let kinds: Vec<_> = diff.files[0].lines().map(|line| (line.kind, line.text())).collect();
    assert_eq!(
        kinds,
        [(LineKind::Removed, "-- one"), (LineKind::Added, "++ two"), (LineKind::Context, "same")]
    );
}

#[test]
fn a_position_must_be_in_the_diff() {
    let diff = Diff::parse(PARSER);
    let found = diff.locate("./src/parser.rs", Some(12), None).unwrap();
    assert_eq!((found.side, diff.text_at(&found)), (Side::New, Some("        found.push(token);")));
    assert_eq!(diff.locate("gone.txt", Some(2), None).unwrap().side, Side::Old);
    let renamed = diff.locate("new.txt", Some(1), Some(Side::Old)).unwrap();
    assert_eq!((renamed.path.as_str(), diff.text_at(&renamed)), ("old.txt", Some("one")));
    assert_eq!(diff.locate("new.txt", None, None).unwrap().line, None);

    let Err(Nowhere::Line { ranges, .. }) = diff.locate("src/parser.rs", Some(400), Some(Side::New)) else {
        unreachable!("there is no such line")
    };
    assert_eq!(ranges, [(Side::New, 41, 42), (Side::New, 10, 14)]);
    let Err(Nowhere::File(files)) = diff.locate("lib/gone.txt", Some(1), None) else {
        unreachable!("there is no such file")
    };
    assert_eq!(files[0], "gone.txt");
}

/// The `-U0` diff between two versions of a file, by the longest common lines.
fn between(path: &str, old: &[String], new: &[String]) -> String {
    let mut table = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            table[i][j] = match old[i] == new[j] {
                true => table[i + 1][j + 1] + 1,
                false => table[i + 1][j].max(table[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut text = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n");
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let (from_i, from_j) = (i, j);
        while (i < old.len() || j < new.len()) && !(i < old.len() && j < new.len() && old[i] == new[j]) {
            match j >= new.len() || (i < old.len() && table[i + 1][j] >= table[i][j + 1]) {
                true => i += 1,
                false => j += 1,
            }
        }
        let start = |from: usize, to: usize| if from == to { from } else { from + 1 };
        let (a, b) = (start(from_i, i), start(from_j, j));
        text.push_str(&format!("@@ -{a},{} +{b},{} @@\n", i - from_i, j - from_j));
        old[from_i..i].iter().for_each(|line| text.push_str(&format!("-{line}\n")));
        new[from_j..j].iter().for_each(|line| text.push_str(&format!("+{line}\n")));
    }
    text
}

/// A diff that adds a whole file: every line of it has a position.
fn whole(path: &str, lines: &[String]) -> String {
    let body: String = lines.iter().map(|line| format!("+{line}\n")).collect();
    format!(
        "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{} @@\n{body}",
        lines.len()
    )
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// Where line `at` of `old` is in `new`: by the diff between them, then by the two rounds' diffs alone.
fn both_ways(old: &[&str], new: &[&str], at: u32) -> [(Placement, Option<u32>); 2] {
    let (old, new) = (owned(old), owned(new));
    let (before, after, since) = (whole("f", &old), whole("f", &new), between("f", &old, &new));
    let (before, after, since) = (Diff::parse(&before), Diff::parse(&after), Diff::parse(&since));
    [Some(&since), None].map(|since| {
        let found = carry(&place("f", Side::New, at), &[Step { before: &before, after: &after, since }]);
        (found.how, found.line)
    })
}

#[test]
fn a_line_is_found_again_or_said_to_be_gone() {
    use Placement::{Changed, Exact, Moved, Outdated, Shifted};
    let old = ["fn a() {", "    let total = count(items);", "}", "fn b() {", "    done();", "}"];
    type Case<'c> = (Vec<&'c str>, u32, [(Placement, Option<u32>); 2]);
    let cases: [Case<'_>; 4] = [
        (old.to_vec(), 2, [(Exact, Some(2)); 2]),
        (["// why", "use x;"].into_iter().chain(old).collect(), 2, [(Shifted, Some(4)); 2]),
        (
            vec!["fn a() {", "    let total = count(&items);", "}", "fn b() {", "    done();", "}"],
            2,
            [(Changed, Some(2)); 2],
        ),
        (vec!["fn a() {", "}", "fn b() {", "    done();", "}"], 2, [(Outdated, None); 2]),
    ];
    for (new, at, wanted) in cases {
        assert_eq!(both_ways(&old, &new, at), wanted, "{new:?}");
    }
    let moved = ["fn a() {", "}", "fn b() {", "    done();", "    let total = count(items);", "}"];
    assert_eq!(both_ways(&old, &moved, 2), [(Moved, Some(5)), (Shifted, Some(5))]);
    // The second bracket is the one after `done`, wherever it is now.
    let shifted = ["use x;", "fn a() {", "}", "fn b() {", "    done();", "}"];
    assert_eq!(both_ways(&old, &shifted, 6), [(Exact, Some(6)); 2]);
}

#[test]
fn a_renamed_file_takes_its_threads_along() {
    let since = "diff --git a/f b/g\nsimilarity index 90%\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1,0 +2,1 @@\n+new\n";
    let gone =
        "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n";
    let before = whole("f", &owned(&["x", "y"]));
    let (before, since, gone) = (Diff::parse(&before), Diff::parse(since), Diff::parse(gone));
    let step = |since| Step { before: &before, after: &before, since: Some(since) };
    let found = carry(&place("f", Side::New, 2), &[step(&since)]);
    assert_eq!((found.path.as_str(), found.line, found.how), ("g", Some(3), Placement::Shifted));
    let found = carry(&place("f", Side::New, 2), &[step(&gone)]);
    assert_eq!((found.path.as_str(), found.line, found.how), ("f", None, Placement::Outdated));
    let whole_file = Position { line: None, ..place("f", Side::New, 1) };
    assert_eq!(carry(&whole_file, &[step(&since)]).path, "g");
}

#[test]
fn threads_stand_at_their_lines() {
    let diff = Diff::parse(PARSER);
    let at =
        |path: &str, side, line| Some(Place { path: path.to_owned(), side, line, how: Placement::Exact });
    let places = [
        at("src/parser.rs", Side::New, Some(12)),
        None,
        at("new.txt", Side::New, None),
        at("src/parser.rs", Side::New, Some(30)),
        at("nowhere.rs", Side::New, Some(1)),
        at("src/parser.rs", Side::Old, Some(11)),
    ];
    let rows = layout(&diff, &places);
    let before = |wanted: usize| {
        let at = rows.iter().position(|row| *row == Row::Thread(wanted)).unwrap();
        at.checked_sub(1).map(|at| rows[at].clone())
    };
    assert!(matches!(before(0), Some(Row::Line(line)) if line.new == Some(12)));
    assert_eq!(before(1), None);
    assert_eq!(before(2), Some(Row::Head("+++ b/new.txt")));
    assert!(matches!(before(3), Some(Row::Line(line)) if line.text() == "// end"));
    assert!(matches!(before(4), Some(Row::Line(line)) if line.text() == "last"));
    assert!(matches!(before(5), Some(Row::Line(line)) if line.old == Some(11)));
}

#[test]
fn files_that_nobody_asked_for_are_left_out() {
    let kept = keep_files(PARSER, |path| path == "old.txt");
    assert!(kept.starts_with("diff --git a/old.txt") && !kept.contains("gone.txt"), "{kept}");
    assert_eq!(keep_files(PARSER, |_| true), PARSER);
}

fn content() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        Just("}".to_owned()),
        Just(String::new()),
        "[a-d]{1,3}",
        "    let [a-c]{2} = [a-c]{2}\\([a-c]{4}\\);",
    ];
    prop::collection::vec(line, 1..25)
}

proptest! {
    #[test]
    fn a_line_that_is_said_to_be_the_same_has_the_same_text(old in content(), new in content(), at in 0_usize..25) {
        let at = at % old.len();
        let (before, after, since) = (whole("f", &old), whole("f", &new), between("f", &old, &new));
        let (before, after, since) = (Diff::parse(&before), Diff::parse(&after), Diff::parse(&since));
        let position = place("f", Side::New, u32::try_from(at + 1).unwrap());
        for since in [Some(&since), None] {
            let found = carry(&position, &[Step { before: &before, after: &after, since }]);
            let now = found.line.and_then(|line| new.get(line as usize - 1));
            match found.how {
                Placement::Exact | Placement::Shifted | Placement::Moved => {
                    prop_assert_eq!(now.map(|text| text.trim_end()), Some(old[at].trim_end()));
                }
                Placement::Changed => prop_assert!(now.is_some()),
                Placement::Outdated => prop_assert_eq!(found.line, None),
            }
        }
    }

    #[test]
    fn nothing_moves_where_nothing_changed(old in content(), at in 0_usize..25) {
        let text = whole("f", &old);
        let (diff, since) = (Diff::parse(&text), Diff::default());
        let position = place("f", Side::New, u32::try_from(at % old.len() + 1).unwrap());
        let steps = [Step { before: &diff, after: &diff, since: Some(&since) }; 3];
        let found = carry(&position, &steps);
        prop_assert_eq!((found.how, found.line), (Placement::Exact, position.line));
    }

    #[test]
    fn lines_after_an_insertion_shift_by_it(old in content(), new in content(), at in 0_usize..25) {
        let at = at % old.len();
        let grown: Vec<String> = new.iter().chain(&old).cloned().collect();
        let n = new.len();
        let added: String = new.iter().map(|line| format!("+{line}\n")).collect();
        let since = format!("--- a/f\n+++ b/f\n@@ -0,0 +1,{n} @@\n{added}");
        let (before, after) = (whole("f", &old), whole("f", &grown));
        let (before, after, since) = (Diff::parse(&before), Diff::parse(&after), Diff::parse(&since));
        let position = place("f", Side::New, u32::try_from(at + 1).unwrap());
        let found = carry(&position, &[Step { before: &before, after: &after, since: Some(&since) }]);
        prop_assert_eq!((found.how, found.line), (Placement::Shifted, Some(u32::try_from(at + 1 + n).unwrap())));
    }

    #[test]
    fn any_text_can_be_read(text in "([-+ @\\\\a-c0-9,/]{0,12}\n|diff --git a/x b/x\n|--- a/x\n|\\+\\+\\+ b/x\n|@@ -1,2 \\+1,2 @@\n){0,30}") {
        let diff = Diff::parse(&text);
        let threads = [None, Some(Place { path: "x".to_owned(), side: Side::Old, line: Some(1), how: Placement::Exact })];
        let rows = layout(&diff, &threads);
        prop_assert_eq!(rows.iter().filter(|row| matches!(row, Row::Thread(_))).count(), 2);
        for file in &diff.files {
            for line in file.lines() {
                for side in [Side::Old, Side::New] {
                    if let (Some(number), Some(path)) = (line.on(side), file.path_on(side)) {
                        prop_assert!(diff.locate(path, Some(number), Some(side)).is_ok());
                    }
                }
            }
        }
    }
}
