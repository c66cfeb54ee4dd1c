//! Help, and wrong command lines.

use interagent_testkit::Sandbox;

#[test]
fn help_of_a_command() {
    let output = Sandbox::new().start().env("COLUMNS", "90").run(&["ack", "--help"]);
    insta::assert_snapshot!(output.shown(), @r"
    Marks messages as read by you

    Usage: interagent ack [OPTIONS] <ID>...

    Arguments:
      <ID>...
      Their ids

    Options:
      -h, --help
      Print help (see a summary with '-h')

    Global options:
      --json
      Answer with one JSON document

      --hub <DIR>
      The hub, or the project that holds it, instead of the one found from here

      --color <WHEN>
      When to use colour
      
      [default: auto]
      [possible values: auto, always, never]

      --from-agent <NAME>
      Act in the name of an agent; only for the operator, and the log says so

      --no-pager
      Show long answers as they are; without it they go through INTERAGENT_PAGER,
      PAGER or `less -FRX`

    Example:
      interagent ack msg-7k3m msg-9zyx
    ");
}

#[test]
fn the_commands() {
    let output = Sandbox::new().start().env("COLUMNS", "90").run(&["--help"]);
    insta::assert_snapshot!(output.shown(), @r"
    Turns coding agents and the person who runs them into a team.

    Who you are follows from where you call: an agent's process, its session or
    INTERAGENT_AGENT; otherwise you are the operator.

    Usage: interagent [OPTIONS] <COMMAND>

    Start:
      demo  Plays a short story of two agents and you, and leaves its hub for you
      to explore
      setup  Connects the coding clients of this machine with the team
      init  Makes the hub of this project and its team file
      quick  Gives somebody a task in one step and says what to tell the agent
      relay  Writes the prompt to paste to an agent: what waits for it, with the
      commands
      run  Runs an agent's client once without a person, with its mail in the
      prompt
      summary  Sums the team up: tasks, mail, what needs doing by whom
      status  Shows what everybody is doing, or says what you are doing
      watch  Tells of messages, tasks and verdicts as they happen
      whoami  Says who you are here, and how that was decided

    Talk:
      send  Sends a message
      say  Says something to an agent in your name, and tells how soon it is seen
      inbox  Shows unread messages and what is owed
      reply  Replies to a message; a reply settles a question
      read  Shows one message with its text and how far it got
      ack  Marks messages as read by you
      msg  Messages: send, read, threads, lists, holding, and what they oblige to
      wait  Sleeps until there is new mail
      wake  Wakes an agent's idle session when mail waits for it

    Team:
      up  Starts the team's clients in tmux, each in a pane of its own
      ps  Shows who lives and what everybody does, by hook, process and terminal
      attach  Shows the team's terminals, with one agent's in front
      restart  Starts agents' clients anew, each in the pane it has
      down  Ends the clients that `up` started, and nothing else
      join  Turns the terminal you are in into an agent of the team
      control  Has an agent's session cleared, changed to another model, stopped or
      resumed
      notify  Shows how you are told that something waits for you, tries it, or does
      it

    Work:
      task  Tasks: create, claim, note, split, report, judge
      report  Reports on a task: done completes it, failed closes it, blocked says so
      delegate  Gives somebody a task with a description in one step
      review  Reviews: a change, threads at its lines, a verdict
      decision  Decisions: questions, positions, outcomes
      spec  Specs: named texts with versions and subscribers
      skill  Skills that members proposed in their reports
      lease  Leases: paths that no other agent writes meanwhile

    Know:
      log  Lists entries of the log, follows it, or tells the history of one thing
      search  Searches everything that was written
      briefing  Says who an agent is, what its role obliges to, and what is open
      operations  Lists every operation
      man  Prints the manual page, or writes all of them into a directory
      completion  Prints the script that completes commands, names and ids in a shell

    Keep:
      agent  The agents: register, list, show, instructions, rename, retire, token
      team  The team: who is in it and by which rules it works
      guard  The guard: what a command does, and what the team's rules say of it
      session  Sessions: which client's conversation is which agent
      supervise  Wakes agents and takes what nobody answers up the ladder, for as long
      as it runs
      trust  Trust this project's files after seeing what they do
      mcp  Serves agents' MCP clients, on standard input and output or over HTTP
      api  Serve the API for local programs, one JSON document a line
      hook  Answers a hook of a coding client
      doctor  Looks for trouble and names the command that helps
      export  Writes the whole record out: for other tools, or for people to read
      backup  Copies the hub's store into a new file
      restore  Puts a backup in the place of the hub's store, after a loss
      sync  Keeps the team's history in git, brings clones together, and writes the
      hub's files
      replica  List, accept and reject replicas of this hub
      import  Takes over what InterAgent, the Interagent MCP server, a Captain system
      or Kavi left
      inbox-write  Writes to an agent by the words of the Captain system, for its scripts
      hold  Texts that look like secrets: list, show, release, purge
      purge  Deletes the texts of an entity everywhere
      update-template  Writes the prompt that has an agent bring the kickoff template up to
      date
      call  Calls an operation with its parameters as JSON

    Options:
      -h, --help
      Print help (see a summary with '-h')

      -V, --version
      Print version

    Global options:
      --json
      Answer with one JSON document

      --hub <DIR>
      The hub, or the project that holds it, instead of the one found from here

      --color <WHEN>
      When to use colour
      
      [default: auto]
      [possible values: auto, always, never]

      --from-agent <NAME>
      Act in the name of an agent; only for the operator, and the log says so

      --no-pager
      Show long answers as they are; without it they go through INTERAGENT_PAGER,
      PAGER or `less -FRX`

    Exit codes: 0 done, 1 refused, 2 usage, 3 not found, 4 conflict, 5 unavailable.
    ");
}

#[test]
fn every_list_of_commands_says_what_each_does() {
    let sandbox = Sandbox::new();
    let nouns =
        ["team", "agent", "status", "msg", "task", "review", "spec", "decision", "lease", "session", "log"];
    for noun in nouns {
        let help = sandbox.start().env("COLUMNS", "200").run(&[noun, "--help"]).success().stdout;
        let commands = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
        let is_command = |line: &&str| line.starts_with("  ") && !line[2..].starts_with(' ');
        for line in commands.lines().filter(is_command) {
            assert!(line.split_whitespace().count() > 2, "{noun:?}: {line:?}");
        }
    }
}

#[test]
fn wrong_command_lines_end_with_2() {
    let sandbox = Sandbox::new();
    for wrong in [
        &["sned"][..],
        &["send"],
        &["send", "--to", "kimi", "--intent", "order"],
        &["send", "--to", "kimi", "-m", "a", "--file", "b"],
        &["send", "--to", "kimi", "-m", "a", "--expires", "soon"],
        &["send", "--to", "kimi", "-m", "a", "--expires", "2h", "--key", "k"],
        &["status", "set", "asleep"],
        &["wait", "--timeout", "-1"],
        &["call", "task.list", "{"],
        &["call", "task.list", r#"{"nobody": 1}"#],
        &["init", "--agents", "bob"],
        &["init", "--mode", "peer", "--formation", "duo"],
        &["init", "--members", "3", "--formation", "duo"],
        &["doctor", "--rebuild", "--recover"],
    ] {
        let output = sandbox.run(wrong);
        assert_eq!(output.status, 2, "{wrong:?}: {}{}", output.stdout, output.stderr);
        assert!(
            output.stdout.is_empty() && output.stderr.contains("error: "),
            "{wrong:?}: {}",
            output.stderr
        );
    }
    assert!(!sandbox.hub().exists(), "a wrong command line makes nothing");
}

#[test]
fn a_program_gets_a_document_also_for_a_wrong_command_line() {
    let output = Sandbox::new().run(&["send", "--json", "--to", "kimi", "--intent", "order"]);
    insta::assert_snapshot!(output.shown(), @r#"
    {"error":{"causes":[],"code":"usage","exit_code":2,"hints":["For more information, try '--help'."],"sentence":"invalid value 'order' for '--intent <INTENT>': the intent can't be `order`; it is one of message, question, handoff, review_request, blocked, context_share, delegation, discussion, report, control"}}
    --- exit 2
    "#);
}

#[test]
fn what_was_typed_cannot_drive_the_terminal() {
    let output = Sandbox::new().run(&["send", "--to", "kimi", "--intent", "\u{1b}[2Jboo"]);
    assert!(!output.stderr.contains('\u{1b}'), "{:?}", output.stderr);
}

#[test]
fn operations_need_no_hub() {
    let sandbox = Sandbox::new();
    let listed = sandbox.start().without("HOME").json(&["operations"]);
    let send =
        listed["operations"].as_array().unwrap().iter().find(|op| op["name"] == "message.send").unwrap();
    assert_eq!(send["effect"], "write");
    assert!(send["doc"].as_str().unwrap().starts_with("Sends a message."));
    assert!(send["params"]["properties"]["to"].is_object());
    let missing = sandbox.run(&["call", "message.shout"]);
    insta::assert_snapshot!(missing.shown(), @r"
    --- stderr
    error: there is no operation `message.shout`
    hint: interagent operations
    --- exit 3
    ");
}

#[test]
fn what_was_probably_meant_is_said() {
    let sandbox = Sandbox::with_team();
    let message = sandbox.json(&["send", "--to", "kimi", "-m", "hi"])["id"].as_str().unwrap().to_owned();
    let task = sandbox.json(&["task", "create", "parser"])["id"].as_str().unwrap().to_owned();
    sandbox.run(&["task", "create", "printer", "--alias", "cmd_035"]).success();
    let said = |arguments: &[&str], wanted: &str, hint: &str, status: i32| {
        let output = sandbox.run(arguments);
        assert_eq!(output.status, status, "{arguments:?}: {}", output.stderr);
        assert!(output.stderr.contains(wanted), "{arguments:?}: {}", output.stderr);
        assert!(output.stderr.contains(hint), "{arguments:?}: {}", output.stderr);
    };
    said(&["sned", "--to", "kimi"], "unrecognized subcommand 'sned'", "similar subcommand exists: 'send'", 2);
    said(&["task", "crate", "x"], "unrecognized subcommand 'crate'", "'create'", 2);
    said(&["task", "list", "--asignee", "kimi"], "unexpected argument '--asignee'", "'--assignee'", 2);
    said(
        &["send", "--to", "kimi", "--intent", "questoin"],
        "did you mean question?",
        "it is one of message",
        2,
    );
    said(&["task", "list", "--status", "Complete"], "did you mean completed?", "", 2);
    said(&["send", "--to", "kimii", "-m", "hi"], "there is no agent kimii; did you mean kimi?", "claude", 3);
    said(&["send", "--to", "zoe", "-m", "hi"], "there is no agent zoe\n", "hint: there is operator", 3);
    let is_message = format!("`{message}` is a message, not a task\n");
    said(&["task", "show", &message], &is_message, &format!("hint: interagent read {message}"), 3);
    let is_task = format!("`{task}` is a task, not a message\n");
    said(&["reply", &task, "-m", "hi"], &is_task, &format!("hint: interagent task show {task}"), 3);
    said(&["read", &task[..9]], "is a task, not a message", "interagent task show", 3);
    said(&["review", "show", "cmd_035"], "`cmd_035` is a task, not a review", "task show cmd_035", 3);
    said(&["task", "show", "msg-zzzz"], "there is no task `msg-zzzz`", "an id, or its first characters", 3);
}

#[test]
fn the_version_is_a_document_for_programs() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["--version"]).shown(), format!("interagent {}\n", env!("CARGO_PKG_VERSION")));
    for line in ["--version", "-V"] {
        assert_eq!(sandbox.json(&[line])["version"], env!("CARGO_PKG_VERSION"), "{line}");
    }
}

#[test]
fn an_answer_has_one_form() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["task", "create", "The parser", "--alias", "parser"]).success();
    for line in [
        &["task", "show", "parser", "--yaml", "--json"][..],
        &["--json", "task", "show", "parser", "--yaml"],
        &["task", "--json", "show", "--yaml", "parser"],
    ] {
        let output = sandbox.run(line);
        assert_eq!((output.status, output.stderr.as_str()), (2, ""), "{line:?}");
        let error: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(error["error"]["code"], "usage", "{line:?}");
    }
}

#[test]
fn a_wrong_command_line_is_one_document_for_programs() {
    let sandbox = Sandbox::new();
    for (line, sentence) in [
        (&["--json", "send"][..], "the following required arguments were not provided: --to <NAME>"),
        (&["nonsense", "--json"], "unrecognized subcommand 'nonsense'"),
        (&["task", "--json"], "'interagent task' requires a subcommand but one was not provided"),
        (&["task", "list", "--json", "--statu", "x"], "unexpected argument '--statu' found"),
        (&["task", "list", "--status", "odd", "--json"], "invalid value 'odd' for '--status <STATUS>'"),
    ] {
        let output = sandbox.run(line);
        assert_eq!((output.status, output.stderr.as_str()), (2, ""), "{line:?}");
        let error: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        assert!(error["error"]["sentence"].as_str().unwrap().starts_with(sentence), "{line:?}: {error}");
        assert_eq!(error["error"]["exit_code"], 2);
    }
    // Behind `--` it is a text.
    let text = sandbox.run(&["nonsense", "--", "--json"]);
    assert_eq!((text.status, text.stdout.as_str()), (2, ""));
}
