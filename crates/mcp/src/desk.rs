//! One call of a tool, from its arguments to its answer. Blocking: it runs beside the protocol, never inside it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use interagent_core::briefing::Arrival;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::{AgentState, Intent};
use interagent_core::words::Word;
use interagent_wire::request::{AgentRegister, SpecSubscribe};
use interagent_wire::{Answer, Caller, Reply, Request};
use serde_json::{Map, Value};

use crate::connection::{Connection, Facts, HOW_TO_REGISTER};
use crate::envelope;
use crate::hub::{Door, Hubs};
use crate::inbox::{self, Ask};
use crate::lock::lock;
use crate::outcome::Outcome;
use crate::render::{self, Outlook};
use crate::tools::{self, Arguments, Does, Tool};

/// The state of one connection.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) hubs: Arc<Hubs>,
    pub(crate) connection: Connection,
}

impl Desk {
    pub(crate) fn new(door: Arc<dyn Door>, facts: Facts) -> Self {
        Self::over(Arc::new(Hubs::new(door)), facts)
    }

    /// A desk at a hub that others use too.
    pub(crate) fn over(hubs: Arc<Hubs>, facts: Facts) -> Self {
        Self { hubs, connection: Connection::new(facts) }
    }

    /// Answers a call of any tool but one that waits.
    pub(crate) fn call(&self, tool: &Tool, client: Option<&str>, arguments: Arguments) -> Outcome {
        let done = match tool.does {
            Does::Register => self.register(client, arguments),
            Does::Inbox => {
                let ask = self.ask(client, &arguments);
                inbox::check(self, &ask).map(|looked| looked.outcome)
            }
            Does::Read => self.read(client, arguments),
            Does::Spec => self.spec(tool, client, arguments),
            Does::Operation(operation) => self.operation(tool, operation, client, arguments),
            Does::Action(_) => match arguments.operation {
                Some(operation) => self.operation(tool, operation, client, arguments),
                None => Err(Refusal::usage("bad_request", format!("{} needs an action", tool.name))),
            },
        };
        done.unwrap_or_else(|refusal| {
            let is_nobody = refusal.code == "unbound";
            Outcome::refusal(&if is_nobody { refusal.hint(HOW_TO_REGISTER) } else { refusal })
        })
    }

