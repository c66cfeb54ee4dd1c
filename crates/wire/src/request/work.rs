//! Reviews, specs, decisions and leases.

use interagent_core::vocabulary::{Disposition, LeaseMode, Side, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::params;
use crate::Time;

/// Where a change is in git.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChangeParam {
    /// The commit that is changed.
    pub base: Option<String>,
    /// The commit that the change leads to; none for a snapshot.
    pub head: Option<String>,
    /// The tree of a snapshot of the index or the working tree.
    pub tree: Option<String>,
    /// The diff between the bases of the previous round and this one.
    pub since_base: Option<String>,
    /// The diff between the heads of the previous round and this one.
    pub since_head: Option<String>,
    /// The round it was made after.
    pub after_round: Option<u32>,
}

params! {
    /// Opens a review of a change and asks the reviewers.
    struct ReviewOpen {
        /// What to review: a range such as main..HEAD, a branch or a task. Command line and stdio MCP server read it from git.
        source: Option<String>,
        /// Review what is staged instead.
        staged: bool,
        /// One line; taken from the change when left out.
        title: String,
        /// What kind of feedback is wanted.
        body: Option<String>,
        /// The change, as a diff.
        diff: Option<String>,
        /// Where the change is in git.
        change: Option<ChangeParam>,
        /// The task it belongs to.
        task: Option<String>,
        /// Who looks: names, ids or `role:reviewer`.
        to: Vec<String>,
        /// Words that name it wherever its id would.
        aliases: Vec<String>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Adds a round to a review: another version of the change. Open threads stay, and the reviewers owe a new verdict.
    struct ReviewUpdate {
        /// The review.
        review: String,
        /// What to review now: a range such as main..HEAD, or a branch. Left out, it is what the last round named.
        source: Option<String>,
        /// Review what is staged instead.
        staged: bool,
        /// What changed since the last round.
        body: Option<String>,
        /// The change, as a diff.
        diff: Option<String>,
        /// Where the change is in git.
        change: Option<ChangeParam>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Comments on a review, at a line or in a thread.
    struct ReviewComment {
        /// The review.
        review: String,
        /// The words.
        body: String,
        /// approve, concern, question, note, accepted_risk or wont_fix.
        disposition: Option<Disposition>,
        /// The thread it answers; a new one when left out.
        thread: Option<String>,
        /// The file, as the diff names it.
        file: Option<String>,
        /// The line, as the diff numbers it.
        line: Option<u32>,
        /// old or new; the new side first when left out.
        side: Option<Side>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Closes a thread of a review.
    struct ReviewResolve {
        /// The review.
        review: String,
        /// The thread.
        thread: String,
    }
    /// Gives a verdict on the newest round; a review of a task decides the task.
    struct ReviewVerdict {
        /// The review.
        review: String,
        /// approved, revision_needed or rejected.
        verdict: Option<Verdict>,
        /// Why.
        note: Option<String>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Lists reviews, newest first.
    struct ReviewList {
        /// Only those without a verdict.
        open: bool,
        /// Where the page before ended.
        after: Option<String>,
        /// At most so many.
        limit: Option<u32>,
    }
    /// Shows one review with its diff and its threads.
    struct ReviewShow {
        /// Its id.
        review: String,
        /// The newest round when left out.
        round: Option<u32>,
    }
    /// Publishes a version of a spec; subscribers are told. The same text again is no new version.
    struct SpecPublish {
        /// The spec's name.
        name: String,
        /// Markdown.
        body: String,
        /// What changed.
        note: Option<String>,
        /// The version it was made from; refused when there is a newer one.
        expected_version: Option<u32>,
    }
    /// Shows a spec.
    struct SpecShow {
        /// Its name.
        name: String,
        /// The newest when left out.
        version: Option<u32>,
        /// As this member published it, also where another one came first and it did not count.
        publisher: Option<String>,
    }
    /// Lists the specs.
    struct SpecList {
        /// Where the page before ended.
        after: Option<String>,
        /// At most so many.
        limit: Option<u32>,
    }
    /// Lists the versions of a spec, newest first: who published them, when, and what changed.
    struct SpecHistory {
        /// Its name.
        name: String,
        /// Where the page before ended.
        after: Option<String>,
        /// At most so many.
        limit: Option<u32>,
    }
    /// Shows what changed between two versions of a spec.
    struct SpecDiff {
        /// Its name.
        name: String,
        /// The older version; the one before `to` when left out.
        from: Option<u32>,
        /// The newer version; the newest when left out.
        to: Option<u32>,
    }
    /// Subscribes to new versions of a spec, or takes that back.
    struct SpecSubscribe {
        /// Its name.
        name: String,
        /// Take the subscription back.
        remove: bool,
    }
    /// Opens a question that needs an outcome and asks for positions.
    struct DecisionOpen {
        /// The question.
        question: String,
        /// What could be chosen.
        options: Vec<String>,
        /// Who is asked: names, ids, roles or `all`. Without it: everybody the opener may ask.
        to: Vec<String>,
        /// Asks nobody.
        quiet: bool,
        /// Other names for it.
        aliases: Vec<String>,
        /// Until when positions count.
        deadline: Option<Time>,
        /// The earlier decision it is to replace.
        supersedes: Option<String>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Takes a position on a question.
    struct DecisionPosition {
        /// The decision.
        decision: String,
        /// For what.
        position: String,
        /// Why.
        reason: Option<String>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Decides a question.
    struct DecisionDecide {
        /// The decision.
        decision: String,
        /// What: one of the options, where there are some.
        outcome: String,
        /// Why.
        reason: Option<String>,
        /// It is none of the options, and meant to be; needs a reason.
        other: bool,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Lists decisions, newest first.
    struct DecisionList {
        /// Only those without an outcome.
        open: bool,
        /// Where the page before ended.
        after: Option<String>,
        /// At most so many.
        limit: Option<u32>,
    }
    /// Shows one decision with its positions.
    struct DecisionShow {
        /// Its id.
        decision: String,
    }
    /// Leases paths, so that no other agent writes them meanwhile. The same again renews.
    struct LeaseTake {
        /// Globs relative to the project.
        paths: Vec<String>,
        /// exclusive or shared.
        mode: Option<LeaseMode>,
        /// For how long without renewal, in seconds.
        ttl_s: Option<i64>,
        /// For what.
        reason: Option<String>,
        /// The task.
        task: Option<String>,
    }
    /// Renews a lease for its time again.
    struct LeaseRenew {
        /// Its id.
        lease: String,
        /// Its token.
        token: Option<i64>,
    }
    /// Gives a lease back.
    struct LeaseRelease {
        /// Its id.
        lease: String,
        /// Its token.
        token: Option<i64>,
    }
    /// Takes a lease away from its holder.
    struct LeaseForce {
        /// Its id.
        lease: String,
        /// Why.
        reason: String,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Lists the leases that hold now.
    struct LeaseList {}
}
