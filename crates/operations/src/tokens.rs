//! Tokens: what an agent's client shows over HTTP. Rows and files of this machine, never events and never in git.

use interagent_core::entity::Agent;
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_core::token::Token;
use interagent_store::TokenFiles;
use interagent_store::observe::TokenRow;
use interagent_store::reader::Reader;
use interagent_wire::answer::{TokenView, Who};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Time};

use crate::call::Call;
use crate::identity;
use crate::names::Names;
use crate::resolve;

/// Shows an agent's token, and makes it where there is none or another one is wanted.
pub(crate) fn show(call: &mut Call<'_>, params: &ask::AgentToken) -> Result<Answer, Refusal> {
    let (caller, files) = (call.caller, TokenFiles::new(call.state_dir));
    if !params.new {
        let found = call.read(|reader, _| {
            let agent = taking_part(reader, caller, params)?;
            let row = reader.token(&agent.id)?;
            Ok((whom(reader, &agent)?, agent, row))
        })?;
        if let (who, agent, Some(row)) = found {
            return Ok(view(who, &files, &agent, known(&files, &agent, &row)?, &row));
        }
    }
    let fresh = Token::from_bits(call.store.fresh_secret()?);
    call.store.observe(|writer| {
        let mut look = writer.look();
        let agent = taking_part(&mut look, caller, params)?;
        let who = whom(&mut look, &agent)?;
        match look.token(&agent.id)?.filter(|_| !params.new) {
            // Somebody else was first: theirs is the one that works.
            Some(row) => Ok(view(who, &files, &agent, known(&files, &agent, &row)?, &row)),
            None => {
                let row = writer.put_token(&agent.id, &fresh.hash())?;
                // Under the gate, so that file and row are of the same token whoever else makes one now.
                files.write(&agent.id, &fresh)?;
                Ok(view(who, &files, &agent, fresh, &row))
            }
        }
    })
}

/// Takes an agent's token away.
pub(crate) fn revoke(call: &mut Call<'_>, params: &ask::AgentRevoke) -> Result<Answer, Refusal> {
    let (caller, files) = (call.caller, TokenFiles::new(call.state_dir));
    call.store.observe(|writer| {
        let mut look = writer.look();
        let agent = whose(&mut look, caller, params.agent.as_deref())?;
        let who = whom(&mut look, &agent)?;
        writer.drop_token(&agent.id)?;
        files.remove(&agent.id)?;
        Ok(TokenView { agent: who, token: None, file: None, created: None }.into())
    })
}

/// The agent meant, which could use a token.
fn taking_part(reader: &mut Reader<'_>, caller: &Caller, params: &ask::AgentToken) -> Result<Agent, Refusal> {
    let agent = whose(reader, caller, params.agent.as_deref())?;
    if agent.retired.is_some() {
        return Err(Refusal::rule("retired", format!("{} takes part no longer", agent.name)));
    }
    Ok(agent)
}

/// The agent meant, where the caller may handle its token.
fn whose(reader: &mut Reader<'_>, caller: &Caller, named: Option<&str>) -> Result<Agent, Refusal> {
    let known = identity::identify(reader, caller)?;
    let agent = resolve::agent_or_caller(reader, named, &known)?;
    rules::may_handle_token(&known.bound()?.actor, &agent)?;
    identity::must_be_home(reader, &agent)?;
    Ok(agent)
}

fn whom(reader: &mut Reader<'_>, agent: &Agent) -> Result<Who, Refusal> {
    Names::new(reader).who(&agent.id)
}

/// The token in the agent's file, if it is the one that works.
fn known(files: &TokenFiles, agent: &Agent, row: &TokenRow) -> Result<Token, Refusal> {
    let found = files.read(&agent.id)?.filter(|token| token.hash().is(&row.hash));
    found.ok_or_else(|| {
        let sentence = format!("the token of {} works, but its file is not as it was written", agent.name);
        Refusal::not_found("token_lost", sentence)
            .hint(format!("interagent agent token {} --new makes another one", agent.name))
    })
}

fn view(who: Who, files: &TokenFiles, agent: &Agent, token: Token, row: &TokenRow) -> Answer {
    let file = Some(files.path(&agent.id).display().to_string());
    TokenView { agent: who, token: Some(token), file, created: Some(Time(row.created)) }.into()
}
