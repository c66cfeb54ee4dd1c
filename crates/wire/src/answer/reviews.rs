//! Reviews, as shown.

use interagent_core::diff::Placement;
use interagent_core::vocabulary::{Disposition, Side, Verdict};

use super::{VerdictView, Who};
use crate::{Time, shapes};

shapes! {
    /// A review in a list.
    struct ReviewRow {
        /// Its id.
        id: String,
        /// One line.
        title: String,
        /// Whose work.
        author: Who,
        /// Who looks.
        reviewers: Vec<Who>,
        /// Of which task.
        task: Option<String>,
        /// The newest round.
        #[serde(default = "first_round")]
        round: u32,
        /// The verdict on the newest round.
        verdict: Option<Verdict>,
        /// Its task was closed without a verdict: nothing waits for one any more.
        void: bool,
        /// Open threads with a concern or a question.
        open_threads: u32,
        /// Words that name it wherever its id would.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        aliases: Vec<String>,
        /// When it was opened.
        opened: Time,
    }
    /// Where a thread is in the round that is shown.
    struct AnchorView {
        /// The file.
        file: String,
        /// The side.
        side: Side,
        /// The line; absent where the thread is about the file, or its line is gone.
        line: Option<u32>,
        /// How that compares with the thread's own position: exact, shifted, moved, changed or outdated.
        how: Placement,
    }
    /// A comment.
    struct CommentView {
        /// Its id.
        id: String,
        /// The thread it belongs to.
        thread: String,
        /// By whom.
        by: Who,
        /// When.
        at: Time,
        /// The words.
        body: Option<String>,
        /// What it means.
        disposition: Disposition,
        /// The round it was written in.
        #[serde(default = "first_round")]
        round: u32,
        /// The file.
        file: Option<String>,
        /// The line.
        line: Option<u32>,
        /// The side.
        side: Option<Side>,
        /// Where the thread is in the round that is shown; only the first comment of a thread with a file has one. Threads
        /// that were closed in an earlier round have none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<AnchorView>,
        /// Its thread is closed.
        resolved: bool,
    }
    /// A version of the change.
    struct RoundView {
        /// Counted from 1.
        round: u32,
        /// When it was submitted.
        at: Time,
        /// By whom.
        by: Who,
        /// What the author named: a range, a branch, the index, a file.
        source: Option<String>,
        /// The commit that is changed.
        base: Option<String>,
        /// The commit that the change leads to; none for a snapshot.
        head: Option<String>,
        /// The tree of a snapshot.
        tree: Option<String>,
        /// The verdict on it.
        verdict: Option<VerdictView>,
        /// Concerns and questions that were open when the verdict was given.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        open_threads: Vec<String>,
    }
    /// A review.
    struct ReviewView {
        /// The row.
        review: ReviewRow,
        /// The round that is shown.
        #[serde(default = "first_round")]
        round: u32,
        /// Every round, oldest first.
        #[serde(default)]
        rounds: Vec<RoundView>,
        /// The change of the round that is shown.
        diff: Option<String>,
        /// In order.
        comments: Vec<CommentView>,
        /// Open threads in which somebody other than the author has a concern or a question.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        open_concerns: Vec<String>,
        /// The verdict on the newest round.
        end: Option<VerdictView>,
    }
}

fn first_round() -> u32 {
    1
}
