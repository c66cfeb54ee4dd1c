//! Limits and defaults of the team file, each with its unit in the name and its reason beside it.
//!
//! A changed default holds for team files read from then on; a team in the log keeps what it was given.

/// A hand-written file is a few kilobytes; more is a mistake or an attack on the parser.
pub const FILE_MAX_BYTES: usize = 256 * 1024;
/// More problems than anybody reads at once; the last one then says how many follow.
pub const PROBLEMS_MAX: usize = 100;
/// A chain of command with several levels fits; every member costs a line in each briefing and board.
pub const AGENTS_MAX: usize = 256;
/// A title, shown in headings and notifications.
pub const PROJECT_MAX_CHARS: usize = 100;
/// Model names are short; provider prefixes and dates make them longer.
pub const MODEL_MAX_CHARS: usize = 128;
/// It is part of the briefing, which has 600 tokens for everything.
pub const DESCRIPTION_MAX_CHARS: usize = 400;
/// Well below the path limit of every file system, so that something can be appended.
pub const PATH_MAX_CHARS: usize = 1024;
/// Routing compares every pattern with every path of a task.
pub const PATHS_PER_AGENT_MAX: usize = 100;
/// A few words, as in "performance optimization".
pub const CAPABILITY_MAX_CHARS: usize = 64;
/// More skills than a routing table distinguishes.
pub const CAPABILITIES_PER_AGENT_MAX: usize = 50;
/// Git allows longer names; file systems that hold loose refs do not.
pub const BRANCH_MAX_CHARS: usize = 200;
/// Each protected branch is compared on every guarded command.
pub const BRANCHES_MAX: usize = 50;
/// The limit of the ntfy service.
pub const NTFY_TOPIC_MAX_CHARS: usize = 64;

/// Enough for a discussion to reach its end, too few for two agents to thank each other all night.
pub const MAX_HOPS_DEFAULT: u32 = 20;
pub const MAX_HOPS_MAX: u32 = 1_000;
/// One message every ten seconds for five minutes: faster than agents that also work.
pub const PAIR_MESSAGES_DEFAULT: u32 = 30;
pub const PAIR_MESSAGES_MAX: u32 = 10_000;
pub const PAIR_WINDOW_S_DEFAULT: u32 = 300;
/// An order of two hundred tasks at once fits; a script that runs away does not.
pub const FLOOD_MESSAGES_DEFAULT: u32 = 300;
pub const FLOOD_MESSAGES_MAX: u32 = 100_000;
/// One day: a longer window would be a quota, not a guard against loops.
pub const PAIR_WINDOW_S_MAX: u32 = 86_400;

/// Percent of context left, below which work should be written down and handed on while there is room to do it.
pub const CONTEXT_LIMIT_DEFAULT: u32 = 30;
/// It is a percentage.
pub const CONTEXT_LIMIT_MAX: u32 = 100;

/// An agent in a turn has seen its message within a minute.
pub const WAKE_S_DEFAULT: u32 = 60;
/// As long again for the second way of reaching it.
pub const NEXT_CHANNEL_S_DEFAULT: u32 = 120;
/// Time for a context reset, a new briefing and a first answer.
pub const RESET_S_DEFAULT: u32 = 240;
/// The superior is an agent too, and gets as long as the three steps before took together.
pub const SUPERIOR_S_DEFAULT: u32 = 480;
/// A person may be at lunch.
pub const OPERATOR_DEADLINE_S_DEFAULT: u32 = 3_600;
/// One week: what waits longer is not escalated but forgotten.
pub const LADDER_S_MAX: u32 = 604_800;
