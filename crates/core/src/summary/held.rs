//! What the operator reads of held messages.

use super::{Action, ActionItem, HeldItem, Situation, TITLE_CHARS};
use crate::line::quoted_line;

/// Held messages, those of one sender and reason together.
pub(super) fn items<'s>(situation: &'s Situation<'_>) -> impl Iterator<Item = ActionItem> + 's {
    let mut groups: Vec<(&HeldItem, u32)> = Vec::new();
    for item in &situation.held {
        let is_alike =
            |(first, _): &&mut (&HeldItem, u32)| first.from.id == item.from.id && first.reason == item.reason;
        match groups.iter_mut().find(is_alike) {
            Some((_, count)) => *count += 1,
            None => groups.push((item, 1)),
        }
    }
    groups.into_iter().map(|(first, count)| release(situation, first, count))
}

fn release(situation: &Situation<'_>, item: &HeldItem, count: u32) -> ActionItem {
    let (reason, who, from) = (item.reason.why(), situation.operator.clone(), &item.from.shown);
    if count > 1 {
        let clause = format!("Release or leave {count} messages of {from}, held ({reason})");
        let way = "interagent msg list --held".to_owned();
        return ActionItem { count, ..ActionItem::new(who, Action::Release, clause, way) };
    }
    let subject = quoted_line(&item.subject, TITLE_CHARS);
    let clause = format!("Release or leave {subject} of {from}, held ({reason})");
    let way = format!("interagent msg release {}", item.id);
    ActionItem::new(who, Action::Release, clause, way).on_message(&item.id)
}
