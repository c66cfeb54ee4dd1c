//! Command lines of hooks: how ours are written, and how they are recognised in the files of clients.

use std::path::Path;

use serde_json::Value;

/// The name of our program, wherever it lies.
const PROGRAM: &str = "interagent";

/// Fields of a client's element that hold a command line, or the program of one.
const COMMAND_FIELDS: [&str; 3] = ["command", "bash", "cmd"];

/// A hook of ours in a client's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OurHook {
    pub(super) profile: String,
    pub(super) event: String,
    pub(super) wait: bool,
    pub(super) agent: Option<String>,
}

impl OurHook {
    /// The arguments of our program that this hook runs it with.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["hook".to_owned(), self.profile.clone(), self.event.clone()];
        if self.wait {
            arguments.push("--wait".to_owned());
        }
        if let Some(agent) = &self.agent {
            arguments.extend(["--agent".to_owned(), agent.clone()]);
        }
        arguments
    }

    /// The hook that an element itself runs, not one further inside.
    pub(super) fn of_element(element: &Value, binary: &Path) -> Option<Self> {
        let words = words_of(element)?;
        let (program, arguments) = words.split_first()?;
        if !is_our_program(program, binary) {
            return None;
        }
        let mut arguments = arguments.iter().map(String::as_str);
        if arguments.next() != Some("hook") {
            return None;
        }
        let (profile, event) = (arguments.next()?.to_owned(), arguments.next()?.to_owned());
        let (mut wait, mut agent) = (false, None);
        while let Some(argument) = arguments.next() {
            match argument {
                "--wait" => wait = true,
                "--agent" => agent = arguments.next().map(ToOwned::to_owned),
                _ => {}
            }
        }
        Some(Self { profile, event, wait, agent })
    }
}

/// Whether an entry of the list of MCP servers runs our program.
pub(super) fn is_our_server(entry: &Value, binary: &Path) -> bool {
    words_of(entry).is_some_and(|words| {
        words.first().is_some_and(|program| is_our_program(program, binary))
            && words.iter().any(|word| word == "mcp")
    })
}

fn is_our_program(program: &str, binary: &Path) -> bool {
    Path::new(program) == binary || Path::new(program).file_name().is_some_and(|name| name == PROGRAM)
}

/// Whether an element runs exactly its words: no shell makes more of them.
pub(super) fn is_plain(element: &Value) -> bool {
    let line = COMMAND_FIELDS.iter().find_map(|field| element.get(field)).and_then(Value::as_str);
    match (line, element.get("args").and_then(Value::as_array)) {
        (Some(line), None) => quoted(split(line).iter().map(String::as_str)) == line,
        _ => true,
    }
}

/// The words that an element has its client run.
pub(super) fn words_of(element: &Value) -> Option<Vec<String>> {
    let command = COMMAND_FIELDS.iter().find_map(|field| element.get(field))?;
    let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
    match command {
        // The program and its arguments in one list.
        Value::Array(words) => words.iter().map(text).collect(),
        Value::String(command) => match element.get("args").and_then(Value::as_array) {
            // With arguments of its own there is no shell: the command is the program, spaces and all.
            Some(arguments) => {
                std::iter::once(Some(command.clone())).chain(arguments.iter().map(text)).collect()
            }
            None => Some(split(command)),
        },
        _ => None,
    }
}

/// A command line that a shell understands as these words.
pub(super) fn quoted<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    let quote = |word: &str| match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.into_iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// The words of a command line, as a shell would see them as far as quotes go.
fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(characters.next()),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_survive_the_shell() {
        for words in [vec!["/opt/a b/interagent", "hook", "kimi"], vec!["it's", "", "$HOME", "a\"b\\c"]] {
            assert_eq!(split(&quoted(words.iter().copied())), words);
        }
    }

    #[test]
    fn our_hooks_are_known_wherever_the_program_lies() {
        let binary = Path::new("/new/agents");
        let hook =
            |element: Value| OurHook::of_element(&element, binary).map(|hook| hook.arguments().join(" "));
        let cases = [
            (
                json!({"command": "/old/interagent", "args": ["hook", "claude", "Stop", "--wait"]}),
                Some("hook claude Stop --wait"),
            ),
            (
                json!({"command": "'/a b/interagent' hook kimi Stop --agent bob"}),
                Some("hook kimi Stop --agent bob"),
            ),
            (json!({"bash": "/new/agents hook copilot agentStop"}), Some("hook copilot agentStop")),
            (
                json!({"command": "/a b/interagent", "args": ["hook", "claude", "Stop"]}),
                Some("hook claude Stop"),
            ),
            (json!({"command": "interagent status"}), None),
            (json!({"command": "/bin/other hook claude Stop"}), None),
            (json!({"hooks": [{"command": "interagent hook claude Stop"}]}), None),
        ];
        for (element, wanted) in cases {
            assert_eq!(hook(element.clone()).as_deref(), wanted, "{element}");
        }
    }
}
