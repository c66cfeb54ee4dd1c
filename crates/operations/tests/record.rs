//! The record through the hub: log, history, state, search, briefing, summary, purge.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

#[path = "record/damage.rs"]
mod damage;
#[path = "record/deleting.rs"]
mod deleting;
#[path = "record/looking_back.rs"]
mod looking_back;
#[path = "record/searching.rs"]
mod searching;
#[path = "record/secret_words.rs"]
mod secret_words;
#[path = "record/summing_up.rs"]
mod summing_up;
#[path = "record/support.rs"]
mod support;
#[path = "record/words.rs"]
mod words;
