//! Every command line of InterAgent's documentation, in its order, in one project, with the meaning the text gives it.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::Output;

const LINES: &str = include_str!("documented.txt");

/// What has happened so far, and the ids that `task-xxx` and `msg-xxx` stand for.
struct Story {
    sandbox: Sandbox,
    task: String,
    message: String,
}

type Meaning = fn(&mut Story, &Output);

/// What each line means, in the order of the lines.
const MEANINGS: [Meaning; 39] = [
    |story, _| assert_eq!(story.sandbox.json(&["team", "show"])["project"], "My API"),
    |story, output| {
        story.takes_newest_task("Design database schema", "kimi", "assigned");
        story.was_told("kimi", "delegation", "Design database schema");
        says(output, &["created task-", "Tell kimi: @kimi", "interagent relay --to kimi"]);
    },
    |_, output| {
        says(
            output,
            &["project: My API", "mode: hierarchical", "claude (principal), kimi (delegate)", "1 active"],
        );
    },
    |_, output| {
        says(
            output,
            &["[TASKS]", "[MESSAGES]", "[ACTION ITEMS]", "[QUICK COMMANDS]", "interagent relay --to kimi"],
        );
    },
    |story, _| story.takes_newest_task("Implement user auth", "kimi", "assigned"),
    |_, output| {
        says(
            output,
            &["RELAY PROMPT FOR KIMI\n--------------------\n@kimi - You have work", "Your role: delegate"],
        );
        says(output, &["📋 You have 2 new task(s):", "Please:", "\n1. ", "\n5. Send a message when done"]);
    },
    |_, output| says(output, &["→ Tell kimi to start 2 new task(s)"]),
    is_a_second_init,
    |_, output| says(output, &["project: My API", "2 active, 0 completed", "2 pending"]),
    |_, output| says(output, &["📋 2 task(s) assigned"]),
    |story, _| story.takes_newest_task("Task", "kimi", "assigned"),
    |story, output| {
        says(output, &[&story.task, "Task", "Implement user auth", "Design database schema", "medium"]);
    },
    |story, output| says(output, &[&story.task, "status: assigned", "assignee: kimi"]),
    |story, _| story.stands("completed"),
    |story, output| {
        says(output, &["kimi: 2 unread messages", "msg-", "Design database schema", "Implement user auth"]);
        story.was_told("kimi", "delegation", "Design database schema");
    },
    |story, _| {
        let sent = story.sandbox.json(&["msg", "list", "--to", "kimi", "--limit", "1"])["items"][0].clone();
        assert_eq!((sent["intent"].as_str(), sent["subject"].as_str()), (Some("message"), Some("Hello")));
        story.message = sent["id"].as_str().unwrap().to_owned();
    },
    |story, output| {
        says(output, &["Hello"]);
        assert_eq!(story.sandbox.json(&["msg", "read", &story.message])["to"][0]["state"], "acknowledged");
    },
    |story, output| {
        story.takes_newest_task("Implement auth", "kimi", "assigned");
        says(output, &["Tell kimi: @kimi"]);
    },
    |_, output| is_template_prompt(output, &["Claude Code"]),
    |_, output| is_template_prompt(output, &["Kimi Code"]),
    |_, output| is_template_prompt(output, &["Claude Code", "sub-agents"]),
    |_, output| is_template_prompt(output, &["Kimi Code", "~/projects/template.txt"]),
    is_a_second_init,
    |story, _| {
        story.takes_newest_task("Design database schema", "kimi", "assigned");
        let entry = story.sandbox.json(&["log", "--limit", "1"])["items"][0].clone();
        assert_eq!(entry["actor"]["name"], "claude", "who runs it is who delegates");
    },
    |story, output| says(output, &[&format!("interagent task update {} --status in_progress", story.task)]),
    |story, _| story.stands("in_progress"),
    |story, _| story.stands("completed"),
    |story, _| story.was_told("claude", "message", "Schema ready"),
    |_, output| {
        says(output, &["INTERAGENT SUMMARY\n==================\n\n[TASKS]", "👀 2 task(s) ready for review"]);
        says(output, &["📬 Claude: 3 unread message(s)\n", "\n     - From kimi: Schema ready"]);
        says(output, &["→ Tell claude to review 2 completed task(s)", "  interagent relay --to claude"]);
    },
    |story, output| {
        says(
            output,
            &["RELAY PROMPT FOR CLAUDE", "Your role: principal", "From kimi: \"Schema ready\"", &story.task],
        );
        says(output, &[&format!("interagent task update {} --status approved", story.task)]);
    },
    |_, output| says(output, &["Schema ready", "Done!"]),
    |story, output| says(output, &[&story.task, "status: completed"]),
    |story, _| story.stands("approved"),
    |story, _| {
        story.was_told("kimi", "message", "Approved! Great work.");
        // What follows in the text is about a task of Claude's own.
        story.sandbox.run(&["quick", "--to", "claude", "Plan the architecture"]).success();
        story.takes_newest_task("Plan the architecture", "claude", "assigned");
    },
    |_, output| {
        says(output, &["Plan the architecture"]);
        // What was handed over and asks for nothing is read.
        assert!(!output.stdout.contains("Schema ready"), "{}", output.stdout);
    },
    |_, output| says(output, &["approved", "Plan the architecture"]),
    |story, _| story.stands("in_progress"),
    |_, output| says(output, &["📬 claude sent a message to kimi: \"Noticed?\""]),
    |_, output| says(output, &["📬 claude sent a message to kimi: \"Noticed?\""]),
];

