//! Signals that would end the program without a word.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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

/// Ends the program quietly when it is told to leave: whoever started it sees no failure.
///
/// Where the handler can't be set, the system does what it always did.
pub(crate) fn leave_when_told() {
    let always = Arc::new(AtomicBool::new(true));
    let _ = signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGTERM, 0, always);
}
