//! Tokens: what an agent's client, or the operator's own, shows over HTTP. Rows and files of this machine, never events and never in git.

use interagent_core::authority::{OperatorAct, authorize};
use interagent_core::entity::Agent;
use interagent_core::ids::AgentId;
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_core::token::Token;
use interagent_core::vocabulary::Auth;
use interagent_store::observe::TokenRow;
use interagent_store::reader::Reader;
use interagent_store::{Store, TokenFiles};
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
        // One whose file does not fit may just be replaced: then the gate shows both as they belong together.
        if let (who, agent, Some(row)) = found
            && let Ok(token) = known(&files, &agent, &row)
        {
            return Ok(view(who, &files, &agent, token, &row));
        }
    }
    let fresh = Token::from_bits(call.store.fresh_secret()?);
    let (agent, answer) = call.store.observe(|writer| {
        let mut look = writer.look();
        let agent = taking_part(&mut look, caller, params)?;
        let who = whom(&mut look, &agent)?;
        let (token, row) = match look.token(&agent.id)?.filter(|_| !params.new) {
            // Somebody else was first: theirs is the one that works.
            Some(row) => (known(&files, &agent, &row)?, row),
            None => {
                may_create(&mut look, caller, &agent)?;
                let row = writer.put_token(&agent.id, &fresh.hash())?;
                if is_kept(&agent) {
                    files.prepare(&agent.id, &fresh)?;
                }
                (fresh, row)
            }
        };
        let answer = view(who, &files, &agent, token, &row);
        Ok::<_, Refusal>((agent.id, answer))
    })?;
    put_in_place(call.store, &files, &agent)?;
    Ok(answer)
}

/// Takes an agent's token away.
pub(crate) fn revoke(call: &mut Call<'_>, params: &ask::AgentRevoke) -> Result<Answer, Refusal> {
    let (caller, files) = (call.caller, TokenFiles::new(call.state_dir));
    let (agent, who) = call.store.observe(|writer| {
        let mut look = writer.look();
        let (agent, _) = whose(&mut look, caller, params.agent.as_deref())?;
        let who = whom(&mut look, &agent)?;
        writer.drop_token(&agent.id)?;
        Ok::<_, Refusal>((agent.id, who))
    })?;
    put_in_place(call.store, &files, &agent)?;
    Ok(TokenView { agent: who, token: None, file: None, created: None }.into())
}

/// Makes an agent's file follow its row, once that is committed: a change that fails leaves the token that works where it
/// is. Under the gate, so that file and row are of the same token whoever else makes one now.
fn put_in_place(store: &mut Store, files: &TokenFiles, agent: &AgentId) -> Result<(), Refusal> {
    store.observe(|writer| {
        let row = writer.look().token(agent)?;
        Ok(files.keep(agent, row.as_ref().map(|row| row.hash.as_str()))?)
    })
}

/// Whether a token lies in a file. Every agent of this user could read the operator's there, so that is shown once.
fn is_kept(agent: &Agent) -> bool {
    !agent.is_human()
}

/// The agent meant, which could use a token, where the caller may be shown it.
fn taking_part(reader: &mut Reader<'_>, caller: &Caller, params: &ask::AgentToken) -> Result<Agent, Refusal> {
    let (agent, auth) = whose(reader, caller, params.agent.as_deref())?;
    rules::may_see_token(auth, &agent)?;
    if agent.retired.is_some() {
        return Err(Refusal::rule("retired", format!("{} takes part no longer", agent.name)));
    }
    Ok(agent)
}

/// The agent meant, where the caller may handle its token, and how the caller is known.
fn whose(reader: &mut Reader<'_>, caller: &Caller, named: Option<&str>) -> Result<(Agent, Auth), Refusal> {
    let known = identity::identify(reader, caller)?;
    let agent = resolve::agent_or_caller(reader, named, &known)?;
    if agent.is_human() && named.is_none() {
        return Err(Refusal::usage("whose_token", "it is not said whose token is meant")
            .hint("name the agent: interagent agent token NAME"));
    }
    let team = reader.team()?.map(|team| team.config);
    let identity = known.bound()?;
    rules::may_handle_token(team.as_ref(), &identity.actor, &agent)?;
    identity::must_be_home(reader, &agent)?;
    Ok((agent, identity.auth))
}

/// Refuses to create a token for an operator that nothing proves. An agent creates its own.
fn may_create(reader: &mut Reader<'_>, caller: &Caller, of: &Agent) -> Result<(), Refusal> {
    let authority = identity::identify(reader, caller)?.authority();
    let command = format!("interagent agent token {}", of.name);
    if authority.is_operator() { authorize(OperatorAct::CreateToken, authority, &command) } else { Ok(()) }
}

fn whom(reader: &mut Reader<'_>, agent: &Agent) -> Result<Who, Refusal> {
    Names::new(reader).who(&agent.id)
}

/// The token in the agent's file, if it is the one that works, or the one that is about to be in it.
fn known(files: &TokenFiles, agent: &Agent, row: &TokenRow) -> Result<Token, Refusal> {
    if !is_kept(agent) {
        let sentence = format!("the token of {} was shown when it was made, and lies nowhere", agent.name);
        return Err(Refusal::not_found("token_shown", sentence)
            .hint(format!("interagent agent token {} --new makes another one", agent.name)));
    }
    files.find(&agent.id, &row.hash)?.ok_or_else(|| {
        let sentence = format!("the token of {} works, but its file is not as it was written", agent.name);
        Refusal::not_found("token_lost", sentence)
            .hint(format!("interagent agent token {} --new makes another one", agent.name))
    })
}

fn view(who: Who, files: &TokenFiles, agent: &Agent, token: Token, row: &TokenRow) -> Answer {
    let file = is_kept(agent).then(|| files.path(&agent.id).display().to_string());
    TokenView { agent: who, token: Some(token), file, created: Some(Time(row.created)) }.into()
}

#[cfg(test)]
mod tests {
    use interagent_wire::Request;

    use super::*;
    use crate::{Hub, LocalHub, Opening};

    fn token(hub: &mut LocalHub, new: bool) -> (AgentId, Token) {
        let request: Request = ask::AgentToken { agent: Some("kimi".into()), new }.into();
        match hub.call(&Caller::operator(), request).unwrap().answer {
            Answer::Token(made) => (AgentId::parse(&made.agent.id).unwrap(), made.token.unwrap()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_token_whose_maker_died_before_its_file_was_in_place_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let opening = Opening {
            hub_dir: dir.path().to_owned(),
            create: true,
            alias: "here".into(),
            hub_id: None,
            user_dir: None,
        };
        let mut hub = LocalHub::open(&opening).unwrap();
        let kimi = ask::AgentRegister { name: "kimi".into(), ..ask::AgentRegister::default() };
        hub.call(&Caller::operator(), kimi.into()).unwrap();
        let (agent, old) = token(&mut hub, false);
        let files = TokenFiles::new(hub.state_dir());
        let fresh = Token::from_bits([7; 32]);
        files.prepare(&agent, &fresh).unwrap();
        hub.store().observe(|writer| writer.put_token(&agent, &fresh.hash())).unwrap();
        assert_eq!(token(&mut hub, false).1, fresh);
        // And one that died before its row was committed changed nothing.
        let (_, newest) = token(&mut hub, true);
        files.prepare(&agent, &old).unwrap();
        assert_eq!(token(&mut hub, false).1, newest);
    }
}
