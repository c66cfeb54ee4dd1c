//! Tokens: whose hash is whose. One for each agent; the token itself is in no row.

use interagent_core::event::Micros;
use interagent_core::ids::AgentId;
use interagent_core::token::TokenHash;

use crate::append::{Writer, seed};
use crate::error::StoreError;
use crate::params;
use crate::reader::Reader;
use crate::store::Store;

/// What is kept of an agent's token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// Its hash, as text.
    pub hash: String,
    /// When it was made.
    pub created: Micros,
}

/// Characters of a hash by which rows are looked up. What an index tells by its speed is not worth more than these; the
/// whole is compared in constant time.
const LOOKED_UP: usize = 8;

impl Store {
    /// 256 random bits for a new token.
    pub fn fresh_secret(&self) -> Result<[u8; 32], StoreError> {
        seed()
    }
}

impl Reader<'_> {
    /// The agent whose token has this hash.
    pub fn agent_of_token(&mut self, hash: &TokenHash) -> Result<Option<AgentId>, StoreError> {
        let text = hash.text();
        let (first, last) = (format!("{:0<64}", &text[..LOOKED_UP]), format!("{:f<64}", &text[..LOOKED_UP]));
        let rows = self.rows(
            "SELECT agent, hash FROM tokens WHERE hub = $1 AND hash BETWEEN $2 AND $3",
            &params![self.hub, first, last],
        )?;
        for row in &rows {
            if hash.is(row.text(1)?) {
                return Ok(AgentId::parse(row.text(0)?).ok());
            }
        }
        Ok(None)
    }

    /// What is kept of an agent's token.
    pub fn token(&mut self, agent: &AgentId) -> Result<Option<TokenRow>, StoreError> {
        let rows = self.rows(
            "SELECT hash, created FROM tokens WHERE hub = $1 AND agent = $2",
            &params![self.hub, agent.as_str()],
        )?;
        rows.first()
            .map(|row| Ok(TokenRow { hash: row.text(0)?.to_owned(), created: row.int(1)? }))
            .transpose()
    }
}

impl Writer<'_, '_> {
    /// Gives an agent its token; one that it had works no longer.
    pub fn put_token(&mut self, agent: &AgentId, hash: &TokenHash) -> Result<TokenRow, StoreError> {
        let (hub, created) = (self.hub(), self.clock().wall_us());
        let row = TokenRow { hash: hash.text(), created };
        self.note(
            "INSERT INTO tokens (hub, agent, hash, created) VALUES ($1, $2, $3, $4)
             ON CONFLICT (hub, agent) DO UPDATE SET hash = excluded.hash, created = excluded.created",
            &params![hub, agent.as_str(), &row.hash, created],
        )?;
        Ok(row)
    }

    /// Takes an agent's token away. Whether there was one.
    pub fn drop_token(&mut self, agent: &AgentId) -> Result<bool, StoreError> {
        let hub = self.hub();
        let dropped =
            self.note("DELETE FROM tokens WHERE hub = $1 AND agent = $2", &params![hub, agent.as_str()])?;
        Ok(dropped > 0)
    }

    /// Takes every token away. How many there were.
    pub fn drop_tokens(&mut self) -> Result<u64, StoreError> {
        let hub = self.hub();
        self.note("DELETE FROM tokens WHERE hub = $1", &params![hub])
    }
}
