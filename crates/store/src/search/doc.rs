//! What goes into the index: documents and the changes that carry them.

/// The noun a document belongs to. The numbers are stored; never renumber them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum DocKind {
    Message = 0,
    Task = 1,
    Spec = 2,
    Decision = 3,
    Review = 4,
    Report = 5,
    Agent = 6,
}

impl DocKind {
    pub const ALL: [Self; 7] =
        [Self::Message, Self::Task, Self::Spec, Self::Decision, Self::Review, Self::Report, Self::Agent];

    pub(super) fn code(self) -> i64 {
        i64::from(self as u8)
    }

    pub(super) fn from_code(code: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// One searchable text: a part of an entity, such as the subject or the body of a message.
///
/// A query is answered by documents, so words in different parts of an entity do not add up; give a part
/// the words it should be found by (a body may begin with its subject).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doc {
    pub entity: String,
    pub kind: DocKind,
    /// Names the text within its entity; together they identify the document.
    pub part: String,
    /// When it was written, as the log orders it.
    pub at: i64,
    pub author: String,
    /// Whom it was addressed to, for searching one's own mail. Ids, which contain no line breaks.
    pub audience: Vec<String>,
    pub task: Option<String>,
    pub intent: Option<String>,
    pub thread: Option<String>,
    /// The hash by which the log refers to the text, and by which it is purged; several on lines of their own, where
    /// the document is made of several texts.
    pub text_ref: String,
    pub text: String,
}

impl Doc {
    /// The audience as stored: every id between line breaks, so that whole ids can be looked for.
    pub(super) fn audience_column(&self) -> String {
        if self.audience.is_empty() { String::new() } else { format!("\n{}\n", self.audience.join("\n")) }
    }
}

/// One change of the index, derived from the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Adds a document, or replaces the one with the same entity and part.
    Put(Box<Doc>),
    /// Removes every document with this text so that none of its bytes stay in the file (a purged secret).
    Forget { text_ref: String },
    /// Removes the documents of an entity, as when it is folded again. The space is reused in time; this
    /// is no purge.
    ForgetEntity { entity: String },
}

/// The changes of a stretch of the log.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The cursor the changes were read after.
    pub after: i64,
    /// The cursor once they are applied.
    pub upto: i64,
    pub changes: &'a [Change],
}

/// What became of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// It is in the index.
    Done,
    /// It is in the index, but another process was reading, so bytes of forgotten texts are still in the
    /// file. The next batch or opening tries again; [`super::SearchIndex::scrub`] does so now.
    DoneUnscrubbed,
    /// Another process has moved the cursor; nothing was changed. Read the log on from here.
    Moved { cursor: i64 },
}
