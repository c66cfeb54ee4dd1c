//! Problems of a team file, as people read them.

use super::*;

/// A sound duo, so that each test adds only what is wrong.
const DUO: &str = "project = 'demo'\nprincipal = 'claude'\n[agents.claude]\nprofile = 'claude'\n[agents.kimi]\nprofile = 'kimi'\n";

/// A sound captain formation, likewise.
const CAPTAIN: &str =
    "project = 'demo'\nformation = 'captain'\n[agents.boss]\nprofile = 'claude'\nrole = 'captain'\n";

#[test]
fn everything_is_reported_at_once_in_the_order_of_lines() {
    insta::assert_snapshot!(problems(r#"
project = 7
fromation = "duo"
principal = "cluade"
track = "branches"
language = "fr"

[agents.claude]
profile = "claude"
role = "principle"
capabilities = ["code review", 5]

[agents."Kimi Two"]
profile = "kimi"

[agents.codex]
colour = "red"
reports_to = "claud"

[rules]
max_hops = "many"
guards = ["F001", "F002"]

[ladder]
reset_s = 30
reset_allowed = 1

[notifications]
ntfy_topic = "my topic"
"#), @r#"
    line 2, column 11: project: This must be text, and it is a whole number.
      hint: It is written like this: project = "..."
    line 3, column 1: fromation: `fromation` is not a key that is known here.
      hint: Did you mean `formation`?
    line 4, column 13: principal: The principal `cluade` is not among the agents.
      hint: Did you mean `claude`?
    line 5, column 9: track: `branches` is not one of branch, worktree.
      hint: Did you mean `branch`?
    line 6, column 12: language: `fr` is not a language the team can report in.
      hint: Write `ja`, `en`, or `ja+` and a language code, such as `ja+en`.
    line 10, column 8: agents.claude.role: `principle` is not one of principal, delegate, reviewer, collaborator, captain, vice_captain, member.
      hint: Did you mean `principal`?
    line 11, column 32: agents.claude.capabilities[1]: This must be text, and it is a whole number.
      hint: It is written like this: capabilities = ["..."]
    line 13, column 9: agents.Kimi Two: `Kimi Two` holds ` `; a name has only a-z, 0-9, `.`, `_` and `-`.
      hint: `kimi-two` would work.
    line 16, column 9: agents.codex: The agent `codex` has no profile.
      hint: Write which client it is, such as `profile = "claude"`.
    line 17, column 1: agents.codex.colour: `colour` is not a key that is known here.
      hint: Known are profile, model, role, reports_to, workspace, worktree, capabilities, paths, description, auto_approve, context_limit.
    line 18, column 14: agents.codex.reports_to: `codex` reports to `claud`, who is not among the agents.
      hint: Did you mean `claude`?
    line 21, column 12: rules.max_hops: This must be a whole number, and it is text.
      hint: It is written like this: max_hops = 60
    line 22, column 19: rules.guards[1]: `F002` is not one of F001, F003, F004, F005, F006, RACE-001.
    line 25, column 11: ladder.reset_s: This step ends at 30 s, before the one before it (`ladder.next_channel_s`, 120 s).
      hint: Write at least 120; the same number skips the step.
    line 26, column 17: ladder.reset_allowed: This must be true or false, and it is a whole number.
      hint: It is written like this: reset_allowed = true
    line 29, column 14: notifications.ntfy_topic: `my topic` is not an ntfy topic.
      hint: A topic has 1 to 64 characters out of a-z, A-Z, 0-9, `_` and `-`; the server is named by INTERAGENT_NTFY_SERVER, never by a project.
    "#);
}

#[test]
fn syntax_errors_have_their_line() {
    insta::assert_snapshot!(problems("project = 'x'\nformation = duo\n[agents.claude\nprofile = 'a'\n"), @r#"
        line 2, column 13: This is not valid TOML: string values must be quoted, expected literal string.
        line 3, column 15: This is not valid TOML: unclosed table, expected `]`.
        "#);
    insta::assert_snapshot!(problems("project = 'x'\nproject = 'y'\n"), @r#"
        line 2, column 1: This is not valid TOML: duplicate key.
          hint: Each key and each table stands once.
        "#);
    insta::assert_snapshot!(problems("<<<<<<< HEAD\nproject = 'x'\n"), @r#"
        line 1, column 1: This is not valid TOML: invalid unquoted key, expected letters, numbers, `-`, `_`.
        line 1, column 9: This is not valid TOML: key with no value, expected `=`.
        "#);
}

#[test]
fn an_empty_file_only_lacks_a_project() {
    insta::assert_snapshot!(problems(""), @r#"
        line 1, column 1: project: The project has no name.
          hint: Write `project = "NAME"` in the first line.
        "#);
}

#[test]
fn roles_belong_to_a_formation() {
    insta::assert_snapshot!(problems(&format!("{DUO}role = 'captain'\n[rules]\nmay_merge = ['member']\n")), @r#"
        line 7, column 8: agents.kimi.role: There is no captain in the formation `duo`.
          hint: The roles of `duo` are principal, delegate, reviewer, collaborator.
        line 9, column 13: rules.may_merge: There is no member in the formation `duo`.
          hint: The roles of `duo` are principal, delegate, reviewer, collaborator.
        "#);
}

#[test]
fn the_principal_is_one_of_the_agents_and_has_the_role() {
    insta::assert_snapshot!(problems(&DUO.replace("principal = 'claude'", "principal = 'gemini'")), @r#"
        line 2, column 13: principal: The principal `gemini` is not among the agents.
          hint: Add a table [agents.gemini], or name one of the agents.
        "#);
    insta::assert_snapshot!(problems(&DUO.replace("principal = 'claude'", "")), @r#"
        line 3, column 2: agents: Nobody is the principal of this duo.
          hint: Write `principal = "NAME"` above the tables.
        "#);
    insta::assert_snapshot!(problems(&format!("{DUO}role = 'principal'\n")), @r#"
        line 7, column 8: agents.kimi.role: A team has one principal, and here are 2: `claude`, `kimi`.
          hint: Give `kimi` another role.
        "#);
    insta::assert_snapshot!(problems(&DUO.replace("profile = 'claude'", "profile = 'claude'\nrole = 'reviewer'")), @r#"
        line 2, column 13: principal: `claude` is the principal of this team, so its role must be principal.
          hint: Give it `role = "principal"`, or name another principal.
        "#);
}

#[test]
fn a_captain_formation_has_one_captain() {
    insta::assert_snapshot!(problems(&CAPTAIN.replace("role = 'captain'", "")), @r#"
        line 3, column 2: agents: The formation `captain` needs a captain.
          hint: Give one agent `role = "captain"`.
        "#);
    insta::assert_snapshot!(problems(&format!("{CAPTAIN}[agents.other]\nprofile = 'kimi'\nrole = 'captain'\n")), @r#"
        line 8, column 8: agents.other.role: A team has one captain, and here are 2: `boss`, `other`.
          hint: Give `other` another role.
        "#);
}

#[test]
fn superiors_are_known_others_and_not_in_a_circle() {
    let member = |name: &str, superior: &str| {
        format!("[agents.{name}]\nprofile = 'kimi'\nreports_to = '{superior}'\n")
    };
    let with = |members: &[String]| problems(&format!("{CAPTAIN}{}", members.concat()));
    insta::assert_snapshot!(with(&[member("ann", "bos")]), @r#"
        line 8, column 14: agents.ann.reports_to: `ann` reports to `bos`, who is not among the agents.
          hint: Did you mean `boss`?
        "#);
    insta::assert_snapshot!(with(&[member("ann", "ann")]), @"line 8, column 14: agents.ann.reports_to: `ann` reports to itself.");
    insta::assert_snapshot!(with(&[member("cat", "ann"), member("ann", "ben"), member("ben", "cat"), member("dan", "cat")]), @r#"
        line 11, column 14: agents.ann.reports_to: These agents report to each other in a circle: ann -> ben -> cat -> ann.
          hint: Somebody among them must report to an agent outside of the circle.
        "#);
    insta::assert_snapshot!(problems(&format!("{CAPTAIN}reports_to = 'ann'\n{}", member("ann", "boss"))), @r#"
        line 6, column 14: agents.boss.reports_to: The captain reports to nobody in the team.
          hint: Remove the line.
        "#);
    let peers = DUO.replace("principal = 'claude'", "formation = 'peers'");
    insta::assert_snapshot!(problems(&format!("{peers}reports_to = 'claude'\n")), @r#"
        line 7, column 14: agents.kimi.reports_to: Peers have no superiors.
          hint: Remove the line, or choose the formation `duo` or `captain`.
        "#);
}

#[test]
fn a_member_with_two_possible_superiors_must_choose() {
    let vice = |name: &str| format!("[agents.{name}]\nprofile = 'kimi'\nrole = 'vice_captain'\n");
    let text = format!("{CAPTAIN}{}{}[agents.ann]\nprofile = 'kimi'\n", vice("east"), vice("west"));
    insta::assert_snapshot!(problems(&text), @r#"
        line 12, column 9: agents.ann: It is not clear who the superior of `ann` is.
          hint: Write `reports_to` with one of `east`, `west`.
        "#);
}

#[test]
fn names_must_not_look_alike() {
    insta::assert_snapshot!(problems(&format!("{DUO}[agents.kim1]\nprofile = 'kimi'\n[agents.KIMI]\nprofile = 'x'\n")), @r#"
        line 5, column 9: agents.kimi: `kimi` looks like `kim1`, so people would mix them up.
          hint: Give one of them a name that differs in more than look-alike characters.
        line 9, column 9: agents.kimi: `kimi` is in the team twice; upper and lower case are the same.
        "#);
}

#[test]
fn modes_and_formations_agree() {
    insta::assert_snapshot!(problems("project = 'x'\nformation = 'review'\n"), @r#"
        line 2, column 13: formation: `review` is not one of duo, peers, captain.
          hint: Write `mode = "review"`, or `formation = "duo"`.
        "#);
    insta::assert_snapshot!(problems("project = 'x'\nformation = 'captain'\nmode = 'peer'\n"), @r#"
        line 3, column 8: mode: The mode `peer` is the formation `peers`, not `captain`.
          hint: Keep one of the two lines.
        "#);
    insta::assert_snapshot!(problems("project = 'x'\nmode = 'review'\n[rules]\nreview_required = false\n"), @r#"
        line 4, column 19: rules.review_required: The mode `review` means that reviews are required.
          hint: Remove this line, or choose the mode `hierarchical`.
        "#);
}

#[test]
fn texts_paths_and_branches_are_bounded_and_harmless() {
    let long = "x".repeat(500);
    let text = format!(
        "{DUO}description = '{long}'\nmodel = \"a\\u001b[31m\"\npaths = ['src/**',\n '../secret', '/etc', 'C:\\x']\nworkspace = ' '\n\
         [rules]\nprotected_branches = ['main', 'release/*', 'a b', '-x', 'a..b']\npair_messages = 0\npair_window_s = -1\n"
    );
    insta::assert_snapshot!(problems(&text), @r#"
        line 7, column 15: agents.kimi.description: This text has 500 characters; at most 400 are possible.
        line 8, column 9: agents.kimi.model: `a\u{1b}[31m` holds control or direction characters.
          hint: Use one line of plain text.
        line 10, column 2: agents.kimi.paths[1]: `../secret` does not stay inside of the project.
          hint: Write a pattern relative to the project with `/`, such as `src/**`.
        line 10, column 15: agents.kimi.paths[2]: `/etc` does not stay inside of the project.
          hint: Write a pattern relative to the project with `/`, such as `src/**`.
        line 10, column 23: agents.kimi.paths[3]: `C:\x` does not stay inside of the project.
          hint: Write a pattern relative to the project with `/`, such as `src/**`.
        line 11, column 13: agents.kimi.workspace: This text can't be empty.
        line 13, column 44: rules.protected_branches[2]: `a b` can't be the name of a branch.
          hint: Write a branch name; `*` stands for any characters, as in `release/*`.
        line 13, column 51: rules.protected_branches[3]: `-x` can't be the name of a branch.
          hint: Write a branch name; `*` stands for any characters, as in `release/*`.
        line 13, column 57: rules.protected_branches[4]: `a..b` can't be the name of a branch.
          hint: Write a branch name; `*` stands for any characters, as in `release/*`.
        line 14, column 17: rules.pair_messages: 0 is outside of 1 to 10000.
        line 15, column 17: rules.pair_window_s: This number can't be below 0.
        "#);
}

#[test]
fn tables_are_tables() {
    insta::assert_snapshot!(problems("project = 'x'\nrules = 3\n[[agents]]\nname = 'kimi'\n"), @r#"
        line 2, column 9: rules: This must be a table, and it is a whole number.
          hint: It is written like this: [rules]
        line 3, column 1: agents: This must be a table, and it is a list.
          hint: It is written like this: [agents]
        "#);
    insta::assert_snapshot!(problems("project = 'x'\n[agents]\nkimi = 'kimi'\noperator = {}\n"), @r#"
        line 3, column 8: agents.kimi: This must be a table, and it is text.
          hint: It is written like this: [agents.kimi]
        line 4, column 1: agents.operator: `operator` is reserved: it means somebody else than an agent.
          hint: `operator-agent` would work.
        "#);
}

#[test]
fn huge_files_and_huge_teams_are_refused() {
    let comment = format!("# {}", "x".repeat(limits::FILE_MAX_BYTES));
    insta::assert_snapshot!(problems(&comment), @"line 1, column 1: The team file has 262146 bytes; at most 262144 are possible.");
    let many: String = (0..300).map(|n| format!("[agents.n{n}x]\nprofile = 'a'\n")).collect();
    insta::assert_snapshot!(problems(&format!("project = 'x'\nformation = 'peers'\n{many}")), @"line 3, column 2: agents: The team has 300 agents; at most 256 are possible.");
    let unknown: String = (0..150).map(|n| format!("zzzzzzzz{n} = 1\n")).collect();
    let found = parse(&unknown).unwrap_err();
    assert_eq!(found.len(), limits::PROBLEMS_MAX);
    insta::assert_snapshot!(found.last().unwrap(), @r#"
        line 99, column 1: zzzzzzzz98: `zzzzzzzz98` is not a key that is known here.
          hint: There are 51 more problems after this one.
        "#);
}

#[test]
fn columns_count_characters_and_lines_survive_crlf() {
    let found =
        parse("project = 'x'\r\ndisplay = 'silent'  # あ\r\n\"設計\" = { track = 1 }\r\n").unwrap_err();
    assert_eq!((found[0].line, found[0].column), (3, 1));
    let found = parse("project = 'x'\nnotifications = { \"あ\" = 1, bell = 2 }\n").unwrap_err();
    assert_eq!(found.iter().map(|p| p.column).collect::<Vec<_>>(), [19, 35]);
}
