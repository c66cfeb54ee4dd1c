//! Which free seat a new session takes.
//!
//! Owns the decision. Gathering the facts belongs to the hub. Who a caller is comes from [`crate::identity`].

use std::collections::BTreeMap;

use crate::name::Name;

/// A registered agent without a live session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeSeat {
    /// The agent's name.
    pub name: Name,
    /// The agent that the same session, or the same process, was before.
    pub was_caller: bool,
    /// Its profile is the client's own; otherwise another client with the same executable.
    pub is_own_kind: bool,
    /// The team file names it.
    pub is_in_team: bool,
    /// Messages wait for it.
    pub has_mail: bool,
}

/// The seat that a new session takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The seat at this position.
    Seat(usize),
    /// No seat is free.
    NoneFree,
    /// This many seats fit equally well.
    Tie(usize),
}

/// Chooses the seat of a new session. `called` holds the client's profile and then its other names.
///
/// Prefers the agent that a resumed or cleared conversation was. Then, among seats of the client's own kind: the seat named after the client, the team file's, the one with waiting
/// mail. Each preference narrows the candidates and never removes the last one.
pub fn choose(called: &[&str], seats: &[FreeSeat]) -> Choice {
    let mut candidates: Vec<usize> = (0..seats.len()).collect();
    narrow(&mut candidates, |at| seats[at].was_caller);
    narrow(&mut candidates, |at| seats[at].is_own_kind);
    for name in called {
        if let Some(at) = candidates.iter().find(|at| seats[**at].name.as_str() == *name) {
            return Choice::Seat(*at);
        }
    }
    narrow(&mut candidates, |at| seats[at].is_in_team);
    narrow(&mut candidates, |at| seats[at].has_mail);
    match candidates[..] {
        [] => Choice::NoneFree,
        [only] => Choice::Seat(only),
        _ => Choice::Tie(candidates.len()),
    }
}

/// Keeps the candidates that fit, unless none does.
fn narrow(candidates: &mut Vec<usize>, fits: impl Fn(usize) -> bool) {
    if candidates.iter().any(|at| fits(*at)) {
        candidates.retain(|at| fits(*at));
    }
}