    /// What a call of `check_inbox` asks for.
    pub(crate) fn ask(&self, client: Option<&str>, arguments: &Arguments) -> Ask {
        let limit = arguments.fields.get("limit").and_then(Value::as_u64);
        Ask {
            me: arguments.me.clone(),
            client: client.map(ToOwned::to_owned),
            limit: limit.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX)),
        }
    }

    /// Carries out a request as the agent at the other end, whoever that turns out to be.
    pub(crate) fn act(
        &self,
        client: Option<&str>,
        me: Option<&str>,
        request: impl Into<Request>,
    ) -> Result<(Caller, Reply), Refusal> {
        let request = request.into();
        let is_act = !tools::only_looks(request.name());
        let caller = self.connection.caller(&self.hubs, client, me)?;
        let reply = self.hubs.call(&caller, request)?;
        if is_act {
            self.connection.note_act();
        }
        Ok((caller, reply))
    }

    fn operation(
        &self,
        tool: &Tool,
        operation: &'static str,
        client: Option<&str>,
        arguments: Arguments,
    ) -> Result<Outcome, Refusal> {
        let Arguments { me, mut fields, .. } = arguments;
        let outlook = self.outlook(&fields);
        if operation == "status.set" {
            say_the_state(&mut fields);
        }
        let offset = match operation {
            "review.show" => fields.remove("after").and_then(|after| after.as_str()?.parse().ok()),
            _ => None,
        };
        let request = tools::request(tool, operation, fields)?;
        let reply = match tools::only_looks(operation) && me.is_none() {
            true => self.look(client, request)?,
            false => self.act(client, me.as_deref(), request)?.1,
        };
        if operation == "review.show" {
            return Ok(review(reply, offset));
        }
        Ok(Outcome::of_operation(operation, &reply, render::answer(operation, &reply.answer, outlook)))
    }

    /// What the caller may expect after a call with these parameters.
    fn outlook(&self, fields: &Map<String, Value>) -> Outlook {
        let intent =
            fields.get("intent").and_then(Value::as_str).and_then(|word| word.parse::<Intent>().ok());
        let asks = intent.is_some_and(|intent| {
            matches!(intent, Intent::Question | Intent::ReviewRequest | Intent::Blocked | Intent::Discussion)
        });
        Outlook { arrival: self.connection.arrival(), asks }
    }

    /// Carries out a request that changes nothing, for whoever is at the other end.
    fn look(&self, client: Option<&str>, request: Request) -> Result<Reply, Refusal> {
        if self.connection.is_settled() {
            return self.act(client, None, request).map(|(_, reply)| reply);
        }
        let caller = self.connection.onlooker(&self.hubs, client);
        self.hubs.call(&caller, request)
    }

    fn spec(&self, tool: &Tool, client: Option<&str>, mut arguments: Arguments) -> Result<Outcome, Refusal> {
        let offset = arguments.take_whole("offset").and_then(|offset| usize::try_from(offset).ok());
        let wish = match arguments.take_flag("subscribe") {
            Some(wanted) => Some(self.subscribe(client, &arguments, wanted)?),
            None => None,
        };
        let request = tools::request(tool, "spec.show", arguments.fields)?;
        let reply = self.look(client, request).map_err(|refusal| match (&wish, refusal.code.as_ref()) {
            // One may subscribe to what is still to come.
            (Some(said), "no_such_spec") => refusal.hint(*said),
            _ => refusal,
        })?;
        let Answer::Spec(mut spec) = reply.answer else {
            return Ok(Outcome::of(
                &reply,
                render::answer("spec.show", &reply.answer, self.outlook(&Map::new())),
            ));
        };
        let body = spec.body.clone().unwrap_or_default();
        let part = envelope::part(&body, offset.unwrap_or(0), envelope::ANSWER_BYTES);
        let mut text = render::spec_text(&spec, &part);
        if let Some(said) = wish {
            text.text.push_str(&format!("\n{said}"));
        }
        spec.body = spec.body.map(|_| part.text.to_owned());
        let mut outcome = Outcome::of(&Reply { answer: Answer::Spec(spec), ..reply }, text);
        outcome.says_more_at(part.next, &[]);
        Ok(outcome)
    }

    /// Subscribes to a spec or takes that back, and says so.
    fn subscribe(
        &self,
        client: Option<&str>,
        arguments: &Arguments,
        wanted: bool,
    ) -> Result<&'static str, Refusal> {
        let name = arguments.fields.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.act(client, None, SpecSubscribe { name, remove: !wanted })?;
        Ok(match wanted {
            true => "you are subscribed: every new version comes as mail",
            false => "you are not subscribed",
        })
    }

    fn register(&self, client: Option<&str>, mut arguments: Arguments) -> Result<Outcome, Refusal> {
        let workspace = arguments.take_text("workspace");
        if let Some(workspace) = &workspace {
            must_be_a_place(workspace)?;
        }
        let introduction = AgentRegister {
            name: arguments.take_text("name").unwrap_or_default(),
            profile: None,
            description: arguments.take_text("description"),
            workspace,
        };
        let reply = self.connection.register(&self.hubs, client, introduction)?;
        let text = match &reply.answer {
            Answer::Agent(agent) => render::welcome(agent),
            other => render::answer("agent.register", other, self.outlook(&Map::new())),
        };
        Ok(Outcome::of(&reply, text))
    }

    fn read(&self, client: Option<&str>, mut arguments: Arguments) -> Result<Outcome, Refusal> {
        let ask = self.ask(client, &arguments);
        let offset = arguments.take_whole("offset").and_then(|offset| usize::try_from(offset).ok());
        let message = arguments.take_text("message").unwrap_or_default();
        inbox::read(self, &ask, message, offset.unwrap_or(0))
    }
}

