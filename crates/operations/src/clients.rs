//! What kinds of clients can be made to do, as whoever opens a hub knows it: profiles are no part of this crate.

use std::fmt;
use std::sync::Arc;

use interagent_core::control::Abilities;

/// Tells it of a profile by its name; nothing where the profile is not known.
type Tell = dyn Fn(&str) -> Option<Abilities> + Send + Sync;

/// What is known of clients. Knows none unless it was told of them.
#[derive(Clone, Default)]
pub(crate) struct Clients(Option<Arc<Tell>>);

impl Clients {
    pub(crate) fn known_by(tell: impl Fn(&str) -> Option<Abilities> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    /// What the sessions of a client can be made to do.
    pub(crate) fn abilities(&self, profile: &str) -> Option<Abilities> {
        self.0.as_ref().and_then(|tell| tell(profile))
    }

    /// Whether the hooks of a client bring mail. Where no client is known, nothing is held against any.
    pub(crate) fn have_hooks(&self, profile: &str) -> bool {
        self.0.is_none() || self.abilities(profile).is_some_and(|client| client.hooks)
    }
}

impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clients").field(&self.0.is_some()).finish()
    }
}
