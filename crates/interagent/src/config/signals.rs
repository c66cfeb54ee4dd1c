//! Signals that would end the program without a word.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Turns the file size limit from a sudden death into a failed write, which the store reports as one.
///
/// Where the handler can't be set, the system does what it always did.
pub(crate) fn survive_the_file_size_limit() {
    let noticed = Arc::new(AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noticed);
}

/// Ends the program quietly when it is told to leave: whoever started it sees no failure.
///
/// Where the handler can't be set, the system does what it always did.
pub(crate) fn leave_when_told() {
    let always = Arc::new(AtomicBool::new(true));
    let _ = signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGTERM, 0, always);
}
