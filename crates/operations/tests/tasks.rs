//! Tasks and reviews through the hub: their way, their rules, what is told to whom.

#[path = "tasks/support.rs"]
mod support;

#[path = "tasks/chain.rs"]
mod chain;
#[path = "tasks/concerns.rs"]
mod concerns;
#[path = "tasks/events.rs"]
mod events;
#[path = "tasks/flow.rs"]
mod flow;
#[path = "tasks/judging.rs"]
mod judging;
#[path = "tasks/outcome.rs"]
mod outcome;
#[path = "tasks/reviews.rs"]
mod reviews;
#[path = "tasks/routing.rs"]
mod routing;
#[path = "tasks/scan.rs"]
mod scan;
#[path = "tasks/waiting.rs"]
mod waiting;
