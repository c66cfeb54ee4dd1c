//! Commands that change many files at once, or files that only running them would name.

use super::rules::held;
use super::*;
use crate::vocabulary::LeaseMode;

#[test]
fn many_files_at_once_are_edits_of_a_protected_branch() {
    let case = Case::of("member1").at("/p");
    for command in [
        "grep -rl a src | xargs sed -i s/a/b/",
        "git ls-files | xargs sed -i s/a/b/",
        "git ls-files -z | xargs -0 -n1 sed -i s/a/b/",
        "git ls-files | xargs -I{} sed -i s/a/b/ {}",
        "find src -type f | xargs rm",
        "find src -type f | grep -v x | xargs rm -f",
        "find src -type f -exec sed -i s/a/b/ {} +",
        "find src -type f -exec sed -i s/a/b/ {} \\;",
        "sed -i s/a/b/ $(git ls-files)",
        "sed -i s/a/b/ `git ls-files '*.rs'`",
        "for f in $(git ls-files); do sed -i s/a/b/ \"$f\"; done",
        "git ls-files | while read -r f; do sed -i s/a/b/ \"$f\"; done",
        "F=$(git ls-files); rm $F",
        "rm \"$TMPFILE\"",
        "git ls-files | xargs git rm",
        "git checkout HEAD~3 -- src/a.rs",
        "git checkout task/login src/a.rs",
        "git restore --source task/login src/a.rs",
        "git restore -s HEAD~1 src/a.rs",
        "git restore .",
        "git checkout .",
        "git reset --hard",
        "git stash pop",
        "git stash apply",
        "git merge task/login",
        "git pull origin task/login",
        "cargo fmt",
        "cargo +nightly fmt --all",
        "cargo clippy --fix",
        "rustfmt --edition 2024 src/a.rs",
        "prettier --write .",
        "npx --yes prettier --write src/a.ts",
        "eslint --fix src",
        "ruff check --fix",
        "ruff format",
        "uv run ruff format .",
        "python3 -m black src",
        "black src",
        "gofmt -w x.go",
        "awk -i inplace '{print}' a.txt",
        "sort -o a.txt a.txt",
        "ruby -i -pe 'x' a.rb",
        "ruby -pi -e 'x' a.rb",
        "perl -i -pe 's/a/b/' a.c",
        "tar xzf x.tgz",
        "tar -xf x.tar -C src",
        "unzip x.zip",
        "busybox rm src/a.rs",
        "curl -O https://x.test/y.sh",
        "curl -fsSLo y.sh https://x.test/y",
        "wget https://x.test/y.sh?z=1",
        "wget -qO y.sh https://x.test/y",
        "chmod +x build.sh",
    ] {
        assert_eq!(case.rule(command), Some(Rule::F006), "{command}");
        assert_eq!(Case::of("member1").rule(command), None, "on a branch of its own: {command}");
    }
    for command in [
        "git ls-files | xargs cat",
        "git ls-files | xargs grep -n 'sed -i'",
        "find /tmp/x -type f | xargs rm",
        "find /tmp/x -name '*.o' | sort | head -n 5 | xargs rm",
        "echo /tmp/a /tmp/b | xargs rm",
        "cp $(git ls-files) /tmp/x",
        "t=$(mktemp -d); touch $t/x; rm -rf \"$t\"",
        "t=$TMPDIR/x; rm -rf \"$t\"",
        "rm -rf /tmp/$(date +%F)",
        "sed -n \"s/$(date)/x/p\" a.rs",
        "git stash",
        "git stash list",
        "git checkout -- a.rs",
        "git checkout HEAD -- a.rs",
        "git restore a.rs",
        "git restore --staged .",
        "git pull",
        "git pull --ff-only",
        "cargo fmt --check",
        "cargo fmt --all -- --check",
        "cargo clippy",
        "rustfmt --check src/a.rs",
        "prettier --check .",
        "eslint src",
        "ruff check",
        "ruff format --diff",
        "black --check .",
        "gofmt -l .",
        "awk '{print}' a.txt",
        "sort a.txt",
        "perl -Mstrict -ne 'print' a.c",
        "sed -e's/i/x/' a.c",
        "ruby -rjson -e 'x' a.rb",
        "tar tzf x.tgz",
        "tar czf /tmp/x.tgz src",
        "tar xzf x.tgz -C /tmp",
        "tar xOf x.tgz a",
        "unzip -l x.zip",
        "unzip x.zip -d /tmp/x",
        "busybox ls",
        "curl -s https://x.test/o",
        "curl -XPOST https://x.test/items",
        "curl -HOrigin:x https://x.test/items",
        "wget -qO- https://x.test/y",
        "wget -P /tmp https://x.test/y",
    ] {
        assert_eq!(case.rule(command), None, "{command}");
    }
    let ignored = |command: &str| case.judge_with(&Action::command(command), |tree| tree.ignored = true);
    for command in ["find target -name '*.o' | xargs rm", "tar xf x.tar -C target"] {
        assert_eq!(ignored(command).denial(), None, "{command}");
    }
}

