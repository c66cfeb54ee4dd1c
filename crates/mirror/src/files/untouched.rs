//! Which files need not be read again: those that nobody touched since all files were compared.
//!
//! A file that was right then and was not touched is right now: what its matter became since was followed from the log, and
//! that touches it. So a comparison asks the disk for times, and reads what is newer.

use std::collections::HashMap;

use super::layout::{Folder, Place};
use super::tree::{Touched, Tree, Trouble};

/// What was there when the comparison began.
#[derive(Debug, Default)]
pub(super) struct Untouched {
    /// When all files were last compared; never, where all of them are to be read.
    since: Option<Touched>,
    times: HashMap<Folder, HashMap<String, Touched>>,
}

impl Untouched {
    pub(super) fn since(time: Touched) -> Self {
        Self { since: Some(time), times: HashMap::new() }
    }

    /// Whether a file stands here that was compared and not touched.
    pub(super) fn has(&mut self, tree: &mut Tree, place: &Place) -> Result<bool, Trouble> {
        let Some(since) = self.since else { return Ok(false) };
        let touched = self.folder(tree, place.folder)?.get(&place.name);
        Ok(touched.is_some_and(|touched| *touched < since))
    }

    /// The same, and nothing stands in the other place.
    pub(super) fn has_only(&mut self, tree: &mut Tree, here: &Place, there: &Place) -> Result<bool, Trouble> {
        Ok(self.has(tree, here)? && !self.folder(tree, there.folder)?.contains_key(&there.name))
    }

    fn folder(&mut self, tree: &mut Tree, folder: Folder) -> Result<&HashMap<String, Touched>, Trouble> {
        use std::collections::hash_map::Entry;
        match self.times.entry(folder) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(unknown) => Ok(unknown.insert(tree.touched(folder)?)),
        }
    }
}
