//! Links between our Markdown files lead somewhere: the file exists, and so does the heading.

use std::collections::{BTreeMap, BTreeSet};

use super::{File, Finding};

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let pages = files.iter().filter(|file| file.path.ends_with(".md"));
    let headings: BTreeMap<&str, BTreeSet<String>> =
        pages.clone().map(|page| (page.path.as_str(), anchors(&page.text))).collect();
    let mut findings = Vec::new();
    for page in pages {
        for (line, link) in links(&page.text) {
            if let Some(what) = problem(&page.path, &link, &paths, &headings) {
                findings.push(Finding::new("links", &page.path, line, what));
            }
        }
    }
    findings
}

fn problem(
    page: &str,
    link: &str,
    paths: &BTreeSet<&str>,
    headings: &BTreeMap<&str, BTreeSet<String>>,
) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() { page.to_owned() } else { resolve(page, file) };
    let folder = format!("{}/", target.trim_end_matches('/'));
    let is_folder = target.is_empty() || paths.iter().any(|path| path.starts_with(&folder));
    if !is_folder && !paths.contains(target.as_str()) {
        return Some(format!("the link `{link}` leads to {target}, which does not exist"));
    }
    let has_anchor = |known: &BTreeSet<String>| anchor.is_empty() || known.contains(anchor);
    match headings.get(target.as_str()) {
        Some(known) if !has_anchor(known) => Some(format!("{target} has no heading for `#{anchor}`")),
        _ => None,
    }
}

/// Resolves a relative link against the folder of its page; a leading `/` means the root of the repository.
fn resolve(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = if link.starts_with('/') { Vec::new() } else { page.split('/').collect() };
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// The lines of a page outside fenced code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        fenced ^= is_fence;
        (!fenced && !is_fence).then_some((index + 1, line))
    })
}

/// Targets of `[text](target)` and `[name]: target`, outside code.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let visible: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
        for part in visible.split("](").skip(1) {
            let target = part.split([')', ' ']).next().unwrap_or_default();
            found.push((number, target.trim_matches(['<', '>']).to_owned()));
        }
        if let Some((name, target)) = visible.split_once("]: ")
            && name.starts_with('[')
            && !name.contains(' ')
        {
            found.push((number, target.split(' ').next().unwrap_or_default().to_owned()));
        }
    }
    found
}

/// Anchors of all headings, by the rule that code hosts use: lower case, no punctuation, dashes for blanks.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for (_, line) in prose(text).filter(|(_, line)| line.starts_with('#')) {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|kept| kept.is_alphanumeric() || matches!(kept, ' ' | '-' | '_'));
        let base: String = kept.map(|kept| if kept == ' ' { '-' } else { kept }).collect();
        let repeated = (1..).map(|count| format!("{base}-{count}"));
        let free = std::iter::once(base.clone()).chain(repeated).find(|anchor| !anchors.contains(anchor));
        anchors.extend(free);
    }
    anchors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(pages: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = pages
            .iter()
            .map(|(path, text)| File { path: (*path).to_owned(), text: (*text).to_owned() })
            .collect();
        check(&files).iter().map(|finding| format!("{}:{}", finding.path, finding.line)).collect()
    }

    #[test]
    fn a_link_to_nothing_is_found() {
        let page = "[a](guide/a.md)\n[b](../README.md)\n[c](guide)\n[d](b.md)\n[e](https://example.org/x.md)\n[r]: gone.md";
        let pages = [("docs/index.md", page), ("docs/guide/a.md", ""), ("README.md", "")];
        assert_eq!(problems(&pages), ["docs/index.md:4", "docs/index.md:6"]);
    }

    #[test]
    fn a_missing_heading_is_found() {
        let pages = [
            (
                "docs/a.md",
                "# The log, once\n## Twice\n## Twice\n[x](#the-log-once) [y](#twice-1)\n[z](b.md#nothing)",
            ),
            ("docs/b.md", "# Something"),
        ];
        assert_eq!(problems(&pages), ["docs/a.md:5"]);
    }

    #[test]
    fn code_is_not_prose() {
        assert_eq!(problems(&[("a.md", "```\n[x](gone.md)\n```\n`[y](gone.md)` and\n# A\n")]), [""; 0]);
    }
}
