//! What a process that stays does beside its work: the readable files follow the log, whoever writes it.
//!
//! It sleeps until there is an entry, and ends with the process. Whatever hinders it is met again at the next entry.

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::thread;
use std::time::Duration;

use interagent_mirror::files::{self, Bound};
use interagent_operations::{LocalHub, carry_out};
use interagent_store::StoreError;

use crate::session::{Create, history, open_at};

/// Entries often come together, and short commands write their files themselves: what is left can wait so long.
const TOGETHER: Duration = Duration::from_millis(300);
/// How long a hub that can't be used is left alone.
const UNUSABLE: Duration = Duration::from_secs(60);
/// A sleep that is longer ends by itself; nothing is asked more often than that without a reason.
const SLEEP: Duration = Duration::from_secs(3600);
/// Rendering needs little; what is not used is not taken from the machine.
const STACK_BYTES: usize = 512 * 1024;

/// Lets the files of a hub follow its log for as long as this process runs. Only the first call begins it.
pub(in crate::commands) fn keep_up(hub_dir: PathBuf) {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        let builder = thread::Builder::new().name("files".to_owned()).stack_size(STACK_BYTES);
        // A machine without a thread to spare has other troubles; the next command writes the files.
        let _ = builder.spawn(move || {
            loop {
                thread::sleep(TOGETHER);
                if let Ok(mut hub) = open_at(&hub_dir, Create::Never) {
                    let _ = follow(&mut hub, &hub_dir);
                }
                thread::sleep(UNUSABLE);
            }
        });
    });
}

fn follow(hub: &mut LocalHub, hub_dir: &Path) -> Result<(), StoreError> {
    loop {
        let seen = hub.store().head()?.seq;
        carry_out(&history::catch_up(hub));
        let _ = files::follow(hub.store(), hub_dir, Bound::Resident);
        hub.store().wait(SLEEP, |reader| {
            let seq = reader.head()?.seq;
            Ok::<_, StoreError>((seq > seen).then_some(seq))
        })?;
        thread::sleep(TOGETHER);
    }
}
