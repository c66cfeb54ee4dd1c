//! Who a caller is, from the evidence about it.
//!
//! Owns the only decision. Gathering the evidence belongs to the surfaces, comparing it with what was bound to the hub.
//! What the operator may do is [`crate::authority`].

use crate::authority::Proof;

/// What the caller's name, from INTERAGENT_AGENT or a connection, leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NamedAs {
    /// No name was given.
    #[default]
    Nobody,
    /// The operator.
    Operator,
    /// An agent of this replica.
    Agent,
    /// Nobody that the caller could be: unknown, malformed, or an agent of another replica.
    Unusable,
}

/// Where the caller's name comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameSource {
    /// A variable, which may be left over from something else.
    #[default]
    Variable,
    /// An argument or a connection.
    Request,
}

/// The agent that the caller's token, session, process or pane is bound to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoundTo {
    /// None of them is bound.
    #[default]
    Nobody,
    /// An agent, and the caller's name is that agent's or leads to nobody.
    Agent,
    /// Another agent than the caller's name.
    AnotherAgent,
}

/// What is known of a caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Its name.
    pub named: NamedAs,
    /// Where that comes from.
    pub source: NameSource,
    /// What it is bound to.
    pub bound: BoundTo,
    /// A client's variable, its program among the ancestors, or an MCP connection.
    pub has_client: bool,
    /// A session is named that is bound to nobody.
    pub has_unknown_session: bool,
    /// An ancestor process was bound to an agent before.
    pub has_bound_ancestor: bool,
    /// The parent process can't be read.
    pub has_unreadable_chain: bool,
    /// The process has a controlling terminal.
    pub has_terminal: bool,
}

/// What shows that a caller is an agent, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A name that leads to nobody.
    UnusableName,
    /// A client.
    Client,
    /// A session that is bound to nobody.
    UnknownSession,
    /// An ancestor that was bound.
    BoundAncestor,
    /// A process chain that can't be read, without a terminal.
    UnreadableChain,
}

impl Sign {
    /// Why that makes the caller an agent, for people.
    pub fn explained(self) -> &'static str {
        match self {
            Self::UnusableName => "INTERAGENT_AGENT can't be used",
            Self::Client => "an agent's client runs this",
            Self::UnknownSession => "the session is bound to no agent",
            Self::BoundAncestor => "a parent process belongs to an agent whose session has ended",
            Self::UnreadableChain => "the processes above this one can't be read, and there is no terminal",
        }
    }
}

/// Who a caller is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The agent it is bound to.
    Bound,
    /// The agent that its name names.
    Named,
    /// It names another than it is: refused.
    Contradiction,
    /// The operator.
    Operator(Proof),
    /// An agent that can't be told from others, and what shows it.
    Unbound(Sign),
}

/// Judges a caller. Evidence of an agent never becomes the operator.
pub fn judge(evidence: Evidence) -> Verdict {
    match (evidence.bound, evidence.named) {
        (BoundTo::AnotherAgent, _) => Verdict::Contradiction,
        // The binding is younger than a variable. A request's own words are never ignored.
        (BoundTo::Agent, NamedAs::Unusable) if evidence.source == NameSource::Request => {
            Verdict::Contradiction
        }
        (BoundTo::Agent, _) => Verdict::Bound,
        (BoundTo::Nobody, NamedAs::Agent) => Verdict::Named,
        (BoundTo::Nobody, NamedAs::Unusable) => Verdict::Unbound(Sign::UnusableName),
        (BoundTo::Nobody, NamedAs::Operator) if evidence.has_client => Verdict::Contradiction,
        (BoundTo::Nobody, NamedAs::Operator) => {
            sign(evidence).map_or(Verdict::Operator(Proof::Claimed), Verdict::Unbound)
        }
        (BoundTo::Nobody, NamedAs::Nobody) => {
            let proof = if evidence.has_terminal { Proof::Proven } else { Proof::Claimed };
            sign(evidence).map_or(Verdict::Operator(proof), Verdict::Unbound)
        }
    }
}

/// The strongest sign of an agent besides its name.
fn sign(evidence: Evidence) -> Option<Sign> {
    let signs = [
        (evidence.has_client, Sign::Client),
        (evidence.has_unknown_session, Sign::UnknownSession),
        (evidence.has_bound_ancestor, Sign::BoundAncestor),
        (evidence.has_unreadable_chain && !evidence.has_terminal, Sign::UnreadableChain),
    ];
    signs.into_iter().find(|(is_there, _)| *is_there).map(|(_, sign)| sign)
}

#[cfg(test)]
mod tests;
