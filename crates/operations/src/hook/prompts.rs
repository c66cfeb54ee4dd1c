//! The permission prompts of a session, as its hooks open and close them.

use std::cell::Cell;

use interagent_core::event::Micros;
use interagent_core::permission::{Prompt, RanIn, Subject, after_tool, answered, opened};
use interagent_core::vocabulary::{Moment, NoticeKind};
use interagent_wire::request as ask;

/// The open prompts of a session after a hook; nothing where it changes none. A tool hook of a session without open prompts,
/// which is nearly every one, is decided by the first comparison.
pub(super) fn after(open: &[Prompt], params: &ask::SessionHook, now: Micros) -> Option<Vec<Prompt>> {
    let is_asking = params.notice == Some(NoticeKind::Asking);
    if open.is_empty() && !is_asking {
        return None;
    }
    let subject = || Subject::new(params.tool.as_deref(), params.command.as_deref());
    let after = match (params.moment?, params.notice) {
        (Moment::Notice, Some(NoticeKind::Asking)) => opened(open, &subject(), now),
        (Moment::AfterTool, _) => {
            let ran_in = if params.subagent { RanIn::Subagent } else { RanIn::Turn };
            after_tool(open, &subject(), ran_in)
        }
        (Moment::Notice, Some(NoticeKind::Answered)) => answered(open, &subject()),
        (Moment::Start | Moment::Prompt | Moment::TurnEnd | Moment::End, _)
        | (Moment::Notice, Some(NoticeKind::Idle)) => Vec::new(),
        (Moment::Notice | Moment::Compact | Moment::Wait, _) => return None,
    };
    (after != open).then_some(after)
}

/// What a hook did to the prompts of its session.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    has_opened: Cell<bool>,
    are_open: Cell<bool>,
}

impl Outcome {
    /// Prompts that were open before the hook stay open unless it closes them.
    pub(super) fn saw(&self, open: &[Prompt]) {
        self.are_open.set(!open.is_empty());
    }

    pub(super) fn note(&self, before: &[Prompt], after: &[Prompt]) {
        self.has_opened.set(after.len() > before.len());
        self.are_open.set(!after.is_empty());
    }

    /// A prompt was opened that was not open before.
    pub(super) fn has_opened(&self) -> bool {
        self.has_opened.get()
    }

    /// Prompts are open after the hook.
    pub(super) fn are_open(&self) -> bool {
        self.are_open.get()
    }
}
