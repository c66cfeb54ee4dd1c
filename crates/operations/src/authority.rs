//! Whether a caller may act as the operator, for commands that are no operation of a member.

use interagent_core::authority::{Authority, OperatorAct, authorize};
use interagent_core::identity::{Verdict, judge};
use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_wire::Caller;

use crate::identity::{self, Known};
use crate::{LocalHub, seats};

impl LocalHub {
    /// What a caller may do as the operator of this hub.
    pub fn authority(&mut self, caller: &Caller) -> Result<Authority, Refusal> {
        match self.known(caller) {
            Ok(known) => Ok(known.authority()),
            // A damaged store must not keep the operator from repairing it.
            Err(refusal) if refusal.kind == RefusalKind::Unavailable => Ok(authority_without_hub(caller)),
            Err(refusal) => Err(refusal),
        }
    }

    /// Refuses an act of the operator to everybody else. `command` is what the refusal tells to run.
    pub fn authorize(&mut self, caller: &Caller, act: OperatorAct, command: &str) -> Result<(), Refusal> {
        let authority = self.authority(caller)?;
        let refused = authorize(act, authority, command);
        match (refused, self.known(caller)) {
            // A person may sit there who has to know why nobody believes it.
            (Err(refusal), Ok(Known::Unbound { how, .. })) => {
                let sentence = format!("{} ({how})", refusal.sentence);
                Err(Refusal { sentence, ..refusal })
            }
            (refused, _) => refused,
        }
    }

    fn known(&mut self, caller: &Caller) -> Result<Known, Refusal> {
        self.store().read(|reader| identity::identify(reader, caller))
    }
}

/// What a caller may do as the operator where no hub knows more than its facts.
pub fn authority_without_hub(caller: &Caller) -> Authority {
    // A token is verified by a hub alone.
    if caller.token.is_some() {
        return Authority::Unbound;
    }
    match judge(seats::from_facts(caller)) {
        Verdict::Operator(proof) => Authority::Operator(proof),
        _ => Authority::Unbound,
    }
}

#[cfg(test)]
mod tests {
    use interagent_core::authority::Proof;

    use super::*;

    #[test]
    fn without_a_hub_only_facts_without_an_agent_are_the_operator() {
        let at_terminal = Caller::operator();
        let cases = [
            (at_terminal.clone(), Authority::Operator(Proof::Proven)),
            (Caller::default(), Authority::Operator(Proof::Claimed)),
            (Caller::agent("operator"), Authority::Operator(Proof::Claimed)),
            (Caller { agent: Some("kimi".into()), ..at_terminal.clone() }, Authority::Unbound),
            (Caller { agent: Some("x".repeat(5_000)), ..at_terminal.clone() }, Authority::Unbound),
            (Caller { session: Some("s".into()), ..at_terminal.clone() }, Authority::Unbound),
            (Caller { profile: Some("codex".into()), ..at_terminal.clone() }, Authority::Unbound),
            (Caller { chain_unreadable: true, ..Caller::default() }, Authority::Unbound),
            (Caller { chain_unreadable: true, ..at_terminal }, Authority::Operator(Proof::Proven)),
        ];
        for (caller, authority) in cases {
            assert_eq!(authority_without_hub(&caller), authority, "{caller:?}");
        }
    }
}
