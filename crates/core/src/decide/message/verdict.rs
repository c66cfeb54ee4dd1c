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
    let text = body.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '#' | '`'));
    OPENINGS.iter().find_map(|(word, verdict)| {
        let head = text.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word))?;
        let rest = text[head.len()..].trim_start_matches(['*', '`', ' ']);
        let ends = rest.is_empty() || rest.starts_with([':', '.', '!', '\n', '\r']);
        ends.then_some(*verdict)
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
