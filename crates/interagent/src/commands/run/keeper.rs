//! The keeper: a process between `interagent run` and the client, which outlives neither.
//!
//! Its standard input is a line to the one that started it. When that line breaks, also because the other was killed, it
//! ends the client and all that came of it. When the client ends, it says how on the same line and tidies up. It has a
//! session of its own, so that no key of the terminal reaches the client.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use crate::config::{processes, programs, signals};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;

/// What is still at work when the client ended by itself, such as a message on its way, gets this long.
const AFTERMATH: Duration = Duration::from_secs(1);

enum News {
    Ended(Option<ExitStatus>),
    /// Nobody wants the client any more.
    Unwanted,
}

/// Keeps one client until it ends or nobody wants it.
pub(super) fn keep(command: &[OsString]) -> Result<ExitCode, CliError> {
    let [program, arguments @ ..] = command else {
        return Err(CliError::new(ErrorKind::Usage, "there is no command to keep"));
    };
    processes::begin_own_session();
    processes::adopt_orphans();
    let (news, heard) = channel();
    // Without a way to hear of signals the line alone tells.
    if let Ok(wishes) = signals::wishes_to_end() {
        when_over(wishes, Over::AtFirstByte, news.clone());
    }
    let mut client = match Command::new(program).args(arguments).stdin(Stdio::null()).spawn() {
        Ok(client) => client,
        Err(error) => {
            say(&format!("failed {}", programs::why_not_started(Path::new(program), &error)));
            return Ok(ExitCode::Done);
        }
    };
    when_over(std::io::stdin(), Over::AtEnd, news.clone());
    std::thread::spawn(move || {
        let _ = news.send(News::Ended(client.wait().ok()));
    });
    match heard.recv() {
        Ok(News::Ended(status)) => {
            say(&words(status));
            processes::end_descendants(AFTERMATH);
        }
        Ok(News::Unwanted) | Err(_) => {
            processes::end_descendants(Duration::ZERO);
            // Where descendants can't be listed, the group is what is known. It is this process's own.
            #[cfg(not(target_os = "linux"))]
            processes::signal_group(std::process::id(), rustix::process::Signal::KILL);
        }
    }
    Ok(ExitCode::Done)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    AtFirstByte,
    AtEnd,
}

/// Tells when something that is read comes to its end.
fn when_over(mut read: impl Read + Send + 'static, over: Over, news: Sender<News>) {
    std::thread::spawn(move || {
        let mut byte = [0];
        while read.read(&mut byte).is_ok_and(|count| count > 0) && over == Over::AtEnd {}
        let _ = news.send(News::Unwanted);
    });
}

fn words(status: Option<ExitStatus>) -> String {
    match status {
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit {code}"),
            (None, signal) => format!("signal {}", signal.unwrap_or_default()),
        },
        None => "failed it could not be waited for".to_owned(),
    }
}

/// Says something on the line. Where it broke, nobody listens.
fn say(words: &str) {
    let _ = rustix::io::write(rustix::stdio::stdin(), format!("{words}\n").as_bytes());
}
