//! A settings file of a client as a tree in which single places are changed and everything else stays as it was written.
//!
//! Owns what the formats have in common: the ways to a place, merging, and putting things back. How a change is
//! written is `json`, `toml_file` and `yaml_file`.

use serde_json::Value;

use super::json::JsonDocument;
use super::toml_file::TomlDocument;
use super::yaml_file::YamlDocument;
use crate::profile::Format;

/// One step of the way to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// Why a settings file can't be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum EditError {
    /// It is not what its name says.
    #[error("line {line}: {why}")]
    Malformed { line: usize, why: String },
    /// It is readable, and no place for ours.
    #[error("{why}")]
    Shape { why: String },
    /// Something else stands where ours belongs.
    #[error("`{at}` is no {wanted}")]
    Occupied { at: String, wanted: &'static str },
    /// Another program has our name there.
    #[error("`{at}` is another program")]
    Foreign { at: String },
}

/// A settings file that is being changed.
#[derive(Debug)]
pub(super) enum Document {
    Json(JsonDocument),
    Toml(Box<TomlDocument>),
    Yaml(YamlDocument),
}

impl Document {
    pub(super) fn parse(format: Format, text: &str) -> Result<Self, EditError> {
        match format {
            Format::Toml => TomlDocument::parse(text).map(|toml| Self::Toml(Box::new(toml))),
            Format::Yaml => YamlDocument::parse(text).map(Self::Yaml),
            Format::Json | Format::File => JsonDocument::parse(text).map(Self::Json),
        }
    }

    /// The text of a new file with this in it.
    pub(super) fn new_text(format: Format, base: Option<&Value>) -> Result<String, EditError> {
        let mut document = Self::parse(
            format,
            match format {
                Format::Json | Format::File => "{}\n",
                Format::Toml | Format::Yaml => "",
            },
        )?;
        if let Some(base) = base {
            document.merge(&[], base)?;
        }
        Ok(document.text())
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Json(json) => json.text(),
            Self::Toml(toml) => toml.text(),
            Self::Yaml(yaml) => yaml.text(),
        }
    }

    /// All of it as a value.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Json(json) => json.value(),
            Self::Toml(toml) => toml.value(),
            Self::Yaml(yaml) => yaml.value(),
        }
    }

    /// Puts a value in its place, and makes what the way there lacks.
    fn set(&mut self, way: &[Step], value: &Value) -> Result<(), EditError> {
        match self {
            Self::Json(json) => json.set(way, value),
            Self::Toml(toml) => toml.set(way, value),
            Self::Yaml(yaml) => yaml.set(way, value),
        }
    }

    /// Adds an element to a list, and makes the list where there is none.
    pub(super) fn push(&mut self, way: &[Step], value: &Value) -> Result<(), EditError> {
        match self {
            Self::Json(json) => json.push(way, value),
            Self::Toml(toml) => toml.push(way, value),
            Self::Yaml(yaml) => yaml.push(way, value),
        }
    }

    /// Takes away what is in a place.
    pub(super) fn remove(&mut self, way: &[Step]) {
        match self {
            Self::Json(json) => json.remove(way),
            Self::Toml(toml) => toml.remove(way),
            Self::Yaml(yaml) => yaml.remove(way),
        }
    }

    /// Has a place say at least this: fields that others added beside ours stay.
    pub(super) fn merge(&mut self, way: &[Step], wanted: &Value) -> Result<(), EditError> {
        let now = at(&self.value(), way).cloned();
        match (now, wanted) {
            (Some(Value::Object(_)), Value::Object(fields)) => {
                for (key, value) in fields {
                    let below = [way, &[Step::Key(key.clone())]].concat();
                    self.merge(&below, value)?;
                }
                Ok(())
            }
            (Some(now), wanted) if now == *wanted => Ok(()),
            _ => self.set(way, wanted),
        }
    }

    /// Puts a value in its place, whatever is there.
    pub(super) fn replace(&mut self, way: &[Step], value: &Value) -> Result<(), EditError> {
        match at(&self.value(), way) == Some(value) {
            true => Ok(()),
            false => self.set(way, value),
        }
    }

    /// Takes the containers on a way out that are empty now and were not there originally.
    pub(super) fn prune(&mut self, way: &[Step], original: &Value) {
        for length in (1..=way.len()).rev() {
            let way = &way[..length];
            let is_empty = match at(&self.value(), way) {
                Some(Value::Object(fields)) => fields.is_empty(),
                Some(Value::Array(items)) => items.is_empty(),
                _ => false,
            };
            if !is_empty || at(original, way).is_some() {
                return;
            }
            self.remove(way);
        }
    }
}

/// What stands in a place.
pub(super) fn at<'v>(value: &'v Value, way: &[Step]) -> Option<&'v Value> {
    way.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.as_object()?.get(key),
        Step::Index(index) => value.as_array()?.get(*index),
    })
}

/// A way made of keys.
pub(super) fn keys<S: AsRef<str>>(names: &[S]) -> Vec<Step> {
    names.iter().map(|name| Step::Key(name.as_ref().to_owned())).collect()
}

/// A way as people write it.
pub(super) fn shown(way: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Key(key) => key.clone(),
        Step::Index(index) => index.to_string(),
    };
    way.iter().map(step).collect::<Vec<_>>().join(".")
}
