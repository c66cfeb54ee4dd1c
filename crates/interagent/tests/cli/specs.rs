//! Specs and their versions.

use interagent_testkit::Sandbox;

fn published() -> Sandbox {
    let sandbox = Sandbox::with_team();
    let claude = sandbox.as_agent("claude");
    claude.run(&["spec", "publish", "user-api", "GET /users\nreturns id\n"]).success();
    let second = claude.clone().stdin("GET /users\nreturns id, name\n");
    second.run(&["spec", "publish", "user-api", "-", "--note", "with the name"]).success();
    std::fs::write(sandbox.project().join("api.md"), "GET /users\nreturns id, name\nPOST /users\n").unwrap();
    let third = ["spec", "publish", "user-api", "--file", "api.md", "--expected-version", "2"];
    sandbox.as_agent("kimi").run(&third).success();
    sandbox
}

#[test]
fn a_spec_has_a_history() {
    let sandbox = published();
    insta::assert_snapshot!(sandbox.run(&["spec", "history", "user-api"]).shown(), @r"
    name  version  publisher  what changed  published
    user-api  3  kimi  [ago]
    user-api  2  claude  with the name  [ago]
    user-api  1  claude  [ago]
    ");
    let first = sandbox.json(&["spec", "history", "user-api", "--limit", "2"]);
    assert_eq!((&first["items"][0]["version"], &first["next"]), (&3.into(), &"2".into()));
    let rest = sandbox.json(&["spec", "history", "user-api", "--after", "2"]);
    assert_eq!(rest["items"][0]["version"], 1);
    assert_eq!(sandbox.run(&["spec", "history", "nothing"]).status, 3);
    assert_eq!(sandbox.run(&["spec", "history", "user-api", "--after", "x"]).status, 2);
    assert_eq!(
        sandbox.json(&["spec", "show", "user-api", "--version", "1"])["body"],
        "GET /users\nreturns id\n"
    );
}

#[test]
fn versions_are_compared() {
    let sandbox = published();
    let shown = |arguments: &[&str]| {
        let output = sandbox.run(&[&["spec", "diff", "user-api"], arguments].concat()).shown();
        // The first line tells the time.
        output.lines().skip(1).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(shown(&[]), @r"
    +1 -0 lines
    --- user-api version 2
    +++ user-api version 3
    @@ -1,2 +1,3 @@
     GET /users
     returns id, name
    +POST /users
    ");
    insta::assert_snapshot!(shown(&["1", "2"]), @r"
    what changed: with the name
    +1 -1 lines
    --- user-api version 1
    +++ user-api version 2
    @@ -1,2 +1,2 @@
     GET /users
    -returns id
    +returns id, name
    ");
    assert!(shown(&["1"]).contains("+POST /users"));
    assert_eq!(shown(&["2", "2"]), "what changed: with the name\nboth say the same");
    let change = sandbox.json(&["spec", "diff", "user-api", "1", "3"]);
    assert_eq!((&change["added"], &change["removed"]), (&2.into(), &1.into()));
    insta::assert_snapshot!(sandbox.run(&["spec", "diff", "user-api", "1", "9"]).shown(), @r"
    --- stderr
    error: user-api has no version 9
    hint: there are versions 1 to 3
    --- exit 3
    ");
    assert_eq!(sandbox.run(&["spec", "diff", "user-api", "one"]).status, 2);
    let coloured = sandbox.run(&["spec", "diff", "user-api", "--color", "always"]).success().stdout;
    assert!(coloured.contains("\u{1b}[32m+POST /users"), "{coloured:?}");
}

#[test]
fn a_first_version_and_a_deleted_text_have_nothing_to_compare() {
    let sandbox = published();
    sandbox.as_agent("claude").run(&["spec", "publish", "one", "text"]).success();
    insta::assert_snapshot!(sandbox.run(&["spec", "diff", "one"]).shown(), @r"
    --- stderr
    error: there is nothing before version 1 of one to compare with
    hint: interagent spec show one
    --- exit 3
    ");
    sandbox.operator().run(&["purge", "spec:user-api", "--containing", "POST"]).success();
    insta::assert_snapshot!(sandbox.run(&["spec", "diff", "user-api"]).shown(), @r"
    --- stderr
    error: the text of version 3 of user-api was deleted
    hint: interagent log show spec:user-api
    --- exit 3
    ");
    let lost = ["spec", "publish", "user-api", "another", "--expected-version", "1"];
    assert_eq!(sandbox.as_agent("claude").run(&lost).status, 4);
}
