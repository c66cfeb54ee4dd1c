//! Command lines and what they do.

use super::*;

/// What a command line does beside reading when it is typed in the worktree.
fn does(command: &str) -> String {
    let found = touches(&Action::command(command), "/wt", Some("/home/me"));
    let found = found.iter().filter(|touch| !touch.what.reads_project());
    let told: Vec<String> = found.map(|touch| touch.what.told()).collect();
    told.join("; ")
}

#[test]
fn command_lines_do_what_they_do() {
    let cases: &[(&str, &str)] = &[
        // Writing.
        ("echo hi > out.txt", "writes /wt/out.txt"),
        ("echo hi >> ../p/out.txt", "writes /p/out.txt"),
        ("make 2>&1 | tee build.log", "develops with make; writes /wt/build.log"),
        ("ls > /dev/null 2>&1", ""),
        ("cmd &> all.log", "writes /wt/all.log"),
        ("cmd >|forced", "writes /wt/forced"),
        ("cat > src/a.rs <<'EOF'\nfn main() { git push }\nrm -rf /p\nEOF\n", "writes /wt/src/a.rs"),
        ("cat <<EOF >a.md\n$(rm b.md)\nEOF", "removes /wt/b.md; writes /wt/a.md"),
        ("sed -i 's/a/b/' src/a.rs src/b.rs", "writes /wt/src/a.rs; writes /wt/src/b.rs"),
        ("sed -i.bak -e 's/a/b/' src/a.rs", "writes /wt/src/a.rs"),
        ("sed -n '1,5p' src/a.rs", ""),
        ("perl -pi -e 's/a/b/' x.c", "writes /wt/x.c"),
        ("cp a.txt b.txt", "writes /wt/b.txt"),
        ("cp a.txt b.txt /p/docs/", "writes /p/docs; writes /p/docs/a.txt; writes /p/docs/b.txt"),
        ("mv src/a.rs src/b.rs", "removes /wt/src/a.rs; writes /wt/src/b.rs"),
        ("rm -rf target src/*.o", "removes /wt/target; removes /wt/src/*.o"),
        ("touch 'a b.txt'", "writes /wt/a b.txt"),
        ("dd if=/dev/zero of=disk.img bs=1M count=1", "writes /wt/disk.img"),
        ("(cd /p && touch x); touch y", "writes /p/x; writes /wt/y"),
        ("cd /p; touch x", "writes /p/x"),
        ("pushd /p >/dev/null && touch x; popd; touch y", "writes /p/x; writes /wt/y"),
        ("cd \"$SOMEWHERE\" && touch x", ""),
        ("D=/p/src; cd $D && touch x", "writes /p/src/x"),
        ("for f in a.rs b.rs; do sed -i 's/x/y/' \"$f\"; done", "writes /wt/a.rs; writes /wt/b.rs"),
        ("find src -name '*.tmp' -delete", "removes /wt/src/**/*.tmp"),
        ("find src -name '*.rs' -exec sed -i 's/a/b/' {} +", "writes /wt/src/**/*.rs"),
        ("git ls-files | xargs rm", "changes files below /wt"),
        ("ls | xargs -I{} cp {} /p/x", "writes /p/x"),
        ("curl -fsSL https://x.test/y -o y.sh", "writes /wt/y.sh"),
        ("curl -fsSL https://x.test/y", ""),
        (
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.rs\n@@\n*** End Patch\nEOF",
            "writes /wt/src/a.rs",
        ),
        ("patch -p1 < fix.diff", "changes files in /wt; changes files below /wt"),
        ("echo x > ~/notes", "writes /home/me/notes"),
        ("echo x > /dev/shm/p/a; echo x > /dev/null", "writes /dev/shm/p/a"),
        ("f() { touch \"$1\"; }; f made", "writes /wt/made"),
        ("if true; then touch a; else touch b; fi > c", "writes /wt/c; writes /wt/a; writes /wt/b"),
        ("case $x in a) touch a;; *) touch b;; esac", "writes /wt/a; writes /wt/b"),
        ("[[ -f a && $(touch b) > c ]] || touch d", "writes /wt/b; writes /wt/d"),
        ("echo `touch a`", "writes /wt/a"),
        ("diff <(touch a) b", "writes /wt/a"),
        // Git.
        ("git commit -m 'a; git push'", "commits in /wt"),
        ("cd /p && git commit -am x", "commits in /p"),
        ("git -C ../p commit -am x", "commits in /p"),
        ("git -C .. -C p commit", "commits in /p"),
        ("git --git-dir=/p/.git --work-tree=/p commit -am x", "commits in /p"),
        ("GIT_DIR=/p/.git git commit -m x", "commits in /p"),
        ("export GIT_DIR=/p/.git; git commit -m x", "commits in /p"),
        ("git -c user.name=x commit --amend --no-edit", "commits in /wt"),
        ("git commit --dry-run", ""),
        ("git status && git diff | head", ""),
        ("git push", "pushes the branch of /wt"),
        ("git push -u origin HEAD", "pushes the branch of /wt"),
        ("git -C ../p push origin HEAD:main", "pushes to main from /p"),
        ("git push origin +task/login:refs/heads/main --force", "pushes to main from /wt"),
        ("git push origin --delete main", "pushes to main from /wt"),
        ("git push --all origin", "pushes to * from /wt"),
        ("git push --dry-run origin main", ""),
        ("git push origin v1.0:refs/tags/v1.0", ""),
        (
            "git checkout -b task/x && git commit -m x",
            "makes the branch task/x in /wt; switches /wt to task/x; commits in /wt",
        ),
        ("git switch main", "switches /wt to main"),
        ("git checkout -- src/a.rs", "discards changes of /wt/src/a.rs"),
        ("git checkout .", "discards changes of /wt; changes files in /wt"),
        ("git checkout main -- src/a.rs", "writes /wt/src/a.rs"),
        ("git restore --staged a.rs", ""),
        ("git restore a.rs", "discards changes of /wt/a.rs"),
        (
            "git reset --hard HEAD~1",
            "discards changes of /wt/**; changes files in /wt; puts the branch of /wt to HEAD~1",
        ),
        ("git merge --no-ff task/login", "merges task/login in /wt"),
        ("git merge --abort", ""),
        ("git pull --ff-only", ""),
        ("git pull origin task/other", "merges task/other in /wt"),
        ("git rebase main", "commits in /wt"),
        ("git branch -D main", "moves the branch main in /wt"),
        ("git branch -a", ""),
        (
            "git worktree add ../wt2 -b task/y",
            "makes the branch task/y in /wt; makes a tree of task/y in /wt2",
        ),
        ("git fetch origin task/x:main", "moves the branch main in /wt"),
        ("git clean -fdx", "removes /wt/**"),
        ("git stash && git stash list", "discards changes of /wt/**"),
        ("gh pr merge 12 --squash", "merges a pull request"),
        ("cd \"$(git rev-parse --show-toplevel)\" && git commit -m x", "commits in /wt"),
        (
            "git add -A && git commit -m \"$(cat <<'EOF'\nfix: don't `rm -rf /p` (or \"push\")\n\nEOF\n)\" && git push",
            "commits in /wt; pushes the branch of /wt",
        ),
        (
            "git commit -F - <<MSG\ngit push origin main\nMSG\ngit push",
            "commits in /wt; pushes the branch of /wt",
        ),
        ("cd /p\ngit add .\ngit commit -m 'x' 2>&1 | tail -3", "commits in /p"),
        (
            "git checkout \"$B\" && git commit -m x",
            "switches /wt to a branch with a hidden name; commits in /wt",
        ),
        ("git checkout -b \"$B\"; git commit -m x", "leaves the branch of /wt; commits in /wt"),
        ("git switch - && git commit -m x", "leaves the branch of /wt; commits in /wt"),
        ("git -C \"$DIR\" commit -m x", "moves a branch with a hidden name in /wt"),
        (
            "git commit -m x && git push origin \"$B\"",
            "commits in /wt; pushes to a branch with a hidden name from /wt",
        ),
        ("env -C /p git commit -m x", "commits in /p"),
        ("command cd /p && git commit -m x", "commits in /p"),
        ("cd /p || exit 1; \\git commit -m x", "commits in /p"),
        ("for d in */; do (cd \"$d\" && git commit -m x); done", "commits in /wt/*"),
        // Shells inside shells.
        ("bash -lc \"cd /p && git commit -m x\"", "commits in /p"),
        ("sh -c 'git push origin main' _ arg", "pushes to main from /wt"),
        ("bash -euo pipefail -c 'touch a'", "writes /wt/a"),
        ("bash <<'EOF'\ncd /p\ngit commit -m x\nEOF", "commits in /p"),
        ("cat <<EOF | sh -s\ngit push origin main\nEOF", "pushes to main from /wt"),
        ("echo 'git push origin main' | bash", "pushes to main from /wt"),
        ("(echo 'git push origin main') | sh", "pushes to main from /wt"),
        ("echo 'git push origin main'; bash script.sh", "develops with bash"),
        ("echo 'git push origin main'; bash", ""),
        ("eval \"git push origin main\"", "pushes to main from /wt"),
        ("env -i A=1 git -C /p commit -m x", "commits in /p"),
        ("sudo -u me timeout -k 5 60 nice -n 5 git commit -m x", "commits in /wt"),
        ("CI=1 npm test -- --watch", "develops with npm"),
        ("/usr/bin/python3.12 -m pytest -q", "develops with python3.12"),
        ("pytest -v", "develops with pytest"),
        ("node -v; make -v", ""),
        ("bash deploy.sh -n", "develops with bash"),
        ("$CMD push origin main", ""),
        ("CMD='git push origin main'; $CMD", "pushes to main from /wt"),
        ("ssh host 'git push origin main'", ""),
        // Waiting.
        ("sleep 30", "waits 30.0 s"),
        ("sleep 0.5", "waits 0.5 s"),
        ("sleep 1m 2s", "waits 62.0 s"),
        ("sleep 60 &", ""),
        ("sleep 1 & wait", "waits 1.0 s"),
        ("(sleep 60; echo done) & wait $!", "waits 60.0 s"),
        ("for i in $(seq 10); do sleep 5; done", "looks again and again"),
        ("while ! test -f done; do sleep 1; done", "looks again and again"),
        ("until curl -sf localhost:80; do\n  sleep 1\ndone", "looks again and again"),
        ("while true; do interagent inbox; done", "looks again and again"),
        ("for id in a b; do interagent read $id; done", ""),
        ("(while true; do sleep 5; done) &", ""),
        ("timeout 300 bash -c 'until curl -sf localhost; do sleep 2; done'", "looks again and again"),
        ("for i in {1..5}; do curl -s x.test && break; sleep 1; done", "looks again and again"),
        ("while read -r f; do cat \"$f\"; done < list", ""),
        ("watch -n1 interagent inbox", "looks again and again"),
        ("tmux send-keys -t main:0.1 'hi' Enter", "reaches into terminals with tmux send-keys"),
        ("tmux -L x capture-pane -p -t %3", "reaches into terminals with tmux capture-pane"),
        ("tmux list-panes", ""),
        // Not commands.
        ("echo 'git push origin main'", ""),
        ("# git push origin main", ""),
        ("grep -rn 'git commit' docs # sleep 60", ""),
        ("git log --oneline | grep push", ""),
        ("interagent send --to kimi -m 'rm -rf / && git push origin main'", ""),
        ("cat .interagent/tasks/active/task-1.json", "looks at /wt/.interagent/tasks/active/task-1.json"),
    ];
    for (command, wanted) in cases {
        assert_eq!(does(command), *wanted, "{command}");
    }
}

