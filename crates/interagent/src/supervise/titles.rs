//! What tmux shows of the team's life, kept true: looked at whenever a session does something else, and now and then.

use std::path::PathBuf;
use std::time::Duration;

use interagent_store::{Woken, live};

use crate::crew::life::SeenOnScreens;
use crate::crew::{Scene, life};

/// A client that died leaves no sign: so everything is looked at after this time.
const SWEEP: Duration = Duration::from_secs(15);
/// Several agents may change at once; one look is enough for all of them.
const BURST: Duration = Duration::from_millis(300);

/// Keeps titles and the status line true from now on, by a thread that ends with the process. `scene` gives the team as it is
/// at that moment; `saw` hears what the screens show that no hook tells of, and `asked` that a permission prompt is open.
pub(super) fn keep(
    state_dir: PathBuf,
    scene: impl Fn() -> Option<Scene> + Send + 'static,
    saw: impl Fn(&SeenOnScreens) + Send + 'static,
    asked: impl Fn() + Send + 'static,
) {
    std::thread::spawn(move || {
        let Ok(mut signs) = live::watch(&state_dir) else { return };
        loop {
            if let Some(scene) = scene() {
                // A server that is gone shows nothing; the next look finds another.
                saw(&life::refresh_titles(&scene).unwrap_or_default());
                let mut sessions = scene.crew.rows.iter().flat_map(|row| &row.sessions);
                if sessions.any(|session| !session.prompts.is_empty()) {
                    asked();
                }
            }
            match signs.wait(SWEEP) {
                Ok(Woken::Signal) => std::thread::sleep(BURST),
                Ok(Woken::Timeout) => {}
                Err(_) => return,
            }
        }
    });
}
