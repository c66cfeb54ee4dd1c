//! Symbolic links: what is judged is the file that is written to, not the name it was called by.

use super::path;
use super::touches::{Touch, What, Writing};

/// A path that leads elsewhere, as whoever is on the machine found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// As it is called.
    pub path: String,
    /// Where it leads.
    pub real: String,
}

/// The path whose real one must be known: that of the directory where a link itself would be removed or put back, not
/// what it leads to.
pub fn asked(what: &What) -> Option<&str> {
    match what {
        What::Write { path, how: Writing::Remove | Writing::Discard | Writing::Clean } => Some(parent(path)),
        what => what.place(),
    }
}

/// What happens, with every link followed.
pub fn resolved(touches: Vec<Touch>, links: &[Link]) -> Vec<Touch> {
    let follow = |touch: Touch| {
        let link = asked(&touch.what).and_then(|asked| links.iter().find(|link| link.path == asked));
        let real = link.map(|link| match &touch.what {
            What::Write { path, how: Writing::Remove | Writing::Discard | Writing::Clean } => {
                path::join(&link.real, path::file_name(path))
            }
            _ => link.real.clone(),
        });
        match real {
            Some(real) => Touch { what: touch.what.at(real), ..touch },
            None => touch,
        }
    };
    touches.into_iter().map(follow).collect()
}

fn parent(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((parent, _)) => parent,
    }
}
