//! Commands that pass by the hooks of git.

use super::*;

#[test]
fn agents_do_not_skip_the_hooks_of_git() {
    let mut case = Case::of("member1");
    let skipping = [
        "git commit --no-verify -m x",
        "git commit -n -m x",
        "git commit -anm x",
        "git commit -m x -n",
        "git commit -m \"$MESSAGE\" -n",
        "git commit --no-verif -m x",
        "git -C /wt -c user.name=x commit -nm x",
        "bash -c 'git commit -n -m x'",
        "git push --no-verify",
        "git push -u origin HEAD --no-verify",
        "git merge --no-verify task/login",
        "git pull --no-verify",
        "git -c core.hooksPath=/dev/null commit -m x",
        "git -c CORE.hookspath= push",
        "git -c core.hooksPath commit -m x",
        "git -c core.hooksPath=x -c alias.ci=commit ci -m x",
        "git --config-env=core.hooksPath=NOTHING commit -m x",
        "git --config-env core.hooksPath=NOTHING commit -m x",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/x git commit -m x",
        "env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hookspath GIT_CONFIG_VALUE_0= git push",
        "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/x; git commit -m x",
        "GIT_CONFIG_PARAMETERS=\"'core.hookspath=/x'\" git commit -m x",
        "GIT_CONFIG_GLOBAL=/tmp/settings git commit -m x",
        "export GIT_CONFIG_SYSTEM=/tmp/settings; git push",
        "git commit -s --no-verify -m x",
        "git commit -s -n -m x",
        "git commit -sn -m x",
        "git commit -n -m --dry-run",
        "git merge --squash --no-verify task/login",
        "git am -n fix.patch",
        "git pull -t --no-verify",
        "git rebase -m --no-verify main",
        "git -c include.path=/tmp/settings commit -m x",
        "HOME=/tmp/x git commit -m x",
        "XDG_CONFIG_HOME=/tmp/x git push",
        "GIT_CONFIG_GLOBAL=/dev/null git commit -m x",
    ];
    for command in skipping {
        assert_eq!(case.rule(command), Some(Rule::GuardItself), "{command}");
    }
    for command in [
        "git push -n",
        "git push --dry-run --no-verify",
        "git commit --dry-run -n",
        "git commit -m -n",
        "git commit -am --no-verify",
        "git commit -mn",
        "git commit -m x -- -n",
        "git commit --message -n --amend --no-edit",
        "git commit -S -m 'no -n here'",
        "git commit -uno -m x",
        "git commit --no-edit --amend --no-gpg-sign",
        "git merge -n task/other",
        "git fetch -n",
        "git log -n 5",
        "git clean -n",
        "git rm -n a",
        "git -c core.pager=cat commit -m x",
        "git -c core.editor=true rebase -i HEAD~2",
        "GIT_CONFIG_GLOBAL=/tmp/settings git status",
        "HOME=/tmp/x cargo test",
        "git commit -s -m 'no -n here'",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=x git commit -m x",
        "GIT_EDITOR=true git commit --amend",
        "echo 'git commit --no-verify'",
        "git commit -m 'Refuse git commit --no-verify'",
    ] {
        assert_ne!(case.rule(command), Some(Rule::GuardItself), "{command}");
    }
    insta::assert_snapshot!(case.judge(&Action::command("git commit -nm x")).denial().unwrap().text(), @r#"the guard itself: `git commit -nm x` would skip the hooks of git, which agents may not do. Drop `--no-verify`, `-n` or the `core.hooksPath` setting, and fix what the hook reports. Ask vice_captain1, your superior: `interagent send --to vice_captain1 -m "..."`."#);
    case.team.rules.guards = [Guard::Race001].into();
    assert_eq!(case.rule(skipping[0]), Some(Rule::GuardItself));
    assert_eq!(Case { bound: Bound::Person, ..Case::of("member1") }.rule(skipping[0]), None);
    case.team.rules.guards.clear();
    assert_eq!(case.rule(skipping[0]), None, "no guard, nothing to skip");
}
