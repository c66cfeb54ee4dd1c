//! Every limit of the system in one place, with its unit in the name and its reason beside it.
//!
//! Limits are refused with a reason, never cut silently. Those of the team file live beside its parser.

/// A message body, spec or description. One mebibyte holds any text a model can read in one turn.
pub const BODY_BYTES: usize = 1024 * 1024;
/// A subject or title: one line on a terminal and in a git log.
pub const SUBJECT_CHARS: usize = 200;
/// A note, reason, position, status text or one list item: a paragraph, not a document.
pub const NOTE_BYTES: usize = 16 * 1024;
/// References of one message: more is a document, not a pointer.
pub const REFS: usize = 100;
/// A path, branch, commit or other machine word inside a reference.
pub const WORD_BYTES: usize = 1024;
/// Recipients of one message after roles and `all` were resolved.
pub const RECIPIENTS: usize = 1_000;
/// Items in a list argument (requirements, criteria, capabilities, options, globs).
pub const ITEMS: usize = 50;
/// Dependencies of one task; also bounds how far a cycle check walks per step.
pub const DEPENDENCIES: usize = 100;
/// Tasks visited while looking for a dependency cycle. A larger graph is refused rather than half checked.
pub const CYCLE_WALK_TASKS: usize = 10_000;
/// An idempotency key: room for a UUID or a URL, not for a document.
pub const KEY_BYTES: usize = 200;
/// Rows a list answers with when the caller names no number.
pub const PAGE_DEFAULT: u32 = 50;
/// Rows a list answers with at most.
pub const PAGE_MAX: u32 = 1_000;
/// Messages offered to a session at once; more would drown the work they interrupt.
pub const OFFER_MESSAGES: u32 = 20;
/// How long an offered message waits for evidence that it arrived.
pub const OFFER_SECONDS: i64 = 60;
/// A lease without renewal: five minutes, the stale limit agents already know.
pub const LEASE_SECONDS_DEFAULT: i64 = 300;
/// A lease at most: a working day. Longer ones are forgotten ones.
pub const LEASE_SECONDS_MAX: i64 = 24 * 3600;
/// All paths of one lease together. Overlaps are looked for under the gate, and that takes time in proportion to the product
/// of two leases' lengths: this keeps fifty hostile ones below half a second.
pub const LEASE_PATHS_BYTES: usize = 4 * 1024;
/// Those of a lease's paths that have wildcards, together. Plain names are compared at once; only these take the product.
pub const LEASE_WILDCARD_BYTES: usize = 512;
/// Two agents that change one file within this time are told of each other: long enough for one to have read the file
/// before the other changed it.
pub const EDIT_WINDOW_S: i64 = 30;
/// Files that are looked at before and after a tool call: some milliseconds of work, and more than leases mostly name.
pub const WATCHED_FILES: usize = 2_000;
/// The longest file whose version before a tool call is kept: source files are shorter.
pub const KEPT_FILE_BYTES: u64 = 1024 * 1024;
/// What is kept of all watched files together.
pub const KEPT_BYTES: u64 = 16 * 1024 * 1024;
/// Branches whose commits are looked at before and after a tool call.
pub const WATCHED_BRANCHES: usize = 200;
/// Files of one call that are noted as changed; more is a generator, not an agent.
pub const EDITED_PATHS: usize = 100;
/// How long an ended session is remembered: a client that comes back after a holiday is still known as what it was.
pub const ENDED_SESSION_US: i64 = 30 * 24 * 3600 * 1_000_000;
/// Foreign entries further ahead of our clock than this are held instead of moving it.
pub const FUTURE_HELD_US: i64 = 24 * 3600 * 1_000_000;
/// One entry of the log, as a line. Texts live outside, so this bounds the number of events.
pub const LINE_BYTES: usize = 4 * 1024 * 1024;
/// Rows of the local trace that are kept; it explains the last days, the log explains the rest.
pub const TRACE_ROWS: i64 = 10_000;
/// Messages a thread may hold between agents since the last human message or task change.
pub const HOPS_DEFAULT: u32 = 20;
/// What the briefing may cost the agent's context (about four bytes to a token, 600 tokens).
pub const BRIEFING_BYTES: usize = 2_400;
/// Messages one agent may write to another per window, where no team file says otherwise.
pub const PAIR_MESSAGES_DEFAULT: u32 = 30;
/// What one member may send another per window where nothing comes back, and what a person may send: an order of two hundred
/// tasks fits, a script that runs away does not.
pub const FLOOD_MESSAGES_DEFAULT: u32 = 300;
/// That window. Ten minutes: longer than a normal exchange, shorter than a person's absence.
pub const PAIR_WINDOW_S_DEFAULT: i64 = 600;

/// Signal files of one agent in its workspace: a hundred say "look" as loudly as ten thousand.
pub const SIGNAL_FILES: usize = 100;
/// Files looked at in a directory of signal files. One that holds more is not ours to tidy.
pub const SIGNAL_DIRECTORY_FILES: usize = 10_000;

/// How far messages and tasks are counted: a number at this limit means "so many or more", and costs the same in a hub
/// of any size.
pub const COUNTED: u32 = 1_000;

/// A client in a turn that gives no sign for so long, by hooks or on its screen, is stuck: ten minutes are longer than any
/// model thinks without a word.
pub const WEDGED_US: i64 = 600 * 1_000_000;
/// A client that was started has said something by then; the slowest takes half a minute, and a person may have to trust
/// a folder first.
pub const STARTING_US: i64 = 60 * 1_000_000;
