//! Reading back what a store holds, through the program, for comparison with what it acknowledged.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::yard::Yard;
use super::{Verdict, ensure};

/// One entry of the log.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its place.
    pub seq: i64,
    /// Which operation.
    pub op: String,
    /// The caller's key.
    pub key: Option<String>,
    /// Entity and kind of each event.
    pub events: Vec<(String, String)>,
}

/// The whole log.
#[derive(Debug, Clone)]
pub struct Log(pub Vec<Entry>);

impl Log {
    /// Reads all of it, page by page, oldest first.
    pub fn read(yard: &Yard) -> Result<Self, String> {
        let mut entries = Vec::new();
        let mut after = 0;
        loop {
            let page = yard.call("operator", "log.list", &json!({ "after": after, "limit": 500 }))?;
            let items = page["items"].as_array().ok_or("the log has no items")?;
            if items.is_empty() {
                return Ok(Self(entries));
            }
            for item in items {
                let entry = entry(item);
                after = after.max(entry.seq);
                entries.push(entry);
            }
        }
    }

    /// No place is missing and none is there twice.
    pub fn is_gap_free(&self) -> Verdict {
        let mut places: Vec<i64> = self.0.iter().map(|entry| entry.seq).collect();
        places.sort_unstable();
        let wanted: Vec<i64> = (1..=i64::try_from(places.len()).unwrap_or(0)).collect();
        ensure(places == wanted, || format!("the log's places are {places:?}"))
    }

    /// How often each key was used.
    pub fn keys(&self) -> BTreeMap<&str, usize> {
        let mut keys = BTreeMap::new();
        for key in self.0.iter().filter_map(|entry| entry.key.as_deref()) {
            *keys.entry(key).or_default() += 1;
        }
        keys
    }

    /// Nothing was delivered or acknowledged twice, and nothing acknowledged before it was delivered. Counts entities,
    /// so every message must have one recipient.
    pub fn hand_overs_are_in_order(&self) -> Verdict {
        let mut delivered = BTreeSet::new();
        let mut acknowledged = BTreeSet::new();
        for (entity, kind) in self.0.iter().flat_map(|entry| &entry.events) {
            match kind.as_str() {
                "message.delivered" => {
                    ensure(delivered.insert(entity), || format!("{entity} was delivered twice"))?;
                }
                "message.acknowledged" => {
                    ensure(acknowledged.insert(entity), || format!("{entity} was acknowledged twice"))?;
                    ensure(delivered.contains(entity), || format!("{entity} was acknowledged undelivered"))?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn entry(item: &Value) -> Entry {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let events = item["events"].as_array().into_iter().flatten();
    Entry {
        seq: item["seq"].as_i64().unwrap_or(-1),
        op: word(&item["op"]),
        key: item["key"].as_str().map(str::to_owned),
        events: events.map(|event| (word(&event["entity"]), word(&event["kind"]))).collect(),
    }
}

/// What an acknowledged send promised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// The key it was sent with.
    pub key: String,
    /// The id that was printed.
    pub id: String,
    /// Its text.
    pub body: String,
}

impl Mail {
    /// It is stored, byte for byte.
    pub fn is_stored(&self, yard: &Yard) -> Verdict {
        let read = yard.call("operator", "message.read", &json!({ "message": self.id }))?;
        ensure(read["body"].as_str() == Some(&self.body), || {
            let found = read["body"].as_str().map_or(0, str::len);
            format!("{} was acknowledged with {} bytes and holds {found}", self.id, self.body.len())
        })
    }
}
