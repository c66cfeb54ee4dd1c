//! What helps where a store may be a copy: only a person settles that, so an agent is told whom to ask.

use interagent_core::refusal::Refusal;
use interagent_store::ErrorKind;
use interagent_wire::Caller;

/// Fits the hint of the refusal to its caller.
pub(crate) fn for_caller(refusal: Refusal, caller: &Caller) -> Refusal {
    let is_marked = caller.agent.is_some()
        || caller.session.is_some()
        || caller.profile.is_some()
        || caller.token.is_some();
    match refusal.code == ErrorKind::Undecided.as_str() && is_marked {
        true => refusal.hint("ask the operator to run interagent doctor"),
        false => refusal,
    }
}
