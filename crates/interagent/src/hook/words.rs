//! The words of profiles, as the hub calls them.

use interagent_agents::{Means, Notice, Way};
use interagent_core::vocabulary::{Moment, NoticeKind, WakeWay};

/// A client's notice.
pub(super) fn notice_kind(notice: Notice) -> NoticeKind {
    match notice {
        Notice::Asking => NoticeKind::Asking,
        Notice::Answered => NoticeKind::Answered,
        Notice::Idle => NoticeKind::Idle,
        Notice::Other => NoticeKind::Other,
    }
}

/// How an idle session is woken.
pub(super) fn wake_way(way: Way) -> WakeWay {
    match way {
        Way::Waiter => WakeWay::Waiter,
        Way::Command => WakeWay::Command,
        Way::File => WakeWay::File,
    }
}

/// The moment of an event; none before a tool, which only the guard judges.
pub(super) fn moment(means: Means) -> Option<Moment> {
    Some(match means {
        Means::Start => Moment::Start,
        Means::Prompt => Moment::Prompt,
        Means::AfterTool => Moment::AfterTool,
        Means::TurnEnd => Moment::TurnEnd,
        Means::Notice | Means::Answered => Moment::Notice,
        Means::Compact => Moment::Compact,
        Means::End => Moment::End,
        Means::Wait => Moment::Wait,
        Means::BeforeTool => return None,
    })
}
