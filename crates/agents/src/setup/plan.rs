//! From clients to the files that have to change.

use std::path::Path;

use serde_json::{Value, json};

use super::document::{Document, EditError, Step, at, keys, shown};
use super::parts::{Part, parts};
use super::pin::{Pin, PinChange};
use super::write::REPAIR;
use super::{Disk, FileChange, Level, Piece, Plan, Setup, State, Trouble, What, block, command, hooks};
use crate::plugin;
use crate::profile::{Format, Mcp, Setting};
use crate::template::{Fill, fill};

/// The skill of a client that has our MCP server.
pub const SKILL_FOR_TOOLS: &str = include_str!("../../texts/skill-tools.md");
/// The skill of a client that has only a shell.
pub const SKILL_FOR_SHELL: &str = include_str!("../../texts/skill-shell.md");

/// The variable that names the agent to our server.
const AGENT_VARIABLE: &str = "INTERAGENT_AGENT";

/// Plans the setup of these clients, one after the other: what one changes is what the next one finds.
pub fn plan(setups: &[Setup<'_>], disk: &dyn Disk) -> Plan {
    plan_some(setups, disk, &|_, _, _| true)
}

/// Plans only the pieces that are wanted, each told by what it is, whose file it is in, and the file as the client calls it.
pub fn plan_some(
    setups: &[Setup<'_>],
    disk: &dyn Disk,
    is_wanted: &dyn Fn(What, Level, &Path) -> bool,
) -> Plan {
    let mut planner = Planner { disk, plan: Plan::default() };
    for setup in setups {
        for part in parts(setup, disk).iter().filter(|part| is_wanted(part.what, part.level, &part.named)) {
            planner.add(setup, part);
        }
    }
    planner.plan.changes.retain(|change| change.before.as_ref() != Some(&change.after));
    planner.plan
}

/// A file that lists our server and nothing else, for a client that is given one on its command line.
pub fn server_file(setup: &Setup<'_>) -> Option<String> {
    let part = Part { what: What::Mcp, named: std::path::PathBuf::new(), level: setup.level };
    setup.profile.mcp.as_ref()?;
    written(setup, &part, None).ok().map(|(text, _)| text)
}

struct Planner<'d> {
    disk: &'d dyn Disk,
    plan: Plan,
}

/// Why a piece can't be put into its file, and what helps.
struct Hindrance {
    sentence: String,
    hint: String,
}

impl Planner<'_> {
    fn add(&mut self, setup: &Setup<'_>, part: &Part) {
        let profile = setup.profile.name.clone();
        match self.placed(setup, part) {
            Ok(piece) => self.plan.pieces.push(piece),
            Err(Hindrance { sentence, hint }) => {
                self.plan.troubles.push(Trouble { profile, what: part.what, sentence, hint });
            }
        }
    }

    fn placed(&mut self, setup: &Setup<'_>, part: &Part) -> Result<Piece, Hindrance> {
        let named = &part.named;
        let unreadable = |error: std::io::Error| Hindrance {
            sentence: format!("`{}` can't be changed: {error}", named.display()),
            hint: REPAIR.to_owned(),
        };
        let path = self.disk.target(named).map_err(unreadable)?;
        let root = match part.level {
            Level::Project => Some(setup.project),
            Level::User => setup.home,
        };
        let root = root.map(|root| self.disk.target(root)).transpose().map_err(unreadable)?;
        if part.level == Level::Project && root.is_some_and(|root| !path.starts_with(root)) {
            return Err(Hindrance {
                sentence: format!(
                    "`{}` is a link to `{}`, outside the project",
                    named.display(),
                    path.display()
                ),
                hint: "put a file in its place, or use interagent setup --user".to_owned(),
            });
        }
        let known = self.plan.changes.iter().position(|change| change.path == path);
        let index = match known {
            Some(index) => index,
            None => {
                let before = self.disk.read(&path).map_err(unreadable)?;
                let after = before.clone().unwrap_or_default();
                let named = self.named_without_links(named, part.level, setup);
                let change = FileChange {
                    path: path.clone(),
                    named,
                    level: part.level,
                    before,
                    after,
                    what: Vec::new(),
                };
                self.plan.changes.push(change);
                self.plan.changes.len() - 1
            }
        };
        let change = &self.plan.changes[index];
        let is_new = change.before.is_none() && change.what.is_empty();
        let now = (!is_new).then_some(change.after.as_str());
        let (after, had_ours) = match written(setup, part, now) {
            Ok(written) => written,
            Err(hindrance) => {
                if is_new {
                    self.plan.changes.remove(index);
                }
                return Err(hindrance);
            }
        };
        let state = match (now == Some(after.as_str()), had_ours) {
            (true, _) => State::Right,
            (false, true) => State::Differs,
            (false, false) => State::Missing,
        };
        self.plan.pins.extend(PinChange::between(setup, part, now, &after));
        let change = &mut self.plan.changes[index];
        change.after = after;
        if !change.what.contains(&part.what) {
            change.what.push(part.what);
        }
        let profile = setup.profile.name.clone();
        Ok(Piece { profile, what: part.what, path, level: part.level, state })
    }

    /// The path as the client calls it, below the real place of the project or the home: only links further in count.
    fn named_without_links(&self, named: &Path, level: Level, setup: &Setup<'_>) -> std::path::PathBuf {
        let root = match level {
            Level::Project => Some(setup.project),
            Level::User => setup.home,
        };
        let inside =
            root.and_then(|root| Some((self.disk.target(root).ok()?, named.strip_prefix(root).ok()?)));
        inside.map_or_else(|| named.to_owned(), |(root, rest)| root.join(rest))
    }
}

