//! Stands between a terminal and a client, and writes down every byte that is typed: what is not in that log never reached the client.
//!
//! The test binary starts itself again inside of the terminal, as [`crate::clients::within_own_network`] does: there has to be an ignored test that calls
//! [`run`], and nothing else does.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize};

/// The log.
const LOG: &str = "INTERAGENT_RELAY_LOG";
/// The client's words, each with an end.
const COMMAND: &str = "INTERAGENT_RELAY_COMMAND";
const END_OF_WORD: char = '\u{1f}';

/// The words by which a client is started through the relay; `test` is the whole name of the ignored test.
pub fn starter(test: &str, log: &Path) -> Vec<String> {
    let itself = std::env::current_exe().unwrap();
    let script = format!(
        // With one thread nobody says after a minute that the test is slow.
        "export {COMMAND}=\"$(printf '%s\\037' \"$@\")\" {LOG}='{}'; \
         exec '{}' --exact {test} --ignored --nocapture --test-threads=1",
        log.display(),
        itself.display()
    );
    ["sh", "-c", &script, "sh"].map(ToOwned::to_owned).to_vec()
}

/// Is the relay, where it was started as one; otherwise nothing.
pub fn run() {
    let (Ok(log), Ok(command)) = (std::env::var(LOG), std::env::var(COMMAND)) else { return };
    let words: Vec<&str> = command.split_terminator(END_OF_WORD).collect();
    let outer = std::io::stdin();
    let (master, name) = open_terminal();
    tcsetwinsize(&master, tcgetwinsize(&outer).unwrap()).unwrap();
    let mut settings = tcgetattr(&outer).unwrap();
    settings.make_raw();
    tcsetattr(&outer, OptionalActions::Now, &settings).unwrap();
    // `-c` gives the client the inner terminal as its own.
    let mut client = Command::new("setsid");
    client.args(["-c", "-w"]).args(words).env_remove(LOG).env_remove(COMMAND);
    client.stdin(open(&name)).stdout(open(&name)).stderr(open(&name));
    let mut running = client.spawn().unwrap();
    drop(client);
    let mut log = OpenOptions::new().create(true).append(true).open(log).unwrap();
    let mut typed = master.try_clone().unwrap();
    std::thread::spawn(move || {
        copy(&mut std::io::stdin().lock(), |bytes| {
            log.write_all(bytes).unwrap();
            let _ = typed.write_all(bytes);
        });
    });
    let mut shown = master;
    copy(&mut shown, |bytes| {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    });
    let _ = running.wait();
}

fn copy(from: &mut impl Read, mut to: impl FnMut(&[u8])) {
    let mut bytes = [0; 4096];
    // Linux reports an error, and not an end, when the last writer has left.
    while let Ok(count) = from.read(&mut bytes) {
        if count == 0 {
            return;
        }
        to(&bytes[..count]);
    }
}

fn open_terminal() -> (File, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    (File::from(master), name)
}

fn open(name: &str) -> Stdio {
    let flags = i32::try_from(OFlags::NOCTTY.bits()).unwrap();
    let file: OwnedFd =
        OpenOptions::new().read(true).write(true).custom_flags(flags).open(name).unwrap().into();
    Stdio::from(file)
}
