//! A pipe with a name, by which a test holds up a command or a hook of a client until it wants it to go on.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(90);

/// A pipe with a name: whoever reads it waits.
pub(crate) struct Pipe {
    path: PathBuf,
}

impl Pipe {
    pub(crate) fn new(path: PathBuf) -> Self {
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        Self { path }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a line once somebody reads.
    #[track_caller]
    pub(crate) fn put(&self, line: &str) {
        let until = Instant::now() + PATIENCE;
        // Without this flag it would wait for a reader for ever.
        let open = || OpenOptions::new().write(true).custom_flags(nonblocking()).open(&self.path);
        let mut pipe = loop {
            match open() {
                Ok(pipe) => break pipe,
                Err(why) if Instant::now() > until => panic!("nobody reads {}: {why}", self.path.display()),
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        writeln!(pipe, "{line}").unwrap();
    }
}

fn nonblocking() -> i32 {
    i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap()
}
