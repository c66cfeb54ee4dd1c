//! What a task aims at: worked out once, from what it says and from what those who are there own.
//!
//! Owns the comparing of files with owned paths, which takes the product of their lengths. It is done before the writers'
//! turn; a path that somebody was given since counts from the next task on.

use std::collections::{BTreeSet, HashMap};

use super::{Candidate, Wanted, guess};
use crate::decide::lease::Glob;
use crate::entity::Agent;

/// Bytes of file names that are compared with owned paths: they change the order of who fits, and nothing else.
const COMPARED_BYTES: usize = 8 * 1024;

/// What a task aims at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aim {
    /// What somebody should be good at, said or guessed.
    pub(super) capability: Option<String>,
    /// It was asked for, not guessed: who is good at other things does not fit.
    pub(super) strict: bool,
    /// What the words were taken to mean, in sentences.
    pub(super) guesses: Vec<String>,
    files: Vec<String>,
    /// Which of the files, by their places, a path means.
    meant: HashMap<String, Vec<usize>>,
}

impl Aim {
    /// The files of the task that are an agent's.
    pub(super) fn owned_by(&self, agent: &Agent) -> Vec<&str> {
        let places: BTreeSet<usize> =
            agent.paths.iter().filter_map(|path| self.meant.get(path)).flatten().copied().collect();
        places.into_iter().filter_map(|place| self.files.get(place)).map(String::as_str).collect()
    }
}

/// Works out what a task aims at among those who could get it.
pub fn aim(candidates: &[Candidate], wanted: &Wanted<'_>) -> Aim {
    let agents = || candidates.iter().filter(|candidate| candidate.is_possible()).map(|c| &c.agent);
    let guess = guess(agents(), wanted);
    let files = if wanted.files.is_empty() { guess.files } else { wanted.files.to_vec() };
    let mut bytes = 0;
    let compared: Vec<Glob> = files
        .iter()
        .take_while(|file| {
            bytes += file.len();
            bytes <= COMPARED_BYTES
        })
        .map(|file| Glob::read(file))
        .collect();
    let paths: BTreeSet<&String> = agents().flat_map(|agent| &agent.paths).collect();
    let meant = paths.into_iter().filter_map(|path| {
        let owned = Glob::read(path);
        let places: Vec<usize> =
            (0..compared.len()).filter(|place| owned.overlaps(&compared[*place])).collect();
        (!places.is_empty()).then(|| (path.clone(), places))
    });
    Aim {
        capability: wanted.capability.map(ToOwned::to_owned).or(guess.capability),
        strict: wanted.capability.is_some(),
        guesses: guess.sentences,
        meant: meant.collect(),
        files,
    }
}
