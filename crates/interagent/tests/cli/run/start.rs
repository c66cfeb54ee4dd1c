//! How a run begins: what is worth one, and a client that is no program.

use super::World;

#[test]
fn an_empty_prompt_is_none() {
    let world = World::with_fake();
    for prompt in ["", " \n"] {
        let output = world.run("ok", &["--prompt", prompt]);
        assert_eq!(output.status, 1, "{}", output.shown());
        assert!(output.stderr.contains("nothing waits for fake"), "{}", output.shown());
    }
    assert!(!world.sandbox.home().join("seen").exists());
    // With mail it is run for that, and nobody's words are added.
    world.send("Look at this");
    world.run("ok", &["--prompt", ""]).success();
    assert!(!world.seen().contains(" asks you:"), "{}", world.seen());
    // What the prompt carries is not announced as well.
    assert!(!world.seen().contains("unread"), "{}", world.seen());
}

#[test]
fn a_client_that_is_no_program_is_named_with_what_helps() {
    let world = World::with_fake();
    let client = world.sandbox.home().join("fake-client");
    std::fs::write(&client, "\u{7f}ELF no program").unwrap();
    let output = world.run("ok", &["--prompt", "hi"]);
    assert_eq!(output.status, 1, "{}", output.shown());
    assert!(output.stderr.contains("Exec format error"), "{}", output.shown());
    let told = format!("`{}` is no program that this machine can run", client.display());
    assert!(output.stderr.contains(&told), "{}", output.shown());
    assert!(output.stderr.contains("hint: interagent doctor"), "{}", output.shown());
    std::fs::write(&client, "#!/nowhere/node\n").unwrap();
    let output = world.run("ok", &["--prompt", "hi"]);
    assert!(
        output.stderr.contains("its first line names `/nowhere/node`, which is not there"),
        "{}",
        output.shown()
    );
}
