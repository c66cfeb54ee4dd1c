//! Whether an opened database is still the store of the replica that it names, or may be a copy.
//!
//! Two facts decide: the id in the file beside the database, and the database's inode. Machine and user only
//! describe a doubt to the person who settles it. A fact that can't be read decides nothing.

use std::fmt;

use crate::ids::{StoreId, UserStateId};

/// The facts about its store that a database has recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedStore {
    /// Absent in a store of a version that wrote none.
    pub id: Option<StoreId>,
    /// The inode of the database file.
    pub inode: u64,
    /// The machine, where it could be read.
    pub machine: Option<String>,
    /// The user, where that could be read.
    pub user: Option<UserStateId>,
}

/// The same facts as they are found when the database is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedStore {
    /// The file beside the database.
    pub id: IdFile,
    /// The inode of the database file.
    pub inode: u64,
    /// The machine, where it can be read.
    pub machine: Option<String>,
    /// The user, where that can be read.
    pub user: Option<UserStateId>,
}

/// The file that holds a store's id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdFile {
    /// There is none, or it holds no id.
    Missing,
    /// It holds this id.
    Holds(StoreId),
    /// It is there and can't be read, for this reason.
    Unreadable(String),
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreIdentity {
    /// The store of its replica.
    Same,
    /// A copy, a move or a restored file: only a person knows which.
    Undecided(CopyDoubt),
    /// A fact that decides can't be read, for this reason.
    Unreadable(String),
}

/// Why a store may be a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyDoubt {
    /// The fact that differs.
    pub difference: StoreDifference,
    /// Whether it is on another machine.
    pub machine: Hint,
    /// Whether it is for another user.
    pub user: Hint,
}

/// The fact that differs from the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreDifference {
    /// The inode.
    Database,
    /// The id in the file beside the database.
    Id,
    /// The file with the id is missing.
    NoId,
}

/// What a fact that decides nothing suggests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// As recorded.
    Same,
    /// Another one.
    Other,
    /// Not recorded, or not readable now.
    Unknown,
}

/// Compares the recorded facts with the observed ones.
pub fn identify(recorded: &RecordedStore, observed: &ObservedStore) -> StoreIdentity {
    let difference = match (&recorded.id, &observed.id) {
        (_, IdFile::Unreadable(why)) => return StoreIdentity::Unreadable(why.clone()),
        _ if recorded.inode != observed.inode => StoreDifference::Database,
        (None, _) => return StoreIdentity::Same,
        (Some(id), IdFile::Holds(found)) if id == found => return StoreIdentity::Same,
        (Some(_), IdFile::Holds(_)) => StoreDifference::Id,
        (Some(_), IdFile::Missing) => StoreDifference::NoId,
    };
    StoreIdentity::Undecided(CopyDoubt {
        difference,
        machine: Hint::of(recorded.machine.as_ref(), observed.machine.as_ref()),
        user: Hint::of(recorded.user.as_ref(), observed.user.as_ref()),
    })
}

impl Hint {
    fn of<T: PartialEq>(recorded: Option<&T>, observed: Option<&T>) -> Self {
        match (recorded, observed) {
            (Some(recorded), Some(observed)) if recorded == observed => Self::Same,
            (Some(_), Some(_)) => Self::Other,
            _ => Self::Unknown,
        }
    }
}

impl fmt::Display for CopyDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.difference {
            StoreDifference::Database => "its database is another file than before",
            StoreDifference::Id => "its file `store-id` belongs to another store",
            StoreDifference::NoId => "its file `store-id` is missing",
        })?;
        if self.machine == Hint::Other {
            f.write_str(", on another machine")?;
        }
        if self.user == Hint::Other {
            f.write_str(", for another user")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HINTS: [(Option<&str>, Option<&str>, Hint); 5] = [
        (Some("a"), Some("a"), Hint::Same),
        (Some("a"), Some("b"), Hint::Other),
        (Some("a"), None, Hint::Unknown),
        (None, Some("a"), Hint::Unknown),
        (None, None, Hint::Unknown),
    ];

    /// Without the facts that decide nothing.
    fn judged(recorded: Option<u64>, inode: u64, id: IdFile) -> Vec<StoreIdentity> {
        let user = |name: &str| UserStateId::from_bits(u64::from(name.as_bytes()[0]));
        let mut all = Vec::new();
        for (machine_then, machine_now, machine) in HINTS {
            for (user_then, user_now, user_hint) in HINTS {
                let recorded = RecordedStore {
                    id: recorded.map(StoreId::from_bits),
                    inode: 7,
                    machine: machine_then.map(str::to_owned),
                    user: user_then.map(user),
                };
                let observed = ObservedStore {
                    id: id.clone(),
                    inode,
                    machine: machine_now.map(str::to_owned),
                    user: user_now.map(user),
                };
                let identity = identify(&recorded, &observed);
                if let StoreIdentity::Undecided(doubt) = identity {
                    assert_eq!(
                        (doubt.machine, doubt.user),
                        (machine, user_hint),
                        "{recorded:?} {observed:?}"
                    );
                }
                all.push(identity);
            }
        }
        all
    }

    #[test]
    fn identify_covers_every_combination() {
        use StoreDifference::{Database, Id, NoId};
        let holds = |bits| IdFile::Holds(StoreId::from_bits(bits));
        let unreadable = || IdFile::Unreadable("EMFILE".to_owned());
        // Recorded id, observed inode (7 is the recorded one), id file; none: the same store.
        let table = [
            (Some(1), 7, holds(1), None),
            (Some(1), 7, holds(2), Some(Id)),
            (Some(1), 7, IdFile::Missing, Some(NoId)),
            (Some(1), 8, holds(1), Some(Database)),
            (Some(1), 8, holds(2), Some(Database)),
            (Some(1), 8, IdFile::Missing, Some(Database)),
            (None, 7, holds(1), None),
            (None, 7, IdFile::Missing, None),
            (None, 8, holds(1), Some(Database)),
            (None, 8, IdFile::Missing, Some(Database)),
        ];
        for (recorded, inode, id, wanted) in table {
            for identity in judged(recorded, inode, id.clone()) {
                let difference = match &identity {
                    StoreIdentity::Same => None,
                    StoreIdentity::Undecided(doubt) => Some(doubt.difference),
                    StoreIdentity::Unreadable(_) => panic!("{recorded:?} {inode} {id:?}: {identity:?}"),
                };
                assert_eq!(difference, wanted, "{recorded:?} {inode} {id:?}");
            }
        }
        for (recorded, inode) in [(Some(1), 7), (Some(1), 8), (None, 7), (None, 8)] {
            for identity in judged(recorded, inode, unreadable()) {
                assert_eq!(identity, StoreIdentity::Unreadable("EMFILE".to_owned()), "{recorded:?} {inode}");
            }
        }
    }

    #[test]
    fn doubt_names_what_differs() {
        let doubt = |difference, machine, user| CopyDoubt { difference, machine, user }.to_string();
        insta::assert_snapshot!(
            [
                doubt(StoreDifference::Database, Hint::Same, Hint::Same),
                doubt(StoreDifference::Database, Hint::Other, Hint::Unknown),
                doubt(StoreDifference::Database, Hint::Other, Hint::Other),
                doubt(StoreDifference::Id, Hint::Unknown, Hint::Same),
                doubt(StoreDifference::NoId, Hint::Same, Hint::Unknown),
            ]
            .join("\n"),
            @r"
        its database is another file than before
        its database is another file than before, on another machine
        its database is another file than before, on another machine, for another user
        its file `store-id` belongs to another store
        its file `store-id` is missing
        "
        );
    }
}
