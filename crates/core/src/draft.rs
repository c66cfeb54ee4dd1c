//! What `decide` produces: facts to append and texts to store, with fresh ids from given randomness.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::authority::{Authority, Proof};
use crate::event::{Event, Fact, Micros};
use crate::ids::{AgentId, EntityRef, MessageId, OriginId};
use crate::secrets::{self, SecretKind};
use crate::text::{StoredText, TextHash, Words, hex};
use crate::traffic::Flow;

/// Randomness from outside, spelled into ids and salts. The same seed gives the same ids: `decide` stays a function.
#[derive(Clone, Debug)]
pub struct Fresh {
    seed: [u8; 32],
    count: u64,
}

impl Fresh {
    /// Starts from 32 bytes of the system's randomness.
    pub fn new(seed: [u8; 32]) -> Self {
        Self { seed, count: 0 }
    }

    fn block(&mut self) -> [u8; 32] {
        let mut hasher = Sha256::new();
        hasher.update(self.seed);
        hasher.update(self.count.to_le_bytes());
        self.count += 1;
        hasher.finalize().into()
    }

    /// Sixty random bits and more, for an id.
    pub fn bits(&mut self) -> u64 {
        let block = self.block();
        block[..8].iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    }

    /// A new salt.
    pub fn salt(&mut self) -> String {
        hex(&self.block()[..16])
    }
}

/// What every decision knows besides its snapshot: who, when, where.
#[derive(Clone, Debug)]
pub struct Context {
    /// The wall clock, read once before deciding.
    pub now: Micros,
    /// The replica that decides.
    pub origin: OriginId,
    /// The member this counts for.
    pub member: AgentId,
    /// Whether that is the human of this replica, or the human speaking for an agent.
    pub human: bool,
    /// How well it is proven who that is.
    pub proof: Proof,
    /// Randomness.
    pub fresh: Fresh,
}

impl Context {
    /// What the caller may do as the operator.
    pub fn authority(&self) -> Authority {
        if self.human { Authority::Operator(self.proof) } else { Authority::Agent }
    }
}

/// A text that looks like a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Which.
    pub hash: TextHash,
    /// What it looks like.
    pub kind: SecretKind,
}

/// The outcome of a decision: facts and texts, nothing written yet.
#[derive(Clone, Debug)]
pub struct Draft {
    /// In the order they are applied.
    pub facts: Vec<Fact>,
    /// The texts that the facts point to.
    pub texts: Vec<StoredText>,
    /// Those of the texts that look like secrets.
    pub suspects: Vec<Suspect>,
    /// Why there is nothing to write, where it was so already.
    pub unchanged: Option<String>,
    /// What the caller should know besides.
    pub notes: Vec<String>,
    /// How its messages count for the traffic budget, where they are not plain work.
    pub flows: BTreeMap<MessageId, Flow>,
    /// When it really happened, where that was not now: what moved over from elsewhere keeps its time.
    pub happened: Option<Micros>,
    fresh: Fresh,
}

impl Draft {
    /// An empty draft.
    pub fn new(context: &Context) -> Self {
        Self {
            facts: Vec::new(),
            texts: Vec::new(),
            suspects: Vec::new(),
            unchanged: None,
            notes: Vec::new(),
            flows: BTreeMap::new(),
            happened: None,
            fresh: context.fresh.clone(),
        }
    }

    /// Sixty random bits for an id.
    pub fn bits(&mut self) -> u64 {
        self.fresh.bits()
    }

    /// Adds a fact.
    pub fn add(&mut self, entity: EntityRef, event: impl Into<Event>) {
        self.facts.push(Fact { entity, event: event.into() });
    }

    /// Says why nothing has to be written: a request that is repeated succeeds, and the answer says that it did nothing.
    pub fn is_so_already(&mut self, sentence: impl Into<String>) {
        self.unchanged = Some(sentence.into());
    }

    /// Says how a message counts for the traffic budget.
    pub fn counts_as(&mut self, message: &MessageId, flow: Flow) {
        self.flows.insert(message.clone(), flow);
    }

    /// Says something to the caller that is no part of the record.
    pub fn remark(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }

    /// Says that this happened earlier, elsewhere. Only what people see follows from it: the order is that of writing, and a
    /// time to come is not believed.
    pub fn happened_at(&mut self, moment: Micros) {
        self.happened = Some(moment);
    }

    /// What people are told as its time, given what the clock says now.
    pub fn wall(&self, now: Micros) -> Micros {
        self.happened.map_or(now, |moment| moment.min(now))
    }

    /// Stores a text and answers with its hash.
    pub fn text(&mut self, words: &Words) -> TextHash {
        self.plain(words.as_str())
    }

    /// Stores words of the program's own making.
    pub fn plain(&mut self, text: &str) -> TextHash {
        let salt = self.fresh.salt();
        let hash = TextHash::of(&salt, text);
        if let Some(found) = secrets::first(text) {
            self.suspects.push(Suspect { hash: hash.clone(), kind: found.kind });
        }
        self.texts.push(StoredText { hash: hash.clone(), salt, text: text.to_owned() });
        hash
    }

    /// Stores an optional text.
    pub fn maybe(&mut self, words: Option<&Words>) -> Option<TextHash> {
        words.map(|words| self.text(words))
    }

    /// Stores several texts.
    pub fn each(&mut self, words: &[Words]) -> Vec<TextHash> {
        words.iter().map(|words| self.text(words)).collect()
    }
}