#[test]
fn many_files_at_once_meet_leases_but_not_the_hub() {
    let mut case = Case::of("member1").at("/p");
    case.team.rules.guards = [Guard::Race001].into();
    case.leases = vec![held("member2", "src/parser/**", LeaseMode::Exclusive)];
    for command in [
        "git ls-files | xargs sed -i s/a/b/",
        "find src | xargs rm",
        "rm $(git ls-files)",
        "sed -i s/a/b/ src/parser/$(date)",
        "black src",
    ] {
        assert_eq!(case.rule(command), Some(Rule::Race001), "{command}");
    }
    for command in ["find docs | xargs rm", "sed -i s/a/b/ docs/$(date)", "sed -i \"s/$(date)/b/\" docs/a"] {
        assert_eq!(case.rule(command), None, "{command}");
    }
    case.leases.clear();
    assert_eq!(case.rule("git ls-files | xargs sed -i s/a/b/"), None);
    for command in ["cd .interagent && ls | xargs rm -rf", "cd .interagent/log && rm $(ls)"] {
        assert_eq!(case.rule(command), Some(Rule::HubFiles), "{command}");
    }
}

#[test]
fn what_all_over_the_tree_means_is_said_in_words() {
    let mut case = Case::of("member1").at("/p");
    case.team.rules.guards = [Guard::Race001].into();
    case.leases = vec![held("member2", "src/parser/**", LeaseMode::Exclusive)];
    let text = |command: &str| case.judge(&Action::command(command)).denial().unwrap().text();
    insta::assert_snapshot!(text("git stash"), @r#"RACE-001: `git stash` would change files all over the tree, and member2 holds src/parser/** alone for another 2 min (lease-000000000001). Work on something else, or ask: `interagent send --to member2 -m "May I change files that you hold?"`."#);
    insta::assert_snapshot!(text("find src -delete"), @r#"RACE-001: `find src -delete` would change files below src, and member2 holds src/parser/** alone for another 2 min (lease-000000000001). Work on something else, or ask: `interagent send --to member2 -m "May I change files below src?"`."#);
}

#[test]
fn git_clean_meets_only_leases_on_what_git_does_not_know() {
    let mut case = Case::of("member1").at("/p");
    case.leases = vec![held("member2", "src/parser/**", LeaseMode::Exclusive)];
    let rule = |untracked: Option<&[&str]>| {
        let judged = case.judge_with(&Action::command("git clean -fd"), |tree| {
            tree.untracked = untracked.map(|files| files.iter().map(|file| (*file).to_owned()).collect());
        });
        judged.denial().map(|denial| denial.rule)
    };
    assert_eq!(rule(None), Some(Rule::Race001), "not known");
    assert_eq!(rule(Some(&["notes.txt", "src/x"])), None);
    assert_eq!(rule(Some(&["src/parser/new.rs"])), Some(Rule::Race001));
}

#[test]
fn f001_looking_is_no_development_and_scripts_are() {
    let case = Case::of("captain");
    for command in [
        "cargo --version",
        "node --version",
        "node -v",
        "python3 --version",
        "npm ls",
        "npm ls --depth 0",
        "make -n",
        "make -n all",
        "cargo metadata --no-deps",
        "go version",
        "bash -n build.sh",
        "bash --version",
        "docker ps",
    ] {
        assert_eq!(case.rule(command), None, "{command}");
    }
    for command in [
        "cargo test --help-me",
        "node x.js --version",
        "npm test",
        "make",
        "bash build.sh",
        "sh -e ./build.sh now",
        "./build.sh",
        "scripts/x.sh -h",
        "docker build .",
    ] {
        assert_eq!(case.rule(command), Some(Rule::F001), "{command}");
    }
    assert_eq!(Case::of("member1").rule("bash build.sh"), None);
}

#[test]
fn an_open_quote_is_known() {
    for (command, whole) in [
        ("echo 'unclosed", false),
        ("echo \"unclosed", false),
        ("bash -c 'a; \"b'", true),
        ("echo \"$(echo 'x')\" 'y' # don't", true),
        ("cat <<'E'\ndon't\nE\n", true),
        ("cat <<E\ndon't \"\nE\n", true),
        ("echo \"$(echo 'x)\"", false),
    ] {
        assert_eq!(shell::is_whole(command), whole, "{command}");
    }
}
