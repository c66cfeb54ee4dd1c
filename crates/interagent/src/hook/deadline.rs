//! The deadline of a hook: whoever is later than it says nothing, and is in nobody's way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{HookCall, trouble};
use crate::config::env::Env;
use crate::error::{CliError, ErrorKind};

/// A hook that takes longer than this is in the way of the work.
const DEADLINE: Duration = Duration::from_millis(1500);
/// The watch calls little; making a larger stack costs more than the thread.
const STACK_BYTES: usize = 128 * 1024;

/// A thread that ends the process when the time is over. The work stays in the first thread, whose memory is quicker.
pub(super) struct Deadline {
    /// Who comes first decides whether anything is said.
    decided: Arc<AtomicBool>,
}

impl Deadline {
    pub(super) fn watch(env: &Env, call: &HookCall) -> Self {
        let decided = Arc::new(AtomicBool::new(false));
        let (env, call, first) = (env.clone(), call.clone(), Arc::clone(&decided));
        let watch = move || {
            std::thread::sleep(DEADLINE);
            if !first.swap(true, Ordering::SeqCst) {
                let sentence = "there was no answer in time; what was offered is handed over again";
                trouble::note_near(&env, &call, &CliError::new(ErrorKind::Unavailable, sentence));
                std::process::exit(0);
            }
        };
        // Without a thread there is no watch; the client has a time limit of its own.
        let _ = std::thread::Builder::new().name("deadline".to_owned()).stack_size(STACK_BYTES).spawn(watch);
        Self { decided }
    }

    /// Ends the watch, before the first word is said. Comes back only where there was still time.
    pub(super) fn end(self) {
        while self.decided.swap(true, Ordering::SeqCst) {
            std::thread::park();
        }
    }
}