/// The line that counts the sessions without a name, by what people call their clients; nothing where there is none.
pub fn without_names<'c>(clients: impl IntoIterator<Item = &'c str>) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for client in clients {
        *counts.entry(client).or_default() += 1;
    }
    let session = |count: usize| if count == 1 { "session" } else { "sessions" };
    let parts: Vec<String> =
        counts.iter().map(|(client, count)| format!("{count} {client} {}", session(*count))).collect();
    let (last, before) = parts.split_last()?;
    let total: usize = counts.values().sum();
    let has = if total == 1 { "has" } else { "have" };
    match before {
        [] => Some(format!("{last} {has} no name")),
        _ => Some(format!("{} and {last} {has} no name", before.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A seat as `name own|kin [was] [team] [mail]`.
    fn seat(text: &str) -> FreeSeat {
        let words: Vec<&str> = text.split(' ').collect();
        FreeSeat {
            name: Name::parse(words[0]).unwrap(),
            was_caller: words.contains(&"was"),
            is_own_kind: words.contains(&"own"),
            is_in_team: words.contains(&"team"),
            has_mail: words.contains(&"mail"),
        }
    }

    #[test]
    fn new_session_takes_the_expected_seat() {
        let table: [(&[&str], &[&str], &str); 17] = [
            (&["claude"], &[], "none"),
            (&["claude"], &["bob own"], "bob"),
            (&["claude"], &["claude own", "claude2 own mail", "claude3 own team mail"], "claude"),
            (&["claude"], &["claude2 own mail", "claude3 own team"], "claude3"),
            (&["claude"], &["claude2 own", "claude3 own mail"], "claude3"),
            (&["claude"], &["claude2 own team", "claude3 own team mail"], "claude3"),
            (&["claude"], &["claude2 own", "claude3 own"], "tie of 2"),
            (&["claude"], &["claude2 own mail", "claude3 own mail", "d own"], "tie of 2"),
            (&["claude"], &["a own team", "b own team", "c own mail"], "tie of 2"),
            (&["kimi-cli", "kimi"], &["kimi kin team"], "kimi"),
            (&["kimi-cli", "kimi"], &["kimi kin team", "kimi-cli own"], "kimi-cli"),
            (&["kimi-cli", "kimi"], &["kimi own", "member1 own team"], "kimi"),
            (&["kimi-cli", "kimi"], &["member1 kin team", "member2 kin team"], "tie of 2"),
            (&["kimi-cli", "kimi"], &["member1 kin", "member2 kin mail"], "member2"),
            (&["claude"], &["claude own team mail", "claude2 own was"], "claude2"),
            (&["claude"], &["claude2 own", "claude3 own was"], "claude3"),
            (&["kimi-cli", "kimi"], &["kimi-cli own", "kimi kin was"], "kimi"),
        ];
        for (called, seats, wanted) in table {
            let seats: Vec<FreeSeat> = seats.iter().map(|text| seat(text)).collect();
            let chosen = match choose(called, &seats) {
                Choice::Seat(at) => seats[at].name.to_string(),
                Choice::NoneFree => "none".to_owned(),
                Choice::Tie(count) => format!("tie of {count}"),
            };
            assert_eq!(chosen, wanted, "{called:?} {seats:?}");
        }
    }

    fn seats() -> impl Strategy<Value = Vec<FreeSeat>> {
        let flags = (any::<bool>(), any::<bool>(), any::<bool>());
        // One session was one agent at most.
        let was = proptest::option::of(0_usize..6);
        (proptest::collection::vec(flags, 0..6), was).prop_map(|(all, was)| {
            let seat = |(at, (is_own_kind, is_in_team, has_mail)): (usize, _)| FreeSeat {
                name: Name::parse(&format!("a{at}")).unwrap(),
                was_caller: was == Some(at),
                is_own_kind,
                is_in_team,
                has_mail,
            };
            all.into_iter().enumerate().map(seat).collect()
        })
    }

    proptest! {
        /// The order of registration decides nothing, and a tie is never broken by it.
        #[test]
        fn order_of_seats_does_not_matter(seats in seats()) {
            let name = |seats: &[FreeSeat]| match choose(&["a1"], seats) {
                Choice::Seat(at) => Ok(seats[at].name.to_string()),
                other => Err(other),
            };
            let reversed: Vec<FreeSeat> = seats.iter().rev().cloned().collect();
            prop_assert_eq!(name(&seats), name(&reversed));
        }

        /// A session without a seat means that none is free, or that several are equal in everything.
        #[test]
        fn only_equal_seats_tie(seats in seats()) {
            match choose(&["a1"], &seats) {
                Choice::NoneFree => prop_assert!(seats.is_empty()),
                Choice::Seat(at) => prop_assert!(at < seats.len()),
                Choice::Tie(count) => {
                    let rank = |seat: &FreeSeat| {
                        (seat.was_caller, seat.is_own_kind, seat.is_in_team, seat.has_mail)
                    };
                    let best = seats.iter().map(rank).max();
                    prop_assert!(count > 1);
                    prop_assert_eq!(seats.iter().filter(|seat| Some(rank(seat)) == best).count(), count);
                }
            }
        }
    }

    #[test]
    fn sessions_without_names_are_counted_by_client() {
        assert_eq!(without_names([]), None);
        assert_eq!(without_names(["Claude Code"]).unwrap(), "1 Claude Code session has no name");
        let all = ["Kimi Code", "Claude Code", "Codex CLI", "Claude Code"];
        assert_eq!(
            without_names(all).unwrap(),
            "2 Claude Code sessions, 1 Codex CLI session and 1 Kimi Code session have no name"
        );
    }
}
