//! A reply that says it is a verdict.

use crate::vocabulary::Verdict;

/// The words a reply may begin with to be a verdict. A rejection closes the task for good, so that one is never guessed.
const OPENINGS: [(&str, Verdict); 5] = [
    ("approved", Verdict::Approved),
    ("approve", Verdict::Approved),
    ("revision_needed", Verdict::RevisionNeeded),
    ("revision needed", Verdict::RevisionNeeded),
    ("changes requested", Verdict::RevisionNeeded),
];

/// The verdict that a reply begins with: the word alone, or followed by a colon, a full stop, an exclamation mark or a new
/// line. "Approved, but ..." and "Approved - but ..." may take it back, and a quoted word belongs to somebody else.
pub fn said_verdict(body: &str) -> Option<Verdict> {
    OPENINGS.iter().find_map(|(word, verdict)| begins_with(body, word).then_some(*verdict))
}

/// Whether a reply begins with a rejection in the same way.
pub(super) fn says_rejected(body: &str) -> bool {
    ["rejected", "reject"].iter().any(|word| begins_with(body, word))
}

fn begins_with(body: &str, word: &str) -> bool {
    let text = body.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '#' | '`'));
    let head = text.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word));
    head.is_some_and(|head| {
        let rest = text[head.len()..].trim_start_matches(['*', '`', ' ']);
        rest.is_empty() || rest.starts_with([':', '.', '!', '\n', '\r'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_leading_word_is_a_verdict() {
        let approved = ["Approved", "approved.", "**Approved**: nice work", "approved\n\nGood.", "APPROVED!"];
        for said in approved {
            assert_eq!(said_verdict(said), Some(Verdict::Approved), "{said}");
        }
        for said in
            ["revision_needed: tests fail", "Revision needed.\n- tests", "Changes requested: see below"]
        {
            assert_eq!(said_verdict(said), Some(Verdict::RevisionNeeded), "{said}");
        }
        let words = [
            "approved, but fix the tests",
            "Approved - but fix the tests first",
            "> approved\n\nNo, the tests fail.",
            "Looks fine: approved",
            "approvedx",
            "rejected: no",
            "not approved",
            "",
        ];
        for said in words {
            assert_eq!(said_verdict(said), None, "{said}");
        }
    }
}
