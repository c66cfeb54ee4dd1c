//! Signals that would end the program without a word.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Turns the file size limit from a sudden death into a failed write, which the store reports as one.
///
/// Where the handler can't be set, the system does what it always did.
pub(crate) fn survive_the_file_size_limit() {
    let noticed = Arc::new(AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noticed);
}

/// From now on a byte arrives here whenever somebody wants the program to end, which is left to it.
pub(crate) fn wishes_to_end() -> io::Result<UnixStream> {
    let (reader, writer) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?;
    }
    Ok(reader)
}

/// A program that ends quietly when it is told to leave, so that whoever started it sees no failure; and not in the middle
/// of something.
#[derive(Clone, Default)]
pub(crate) struct Leaving {
    /// What the handlers look at: nobody stays.
    may_leave: Arc<AtomicBool>,
    is_told: Arc<AtomicBool>,
    stays: Arc<Mutex<Stays>>,
}

/// Who is in the middle of something.
#[derive(Default)]
struct Stays {
    /// Whoever waits for the word to leave, and ends the program in order.
    main: bool,
    /// How many beside it.
    beside: usize,
}

impl Leaving {
    /// Where the handlers can't be set, the system does what it always did.
    pub(crate) fn when_told() -> Self {
        let leaving = Self::default();
        leaving.may_leave.store(true, Ordering::SeqCst);
        for signal in [SIGTERM, SIGINT] {
            let _ =
                signal_hook::flag::register_conditional_shutdown(signal, 0, Arc::clone(&leaving.may_leave));
            let _ = signal_hook::flag::register(signal, Arc::clone(&leaving.is_told));
        }
        leaving
    }

    /// From now on it stays, whatever it is told.
    pub(crate) fn hold_off(&self) {
        self.change(|stays| stays.main = true);
    }

    /// It may leave again; whether it was told to in between, and then it stays for as long as it needs to end in order.
    pub(crate) fn let_go(&self) -> bool {
        self.change(|stays| stays.main = false);
        let is_told = self.is_told();
        if is_told {
            self.hold_off();
        }
        is_told
    }

    /// A thread beside is in the middle of something, for as long as the answer lives. Where the program was told to leave
    /// meanwhile and nothing else keeps it, it ends then: whoever waits for that word may sleep.
    pub(crate) fn stay(&self) -> Stay {
        self.change(|stays| stays.beside += 1);
        Stay(self.clone())
    }

    /// Whether anybody stays after this change.
    fn change(&self, change: impl FnOnce(&mut Stays)) -> bool {
        let mut stays = self.stays.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut stays);
        let is_held = stays.main || stays.beside > 0;
        self.may_leave.store(!is_held, Ordering::SeqCst);
        is_held
    }

    /// Whether it was told to leave.
    pub(crate) fn is_told(&self) -> bool {
        self.is_told.load(Ordering::SeqCst)
    }
}

/// Somebody beside is in the middle of something.
pub(crate) struct Stay(Leaving);

impl Drop for Stay {
    fn drop(&mut self) {
        let is_held = self.0.change(|stays| stays.beside -= 1);
        if !is_held && self.0.is_told() {
            signal_hook::low_level::exit(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_in_the_middle_of_something_leaves_afterwards() {
        for signal in [SIGTERM, SIGINT] {
            let leaving = Leaving::when_told();
            leaving.hold_off();
            assert!(!leaving.is_told());
            signal_hook::low_level::raise(signal).unwrap();
            assert!(leaving.is_told() && leaving.let_go());
            // The handlers of the test before stay.
            leaving.hold_off();
        }
    }
}
