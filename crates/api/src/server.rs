//! The loop: one line after the other, in the order of arrival.
//!
//! Calls are carried out and answered in that order. Waits are answered when they end.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_operations::carry_out;
use interagent_wire::request::Effect;
use interagent_wire::{Caller, Reply, Request};
use serde_json::{Value, json};

use crate::hub::{HubNeed, HubOpener, HubPool, ServedHub};
use crate::line::{InputLine, InputLines, LINE_BYTES};
use crate::out::AnswerStream;
use crate::protocol::{self, ApiOperation, ApiRequest};
use crate::waits::{WaitKind, WaitTable};

/// Lines that are read ahead. A client that sends more waits until its earlier requests are answered.
const AHEAD: usize = 64;

/// The streams of a server.
pub struct ApiStreams {
    /// Requests.
    pub input: Box<dyn Read + Send>,
    /// Answers.
    pub output: Box<dyn Write + Send>,
    /// Receives a byte when the process should end.
    pub wishes_to_end: Option<Box<dyn Read + Send>>,
}

impl std::fmt::Debug for ApiStreams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApiStreams").finish_non_exhaustive()
    }
}

/// Whether a server changed the hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServeOutcome {
    /// It only read.
    Read,
    /// It may have written to the hub.
    Wrote,
}

/// An event of the loop.
pub(crate) enum ServerEvent {
    InputLine(InputLine),
    End,
}

/// Serves one program until it closes its end, stops reading, or asks the process to end.
pub fn serve(program: &str, streams: ApiStreams, door: Arc<dyn HubOpener>, caller: Caller) -> ServeOutcome {
    let (events, inbox) = sync_channel(AHEAD);
    let out = Arc::new(AnswerStream::new(streams.output, events.clone()));
    out.write(&protocol::hello(program));
    read_beside(streams.input, events.clone());
    if let Some(wishes) = streams.wishes_to_end {
        end_beside(wishes, events);
    }
    let waits = WaitTable::new(HubPool::new(door.clone()), out.clone());
    let mut server = Server { door, hub: None, caller, out, waits, outcome: ServeOutcome::Read };
    server.run(&inbox);
    server.outcome
}

fn read_beside(input: Box<dyn Read + Send>, events: SyncSender<ServerEvent>) {
    thread::spawn(move || {
        let mut lines = InputLines::new(input);
        while let Ok(Some(line)) = lines.next() {
            if events.send(ServerEvent::InputLine(line)).is_err() {
                return;
            }
        }
        let _ = events.send(ServerEvent::End);
    });
}

fn end_beside(mut wishes: Box<dyn Read + Send>, events: SyncSender<ServerEvent>) {
    thread::spawn(move || {
        if wishes.read(&mut [0]).is_ok() {
            let _ = events.send(ServerEvent::End);
        }
    });
}

struct Server {
    door: Arc<dyn HubOpener>,
    hub: Option<Box<dyn ServedHub>>,
    caller: Caller,
    out: Arc<AnswerStream>,
    waits: WaitTable,
    outcome: ServeOutcome,
}

impl Server {
    fn run(&mut self, inbox: &Receiver<ServerEvent>) {
        while let Ok(ServerEvent::InputLine(line)) = inbox.recv() {
            let line = match line {
                InputLine::Whole(line) => line,
                InputLine::TooLong => {
                    self.refuse(protocol::too_long(LINE_BYTES));
                    continue;
                }
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            match protocol::parse(&line) {
                Ok(request) => self.answer(request),
                Err(bad) => self.refuse(bad),
            }
        }
    }

    fn refuse(&self, (id, refusal): (Value, Refusal)) {
        self.out.write(&protocol::refusal_answer(id, &refusal));
    }

    fn answer(&mut self, request: ApiRequest) {
        let ApiRequest { id, agent, operation } = request;
        let mut caller = self.caller.clone();
        if agent.is_some() {
            caller.behalf = agent;
        }
        match operation {
            ApiOperation::Operation(request) => self.call(id, &caller, *request),
            ApiOperation::Wait(wait) => self.waits.begin(id, caller, WaitKind::Wait(wait)),
            ApiOperation::Events(events) => self.waits.begin(id, caller, WaitKind::Events(events)),
            ApiOperation::Cancel(wait) => {
                let is_cancelled = self.waits.cancel(&wait);
                let seq = self.hub.as_mut().map_or(0, |hub| hub.reached());
                self.out.write(&protocol::surface_answer(id, seq, &json!({ "cancelled": is_cancelled })));
            }
        }
    }

    fn call(&mut self, id: Value, caller: &Caller, request: Request) {
        let effect = Request::ALL.iter().find(|(name, _)| *name == request.name()).map(|(_, effect)| *effect);
        let need = if effect == Some(Effect::Read) { HubNeed::Read } else { HubNeed::Write };
        if need == HubNeed::Write {
            self.outcome = ServeOutcome::Wrote;
        }
        let mut reply = match self.called(caller, request, need) {
            Ok(reply) => reply,
            Err(refusal) => return self.refuse((id, refusal)),
        };
        let effects = std::mem::take(&mut reply.effects);
        self.out.write(&protocol::operation_answer(id, &reply));
        carry_out(&effects);
        if let Some(hub) = &mut self.hub {
            hub.upkeep();
        }
    }

    /// Calls the hub, which is opened at the first call and again after it was unusable.
    fn called(&mut self, caller: &Caller, request: Request, need: HubNeed) -> Result<Reply, Refusal> {
        let mut hub = match self.hub.take() {
            Some(hub) => hub,
            None => self.door.open(need)?,
        };
        let reply = hub.call(caller, request);
        if !matches!(&reply, Err(refusal) if refusal.kind == RefusalKind::Unavailable) {
            self.hub = Some(hub);
        }
        reply
    }
}
