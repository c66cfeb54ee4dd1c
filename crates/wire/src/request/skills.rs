//! Skills that were proposed, and control of an agent's session.

use interagent_core::vocabulary::{ControlOutcome, ControlVerb};

use super::params;

params! {
    /// Lists skills that members proposed, the most often proposed first.
    struct SkillList {
        /// Only those that nothing was decided of.
        candidates: bool,
    }
    /// Shows one skill: who proposed it, why, and what its file would say.
    struct SkillShow {
        /// A name as it was written, or its key.
        name: String,
        /// Its folder, where that is not its key.
        folder: Option<String>,
    }
    /// Makes a candidate a skill of the project's clients; the operator alone.
    struct SkillPromote {
        /// A name as it was written, or its key.
        name: String,
        /// Its folder, where that is not its key.
        folder: Option<String>,
        /// The files it is written to, relative to the project.
        places: Vec<String>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Says that a candidate is not wanted; the operator alone.
    struct SkillReject {
        /// A name as it was written, or its key.
        name: String,
        /// Why.
        reason: String,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Asks for an agent's session to be cleared, changed to another model, stopped or resumed. It waits until it is
    /// carried out.
    struct ControlSend {
        /// A name or id.
        agent: String,
        /// clear, model, stop or resume.
        verb: Option<ControlVerb>,
        /// The model it changes to.
        model: Option<String>,
        /// For clear: what the agent reads first afterwards.
        body: Option<String>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Lists control messages that were not carried out yet, oldest first.
    struct ControlList {
        /// Only for this one: a name or id.
        agent: Option<String>,
    }
    /// Records that a control message was carried out, or could not be; for whoever does it on the agent's machine.
    struct ControlDone {
        /// The message.
        message: String,
        /// done or failed.
        outcome: Option<ControlOutcome>,
        /// Why it failed, or what was seen.
        note: Option<String>,
    }
}
