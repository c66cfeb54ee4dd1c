//! Which acts are the operator's alone, and how well it must be proven that the operator calls.
//!
//! Owns the only list of them. Who a caller is comes from [`crate::identity`].

use std::fmt;

use crate::refusal::Refusal;
use crate::vocabulary::Auth;

/// How well it is proven that the operator calls, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proof {
    /// No sign of an agent: cron, CI, a script.
    Claimed,
    /// A controlling terminal, or the operator's token.
    Proven,
}

impl Proof {
    /// The proof that an authentication gives where it led to the operator.
    pub fn of(auth: Auth) -> Self {
        match auth {
            Auth::Terminal | Auth::Token => Self::Proven,
            Auth::Session | Auth::Process | Auth::Pane | Auth::Claimed => Self::Claimed,
        }
    }
}

/// Whether a caller may act as the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// The operator.
    Operator(Proof),
    /// A known agent.
    Agent,
    /// An agent that can't be told from others.
    Unbound,
}

impl Authority {
    /// Whether the operator calls, proven or not.
    pub fn is_operator(self) -> bool {
        matches!(self, Self::Operator(_))
    }
}

/// Declares the acts of the operator: the least proof, what the act is called, and why agents may not do it.
macro_rules! acts {
    ($($(#[$meta:meta])* $act:ident: $least:ident, $called:literal, $reason:literal;)+) => {
        /// An act that only the operator may do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum OperatorAct { $($(#[$meta])* $act),+ }

        impl OperatorAct {
            /// Every act.
            pub const ALL: &'static [Self] = &[$(Self::$act),+];

            /// The proof that it needs.
            pub fn least_proof(self) -> Proof {
                match self { $(Self::$act => Proof::$least),+ }
            }

            /// Why no agent does it.
            fn reason(self) -> &'static str {
                match self { $(Self::$act => $reason),+ }
            }
        }

        impl fmt::Display for OperatorAct {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(match self { $(Self::$act => $called),+ })
            }
        }
    };
}

acts! {
    /// Exchanging the history with the configured remote.
    Sync: Claimed, "syncing", "a sync sends what everybody wrote to another machine: only the operator does that";
    /// Taking draft files into the log.
    AcceptDrafts: Claimed, "accepting drafts", "a draft may speak for anybody: only the operator accepts one";
    /// Connecting clients of this machine.
    SetUpClients: Claimed, "setting clients up", "what the clients of this machine run is decided by a person, not by an agent";
    /// Writing the history into files elsewhere.
    Export: Claimed, "exporting", "an export copies what everybody wrote: only the operator does that";
    /// Moving over from another system.
    Import: Claimed, "importing", "an import speaks for everybody who is named in it: only the operator takes one over";
    /// Installing or removing the git hooks of the guard.
    InstallGuard: Claimed, "installing the guard", "only the operator installs or removes the guard";
    /// Speaking with the operator's word.
    Say: Claimed, "saying", "`say` is the operator's word, and you are an agent";
    /// Starting a client for one prompt.
    RunAgent: Claimed, "running an agent", "a run is started by the operator, not by an agent";
    /// Starting and ending the clients of the team.
    ManageClients: Claimed, "managing clients", "clients are started and ended by the operator, not by an agent";
    /// Starting clients for a canary.
    FlyCanary: Claimed, "the canary", "the canary is flown by the operator, not by an agent";
    /// Changing the team's rules.
    ChangeTeam: Claimed, "changing the team", "only the operator changes the team's rules";
    /// No longer trusting what was trusted.
    RevokeTrust: Claimed, "revoking trust", "what a project may run is decided by a person";
    /// Trusting what a project or another replica brought.
    Trust: Proven, "trusting files", "what a project may run is decided by a person";
    /// Accepting another replica's history as the operator's.
    AcceptReplica: Proven, "accepting a replica", "which replicas count is decided by a person";
    /// Copying the key that signs this replica's history.
    CopyKey: Proven, "copying the private key", "the private key is for the operator alone";
    /// Letting a held message go.
    ReleaseMail: Proven, "releasing held mail", "held mail is released by the operator";
    /// Letting a quarantined text go to git and files.
    ReleaseText: Proven, "releasing a quarantined text", "only the operator lets a text out that looks like a secret: what is in git stays there";
    /// Putting a backup in the place of the store.
    Restore: Proven, "restoring a backup", "a backup puts back what everybody wrote: only the operator restores one";
    /// Recovering a damaged store, which begins a new replica.
    Recover: Claimed, "recovering a hub", "a recovery begins a new replica: only the operator does that";
    /// Saying that the clock is right again.
    RepairClock: Claimed, "repairing the clock's entries", "whether this machine's clock is right is decided by a person";
    /// Putting back branches, hooks and the team file.
    PutBack: Claimed, "putting back branches, hooks and the team file", "branches, hooks and the team file are put back by a person";
    /// Deleting any text.
    Purge: Proven, "purging", "only the operator purges what others wrote";
    /// Deciding whether a store was moved or copied.
    DeclareMoved: Proven, "declaring a store moved or copied", "only the operator may decide whether this hub is a copy";
    /// Applying team rules that let agents or files do more than before.
    WidenTeam: Proven, "applying a team file that widens powers", "only the operator changes the team's rules";
    /// Creating a token.
    CreateToken: Proven, "creating a token", "tokens of others are created by the operator";
    /// Taking a lease from its holder.
    ForceLease: Proven, "forcing a lease", "only a superior or the operator forces a lease";
    /// Answering a client's permission request.
    AnswerPermission: Proven, "answering a permission request", "permission is given by a person, not by an agent";
}

/// Whether a caller may do what is the operator's. `command` is what the refusal tells to run.
pub fn authorize(act: OperatorAct, by: Authority, command: &str) -> Result<(), Refusal> {
    match by {
        Authority::Operator(proof) if proof >= act.least_proof() => Ok(()),
        Authority::Operator(_) => {
            let sentence = format!("{act} needs the operator at a terminal, and nothing here proves one");
            Err(Refusal::rule("needs_terminal", sentence)
                .hint(format!("run {command} in a terminal, without INTERAGENT_AGENT")))
        }
        Authority::Agent | Authority::Unbound => {
            Err(Refusal::rule("operator_only", act.reason())
                .hint(format!("ask the operator to run {command}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every act with every authority.
    #[test]
    fn only_listed_acts_are_done_without_proof() {
        use OperatorAct::*;
        let claimed = [
            Sync,
            AcceptDrafts,
            SetUpClients,
            Export,
            Import,
            InstallGuard,
            Say,
            RunAgent,
            ManageClients,
            FlyCanary,
            ChangeTeam,
            RevokeTrust,
            Recover,
            RepairClock,
            PutBack,
        ];
        for act in OperatorAct::ALL.iter().copied() {
            let code = |by| authorize(act, by, "interagent").map_err(|refusal| refusal.code);
            assert_eq!(code(Authority::Operator(Proof::Proven)), Ok(()), "{act}");
            let unproven = if claimed.contains(&act) { Ok(()) } else { Err("needs_terminal".to_owned()) };
            assert_eq!(code(Authority::Operator(Proof::Claimed)), unproven, "{act}");
            for by in [Authority::Agent, Authority::Unbound] {
                assert_eq!(code(by), Err("operator_only".to_owned()), "{act}");
            }
        }
    }

    #[test]
    fn terminal_and_token_prove_the_operator() {
        for auth in Auth::ALL.iter().copied() {
            let wanted = matches!(auth, Auth::Terminal | Auth::Token);
            assert_eq!(Proof::of(auth) == Proof::Proven, wanted, "{auth}");
        }
    }
}
