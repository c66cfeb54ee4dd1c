//! Every command in the documentation runs as it stands, by a shell, in order, in an empty project.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use interagent_testkit::sandbox::Sandbox;

/// How a newcomer runs the program from a clone, and what it is to the shell here.
const FROM_A_CLONE: &str = "cargo run -- ";

/// README, the pages about hooks, git and teams, and every page of the guide.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository");
    let guide = std::fs::read_dir(root.join("docs/guide")).expect("the guide");
    let mut pages: Vec<PathBuf> = guide.map(|entry| entry.expect("a page").path()).collect();
    pages.sort();
    pages.insert(0, root.join("README.md"));
    pages.push(root.join("docs/hooks.md"));
    pages.push(root.join("docs/git.md"));
    pages.push(root.join("docs/team.md"));
    pages
}

/// The commands of a page's `console` blocks that call the program.
fn commands(page: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in page.lines() {
        match line.trim() {
            "```console" => inside = true,
            "```" => inside = false,
            line if inside && line.starts_with("$ ") => {
                found.push(line[2..].replace(FROM_A_CLONE, "interagent "));
            }
            _ => {}
        }
    }
    found.retain(|line| !line.starts_with("cargo "));
    found
}

/// A command that goes on until it is stopped: it must be running a moment later.
fn runs_on(sandbox: &Sandbox, command: &str) {
    let mut child =
        sandbox.start().shell(command).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a shell");
    std::thread::sleep(Duration::from_millis(300));
    let ended = child.try_wait().expect("the shell's state");
    child.kill().expect("it can be stopped");
    let _ = child.wait();
    assert_eq!(ended, None, "{command} ended by itself");
}

#[test]
fn every_command_in_the_documentation_runs() {
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("the page is there");
        let commands = commands(&text);
        assert!(commands.len() > 3, "{} has no commands", page.display());
        let sandbox = Sandbox::new();
        for command in commands {
            if let Some(command) = command.strip_suffix(" &") {
                runs_on(&sandbox, &format!("exec {command}"));
                continue;
            }
            // The reader sits at a terminal, which proves the operator.
            let done = sandbox.start().shell_at_a_terminal(&command);
            let said =
                format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            assert!(done.status.success(), "{}: {command}\n{said}", page.display());
        }
    }
}
