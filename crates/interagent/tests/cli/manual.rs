//! The manual pages.

use std::process::Command;

use interagent_testkit::Sandbox;

#[test]
fn every_command_has_a_page() {
    let sandbox = Sandbox::new();
    let directory = sandbox.home().join("man1");
    let out = directory.display().to_string();
    sandbox.run(&["man", "--out", &out]).success();
    let mut names: Vec<String> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for wanted in ["interagent.1", "interagent-task.1", "interagent-task-create.1", "interagent-inbox.1"] {
        assert!(names.iter().any(|name| name == wanted), "{names:?}");
    }
    assert!(names.iter().all(|name| name.ends_with(".1") && !name.contains("help")), "{names:?}");
    for name in &names {
        let page = std::fs::read_to_string(directory.join(name)).unwrap();
        for section in [".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"] {
            assert!(page.contains(section), "{name} has no {section}");
        }
        assert!(name == "interagent.1" || page.contains("interagent"), "{name}");
    }
    // Where a formatter is installed, it has nothing to complain about.
    let page = directory.join("interagent-task-create.1");
    if let Ok(output) = Command::new("groff").args(["-man", "-Tutf8", "-ww"]).arg(&page).output() {
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("assignee") && text.contains("interagent task create"), "{text}");
    }
}

#[test]
fn the_first_page_goes_to_standard_output() {
    let output = Sandbox::new().run(&["man"]).success();
    assert!(output.stdout.contains(".TH interagent 1"), "{}", output.stdout);
    assert!(output.stderr.is_empty());
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let output = Sandbox::new().run(&["man", "--out", "/proc/none"]);
    assert_eq!(output.status, 5);
    assert!(output.stderr.starts_with("error: cannot write `/proc/none"), "{}", output.stderr);
}
