//! A line that tells a waiting person how far a long job is.
//!
//! Owns when it appears (after a second, on a terminal only), how it is drawn again, and that nothing of it stays. The
//! job itself never waits for it.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What is faster needs no explanation.
const PATIENCE: Duration = Duration::from_secs(1);
const REDRAWN: Duration = Duration::from_millis(200);
/// To the beginning of the line, and clear it.
const ERASE: &str = "\r\u{1b}[K";

/// Where the line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Screen {
    /// Standard error is a terminal that can draw a line again.
    Stderr,
    Nowhere,
}

#[derive(Debug, Default)]
struct State {
    /// What is being done, then how much of it.
    doing: String,
    of_hundred: Option<u64>,
    is_over: bool,
}

impl State {
    fn line(&self) -> String {
        match self.of_hundred {
            Some(part) => format!("{}: {part} %", self.doing),
            None => format!("{} ...", self.doing),
        }
    }
}

type Shared = Arc<(Mutex<State>, Condvar)>;

/// A job in progress; the line disappears with it.
#[derive(Debug)]
pub(crate) struct Progress {
    shared: Shared,
    drawer: Option<JoinHandle<()>>,
}

impl Progress {
    pub(crate) fn begin(screen: Screen, doing: &str) -> Self {
        let state = State { doing: doing.to_owned(), ..State::default() };
        let shared: Shared = Arc::new((Mutex::new(state), Condvar::new()));
        let drawer = match screen {
            Screen::Nowhere => None,
            Screen::Stderr => {
                let shared = Arc::clone(&shared);
                // Without a thread there is no line, and the job goes on.
                thread::Builder::new().spawn(move || draw(&shared, &mut io::stderr(), PATIENCE)).ok()
            }
        };
        Self { shared, drawer }
    }

    /// So much of it is done.
    pub(crate) fn tell(&self, done: u64, total: u64) {
        let part = done.saturating_mul(100).checked_div(total);
        self.change(|state| state.of_hundred = part.map(|part| part.min(100)));
    }

    /// Another step begins.
    pub(crate) fn step(&self, doing: &str) {
        self.change(|state| {
            doing.clone_into(&mut state.doing);
            state.of_hundred = None;
        });
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let (state, changed) = &*self.shared;
        change(&mut state.lock().unwrap_or_else(PoisonError::into_inner));
        changed.notify_all();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.change(|state| state.is_over = true);
        if let Some(drawer) = self.drawer.take() {
            let _ = drawer.join();
        }
    }
}

fn draw(shared: &Shared, screen: &mut dyn Write, patience: Duration) {
    let (state, changed) = &**shared;
    let sleep = |time: Duration| {
        let guard = state.lock().unwrap_or_else(PoisonError::into_inner);
        let (guard, _) = changed
            .wait_timeout_while(guard, time, |state| !state.is_over)
            .unwrap_or_else(PoisonError::into_inner);
        (!guard.is_over).then(|| guard.line())
    };
    let mut wait = patience;
    let mut drawn = None;
    while let Some(line) = sleep(wait) {
        wait = REDRAWN;
        if drawn.as_ref() != Some(&line) {
            // There is nobody left to tell when standard error can't be written.
            let _ = write!(screen, "{ERASE}{line}").and_then(|()| screen.flush());
            drawn = Some(line);
        }
    }
    if drawn.is_some() {
        let _ = write!(screen, "{ERASE}").and_then(|()| screen.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws for a moment while `job` runs, and gives what was drawn.
    fn drawn(patience: Duration, job: impl FnOnce(&Progress)) -> String {
        let progress = Progress::begin(Screen::Nowhere, "copying");
        let shared = Arc::clone(&progress.shared);
        let drawer = thread::spawn(move || {
            let mut screen = Vec::new();
            draw(&shared, &mut screen, patience);
            String::from_utf8(screen).unwrap()
        });
        job(&progress);
        drop(progress);
        drawer.join().unwrap()
    }

    #[test]
    fn a_short_job_draws_nothing() {
        assert_eq!(drawn(Duration::from_secs(60), |progress| progress.tell(1, 2)), "");
    }

    #[test]
    fn a_long_job_is_drawn_again_and_leaves_nothing() {
        let screen = drawn(Duration::ZERO, |progress| {
            thread::sleep(3 * REDRAWN);
            progress.tell(1, 2);
            thread::sleep(3 * REDRAWN);
        });
        assert_eq!(screen, "\r\u{1b}[Kcopying ...\r\u{1b}[Kcopying: 50 %\r\u{1b}[K");
    }

    #[test]
    fn nothing_of_nothing_is_no_part() {
        let progress = Progress::begin(Screen::Nowhere, "checking");
        progress.tell(0, 0);
        assert_eq!(progress.shared.0.lock().unwrap().line(), "checking ...");
        progress.tell(9, 3);
        assert_eq!(progress.shared.0.lock().unwrap().line(), "checking: 100 %");
    }
}
