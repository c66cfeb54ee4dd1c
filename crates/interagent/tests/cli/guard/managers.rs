//! Managers of hooks: they are called, and what they write again takes nothing away for good.

use super::*;

/// What husky 9 writes below `.husky/_`: a stub for each hook, which finds the user's hook by the name it is called by.
const STUB: &str = "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"";
const HUSKY: &str = "n=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n[ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\nexit $?\n";

fn husky(world: &World) {
    let stubs = world.project().join(".husky/_");
    fs::create_dir_all(&stubs).unwrap();
    fs::write(stubs.join(".gitignore"), "*").unwrap();
    fs::write(stubs.join("h"), HUSKY).unwrap();
    for name in ["pre-commit", "pre-push"] {
        fs::write(stubs.join(name), STUB).unwrap();
        fs::set_permissions(stubs.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    world.git(None, &world.project(), &["config", "core.hooksPath", ".husky/_"]).success();
}

#[test]
fn husky_is_called_and_survived() {
    let world = World::new();
    let project = world.project();
    husky(&world);
    fs::write(project.join(".husky/pre-commit"), "echo husky >> ../called\n").unwrap();
    world.sandbox.run(&["guard", "install"]).success();
    world.commit(Some("member1"), &project).refused("F006");
    world.commit(None, &project).success();
    assert_eq!(fs::read_to_string(project.join("../called")).unwrap(), "husky\n");
    // `npm install` writes the stubs again.
    husky(&world);
    let doctor = || world.sandbox.run(&["doctor"]).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(doctor().contains("no longer asks the guard"), "{}", doctor());
    world.sandbox.run(&["guard", "install"]).success();
    assert!(!doctor().contains("no longer asks the guard"), "{}", doctor());
    world.commit(Some("member1"), &project).refused("F006");
    world.commit(None, &project).success();
    assert_eq!(fs::read_to_string(project.join("../called")).unwrap(), "husky\nhusky\n");
    world.sandbox.run(&["guard", "install", "--undo"]).success();
    assert_eq!(fs::read_to_string(project.join(".husky/_/pre-commit")).unwrap(), STUB);
}

#[test]
fn hooks_that_moved_away_are_reported() {
    let world = World::new();
    world.sandbox.run(&["guard", "install"]).success();
    husky(&world);
    let told = world.sandbox.run(&["doctor"]).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("and those that ask the guard are in"), "{told}");
}
