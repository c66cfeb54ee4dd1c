//! Signals that would end the program without a word.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
pub(crate) struct Leaving {
    may_leave: Arc<AtomicBool>,
    is_told: Arc<AtomicBool>,
}

impl Leaving {
    /// Where the handlers can't be set, the system does what it always did.
    pub(crate) fn when_told() -> Self {
        let (may_leave, is_told) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(false)));
        for signal in [SIGTERM, SIGINT] {
            let _ = signal_hook::flag::register_conditional_shutdown(signal, 0, Arc::clone(&may_leave));
            let _ = signal_hook::flag::register(signal, Arc::clone(&is_told));
        }
        Self { may_leave, is_told }
    }

    /// From now on it stays, whatever it is told.
    pub(crate) fn hold_off(&self) {
        self.may_leave.store(false, Ordering::SeqCst);
    }

    /// It may leave again; whether it was told to in between.
    pub(crate) fn let_go(&self) -> bool {
        self.may_leave.store(true, Ordering::SeqCst);
        self.is_told()
    }

    /// Whether it was told to leave.
    pub(crate) fn is_told(&self) -> bool {
        self.is_told.load(Ordering::SeqCst)
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