/// What the file says with the piece in it, and whether something of the piece was there.
fn written(setup: &Setup<'_>, part: &Part, now: Option<&str>) -> Result<(String, bool), Hindrance> {
    let setup = &Setup { agent: Pin::of(setup, part), ..*setup };
    let profile = setup.profile;
    match (part.what, &profile.mcp, &profile.hooks) {
        (What::Mcp, Some(mcp), _) => {
            let mut document = document(part, mcp.format, now, None)?;
            let had_ours =
                write_server(&mut document, mcp, setup).map_err(|error| trouble(part, mcp.format, &error))?;
            Ok((document.text(), had_ours))
        }
        (What::Hooks, _, Some(found)) => match found.file.as_deref().and_then(plugin::text) {
            Some(text) => {
                let kept = now.and_then(plugin::agent_of);
                let agent = setup.agent.name_after(kept.as_deref());
                Ok((plugin::filled(text, &profile.name, setup.binary, agent), now.is_some()))
            }
            None => {
                let mut document = document(part, found.format, now, found.base.as_ref())?;
                let write = |document: &mut Document| {
                    let had_ours = hooks::write(document, found, &profile.name, setup.binary, setup.agent)?;
                    also(document, &found.also)?;
                    Ok(had_ours)
                };
                let had_ours = write(&mut document).map_err(|error| trouble(part, found.format, &error))?;
                Ok((document.text(), had_ours))
            }
        },
        (What::Skill, ..) => {
            let skill = if profile.gets_server() { SKILL_FOR_TOOLS } else { SKILL_FOR_SHELL };
            Ok((skill.to_owned(), now.is_some()))
        }
        _ => {
            let now = now.unwrap_or_default();
            let after = block::with_block(now, block::block(profile)).map_err(|why| Hindrance {
                sentence: format!("`{}` was left alone: {why}", part.named.display()),
                hint: "remove the lines with interagent:begin and interagent:end".to_owned(),
            })?;
            Ok((after, block::has_block(now)))
        }
    }
}

fn document(
    part: &Part,
    format: Format,
    now: Option<&str>,
    base: Option<&Value>,
) -> Result<Document, Hindrance> {
    let parse = |text: &str| Document::parse(format, text);
    let parsed = match now {
        Some(text) => parse(text),
        None => Document::new_text(format, base).and_then(|text| parse(&text)),
    };
    parsed.map_err(|error| trouble(part, format, &error))
}

fn trouble(part: &Part, format: Format, error: &EditError) -> Hindrance {
    let file = part.named.display();
    let language = match format {
        Format::Toml => "TOML",
        Format::Yaml => "YAML",
        Format::Json | Format::File => "JSON",
    };
    match error {
        EditError::Malformed { line, why } => Hindrance {
            sentence: format!("`{file}` is not valid {language} and was left alone: line {line}: {why}"),
            hint: format!("repair line {line} and run interagent setup again"),
        },
        EditError::Occupied { .. } | EditError::Shape { .. } => Hindrance {
            sentence: format!("`{file}` was left alone: {error}"),
            hint: "change it by hand and run interagent setup again".to_owned(),
        },
        EditError::Foreign { at } => Hindrance {
            sentence: format!("`{file}` was left alone: `{at}` is another program"),
            hint: format!("rename or remove `{at}` there and run interagent setup again"),
        },
    }
}

/// Writes our entry into the list of MCP servers; says whether there was one before.
fn write_server(document: &mut Document, mcp: &Mcp, setup: &Setup<'_>) -> Result<bool, EditError> {
    let way = keys(&mcp.at);
    let value = document.value();
    let now = at(&value, &way);
    if let Some(now) = now {
        // Somebody who connects over HTTP does so on purpose.
        let is_remote = ["url", "httpUrl", "uri"].iter().any(|field| now.get(field).is_some());
        if is_remote {
            return Ok(true);
        }
        if !command::is_our_server(now, setup.binary) {
            return Err(EditError::Foreign { at: shown(&way) });
        }
    }
    let binary = setup.binary.to_string_lossy();
    let env = setup.agent.name_after(None).map(|agent| json!({ AGENT_VARIABLE: agent }));
    let entry = fill(&mcp.entry, &[("{binary}", Fill::Text(&binary)), ("{env}", Fill::Value(env.as_ref()))]);
    document.merge(&way, &entry)?;
    if setup.agent == Pin::Nobody {
        unpin(document, mcp, &way);
    }
    also(document, &mcp.also)?;
    Ok(now.is_some())
}

/// Takes the agent out of the variables of our entry, and the variables with the last of them.
fn unpin(document: &mut Document, mcp: &Mcp, way: &[Step]) {
    let fields = mcp.entry.as_object().into_iter().flatten();
    for (field, _) in fields.filter(|(_, value)| value.as_str() == Some("{env}")) {
        let variables = [way, &[Step::Key(field.clone())]].concat();
        let variable = [variables.as_slice(), &[Step::Key(AGENT_VARIABLE.to_owned())]].concat();
        if at(&document.value(), &variable).is_some() {
            document.remove(&variable);
            document.prune(&variables, &Value::Null);
        }
    }
}

fn also(document: &mut Document, settings: &[Setting]) -> Result<(), EditError> {
    for setting in settings {
        let way: Vec<Step> = keys(&setting.at);
        if let Some(value) = &setting.value {
            document.merge(&way, value)?;
        }
        if let Some(element) = &setting.add {
            let value = document.value();
            let list = at(&value, &way).and_then(Value::as_array);
            if !list.is_some_and(|list| list.contains(element)) {
                document.push(&way, element)?;
            }
        }
    }
    Ok(())
}
