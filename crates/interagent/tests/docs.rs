//! Every command in the documentation runs as it stands, in order, in an empty project.

use std::path::Path;

use interagent_testkit::sandbox::Sandbox;

const PAGES: &[&str] = &["README.md", "docs/guide/command-line.md"];

/// The commands of a page's `console` blocks that call the program.
fn commands(page: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in page.lines() {
        match line.trim() {
            "```console" => inside = true,
            "```" => inside = false,
            line if inside && line.starts_with("$ ") => found.push(line[2..].to_owned()),
            _ => {}
        }
    }
    found.retain(|line| !line.starts_with("cargo "));
    found
}

/// Splits a command as a shell would: words, double quotes, and the agent's variable in front.
fn split(command: &str) -> (Option<String>, Vec<String>) {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("there is always a word").push(c),
        }
    }
    let agent = words[0].strip_prefix("INTERAGENT_AGENT=").map(ToOwned::to_owned);
    let program = usize::from(agent.is_some());
    assert_eq!(words[program], "interagent", "{command}");
    (agent, words.split_off(program + 1))
}

#[test]
fn every_command_in_the_documentation_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository");
    for page in PAGES {
        let sandbox = Sandbox::new();
        let text = std::fs::read_to_string(root.join(page)).expect("the page is there");
        let commands = commands(&text);
        assert!(commands.len() > 4, "{page} has no commands");
        for command in commands {
            let (agent, words) = split(&command);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let output = match agent {
                Some(agent) => sandbox.as_agent(&agent).run(&words),
                None => sandbox.run(&words),
            };
            assert_eq!(output.status, 0, "{page}: {command}\n{}{}", output.stdout, output.stderr);
        }
    }
}