#[track_caller]
fn says(output: &Output, wanted: &[&str]) {
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    for words in wanted {
        assert!(output.stdout.contains(words), "{words:?} is missing in\n{}", output.stdout);
    }
}

fn is_template_prompt(output: &Output, wanted: &[&str]) {
    says(
        output,
        &["Search for new practices", "Review the ", "Improve it", "TEMPLATE_UPDATE.md", "what changed"],
    );
    says(output, wanted);
}

/// The text shows `init` several times; in one project the later ones are warned off and change nothing.
fn is_a_second_init(story: &mut Story, output: &Output) {
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    assert!(
        output.stderr.contains("there is a hub already") && output.stderr.contains("--force"),
        "{}",
        output.stderr
    );
    assert_eq!(story.sandbox.json(&["team", "show"])["project"], "My API");
}

impl Story {
    /// The newest task is this one, and `task-xxx` means it from now on.
    #[track_caller]
    fn takes_newest_task(&mut self, title: &str, assignee: &str, status: &str) {
        let task = self.sandbox.json(&["task", "list", "--limit", "1"])["items"][0].clone();
        let facts =
            [&task["title"], &task["assignee"]["name"], &task["status"]].map(|fact| fact.as_str().unwrap());
        assert_eq!(facts, [title, assignee, status]);
        self.task = task["id"].as_str().unwrap().to_owned();
    }

    #[track_caller]
    fn stands(&self, status: &str) {
        assert_eq!(self.sandbox.json(&["task", "show", &self.task])["status"], status);
    }

    #[track_caller]
    fn was_told(&self, agent: &str, intent: &str, subject: &str) {
        let inbox = self.sandbox.json(&["inbox", "--agent", agent]);
        let mut mail = inbox["items"].as_array().unwrap().iter();
        assert!(
            mail.any(|mail| mail["intent"] == intent && mail["subject"] == subject),
            "{subject}: {inbox}"
        );
    }

    fn run(&self, who: &str, words: &[&str]) -> Output {
        let run = if who == "you" { self.sandbox.start() } else { self.sandbox.as_agent(who) };
        if words[0] != "watchdog" {
            return run.run(words);
        }
        // It goes on for ever: something happens, and its reader leaves with the first line.
        let mut child = run.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut notes = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(notes.next().unwrap().unwrap().starts_with("watching"));
        let send =
            || self.sandbox.as_agent("claude").run(&["msg", "send", "--to", "kimi", "--message", "Noticed?"]);
        let mut output = send().success();
        output.stdout.clear();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut output.stdout).unwrap();
        send().success();
        output.status = child.wait().unwrap().code().unwrap();
        output
    }
}

/// A line as a shell reads it: words, double quotes, and a comment at its end.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '#' if !quoted => break,
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_documented_line_runs_with_its_documented_meaning() {
    let mut story = Story { sandbox: Sandbox::new(), task: String::new(), message: String::new() };
    let lines: Vec<&str> = LINES.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    assert_eq!(lines.len(), MEANINGS.len(), "every line has a meaning");
    for (line, meaning) in lines.into_iter().zip(MEANINGS) {
        let (who, command) = line.split_once("$ interagent ").unwrap();
        let command = command.replace("task-xxx", &story.task).replace("msg-xxx", &story.message);
        let words = words(&command);
        let output = story.run(who, &words.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(output.status == 0 || words[0] == "init", "{line}\n{}{}", output.stdout, output.stderr);
        meaning(&mut story, &output);
    }
}
