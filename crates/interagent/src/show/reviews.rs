//! Reviews, as people see them: the diff with its threads.

use interagent_core::diff::{Diff, Place, Placement, Position, Row, layout};
use interagent_core::vocabulary::Verdict;
use interagent_wire::answer::{CommentView, Page, ReviewRow, ReviewView, RoundView};

use super::diff::role;
use super::tasks::judged;
use super::{INDENT, ago, empty, exactly, field, id, moment, more, name, names};
use crate::ui::look::{Role, UNBOUNDED};
use crate::ui::printer::Printer;
use crate::ui::table::{Cell, Column, Table};
use crate::ui::wrap::wrap;

/// Prefix of every thread line of a thread, so that none is taken for a line of the change.
const BAR: &str = "    | ";
/// Characters of a commit that people read.
const SHORT_HASH: usize = 10;

pub(super) fn state(review: &ReviewRow) -> &'static str {
    match review.verdict {
        Some(verdict) => verdict.as_str(),
        None if review.void => "void",
        None => "open",
    }
}

pub(super) fn review(printer: &mut Printer<'_>, op: &str, view: &ReviewView) {
    let ReviewRow { id, title, round, .. } = &view.review;
    let state = state(&view.review);
    let did = match op {
        "review.open" => "opened ".to_owned(),
        "review.update" => format!("added round {round} to "),
        "review.comment" => "commented ".to_owned(),
        "review.resolve" => "closed a thread of ".to_owned(),
        "review.verdict" => "judged ".to_owned(),
        _ => String::new(),
    };
    let line = [
        (Role::Good, did.as_str()),
        (Role::Id, id.as_str()),
        (Role::Plain, "  "),
        (Role::Warning, state),
        (Role::Plain, "  "),
        (Role::Heading, title),
    ];
    printer.line(&line);
    match op {
        "review.open" | "review.update" => {
            field(printer, "asked", Some(&names(&view.review.reviewers)));
            if let Some(source) = view.rounds.last().and_then(coordinates) {
                field(printer, "change", Some(&source));
            }
        }
        "review.comment" => field(printer, "as", view.comments.last().map(|said| said.id.as_str())),
        "review.verdict" if view.review.verdict == Some(Verdict::RevisionNeeded) => {
            let next = format!("interagent review update {id}");
            let who = format!("next, {}: ", view.review.author.name);
            printer.exact(&[(Role::Quiet, &who), (Role::Plain, &next)]);
        }
        "review.show" => whole(printer, view),
        _ => {}
    }
}

fn whole(printer: &mut Printer<'_>, view: &ReviewView) {
    field(printer, "author", Some(&view.review.author.name));
    field(printer, "reviewers", Some(&names(&view.review.reviewers)));
    field(printer, "task", view.review.task.as_deref());
    let aliases = view.review.aliases.join(", ");
    field(printer, "aliases", Some(aliases.as_str()).filter(|aliases| !aliases.is_empty()));
    let shows_rounds = view.rounds.len() > 1;
    for round in &view.rounds {
        if shows_rounds || coordinates(round).is_some() {
            let source = coordinates(round).unwrap_or_else(|| "a diff".to_owned());
            let shown = if round.round == view.round { "" } else { ", not shown" };
            let facts = format!("{source}, {}{shown}", moment(round.at));
            field(printer, &format!("round {}", round.round), Some(&facts));
        }
        if let Some(verdict) = &round.verdict {
            judged(printer, verdict);
        }
        if let (Some(Verdict::Approved), 1..) =
            (round.verdict.as_ref().map(|v| v.verdict), round.open_threads.len())
        {
            field(printer, "  in spite of", Some(&round.open_threads.join(", ")));
        }
    }
    let kept = settled_before(view);
    if kept > 0 {
        let threads = exactly(kept, "thread", "threads");
        field(printer, "closed in earlier rounds", Some(&format!("{threads}; --round N shows them")));
    }
    change(printer, view);
}

/// What a round compares, where git has it.
fn coordinates(round: &RoundView) -> Option<String> {
    let short = |object: &String| object.chars().take(SHORT_HASH).collect::<String>();
    let base = round.base.as_ref().map(short);
    let ends = match (&base, round.head.as_ref().or(round.tree.as_ref()).map(short)) {
        (Some(base), Some(end)) => format!(" ({base}..{end})"),
        (None, Some(end)) => format!(" ({end})"),
        _ => String::new(),
    };
    round.source.as_ref().map(|source| format!("{source}{ends}"))
}

/// Threads that were closed before the round that is shown: they stay where they were.
fn settled_before(view: &ReviewView) -> u32 {
    let settled = threads(view).filter(|first| first.file.is_some() && first.place.is_none());
    u32::try_from(settled.count()).unwrap_or(u32::MAX)
}

fn threads(view: &ReviewView) -> impl Iterator<Item = &CommentView> {
    view.comments.iter().filter(|said| said.id == said.thread)
}

