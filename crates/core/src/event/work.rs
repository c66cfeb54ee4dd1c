//! What happens to reviews, specs, decisions, leases and texts.

use serde::{Deserialize, Serialize};

use super::{Micros, is_false};
use crate::ids::{AgentId, CommentId, DecisionId, MessageId, TaskId};
use crate::text::TextHash;
use crate::vocabulary::{Disposition, LeaseMode, Side, Verdict};

data! {
    /// A review began.
    struct ReviewOpened {
        /// Whose work.
        author: AgentId,
        /// Who looks.
        reviewers: Vec<AgentId>,
        /// One line.
        title: TextHash,
        /// Of which task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// Of which change: the diff of the first round.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diff: Option<TextHash>,
        /// Words that name it wherever its id would.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        aliases: Vec<String>,
    }
    /// A version of the change under review. Void if that round exists by then, unless it is the first one, which opening
    /// the review began and this completes.
    struct ReviewRound {
        /// Counted from 1.
        round: u32,
        /// Who submitted it.
        by: AgentId,
        /// What the author named: a range, a branch, the index, a file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        /// The commit that it changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<String>,
        /// The commit that it leads to; none for a snapshot.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        head: Option<String>,
        /// The tree of a snapshot of the index or the working tree.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<String>,
        /// The change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diff: Option<TextHash>,
        /// What changed between the bases of the round before and this one, in files of the round before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since_base: Option<TextHash>,
        /// What changed between the heads of the round before and this one, in files of the round before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since_head: Option<TextHash>,
    }
    /// A comment; the first of a thread is anchored, the others answer it.
    struct ReviewCommented {
        /// Its id.
        comment: CommentId,
        /// The thread it belongs to (itself for a new one).
        thread: CommentId,
        /// Who says it.
        by: AgentId,
        /// The words.
        body: TextHash,
        /// What it means.
        disposition: Disposition,
        /// The file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
        /// The side.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        side: Option<Side>,
        /// The round whose diff the position is in; the first where it is not recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        round: Option<u32>,
    }
    /// A thread was closed.
    struct ReviewResolved {
        /// Which.
        thread: CommentId,
        /// By whom.
        by: AgentId,
    }
    /// The verdict on a round. Void if there is a newer round by then.
    struct ReviewJudged {
        /// What.
        verdict: Verdict,
        /// By whom.
        by: AgentId,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<TextHash>,
        /// Which round; the newest where it is not recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        round: Option<u32>,
        /// Concerns and questions that were open when it was given.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        open_threads: Vec<CommentId>,
    }
    /// A version of a spec. Void if that version exists by then.
    struct SpecPublished {
        /// Counted from 1.
        version: u32,
        /// Markdown.
        body: TextHash,
        /// By whom.
        publisher: AgentId,
        /// What changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<TextHash>,
    }
    /// An agent wants to hear of new versions, or no longer does.
    struct SpecSubscribed {
        /// Who.
        agent: AgentId,
        /// Whether it is taken back.
        #[serde(default, skip_serializing_if = "is_false")]
        removed: bool,
    }
    /// A question that needs an outcome.
    struct DecisionOpened {
        /// The question.
        question: TextHash,
        /// What could be chosen.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<TextHash>,
        /// Who asks.
        by: AgentId,
        /// Until when positions count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deadline: Option<Micros>,
        /// The discussion, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// The earlier decision this one is to replace.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        supersedes: Option<DecisionId>,
        /// Other names for the decision.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        aliases: Vec<String>,
    }
    /// Where an agent stands; a later one replaces its earlier one.
    struct DecisionPosition {
        /// Who.
        agent: AgentId,
        /// For what.
        position: TextHash,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
    /// The outcome.
    struct DecisionDecided {
        /// What.
        outcome: TextHash,
        /// By whom.
        by: AgentId,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
    /// A later decision took this one's place.
    struct DecisionSuperseded {
        /// Which.
        by: DecisionId,
    }
    /// Paths were leased.
    struct LeaseTaken {
        /// By whom.
        holder: AgentId,
        /// Which.
        globs: Vec<String>,
        /// Alone or not.
        mode: LeaseMode,
        /// For how long without renewal.
        ttl_s: i64,
        /// For what.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
        /// The task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
    }
    /// The holder gave it back.
    struct LeaseReleased {}
    /// Somebody with the right to it took it away.
    struct LeaseForced {
        /// Who.
        by: AgentId,
        /// Why.
        reason: TextHash,
    }
    /// Texts of this entity that looked like secrets may go to git and into files after all.
    struct TextReleased {
        /// Which.
        texts: Vec<TextHash>,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
    /// Text and salt were deleted everywhere; the hash stays.
    struct TextPurged {
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
}
