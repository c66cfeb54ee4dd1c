//! Answering: from a query and filters to a page of hits.
//!
//! Owns the reading side and the order of results: best match first (bm25), newest first among equals,
//! then by entity and part, so the order is total. It reads in one transaction and changes nothing.

use std::fmt;
use std::str::FromStr;

use rusqlite::{Connection, Row, named_params};

use super::doc::DocKind;
use super::error::SearchError;
use super::excerpt::{Excerpt, excerpt};
use super::index::SearchIndex;
use super::query::{MIN_PREFIX_CHARS, Query};

/// Hits on one page at most.
pub const MAX_PAGE_HITS: u32 = 200;

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Words (all must occur), `"phrases"`, `prefix*`, `-without`. Blank lists everything, newest first.
    pub text: String,
    pub filter: Filter,
    /// Hits on the page; between 1 and [`MAX_PAGE_HITS`].
    pub limit: u32,
    /// The page to go on with; the first if `None`.
    pub page: Option<Page>,
}

/// Which documents are considered. A field that is not set does not narrow.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Any of these kinds; all if empty.
    pub kinds: Vec<DocKind>,
    pub author: Option<String>,
    pub entity: Option<String>,
    /// Written by or addressed to this member.
    pub member: Option<String>,
    pub task: Option<String>,
    pub intent: Option<String>,
    pub thread: Option<String>,
    /// Not before this time.
    pub since: Option<i64>,
    /// Before this time.
    pub until: Option<i64>,
}

impl Filter {
    fn kind_mask(&self) -> i64 {
        if self.kinds.is_empty() {
            i64::MAX
        } else {
            self.kinds.iter().fold(0, |mask, k| mask | 1 << k.code())
        }
    }
}

/// A place in a list of results. Documents that arrive while pages are read are left out of the later
/// ones, so they do not push hits from page to page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    newest_doc: i64,
    skip: u32,
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.newest_doc, self.skip)
    }
}

impl FromStr for Page {
    type Err = SearchError;

    fn from_str(given: &str) -> Result<Self, SearchError> {
        given
            .split_once('.')
            .and_then(|(doc, skip)| Some(Self { newest_doc: doc.parse().ok()?, skip: skip.parse().ok()? }))
            .ok_or_else(|| SearchError::BadPage { given: given.chars().take(40).collect() })
    }
}

/// One document that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub entity: String,
    pub kind: DocKind,
    pub part: String,
    pub at: i64,
    pub author: String,
    pub excerpt: Excerpt,
}

/// A page of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub hits: Vec<Hit>,
    /// The next page, if there is one.
    pub next: Option<Page>,
    /// What a person should know about how their query was read.
    pub notice: Option<Notice>,
}

/// A query that was not taken as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// It has no letter, digit or pictogram, so nothing was looked for.
    NothingSearchable,
    /// It was too long; only its beginning was looked for.
    QueryCut,
    /// A prefix in it is shorter than so many characters, so nothing was looked for.
    ShortPrefix(usize),
}

impl SearchIndex {
    /// Finds documents. No text is a wrong query. Catch up first: this answers from what is indexed.
    pub fn search(&mut self, search: &Search) -> Result<Found, SearchError> {
        let query = Query::read(&search.text);
        if query.typed && query.include.is_empty() && query.exclude.is_empty() {
            return Ok(Found { hits: Vec::new(), next: None, notice: Some(Notice::NothingSearchable) });
        }
        if query.short_prefix {
            let notice = Some(Notice::ShortPrefix(MIN_PREFIX_CHARS));
            return Ok(Found { hits: Vec::new(), next: None, notice });
        }
        let notice = query.cut.then_some(Notice::QueryCut);
        let limit = search.limit.clamp(1, MAX_PAGE_HITS);
        self.guarded("search", |db| {
            let tx = db.transaction()?;
            let page = match search.page {
                Some(page) => page,
                None => Page { newest_doc: newest_doc(&tx)?, skip: 0 },
            };
            let mut rows = select(&tx, &query, &search.filter, page, limit)?;
            let more = rows.len() > limit as usize;
            rows.truncate(limit as usize);
            let hits = rows
                .into_iter()
                .map(|(id, mut hit)| {
                    let whole: String = tx
                        .prepare_cached("SELECT text FROM texts WHERE id = ?1")?
                        .query_row([id], |row| row.get(0))?;
                    hit.excerpt = excerpt(&whole, &query.include);
                    Ok(hit)
                })
                .collect::<rusqlite::Result<_>>()?;
            let next = more.then(|| Page { skip: page.skip.saturating_add(limit), ..page });
            Ok(Found { hits, next, notice })
        })
    }
}

fn newest_doc(db: &Connection) -> rusqlite::Result<i64> {
    db.prepare_cached("SELECT coalesce(max(id), 0) FROM docs")?.query_row([], |row| row.get(0))
}

/// The filters, the same for both statements.
const FILTERS: &str = "d.id <= :newest_doc
    AND (1 << d.kind) & :kinds
    AND (:author IS NULL OR d.author = :author)
    AND (:entity IS NULL OR d.entity = :entity)
    AND (:member IS NULL OR d.author = :member OR instr(d.audience, char(10) || :member || char(10)))
    AND (:task IS NULL OR d.task = :task)
    AND (:intent IS NULL OR d.intent = :intent)
    AND (:thread IS NULL OR d.thread = :thread)
    AND (:since IS NULL OR d.at >= :since)
    AND (:until IS NULL OR d.at < :until)";

const COLUMNS: &str = "d.id, d.entity, d.kind, d.part, d.at, d.author";

/// One more row than the page holds, to know whether there is a next one.
fn select(
    db: &Connection,
    query: &Query,
    filter: &Filter,
    page: Page,
    limit: u32,
) -> rusqlite::Result<Vec<(i64, Hit)>> {
    let (sql, expression) = match query.wanted() {
        Some(wanted) => (
            format!(
                "SELECT {COLUMNS} FROM words CROSS JOIN docs d ON d.id = words.rowid
                 WHERE words MATCH :words AND {FILTERS}
                 ORDER BY bm25(words), d.at DESC, d.entity, d.part LIMIT :rows OFFSET :skip"
            ),
            Some(wanted),
        ),
        None => (
            format!(
                "SELECT {COLUMNS} FROM docs d
                 WHERE (:words IS NULL OR d.id NOT IN (SELECT rowid FROM words WHERE words MATCH :words))
                 AND {FILTERS}
                 ORDER BY d.at DESC, d.entity, d.part LIMIT :rows OFFSET :skip"
            ),
            query.unwanted(),
        ),
    };
    db.prepare_cached(&sql)?
        .query_map(
            named_params! {
                ":words": expression,
                ":newest_doc": page.newest_doc,
                ":kinds": filter.kind_mask(),
                ":author": filter.author,
                ":entity": filter.entity,
                ":member": filter.member,
                ":task": filter.task,
                ":intent": filter.intent,
                ":thread": filter.thread,
                ":since": filter.since,
                ":until": filter.until,
                ":rows": i64::from(limit) + 1,
                ":skip": page.skip,
            },
            read_hit,
        )?
        .collect()
}

fn read_hit(row: &Row<'_>) -> rusqlite::Result<(i64, Hit)> {
    let code: i64 = row.get(2)?;
    let kind = DocKind::from_code(code).ok_or(rusqlite::Error::IntegralValueOutOfRange(2, code))?;
    let hit = Hit {
        entity: row.get(1)?,
        kind,
        part: row.get(3)?,
        at: row.get(4)?,
        author: row.get(5)?,
        excerpt: Excerpt::default(),
    };
    Ok((row.get(0)?, hit))
}
