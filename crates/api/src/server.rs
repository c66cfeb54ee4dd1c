//! The loop: one line after the other, in the order in which they come.
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

use crate::hub::{Door, Need, Pool, Served};
use crate::line::{LINE_BYTES, Line, Lines};
use crate::out::Out;
use crate::protocol::{self, Asked, What};
use crate::waits::{Sought, Waits};

/// Lines that are read ahead. A client that sends more waits until its earlier requests are answered.
const AHEAD: usize = 64;

/// What a server reads and writes.
pub struct Streams {
    /// Requests.
    pub input: Box<dyn Read + Send>,
    /// Answers.
    pub output: Box<dyn Write + Send>,
    /// A byte arrives here when the process should end.
    pub wishes_to_end: Option<Box<dyn Read + Send>>,
}

impl std::fmt::Debug for Streams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Streams").finish_non_exhaustive()
    }
}

/// What a server did until it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It only read.
    Read,
    /// It may have written to the hub.
    Wrote,
}

/// What the loop waits for.
pub(crate) enum Event {
    Line(Line),
    End,
}

/// Serves one program until it closes its end, leaves, or wishes us to end.
pub fn serve(program: &str, streams: Streams, door: Arc<dyn Door>, caller: Caller) -> Outcome {
    let (events, inbox) = sync_channel(AHEAD);
    let out = Arc::new(Out::new(streams.output, events.clone()));
    out.write(&protocol::hello(program));
    read_beside(streams.input, events.clone());
    if let Some(wishes) = streams.wishes_to_end {
        end_beside(wishes, events);
    }
    let waits = Waits::new(Pool::new(door.clone()), out.clone());
    let mut server = Server { door, hub: None, caller, out, waits, outcome: Outcome::Read };
    server.run(&inbox);
    server.outcome
}

fn read_beside(input: Box<dyn Read + Send>, events: SyncSender<Event>) {
    thread::spawn(move || {
        let mut lines = Lines::new(input);
        while let Ok(Some(line)) = lines.next() {
            if events.send(Event::Line(line)).is_err() {
                return;
            }
        }
        let _ = events.send(Event::End);
    });
}

fn end_beside(mut wishes: Box<dyn Read + Send>, events: SyncSender<Event>) {
    thread::spawn(move || {
        if wishes.read(&mut [0]).is_ok() {
            let _ = events.send(Event::End);
        }
    });
}

struct Server {
    door: Arc<dyn Door>,
    hub: Option<Box<dyn Served>>,
    caller: Caller,
    out: Arc<Out>,
    waits: Waits,
    outcome: Outcome,
}

impl Server {
    fn run(&mut self, inbox: &Receiver<Event>) {
        while let Ok(Event::Line(line)) = inbox.recv() {
            let line = match line {
                Line::Whole(line) => line,
                Line::TooLong => {
                    self.refuse(protocol::too_long(LINE_BYTES));
                    continue;
                }
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            match protocol::parse(&line) {
                Ok(asked) => self.answer(asked),
                Err(bad) => self.refuse(bad),
            }
        }
    }

    fn refuse(&self, (id, refusal): (Value, Refusal)) {
        self.out.write(&protocol::refused(id, &refusal));
    }

    fn answer(&mut self, asked: Asked) {
        let Asked { id, agent, what } = asked;
        let mut caller = self.caller.clone();
        if agent.is_some() {
            caller.behalf = agent;
        }
        match what {
            What::Operation(request) => self.call(id, &caller, *request),
            What::Wait(wait) => self.waits.begin(id, caller, Sought::Wait(wait)),
            What::Events(events) => self.waits.begin(id, caller, Sought::Events(events)),
            What::Cancel(wait) => {
                let is_cancelled = self.waits.cancel(&wait);
                let seq = self.hub.as_mut().map_or(0, |hub| hub.reached());
                self.out.write(&protocol::told(id, seq, &json!({ "cancelled": is_cancelled })));
            }
        }
    }

    fn call(&mut self, id: Value, caller: &Caller, request: Request) {
        let effect = Request::ALL.iter().find(|(name, _)| *name == request.name()).map(|(_, effect)| *effect);
        let need = if effect == Some(Effect::Read) { Need::Read } else { Need::Write };
        if need == Need::Write {
            self.outcome = Outcome::Wrote;
        }
        let mut reply = match self.called(caller, request, need) {
            Ok(reply) => reply,
            Err(refusal) => return self.refuse((id, refusal)),
        };
        let effects = std::mem::take(&mut reply.effects);
        self.out.write(&protocol::answered(id, &reply));
        carry_out(&effects);
        if let Some(hub) = &mut self.hub {
            hub.upkeep();
        }
    }

    /// Calls the hub, which is opened at the first call and again after it was unusable.
    fn called(&mut self, caller: &Caller, request: Request, need: Need) -> Result<Reply, Refusal> {
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
