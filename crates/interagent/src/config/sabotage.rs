//! The deliberate fault of a test build. Compiled only with the feature `sabotage`, which no product build has.

use interagent_store::sabotage::{Sabotage, set};

/// Switches on the fault that `INTERAGENT_SABOTAGE` names. False when there is no such fault: a test that sabotages
/// nothing must not pass.
pub(crate) fn arm() -> bool {
    match std::env::var("INTERAGENT_SABOTAGE") {
        Err(_) => true,
        Ok(name) => Sabotage::named(&name).map(set).is_some(),
    }
}
