//! What the manual tells the users of a client to write into which file, and how that client calls our tools.

use super::adapters::Settings;

/// What the manual writes where a server over HTTP is.
pub(super) const ADDRESS: &str = "http://127.0.0.1:7717/mcp";
/// What it writes for a token.
pub(super) const TOKEN: &str = "iat_...";
/// Where it tells clients to take the token from, where they can.
pub(super) const TOKEN_VARIABLE: &str = "INTERAGENT_TOKEN";

/// A part of the manual that says what to write for each client.
#[derive(Debug, Clone, Copy)]
pub(super) enum Section {
    /// The client starts the server.
    Configuration,
    /// The server runs already.
    Http,
}

impl Section {
    fn heading(self) -> &'static str {
        match self {
            Self::Configuration => "\n## Configuration\n",
            Self::Http => "\n## HTTP\n",
        }
    }
}

/// `docs/mcp.md`.
#[derive(Debug)]
pub struct Manual {
    text: String,
}

impl Manual {
    /// Reads the page.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// The files for one client, by the bold name that begins its part: below `~`, or in the project. A file is the
    /// first that is named before its content.
    pub(super) fn files(&self, section: Section, title: &str) -> Vec<(String, Settings)> {
        let name = format!("**{title}**");
        let in_section =
            self.text.split_once(section.heading()).and_then(|(_, rest)| rest.split("\n## ").next());
        let start = in_section.and_then(|text| Some(&text[text.find(&name)?..]));
        let part = start.unwrap_or_else(|| panic!("the manual has no {name} in {section:?}"));
        let end = part.find("\n**").unwrap_or(part.len());
        let mut files = Vec::new();
        let mut pieces = part[..end].split("\n```");
        while let (Some(words), Some(block)) = (pieces.next(), pieces.next()) {
            let path = words.split('`').nth(1);
            let path = path.unwrap_or_else(|| panic!("the manual names no file for {title}: {words}"));
            let (language, content) = block.split_once('\n').unwrap_or_default();
            let settings = match language {
                "toml" | "yaml" => Settings::Text(content.to_owned()),
                _ => Settings::Json(
                    serde_json::from_str(content).unwrap_or_else(|why| panic!("{path}: {why}")),
                ),
            };
            files.push((path.to_owned(), settings));
        }
        assert!(!files.is_empty(), "the manual shows no file for {title}");
        files
    }

    /// What a client puts before the name of a tool.
    pub fn tool_prefix(&self, title: &str) -> String {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        let pieces: Vec<String> = words.join(" ").split('`').map(ToOwned::to_owned).collect();
        let of_client = |pair: &&[String]| {
            let clients = pair[1].strip_prefix(" (").and_then(|rest| rest.split_once(')'));
            clients.is_some_and(|(clients, _)| clients.split(", ").any(|client| client == title))
        };
        let found = pieces.windows(2).find(of_client);
        let shown = found.and_then(|pair| pair[0].strip_suffix('t'));
        shown.unwrap_or_else(|| panic!("the manual does not say how {title} calls a tool `t`")).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PAGE: &str = "\
# Page

## Configuration

**One**: `.one.json` in the project, or `--flag`. **Two**: `~/.two/x.json`.

```json
{\"a\": 1}
```

`.one/settings.json`, beside it:

```json
{\"b\": 2}
```

**Three**: `~/three.toml`.

```toml
[t]
c = 3
```

A tool `t` is called differently: `mcp__x__t` (One,
Three), `t`
(Two).

## HTTP

**One**: `.one.json`.

```json
{\"a\": \"http://127.0.0.1:7717/mcp\"}
```

## More
";

    #[test]
    fn files_and_names_are_read_from_the_page() {
        let manual = Manual::new(PAGE);
        let json = |path: &str, content| (path.to_owned(), Settings::Json(content));
        let one = [json(".one.json", json!({ "a": 1 })), json(".one/settings.json", json!({ "b": 2 }))];
        assert_eq!(manual.files(Section::Configuration, "One"), one);
        assert_eq!(manual.files(Section::Configuration, "Two")[0], json("~/.two/x.json", json!({ "a": 1 })));
        let remote = &manual.files(Section::Http, "One")[0].1.fill_in(&[(ADDRESS, "http://there")]);
        assert_eq!(*remote, Settings::Json(json!({ "a": "http://there" })));
        let three = [("~/three.toml".to_owned(), Settings::Text("[t]\nc = 3".to_owned()))];
        assert_eq!(manual.files(Section::Configuration, "Three"), three);
        assert_eq!(
            ["One", "Two", "Three"].map(|title| manual.tool_prefix(title)),
            ["mcp__x__", "", "mcp__x__"]
        );
    }
}
