//! YAML as the same plain values that JSON gives, for the files of the Captain system.
//!
//! Anchors and aliases are refused, so no text grows while it is read; depth and number of nodes are bounded.

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput};
use serde_json::{Map, Value};

/// Its own files have four levels.
const DEEPEST: usize = 16;
/// An inbox of ten thousand messages has a hundred thousand.
const NODES: usize = 2_000_000;

/// The first document of a text, or why it is none.
pub(super) fn read(text: &str) -> Result<Value, String> {
    let mut reader = Reader { parser: Parser::new_from_str(text), nodes: 0 };
    loop {
        match reader.next()? {
            Event::StreamEnd => return Ok(Value::Null),
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            event => return reader.node(event, 0),
        }
    }
}

struct Reader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    nodes: usize,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<Event<'t>, String> {
        let broken =
            |error: ScanError| format!("line {}: it is not YAML: {}", error.marker().line(), error.info());
        match self.parser.next_event() {
            Some(event) => event.map(|(event, _)| event).map_err(broken),
            None => Ok(Event::StreamEnd),
        }
    }

    fn node(&mut self, event: Event<'t>, depth: usize) -> Result<Value, String> {
        self.nodes += 1;
        if depth > DEEPEST || self.nodes > NODES {
            return Err("it is nested too deep, or too large".to_owned());
        }
        match event {
            Event::Scalar(text, style, ..) => Ok(scalar(text.into_owned(), style)),
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => return Ok(Value::Array(items)),
                        event => items.push(self.node(event, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(..) => {
                let mut fields = Map::new();
                loop {
                    let name = match self.next()? {
                        Event::MappingEnd => return Ok(Value::Object(fields)),
                        Event::Scalar(name, ..) => name.into_owned(),
                        _ => return Err("the name of a field is not a word".to_owned()),
                    };
                    let event = self.next()?;
                    let value = self.node(event, depth + 1)?;
                    fields.insert(name, value);
                }
            }
            Event::Alias(_) => Err("it uses aliases".to_owned()),
            _ => Err("something is missing in it".to_owned()),
        }
    }
}

/// Words stay words: `cmd_035` and `012` mean their letters. Only truth values and nothing are told apart.
fn scalar(text: String, style: ScalarStyle) -> Value {
    match (style, text.as_str()) {
        (ScalarStyle::Plain, "" | "~" | "null" | "Null" | "NULL") => Value::Null,
        (ScalarStyle::Plain, "true" | "True") => Value::Bool(true),
        (ScalarStyle::Plain, "false" | "False") => Value::Bool(false),
        _ => Value::String(text),
    }
}
