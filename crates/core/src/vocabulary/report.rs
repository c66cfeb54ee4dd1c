//! The words of reports and of control: what became of files and builds, what a session is made to do.

use crate::words;

words! {
    /// What became of a file.
    pub enum FileAction as "the action" {
        /// It was not there before.
        Created = "created",
        /// It was there and says something else.
        Modified = "modified",
        /// It is gone.
        Deleted = "deleted",
    }
}

words! {
    /// How a build ended.
    pub enum BuildResult as "the build result" {
        /// Without an error.
        Pass = "pass" | "passed",
        /// With one.
        Fail = "fail" | "failed",
    }
}

words! {
    /// What an agent's own session is made to do.
    pub enum ControlVerb as "what to do" {
        /// Forget the conversation; what comes with it is the first message afterwards.
        Clear = "clear" | "reset",
        /// Change to another model.
        Model = "model",
        /// End the session.
        Stop = "stop",
        /// Begin again where it ended.
        Resume = "resume",
    }
}

words! {
    /// What became of a control message.
    pub enum ControlOutcome as "the outcome" {
        /// The session did it.
        Done = "done",
        /// It could not be done.
        Failed = "failed",
    }
}
