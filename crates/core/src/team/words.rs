//! The closed vocabularies of the team file, each with the one spelling that is stored.
//!
//! People may write any case and `-` or a blank for `_`; what is stored and shown is always the word here.

use std::fmt;

/// A closed set of words.
pub trait Word: Copy + Sized + 'static {
    /// Every word of the set, in the order in which it is listed to people.
    const ALL: &'static [Self];

    /// The stored spelling.
    fn as_str(self) -> &'static str;

    /// Reads a word in any case and with any separator.
    fn from_word(raw: &str) -> Option<Self> {
        let wanted = fold(raw);
        Self::ALL.iter().copied().find(|word| fold(word.as_str()) == wanted)
    }

    /// All words, as they stand in a sentence.
    fn list() -> String {
        let words: Vec<&str> = Self::ALL.iter().map(|word| word.as_str()).collect();
        words.join(", ")
    }
}

fn fold(word: &str) -> String {
    word.trim().to_ascii_lowercase().replace(['-', ' '], "_")
}

/// A word outside of its set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    pub word: String,
    pub allowed: String,
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not one of {}", crate::name::quoted(&self.word), self.allowed)
    }
}

impl std::error::Error for UnknownWord {}

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant,)+ }

        impl Word for $name {
            const ALL: &'static [Self] = &[$(Self::$variant,)+];

            fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnknownWord;

            fn from_str(raw: &str) -> Result<Self, UnknownWord> {
                Self::from_word(raw)
                    .ok_or_else(|| UnknownWord { word: raw.to_owned(), allowed: Self::list() })
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let raw = <String as serde::Deserialize>::deserialize(deserializer)?;
                raw.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

words! {
    /// The shape of the team: which roles it has and whether there is a chain of command.
    Formation {
        /// One principal, who decides and approves, and those who work with it.
        Duo = "duo",
        /// Equals.
        Peers = "peers",
        /// A captain, vice captains and members, each with one superior.
        Captain = "captain",
    }
}

words! {
    /// The older words for a formation and its review rule.
    Mode {
        Hierarchical = "hierarchical",
        Peer = "peer",
        /// `duo` where every completed task needs a review.
        Review = "review",
    }
}

impl Mode {
    pub fn formation(self) -> Formation {
        match self {
            Self::Hierarchical | Self::Review => Formation::Duo,
            Self::Peer => Formation::Peers,
        }
    }
}

words! {
    /// What an agent may and must do.
    Role {
        Principal = "principal",
        Delegate = "delegate",
        Reviewer = "reviewer",
        Collaborator = "collaborator",
        Captain = "captain",
        ViceCaptain = "vice_captain",
        Member = "member",
    }
}

impl Formation {
    /// The roles that exist in this formation.
    pub fn roles(self) -> &'static [Role] {
        match self {
            Self::Duo => &[Role::Principal, Role::Delegate, Role::Reviewer, Role::Collaborator],
            Self::Peers => &[Role::Collaborator, Role::Reviewer],
            Self::Captain => &[Role::Captain, Role::ViceCaptain, Role::Member],
        }
    }

    /// The role of an agent for which the team file names none.
    pub fn usual_role(self) -> Role {
        match self {
            Self::Duo => Role::Delegate,
            Self::Peers => Role::Collaborator,
            Self::Captain => Role::Member,
        }
    }

    /// The one role without a superior, where there is a chain of command.
    pub fn top_role(self) -> Option<Role> {
        match self {
            Self::Duo => Some(Role::Principal),
            Self::Peers => None,
            Self::Captain => Some(Role::Captain),
        }
    }
}

words! {
    /// How the history of the team gets into git.
    Track {
        /// Commits on a branch of its own; the worktree never shows them.
        Branch = "branch",
        /// Files in the worktree, committed with the code.
        Worktree = "worktree",
    }
}

words! {
    /// Whether finished work is announced in the agent's terminal.
    DisplayMode {
        Shout = "shout",
        Silent = "silent",
    }
}

words! {
    /// The rules that are enforced while an agent works.
    Guard {
        /// Superiors delegate instead of doing the work.
        F001 = "F001",
        /// No work that is somebody else's.
        F003 = "F003",
        /// No sleeping and polling, no typing into other terminals.
        F004 = "F004",
        /// The briefing is read first.
        F005 = "F005",
        /// No changes on protected branches.
        F006 = "F006",
        /// One writer per file.
        Race001 = "RACE-001",
    }
}

words! {
    /// Whose commits on protected branches are refused.
    CommitGuard {
        Agents = "agents",
        Everyone = "everyone",
    }
}

words! {
    /// What happens when the operator was asked and did not answer by the deadline.
    OperatorDefault {
        /// Nothing is changed; the question stays open.
        Wait = "wait",
        /// The work is offered to another agent.
        Reassign = "reassign",
        /// The work is cancelled.
        Cancel = "cancel",
    }
}
