//! A note on the desktop, by the program that the desktop has for it.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use interagent_core::notice::Notice;
use interagent_core::vocabulary::Priority;

use super::Desktop;

/// A desktop that does not answer for so long is not there.
const PATIENCE: Duration = Duration::from_secs(5);
const STEP: Duration = Duration::from_millis(50);

/// The words are arguments, so nothing in them is run.
const SCRIPT: [&str; 6] = [
    "-e",
    "on run argv",
    "-e",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "-e",
    "end run",
];

pub(super) fn show(desktop: Desktop, notice: &Notice) -> Result<String, String> {
    let mut command = command(desktop, notice);
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("{program} can't be started: {error}"))?;
    match ended(&mut child) {
        Some(status) if status.success() => Ok(format!("shown by {program}")),
        Some(status) => Err(format!("{program} failed: {status}")),
        None => Err(format!("{program} did not answer within {} s", PATIENCE.as_secs())),
    }
}

fn command(desktop: Desktop, notice: &Notice) -> Command {
    match desktop {
        Desktop::NotifySend => {
            let urgency = if notice.priority >= Priority::High { "critical" } else { "normal" };
            let mut command = Command::new(desktop.program());
            command.args(["--app-name=interagent", "--urgency", urgency, "--"]);
            // The text may hold markup there; a title may not.
            command.arg(&notice.title).arg(plain(notice.whole()));
            command
        }
        Desktop::AppleScript => {
            let mut command = Command::new(desktop.program());
            command.args(SCRIPT).arg(&notice.title).arg(notice.whole());
            command
        }
    }
}

fn plain(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// How it ended; nothing where it had to be stopped.
fn ended(child: &mut Child) -> Option<ExitStatus> {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) => std::thread::sleep(STEP),
            Err(_) => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_arguments_and_markup_is_text() {
        let notice = Notice {
            title: "$(reboot)".into(),
            text: "<b>kimi</b>".into(),
            detail: Some("<b>kimi</b> & co".into()),
            priority: Priority::Critical,
            about: None,
            key: None,
        };
        let words: Vec<String> = [Desktop::NotifySend, Desktop::AppleScript]
            .iter()
            .map(|desktop| format!("{:?}", command(*desktop, &notice)))
            .collect();
        assert!(words[0].ends_with(r#""--" "$(reboot)" "&lt;b&gt;kimi&lt;/b&gt; &amp; co""#), "{}", words[0]);
        assert!(words[1].ends_with(r#""end run" "$(reboot)" "<b>kimi</b> & co""#), "{}", words[1]);
    }
}
