//! Reviews in words: what a review waits for, and its diff with the threads at their lines.

use interagent_core::diff::{Diff, LineKind, Place, Placement, Row, layout};
use interagent_core::harmless;
use interagent_core::vocabulary::Verdict;
use interagent_wire::answer::{CommentView, Page, ReviewRow, ReviewView};

use super::work::more;
use super::{Lines, Said};
use crate::envelope::{self, NOTICE, Part};

fn row(row: &ReviewRow) -> String {
    let reviewers: Vec<&str> = row.reviewers.iter().map(|who| who.name.as_str()).collect();
    let verdict = row.verdict.map_or_else(|| "open".to_owned(), |verdict| verdict.to_string());
    let by = reviewers.join(", ");
    format!(
        "{} {verdict}, round {}, by {} for {by}, {} open threads: {}",
        row.id, row.round, row.author.name, row.open_threads, row.title
    )
}

/// A review that was opened, changed or judged.
pub(super) fn review(lines: &mut Lines, operation: &str, view: &ReviewView) {
    lines.say(row(&view.review));
    if let ("review.comment", Some(last)) = (operation, view.comments.last()) {
        lines.say(format!("your comment: {}, thread {}", last.id, last.thread));
    }
    if let Some(next) = follows(view) {
        lines.next(next);
    }
}

/// Who acts next on a review, and how.
fn follows(view: &ReviewView) -> Option<String> {
    let ReviewRow { id, author, verdict, .. } = &view.review;
    match verdict {
        None => Some(format!(
            "a reviewer: review(action=\"show\", review=\"{id}\"), then review(action=\"verdict\", review=\"{id}\", verdict=...)"
        )),
        Some(Verdict::RevisionNeeded) => {
            Some(format!("{}: review(action=\"update\", review=\"{id}\") adds a round", author.name))
        }
        Some(_) => None,
    }
}

pub(super) fn reviews(lines: &mut Lines, page: &Page<ReviewRow>) {
    if page.items.is_empty() {
        lines.say("No such review.");
    }
    page.items.iter().for_each(|one| lines.say(row(one)));
    more(lines, page, "review(action=\"list\", ");
}

/// The diff of a review, with the number of each line and the threads below theirs.
pub(crate) fn annotated(view: &ReviewView) -> String {
    let threads: Vec<&CommentView> = view.comments.iter().filter(|said| said.id == said.thread).collect();
    let shown: Vec<&CommentView> =
        threads.into_iter().filter(|first| first.file.is_none() || first.place.is_some()).collect();
    let place = |first: &&CommentView| {
        let place = first.place.as_ref()?;
        Some(Place { path: place.file.clone(), side: place.side, line: place.line, how: place.how })
    };
    let places: Vec<Option<Place>> = shown.iter().map(place).collect();
    let text = view.diff.as_deref().unwrap_or_default();
    let diff = Diff::parse(text);
    let mut lines: Vec<String> = Vec::new();
    for row in layout(&diff, &places) {
        match row {
            Row::Head(head) => lines.push(head.to_owned()),
            Row::Hunk(header) => lines.push(header.to_owned()),
            Row::Line(line) => lines.push(match (line.kind, line.new.or(line.old)) {
                (LineKind::Remark, _) | (_, None) => line.raw.to_owned(),
                (_, Some(number)) => format!("{number} {}", line.raw),
            }),
            Row::Thread(index) => lines.extend(thread(view, shown[index])),
        }
    }
    if diff.files.is_empty() {
        lines.extend(text.lines().map(str::to_owned));
    }
    lines.join("\n")
}

fn thread(view: &ReviewView, first: &CommentView) -> Vec<String> {
    let state = if first.resolved { ", resolved" } else { "" };
    let was = match (&first.place, first.line) {
        (Some(place), Some(line)) if place.how != Placement::Exact => {
            format!(", {} (line {line} in round {})", place.how, first.round)
        }
        _ => String::new(),
    };
    let head = format!("  | {} {} {}{state}{was}", first.thread, first.by.name, first.disposition);
    let mut lines = vec![head];
    for said in view.comments.iter().filter(|said| said.thread == first.thread) {
        if said.id != first.id {
            lines.push(format!("  | {} {}", said.by.name, said.disposition));
        }
        let body = said.body.as_deref().unwrap_or("(purged)");
        lines.extend(body.lines().map(|line| format!("  |   {line}")));
    }
    lines
}

/// A review that was asked for, or a part of it.
pub(crate) fn review_text(view: &ReviewView, part: &Part<'_>) -> Said {
    let ReviewRow { id, author, title, round: newest, .. } = &view.review;
    let head = format!(
        "{id} | round {} of {newest} by {} | {}",
        view.round,
        harmless::line(&author.name),
        harmless::line(title)
    );
    let rest = |next| format!("review(action=\"show\", review=\"{id}\", after=\"{next}\")");
    let mut lines = Lines::default();
    lines.say(row(&view.review));
    match part.next {
        Some(next) => lines.next(rest(next)),
        None => {
            if let Some(next) = follows(view) {
                lines.next(next);
            }
        }
    }
    let said = lines.finish();
    if view.diff.is_none() && view.comments.is_empty() {
        return said;
    }
    said.after(&format!("{NOTICE}\n{}", envelope::fence(&head, part, rest)))
}
