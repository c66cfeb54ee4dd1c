//! Changes of a JSON file, which may have comments: all that is not changed keeps its bytes.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use super::document::{EditError, Step, shown};

/// Editors of one system put it before a text; it is no part of it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Comments and trailing commas are what clients accept; what only some other dialect knows would break theirs.
const DIALECT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A JSON file that is being changed.
#[derive(Debug)]
pub(super) struct JsonDocument {
    root: CstRootNode,
    has_mark: bool,
}

impl JsonDocument {
    pub(super) fn parse(text: &str) -> Result<Self, EditError> {
        let bare = text.strip_prefix(BYTE_ORDER_MARK);
        let (text, has_mark) = (bare.unwrap_or(text), bare.is_some());
        let root = CstRootNode::parse(text, &DIALECT).map_err(|error| EditError::Malformed {
            line: error.line_display(),
            why: error.kind().to_string(),
        })?;
        if root.value().is_some_and(|value| value.as_object().is_none()) {
            return Err(EditError::Shape { why: "it is not an object".to_owned() });
        }
        if let Some(name) = root.value().and_then(|value| said_twice(&value)) {
            // Which of the two a client reads is its own affair.
            return Err(EditError::Shape { why: format!("`{name}` is in it twice") });
        }
        if root.to_string() != text {
            // Never seen; what can't be written back as it was is not touched.
            return Err(EditError::Malformed { line: 1, why: "it can't be read exactly".to_owned() });
        }
        Ok(Self { root, has_mark })
    }

    pub(super) fn text(&self) -> String {
        let text = self.root.to_string();
        if self.has_mark { format!("{BYTE_ORDER_MARK}{text}") } else { text }
    }

    pub(super) fn value(&self) -> Value {
        self.root.to_serde_value().unwrap_or_else(|| Value::Object(serde_json::Map::new()))
    }

    pub(super) fn set(&mut self, way: &[Step], value: &Value) -> Result<(), EditError> {
        let Some((last, above)) = way.split_last() else {
            self.root.set_value(input(value));
            return Ok(());
        };
        match last {
            Step::Key(key) => {
                let object = self.object(above)?;
                match object.get(key) {
                    Some(field) => field.set_value(input(value)),
                    None => {
                        object.append(key, input(value));
                    }
                }
            }
            Step::Index(index) => {
                let array = self.array(above)?;
                if let Some(element) = array.elements().get(*index).cloned() {
                    element.remove();
                }
                array.insert(*index, input(value));
            }
        }
        Ok(())
    }

    pub(super) fn push(&mut self, way: &[Step], value: &Value) -> Result<(), EditError> {
        self.array(way)?.append(input(value));
        Ok(())
    }

    pub(super) fn remove(&mut self, way: &[Step]) {
        let Some((last, above)) = way.split_last() else { return };
        let Some(parent) = self.node(above) else { return };
        match last {
            Step::Key(key) => {
                if let Some(field) = parent.as_object().and_then(|object| object.get(key)) {
                    field.remove();
                }
            }
            Step::Index(index) => {
                let elements = parent.as_array().map(|array| array.elements()).unwrap_or_default();
                if let Some(element) = elements.get(*index).cloned() {
                    element.remove();
                }
            }
        }
    }

    fn node(&self, way: &[Step]) -> Option<CstNode> {
        way.iter().try_fold(self.root.value()?, |node, step| match step {
            Step::Key(key) => node.as_object()?.get(key)?.value(),
            Step::Index(index) => node.as_array()?.elements().get(*index).cloned(),
        })
    }

    /// The object in a place; what is missing on the way is made.
    fn object(&self, way: &[Step]) -> Result<CstObject, EditError> {
        let occupied = |length: usize| EditError::Occupied { at: shown(&way[..length]), wanted: "object" };
        let mut object = self.root.object_value_or_create().ok_or_else(|| occupied(0))?;
        let mut done = 0;
        while done < way.len() {
            let Step::Key(key) = &way[done] else {
                // Elements are never made on the way.
                let node = self.node(way).and_then(|node| node.as_object());
                return node.ok_or_else(|| occupied(way.len()));
            };
            done += 1;
            if matches!(way.get(done), Some(Step::Index(_))) {
                let node = self.node(way).and_then(|node| node.as_object());
                return node.ok_or_else(|| occupied(way.len()));
            }
            object = object.object_value_or_create(key).ok_or_else(|| occupied(done))?;
        }
        Ok(object)
    }

    /// The list in a place; made where there is none.
    fn array(&self, way: &[Step]) -> Result<CstArray, EditError> {
        let occupied = || EditError::Occupied { at: shown(way), wanted: "list" };
        match way.split_last() {
            Some((Step::Key(key), above)) => {
                self.object(above)?.array_value_or_create(key).ok_or_else(occupied)
            }
            _ => self.node(way).and_then(|node| node.as_array()).ok_or_else(occupied),
        }
    }
}

/// A name that one object has twice.
fn said_twice(node: &CstNode) -> Option<String> {
    if let Some(array) = node.as_array() {
        return array.elements().iter().find_map(said_twice);
    }
    let fields = node.as_object()?.properties();
    let mut seen = Vec::with_capacity(fields.len());
    for field in fields {
        let Some(name) = field.name().and_then(|name| name.decoded_value().ok()) else { continue };
        if seen.contains(&name) {
            return Some(name);
        }
        seen.push(name);
        if let Some(found) = field.value().and_then(|value| said_twice(&value)) {
            return Some(found);
        }
    }
    None
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(truth) => CstInputValue::Bool(*truth),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
