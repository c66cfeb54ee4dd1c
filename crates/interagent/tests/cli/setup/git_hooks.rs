//! Setup puts the hooks of git that ask the guard, and takes them away again.

use std::fs;

use super::*;

#[test]
fn setup_guards_commits_and_undo_leaves_none() {
    let machine = Machine::with(&["claude"]);
    let project = machine.sandbox.project();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", machine.programs.display());
    let run = |arguments: &[&str]| machine.start().env("PATH", &path).run(arguments);
    let git = |arguments: &[&str]| {
        let done = std::process::Command::new("git").args(arguments).current_dir(&project).output().unwrap();
        assert!(done.status.success(), "{arguments:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    let hooks = project.join(".git/hooks");
    let mine = "#!/bin/sh\nexit 0\n";
    fs::create_dir_all(&hooks).unwrap();
    fs::write(hooks.join("pre-commit"), mine).unwrap();
    let printed = run(&["setup", "claude", "--print"]).stdout;
    assert!(printed.contains("puts the guard before commits, pushes and branch updates"), "{printed}");
    assert_eq!(fs::read_to_string(hooks.join("pre-commit")).unwrap(), mine);
    run(&["setup", "claude", "--yes"]).success();
    for name in ["pre-commit", "pre-push", "reference-transaction"] {
        assert!(fs::read_to_string(hooks.join(name)).unwrap().contains("interagent guard install"), "{name}");
    }
    let again = run(&["setup", "claude", "--print"]).stdout;
    assert!(!again.contains("puts the guard"), "{again}");
    let undone = run(&["setup", "--undo", "--yes"]).success().stdout;
    assert!(undone.contains("the guard's hooks of git"), "{undone}");
    assert_eq!(fs::read_to_string(hooks.join("pre-commit")).unwrap(), mine);
    assert!(!hooks.join("reference-transaction").exists());
}
