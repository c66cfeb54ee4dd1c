//! How a client is pointed at the model of a canary.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::template::{Fill, fill_text, fill_words};

/// What makes a headless run use a model on loopback instead of the user's. Without it a client can't be checked.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Canary {
    /// Variables to set, with `{url}`.
    pub environment: BTreeMap<String, String>,
    /// Variables to remove: keys, and choices of another model.
    pub unset: Vec<String>,
    /// Arguments behind those of a headless run, with `{url}`.
    pub arguments: Vec<String>,
}

impl Canary {
    /// The variables for a model at this address.
    pub fn variables(&self, url: &str) -> Vec<(String, String)> {
        let filled = |value: &String| fill_text(value, &[("{url}", Fill::Text(url))]);
        self.environment.iter().map(|(name, value)| (name.clone(), filled(value))).collect()
    }

    /// The arguments for a model at this address.
    pub fn words(&self, url: &str) -> Vec<String> {
        fill_words(&self.arguments, &[("{url}", Fill::Text(url))])
    }
}
