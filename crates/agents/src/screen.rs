//! Screen layout of a client's terminal, as its profile describes it.

use serde::Deserialize;

/// What its screen looks like: plain texts, no patterns. What none of them describes is not typed into.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Screen {
    /// Where a person types; without it nothing is ever typed.
    pub composer: Option<Composer>,
    /// Below the composer: it works.
    pub busy: Vec<String>,
    /// The line just above the composer that says that it works begins with one of these characters.
    pub spinner: String,
    /// And holds one of these texts.
    pub status: Vec<String>,
    /// Below the composer, or anywhere when there is none: a question is open that Enter would answer.
    pub dialog: Vec<String>,
    /// Below the composer: what stands before the percentage of the context that is used.
    pub context_used: Option<String>,
}

/// The place where a person types: lines between two edges, with the cursor among them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Composer {
    /// How the line above begins, after spaces; nothing where it is empty.
    pub top: String,
    /// How the line below begins, after spaces; nothing where it is empty.
    pub bottom: String,
    /// How its first line may begin, all equally wide. In other modes, such as that of a shell, it begins otherwise.
    pub first: Vec<String>,
    /// How its other lines begin.
    pub next: String,
    /// How its lines end.
    #[serde(default)]
    pub end: String,
    /// Minimum number of empty lines below the typed text. With fewer, the composer may be scrolled and hide some.
    #[serde(default)]
    pub padding: usize,
    /// What stands in it while it is empty.
    #[serde(default)]
    pub placeholder: Vec<String>,
    /// What the client proposes behind the cursor, after a command that was typed.
    #[serde(default)]
    pub hints: Vec<String>,
}
