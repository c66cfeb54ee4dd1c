//! What a session does, as its hooks tell: a sign of life, which is a file and no row.

use interagent_core::vocabulary::{Moment, NoticeKind, SessionState};
use interagent_store::live;

use super::Visit;
use crate::call::Call;

impl Visit<'_> {
    fn is_idle(&self, call: &Call<'_>) -> bool {
        let sign = live::sign_of(call.state_dir, self.params.session.trim());
        sign.is_some_and(|sign| sign.state == SessionState::Idle)
    }

    /// What the client does now, as its hook tells. It is a file's time, not a row: nothing is lost with it.
    pub(super) fn note_life(&self, call: &Call<'_>, said: bool) {
        let session = self.params.session.trim();
        let state = match self.occasion.moment {
            Moment::End => return live::forget(call.state_dir, session),
            Moment::Wait => return,
            Moment::Notice => match self.params.notice {
                Some(NoticeKind::Asking) => SessionState::Asking,
                Some(NoticeKind::Idle) => SessionState::Idle,
                Some(NoticeKind::Answered) if !self.prompts.are_open() => SessionState::Busy,
                // Whatever else a client tells of, it may have a dialog open.
                _ => return,
            },
            // The turn goes on beside the dialog that a person is asked about.
            Moment::AfterTool | Moment::Compact if self.prompts.are_open() => return,
            Moment::Start => SessionState::Idle,
            Moment::TurnEnd if !said || self.params.ends_once => SessionState::Idle,
            // A turn that was kept going ends without a hook, and tool hooks may arrive late.
            Moment::AfterTool if self.params.ends_once && self.is_idle(call) => SessionState::Idle,
            _ => SessionState::Busy,
        };
        // A disk that takes no more must not keep a message from its agent.
        let _ = live::heard(call.state_dir, session, state);
    }
}
