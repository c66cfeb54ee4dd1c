//! Why a foreign line or text was left out, in sentences with its place.

use interagent_core::entry::BadLine;
use interagent_core::ids::{HubId, OriginId};
use interagent_core::signature::Fingerprint;
use interagent_core::text::TextHash;

/// Why a line or text was left out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences name every field")]
pub enum TakeInProblem {
    #[error("{place}: {why}; it was left out")]
    Damaged { place: String, why: BadLine },
    #[error(
        "{place}: entry {oseq} of {origin} was left out, because entry {missing} is not here; fetch the whole log of that replica"
    )]
    Gap { place: String, origin: OriginId, oseq: i64, missing: i64 },
    #[error("{place}: entry {oseq} of {origin} does not fit to its neighbours in the chain; it was left out")]
    Broken { place: String, origin: OriginId, oseq: i64 },
    #[error(
        "{place}: another entry {oseq} of {origin} is known here; that replica's log was forked, and the first one stays"
    )]
    Fork { place: String, origin: OriginId, oseq: i64 },
    #[error(
        "{place}: entry {oseq} of {origin}, which is this replica, does not follow from what is here; its database was copied or put back to an older state, and went on"
    )]
    Forked { place: String, origin: OriginId, oseq: i64 },
    #[error(
        "{place}: entry {oseq} claims to be of this replica, but this replica's key did not sign it; it was left out"
    )]
    NotOurs { place: String, oseq: i64 },
    #[error(
        "{place}: entry {oseq} of {origin} was left out, because no signature of that replica covers it; `interagent sync` there signs it"
    )]
    Unsigned { place: String, origin: OriginId, oseq: i64 },
    #[error(
        "the log of {origin} is also signed with another key ({found}) than the one that is known here ({pinned}); only what the known key signed counts"
    )]
    OtherKey { origin: OriginId, pinned: Fingerprint, found: Fingerprint },
    #[error("{place}: {origin} is a replica of another hub ({hub}), so its log was left out")]
    OtherHub { place: String, origin: OriginId, hub: HubId },
    #[error(
        "entry {oseq} of {origin}, which is stored here, is damaged: {why}; nothing next to it was taken in (interagent doctor)"
    )]
    Stored { origin: OriginId, oseq: i64, why: BadLine },
    #[error("the text {hash} was left out: {why}")]
    Text { hash: TextHash, why: &'static str },
}
