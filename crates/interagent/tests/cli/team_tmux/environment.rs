//! What a client gets from the shell that called `up`: keys, proxies and locale, and by which way.

use std::path::Path;
use std::process::Command;

use super::{CLIENT, PROFILE, World};

const SECRET: &str = "it's $HOME; a `key`";

/// A team whose client writes its environment to a file.
fn world() -> World {
    let world = World::empty();
    let client = CLIENT.replacen("session=", "env > \"$HOME/env-$INTERAGENT_AGENT\"\nsession=", 1);
    let profile = PROFILE.replacen("[launch]", "[launch]\nenvironment = [\"SCRIPTED_KEY\", \"VENDOR_*\"]", 1);
    world.install("scripted", &client, &profile);
    world.run(&["init", "--formation", "captain", "--members", "1"]).success();
    world.edit_team(|text| text.replace("profile = \"claude\"", "profile = \"scripted\""));
    world
}

fn up(world: &World) {
    let shell = world.start().env("SCRIPTED_KEY", SECRET).env("VENDOR_URL", "http://127.0.0.1:1");
    let shell = shell.env("HTTPS_PROXY", "http://proxy:3128").env("LC_TIME", "ja_JP").env("UNRELATED", "x");
    shell.run(&["up", "captain"]).success();
    world.wait_for("captain", "idle");
}

fn environment(world: &World) -> Vec<String> {
    let text = std::fs::read_to_string(world.sandbox.home().join("env-captain")).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Whether a text is in any file below a directory.
fn is_written_below(directory: &Path, text: &str) -> bool {
    Command::new("grep").args(["-rqF", "--", text]).arg(directory).status().unwrap().success()
}

#[test]
fn client_gets_listed_variables_of_the_calling_shell() {
    let world = world();
    // The server was started from another shell, which has none of them.
    world.own_pane();
    up(&world);
    let found = environment(&world);
    for wanted in [
        &format!("SCRIPTED_KEY={SECRET}"),
        "VENDOR_URL=http://127.0.0.1:1",
        "HTTPS_PROXY=http://proxy:3128",
        "LC_TIME=ja_JP",
    ] {
        assert!(found.iter().any(|line| line == wanted), "{wanted}: {found:#?}");
    }
    assert!(!found.iter().any(|line| line.starts_with("UNRELATED=")), "{found:#?}");
}

#[test]
fn keys_stay_out_of_arguments_server_and_files() {
    let world = world();
    // `up` starts the server itself.
    up(&world);
    let shown = world.tmux(&["show-environment", "-g"]);
    assert!(!shown.contains("SCRIPTED_KEY") && !shown.contains("VENDOR_URL"), "{shown}");
    let commands = world.tmux(&["list-panes", "-a", "-F", "#{pane_start_command}"]);
    assert!(!commands.contains(SECRET), "{commands}");
    assert!(!is_written_below(&world.sandbox.hub(), "a `key`"), "the key is in a file of the hub");
    // What a killed start leaves is removed by the next one.
    let place = world.sandbox.hub().join("state/environment");
    assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0);
    let left = place.join("member1-1.env");
    // Running clients still read the file with their MCP server.
    let server = world.sandbox.hub().join("state/launch/claude.mcp.json");
    std::fs::create_dir_all(server.parent().unwrap()).unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    for file in [&left, &server] {
        std::fs::write(file, "{}").unwrap();
        std::fs::File::options().write(true).open(file).unwrap().set_modified(old).unwrap();
    }
    world.run(&["restart", "captain"]).success();
    assert!(!left.exists() && server.exists());
}