/// A review as a model reads it: the diff in parts, with the threads at their lines.
fn review(mut reply: Reply, offset: Option<usize>) -> Outcome {
    let Answer::Review(view) = &mut reply.answer else {
        let text =
            render::answer("review.show", &reply.answer, Outlook { arrival: Arrival::ByHook, asks: false });
        return Outcome::of(&reply, text);
    };
    let whole = render::annotated(view);
    let part = envelope::part(&whole, offset.unwrap_or(0), envelope::ANSWER_BYTES);
    let text = render::review_text(view, &part);
    view.diff = view.diff.as_ref().map(|_| part.text.to_owned());
    let mut outcome = Outcome::of(&reply, text);
    outcome.says_more_at(part.next, &[]);
    outcome
}

/// A status that is one of the words for a state is one.
fn say_the_state(fields: &mut Map<String, Value>) {
    let said = fields.get("text").and_then(Value::as_str).and_then(AgentState::from_word);
    if let (Some(state), false) = (said, fields.contains_key("state")) {
        fields.insert("state".to_owned(), state.as_str().into());
    }
}

/// A workspace is a directory that is there, named from the root: signal files are written into it.
fn must_be_a_place(workspace: &str) -> Result<(), Refusal> {
    let path = Path::new(workspace);
    let is_plain = path.components().all(|part| !matches!(part, std::path::Component::ParentDir));
    let shown: String = workspace.chars().take(200).collect();
    if !path.is_absolute() || !is_plain || workspace.contains('\0') {
        return Err(Refusal::usage(
            "bad_workspace",
            format!("`{shown}` is not an absolute path without `..`"),
        )
        .hint("pass the directory you work in, from the root, or leave workspace_path out"));
    }
    if !path.is_dir() {
        return Err(Refusal::usage("bad_workspace", format!("`{shown}` is not a directory here"))
            .hint("pass the directory you work in, or leave workspace_path out"));
    }
    Ok(())
}

/// The desks of one server: one for each session that calls name, and one for calls that name none.
#[derive(Debug)]
pub(crate) struct Desks {
    facts: Facts,
    unnamed: Arc<Desk>,
    named: Mutex<BTreeMap<String, Arc<Desk>>>,
}

impl Desks {
    pub(crate) fn new(door: Arc<dyn Door>, facts: Facts) -> Self {
        let unnamed = Arc::new(Desk::new(door, facts.clone()));
        Self { facts, unnamed, named: Mutex::default() }
    }

    pub(crate) fn hubs(&self) -> Arc<Hubs> {
        self.unnamed.hubs.clone()
    }

    /// How messages reach the agents at the other end.
    pub(crate) fn arrival(&self) -> Arrival {
        self.unnamed.connection.arrival()
    }

    /// The desk of the session that a call names.
    pub(crate) fn of_call(&self, meta: &Map<String, Value>) -> Arc<Desk> {
        let Some(session) = self.facts.session_of(meta) else { return self.unnamed.clone() };
        let mut named = lock(&self.named);
        let desk = named.entry(session).or_insert_with_key(|session| {
            Arc::new(Desk::over(self.unnamed.hubs.clone(), self.facts.of_session(session)))
        });
        desk.clone()
    }

    /// Ends what was bound for the client: it is gone.
    pub(crate) fn close(&self) {
        for desk in lock(&self.named).values().chain([&self.unnamed]) {
            desk.connection.close(&desk.hubs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_workspace_is_a_directory_from_the_root() {
        assert_eq!(must_be_a_place("/"), Ok(()));
        for bad in [".", "work", "/tmp/../etc", "/no/such/place/at/all", "/dev/null", "/x\0y"] {
            assert!(must_be_a_place(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_status_word_is_a_state() {
        for (fields, state) in [
            (json!({ "text": "Idle" }), json!("idle")),
            (json!({ "text": "idle talk" }), Value::Null),
            (json!({ "text": "idle", "state": "working" }), json!("working")),
        ] {
            let Value::Object(mut fields) = fields else { unreachable!() };
            say_the_state(&mut fields);
            assert_eq!(fields.get("state").cloned().unwrap_or_default(), state);
        }
    }
}