#[test]
fn what_cannot_be_read_ends_nothing() {
    for (command, wanted) in [
        ("echo 'unbalanced; git push", ""),
        ("touch a; echo \"$(", "writes /wt/a"),
        ("touch a; }; done; ) touch b", "writes /wt/a; writes /wt/b"),
        ("cat <<EOF\nno end", ""),
        ("", ""),
        ("((((((", ""),
        ("f() { f; }; f; touch a", "writes /wt/a; is too much to follow"),
    ] {
        assert_eq!(does(command), wanted, "{command}");
    }
}

#[test]
fn regression_nesting_without_end_takes_neither_the_stack_nor_for_ever() {
    for piece in
        ["(", "$(", "`", "\"$(", "{ ", "${a:-", "if ", "while ", "f() ", "<<E $(", "((", "$((", "a=("]
    {
        does(&piece.repeat(20_000));
    }
    let loops = "for a in 1 2 3 4 5 6 7 8 9 10; do ".repeat(12);
    does(&format!("{loops} touch x; {}", "done; ".repeat(12)));
}

#[test]
fn regression_what_grows_without_end_is_given_up_and_told() {
    let loops = |deep: usize| {
        let words: Vec<String> = (0..50).map(|i| i.to_string()).collect();
        let begin = format!("for a in {}; do ", words.join(" "));
        format!("{} : ; {}", begin.repeat(deep), "done; ".repeat(deep))
    };
    let doubled = format!("a=0123456789; {}echo $a", "a=$a$a; ".repeat(60));
    let wide = format!("a=0123456789; {}b={}; echo $b", "a=$a$a; ".repeat(16), "$a".repeat(5_000));
    let copied = format!("a=0123456789; {}{}", "a=$a$a; ".repeat(14), "(:);".repeat(5_000));
    for command in [
        "f(){ f;f;f;f; }; f",
        "f(){ f | f | f; }; f",
        "f(){ x=$(f; f; f); }; f",
        "f(){ eval 'f; f; f'; }; f",
        &loops(5),
        &doubled,
        &wide,
        &copied,
        &"touch a; ".repeat(6_000),
        &format!("cat > a <<'E'\n{}\nE\n", "x".repeat(200_000)),
        &format!("{} git push origin main {}", "( ".repeat(80), ") ".repeat(80)),
    ] {
        let found = does(command);
        let shown: String = command.chars().take(60).collect();
        assert!(found.ends_with("is too much to follow"), "{shown}: {found}");
    }
    for command in [
        &loops(2),
        &"touch a; ".repeat(500),
        &format!("cat > a <<'E'\n{}\nE\n", "x".repeat(100_000)),
        "f(){ ls; }; f; f; f",
    ] {
        assert!(!does(command).contains("too much"), "{command}");
    }
}
