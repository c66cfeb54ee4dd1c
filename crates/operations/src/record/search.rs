//! Search: brings the index up to date with the log, then asks it.

use std::path::Path;

use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::refusal::Refusal;
use interagent_store::reader::Reader;
use interagent_store::search::{DocKind, Filter, Found, Hit, Notice, Search, SearchError, SearchIndex};
use interagent_store::{FollowError, Store};
use interagent_wire::Time;
use interagent_wire::answer::{HitView, Page};
use interagent_wire::{Answer, request as ask};

use crate::call::Call;
use crate::names::Names;
use crate::tasks::access::{self, Access};
use crate::{mail, resolve};

/// The index's file in the state directory.
pub(crate) const INDEX_FILE: &str = "search.db";

/// Searches everything that was written.
pub(crate) fn search(call: &mut Call<'_>, params: &ask::Search) -> Result<Answer, Refusal> {
    let wanted = read_params(call, params)?;
    let found = match answer(call.store, call.state_dir, &wanted) {
        // Damaged and emptied under our hands: it fills again from the log, once.
        Err(FollowError::Search(SearchError::Rebuilt { .. })) => answer(call.store, call.state_dir, &wanted),
        other => other,
    }
    .map_err(refusal)?;
    match found.notice {
        Some(Notice::NothingSearchable) => return Err(nothing_searchable()),
        Some(Notice::ShortPrefix(least)) => return Err(short_prefix(least)),
        Some(Notice::QueryCut) | None => {}
    }
    call.read(|reader, known| {
        let access = Access::of(reader, known)?;
        let mut items = Vec::with_capacity(found.hits.len());
        for hit in &found.hits {
            items.push(hit_view(reader, &access, hit)?);
        }
        Ok(Page { items, next: found.next.map(|page| page.to_string()) }.into())
    })
}

fn nothing_searchable() -> Refusal {
    Refusal::usage("nothing_searchable", "the query has no word to search for")
        .hint("write words (all must occur), \"a phrase\", a prefix* or -without")
}

fn short_prefix(least: usize) -> Refusal {
    Refusal::usage("short_prefix", format!("a prefix has at least {least} letters before the *"))
        .hint("write more of the word, or the whole word without the *")
}

fn read_params(call: &mut Call<'_>, params: &ask::Search) -> Result<Search, Refusal> {
    if params.text.trim().is_empty() {
        return Err(nothing_searchable());
    }
    let kinds = params.kinds.iter().map(|kind| doc_kind(kind)).collect::<Result<_, _>>()?;
    let page = params.after.as_deref().map(str::parse).transpose().map_err(|error: SearchError| {
        Refusal::usage("bad_page", error.to_string()).hint("pass `next` of the page before, as it is")
    })?;
    call.read(|reader, _| {
        let author = params.author.as_deref().map(|name| resolve::agent(reader, name)).transpose()?;
        let task = params.task.as_deref().map(|task| resolve::task(reader, task)).transpose()?;
        let filter = Filter {
            kinds,
            author: author.map(|agent| agent.id.to_string()),
            task: task.map(|task| task.id.to_string()),
            since: params.since.map(|time| time.0),
            until: params.until.map(|time| time.0),
            ..Filter::default()
        };
        Ok(Search { text: params.text.clone(), filter, limit: resolve::page_limit(params.limit), page })
    })
}

fn doc_kind(given: &str) -> Result<DocKind, Refusal> {
    let folded = given.trim().to_ascii_lowercase();
    DocKind::ALL.into_iter().find(|kind| kind_word(*kind) == folded).ok_or_else(|| {
        let shown: String = given.chars().take(64).collect();
        let all: Vec<&str> = DocKind::ALL.into_iter().map(kind_word).collect();
        Refusal::usage(
            "unknown_word",
            format!("the kind can't be `{shown}`; it is one of {}", all.join(", ")),
        )
    })
}

fn kind_word(kind: DocKind) -> &'static str {
    match kind {
        DocKind::Message => "message",
        DocKind::Task => "task",
        DocKind::Spec => "spec",
        DocKind::Decision => "decision",
        DocKind::Review => "review",
        DocKind::Report => "report",
        DocKind::Agent => "agent",
    }
}

fn answer(store: &mut Store, state_dir: &Path, wanted: &Search) -> Result<Found, FollowError> {
    let mut index = caught_up(store, state_dir)?;
    Ok(index.search(wanted)?)
}

/// The index with everything in it that the log holds.
fn caught_up(store: &mut Store, state_dir: &Path) -> Result<SearchIndex, FollowError> {
    let (mut index, _) = SearchIndex::open(&state_dir.join(INDEX_FILE))?;
    store.catch_up_search(&mut index, usize::MAX)?;
    Ok(index)
}

/// Lets the index forget what was purged. Says whether every byte of it is gone.
pub(super) fn forget(store: &mut Store, state_dir: &Path) -> Result<bool, Refusal> {
    let path = state_dir.join(INDEX_FILE);
    if !path.exists() {
        // Never searched: whoever builds the index later does not find the text.
        return Ok(true);
    }
    let mut index = caught_up(store, state_dir).map_err(refusal)?;
    index.scrub().map_err(|error| refusal(error.into()))
}

fn refusal(error: FollowError) -> Refusal {
    match error {
        FollowError::Store(error) => error.into(),
        FollowError::Search(error @ SearchError::BadPage { .. }) => {
            Refusal::usage("bad_page", error.to_string())
        }
        FollowError::Search(error) => Refusal::unavailable("search_unavailable", error.to_string())
            .hint("the log is not touched by this; search again in a moment"),
    }
}

/// A hit as shown. Of what the caller may not read only the title is.
fn hit_view(reader: &mut Reader<'_>, access: &Access, hit: &Hit) -> Result<HitView, Refusal> {
    let author = AgentId::parse(&hit.author).ok();
    let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let entity = EntityRef::read(&hit.entity);
    let readable = access::is_readable(access.entity(reader, &entity))?;
    let mut names = Names::new(reader);
    let (excerpt, hits) = match readable {
        true => (hit.excerpt.text.clone(), hit.excerpt.hits.as_slice()),
        false => (title(&mut names, &entity)?, &[][..]),
    };
    Ok(HitView {
        entity: hit.entity.clone(),
        kind: kind_word(hit.kind).to_owned(),
        part: hit.part.clone(),
        at: Time(hit.at),
        author: names.maybe_who(author.as_ref())?,
        excerpt,
        hits: hits.iter().map(|range| (byte(range.start), byte(range.end))).collect(),
    })
}

/// The title of a task or a review, or of the task that a message is about.
fn title(names: &mut Names<'_, '_>, entity: &EntityRef) -> Result<String, Refusal> {
    let title = match entity {
        EntityRef::Task(id) => names.reader.task(id)?.map(|task| task.brief.title),
        EntityRef::Review(id) => names.reader.review(id)?.map(|review| review.brief.title),
        EntityRef::Message(id) => {
            let message = names.reader.message(id)?;
            return message.map_or_else(|| Ok(String::new()), |message| mail::about_task(names, &message));
        }
        _ => None,
    };
    title.map_or_else(|| Ok(String::new()), |title| names.line(&title))
}
