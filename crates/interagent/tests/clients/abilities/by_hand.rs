//! Writes the hooks of a profile into the client's settings, from nothing.

use interagent_agents::{Fill, Format, Profiles, fill};
use interagent_testkit::clients::{Settings, Stage};
use serde_json::{Map, Value, json};

use crate::team::Team;

/// Every hook of the client's profile.
pub(super) fn set_up(profile: &str, team: &Team, stage: &Stage<'_>) {
    let profiles = Profiles::shipped();
    let profile = profiles.get(profile).unwrap();
    let hooks = profile.hooks.as_ref().unwrap();
    let binary = env!("CARGO_BIN_EXE_interagent");
    let mut json_hooks = Map::new();
    let mut toml_hooks = String::new();
    for event in &hooks.events {
        let mut arguments = vec!["hook".to_owned(), profile.name.clone(), event.name.clone()];
        if event.means.is_wait() {
            arguments.push("--wait".to_owned());
        }
        arguments.extend(["--agent".to_owned(), team.me.to_owned()]);
        let command = format!("{binary} {}", arguments.join(" "));
        let places = [
            ("{binary}", Fill::Text(binary)),
            ("{command}", Fill::Text(&command)),
            ("{arguments}", Fill::Words(&arguments)),
            ("{event}", Fill::Text(&event.name)),
        ];
        let element = fill(event.element.as_ref().or(hooks.element.as_ref()).unwrap(), &places);
        match hooks.format {
            Format::Json => {
                let list = json_hooks.entry(event.name.clone()).or_insert_with(|| json!([]));
                list.as_array_mut().unwrap().push(element);
            }
            _ => {
                toml_hooks.push_str("\n[[hooks]]\n");
                for (key, value) in element.as_object().unwrap() {
                    toml_hooks.push_str(&format!("{key} = {value}\n"));
                }
            }
        }
    }
    let mut base = hooks.base.clone().unwrap_or_else(|| json!({}));
    base["hooks"] = Value::Object(json_hooks);
    let settings = match hooks.format {
        Format::Json => Settings::Json(base),
        _ => Settings::Toml(toml_hooks),
    };
    stage.configure_with(vec![(hooks.user.clone().unwrap(), settings)]);
}