/// The change, with each thread at its line.
fn change(printer: &mut Printer<'_>, view: &ReviewView) {
    let shown: Vec<&CommentView> =
        threads(view).filter(|first| first.file.is_none() || first.place.is_some()).collect();
    let places: Vec<Option<Place>> = shown
        .iter()
        .map(|first| {
            let place = first.place.as_ref()?;
            Some(Place { path: place.file.clone(), side: place.side, line: place.line, how: place.how })
        })
        .collect();
    let text = view.diff.as_deref().unwrap_or_default();
    let diff = Diff::parse(text);
    let margin = " ".repeat(INDENT);
    // What is no diff, or was purged, is shown as it is.
    let is_diff = !diff.files.is_empty();
    let mut is_headed = false;
    for row in layout(&diff, &places) {
        if !matches!(row, Row::Thread(_)) && !is_headed {
            printer.line(&[(Role::Quiet, "change:")]);
            is_headed = true;
        }
        match row {
            Row::Head(line) | Row::Hunk(line) => printer.exact(&[(Role::Plain, &margin), (role(line), line)]),
            Row::Line(line) => printer.exact(&[(Role::Plain, &margin), (body_role(line.raw), line.raw)]),
            Row::Thread(index) => {
                let is_at_line = places[index].as_ref().is_some_and(|place| {
                    let Place { path, side, line, .. } = place.clone();
                    diff.text_at(&Position { path, side, line }).is_some()
                });
                let place = if is_at_line { since(shown[index]) } else { whereabouts(shown[index]) };
                thread(printer, view, shown[index], place.as_deref());
            }
        }
    }
    if !is_diff && !text.is_empty() {
        printer.line(&[(Role::Quiet, "change:")]);
        super::diff::diff(printer, text, INDENT);
    }
}

/// Inside of a hunk only the first character counts.
fn body_role(line: &str) -> Role {
    match line.as_bytes().first() {
        Some(b'+') => Role::Good,
        Some(b'-') => Role::Bad,
        _ => Role::Plain,
    }
}

fn thread(printer: &mut Printer<'_>, view: &ReviewView, first: &CommentView, place: Option<&str>) {
    let resolved = if first.resolved { ", resolved" } else { "" };
    let facts = format!(" {}{resolved}", first.disposition);
    printer.exact(&[
        (Role::Quiet, BAR),
        (Role::Id, &first.id),
        (Role::Plain, " "),
        (Role::Name, &first.by.name),
        (if first.resolved { Role::Quiet } else { Role::Warning }, &facts),
    ]);
    if let Some(place) = place {
        quote(printer, place, Role::Quiet);
    }
    said(printer, first.body.as_deref());
    for reply in view.comments.iter().filter(|reply| reply.thread == first.thread && reply.id != first.id) {
        let facts = format!(" {}, {}", reply.disposition, moment(reply.at));
        printer.exact(&[(Role::Quiet, BAR), (Role::Name, &reply.by.name), (Role::Quiet, &facts)]);
        said(printer, reply.body.as_deref());
    }
}

/// Where a thread was, where that is not where it is now.
fn since(first: &CommentView) -> Option<String> {
    let place = first.place.as_ref()?;
    let was = match (&first.file, first.line) {
        (Some(file), Some(line)) if *file != place.file => format!("{file}:{line}"),
        (_, Some(line)) => format!("line {line}"),
        (file, None) => file.clone().unwrap_or_default(),
    };
    let round = first.round;
    match place.how {
        Placement::Exact => None,
        Placement::Outdated => Some(format!("outdated: {was} of round {round} is gone")),
        how => Some(format!("{how}: was {was} in round {round}")),
    }
}

/// The same with the file and the line, for a thread that is not shown at them.
fn whereabouts(first: &CommentView) -> Option<String> {
    let place = first.place.as_ref()?;
    let here = match place.line {
        Some(line) => format!("at {}:{line}", place.file),
        None => format!("at {}", place.file),
    };
    Some(since(first).map_or_else(|| here.clone(), |since| format!("{here}, {since}")))
}

fn said(printer: &mut Printer<'_>, body: Option<&str>) {
    quote(printer, body.unwrap_or("(purged)"), Role::Plain);
}

fn quote(printer: &mut Printer<'_>, text: &str, role: Role) {
    let width = match printer.look().width {
        UNBOUNDED => UNBOUNDED,
        width => width.saturating_sub(BAR.len()).max(1),
    };
    for line in wrap(text, width, 0).lines() {
        printer.exact(&[(Role::Quiet, BAR), (role, line)]);
    }
}

/// The reviews of a task.
pub(super) fn of_task(printer: &mut Printer<'_>, reviews: &[ReviewRow]) {
    for review in reviews {
        let open = exactly(review.open_threads, "open thread", "open threads");
        let facts = format!("{}  {}, round {}, {open}", review.id, state(review), review.round);
        field(printer, "review", Some(&facts));
    }
}

pub(super) fn reviews(printer: &mut Printer<'_>, page: &Page<ReviewRow>) {
    if page.items.is_empty() {
        return empty(printer, "no reviews", "review open main..HEAD --to NAME");
    }
    let mut table = Table::new([
        Column::whole("id"),
        Column::text("author"),
        Column::text("reviewers").spare(),
        Column::text("title"),
        Column::whole("verdict"),
        Column::number("round").spare(),
        Column::number("threads").spare(),
        Column::number("opened").spare(),
    ]);
    for review in &page.items {
        table.row([
            id(&review.id),
            name(Some(&review.author)),
            Cell::new(Role::Name, &names(&review.reviewers)),
            review.title.as_str().into(),
            state(review).into(),
            review.round.to_string().as_str().into(),
            review.open_threads.to_string().as_str().into(),
            ago(review.opened),
        ]);
    }
    printer.table(&table);
    more(printer, page.next.as_ref());
}
