//! What the guard says.

use interagent_core::guard::Rule;
use interagent_core::team::{Guard, Role};

use super::Who;
use crate::shapes;

shapes! {
    /// Why something is not done.
    struct DenialView {
        /// The rule: one of the team's, or one that always holds.
        rule: Rule,
        /// What would happen, and why it must not.
        reason: String,
        /// What to do instead.
        way_out: String,
        /// All of it in one paragraph.
        text: String,
    }
    /// One program that a command line runs.
    struct RunView {
        /// As it was typed.
        command: String,
        /// Where; absent where only running it would tell.
        directory: Option<String>,
    }
    /// One thing that would happen.
    struct TouchView {
        /// The piece of the command that does it.
        command: String,
        /// What it does, in words.
        does: String,
        /// The file or directory.
        place: Option<String>,
        /// The branch it would happen on.
        branch: Option<String>,
        /// What speaks against it.
        denials: Vec<DenialView>,
    }
    /// What one rule says.
    struct RuleView {
        /// The rule.
        rule: Guard,
        /// It binds this member.
        binds: bool,
        /// How much it speaks against.
        denials: u32,
    }
    /// Whether something may be done.
    struct GuardView {
        /// Nothing speaks against it.
        allowed: bool,
        /// Who was judged.
        agent: Option<Who>,
        /// In which role.
        role: Option<Role>,
        /// The first thing that speaks against it.
        denial: Option<DenialView>,
        /// What a command line runs, in order.
        runs: Vec<RunView>,
        /// What would happen, in order.
        touches: Vec<TouchView>,
        /// What each rule says.
        rules: Vec<RuleView>,
    }
    /// Another agent that changed the same file just before.
    struct CollisionView {
        /// The file.
        path: String,
        /// Who.
        other: Who,
        /// How long before.
        seconds: i64,
        /// The other one was told now; otherwise both know already.
        told: bool,
    }
    /// What was noted of changed files.
    struct EditsView {
        /// How many files.
        noted: u32,
        /// Who else changed them within 30 seconds.
        collisions: Vec<CollisionView>,
        /// What the caller should read now; absent where there is nothing new.
        text: Option<String>,
    }
}
