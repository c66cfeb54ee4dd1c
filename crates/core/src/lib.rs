//! The rules of a team, pure: what may be decided and what follows from it.
//!
//! `decide` turns a bounded snapshot and a request into facts or a refusal; `entity::apply` turns facts into state.
//! Nothing here reads a clock, a file, the environment or randomness; whoever calls passes them in.

pub mod authority;
pub mod backoff;
pub mod briefing;
pub mod captain;
pub mod cheer;
pub mod collect;
pub mod control;
pub mod decide;
pub mod diff;
pub mod draft;
pub mod entity;
pub mod entry;
pub mod envelope;
pub mod event;
pub mod guard;
pub mod harmless;
pub mod headless;
pub mod hook;
pub mod identity;
pub mod ids;
pub mod instructions;
pub mod ladder;
pub mod limits;
pub mod line;
pub mod liveness;
pub mod merge;
pub mod name;
pub mod nearest;
pub mod notice;
pub mod outreach;
pub mod permission;
pub mod phrasing;
pub mod reach;
pub mod refusal;
pub mod relay;
pub mod route;
pub mod rules;
pub mod seat;
pub mod secrets;
pub mod session_id;
pub mod shell;
pub mod signal;
pub mod signature;
pub mod skill;
pub mod store_identity;
pub mod summary;
pub mod team;
pub mod template;
pub mod text;
pub mod token;
pub mod vocabulary;
pub mod words;
pub mod workspace;
