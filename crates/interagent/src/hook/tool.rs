//! Tools: judged by the guard before they are used, and noted afterwards where they changed files.

use std::io;
use std::path::{Path, PathBuf};

use interagent_core::guard::touches::Writing;
use interagent_core::guard::{Action, Touch, What, may_change, touches};
use interagent_core::limits;
use interagent_core::phrasing::Dialect;
use interagent_core::team::Formation;
use interagent_core::vocabulary::Moment;
use interagent_operations::{Hub, LocalHub, carry_out};
use interagent_store::StoreError;
use interagent_wire::request::EditNote;
use interagent_wire::{Answer, Caller};

use super::{HookCall, Place, trouble};
use crate::cli::Global;
use crate::config::git::tree_around;
use crate::config::trees::real_path;
use crate::error::{CliError, ErrorKind};
use crate::guard::{self, Doing, Question};
use crate::session::Session;
use crate::tools;
use crate::ui::look::ColourChoice;
use crate::ui::printer::{Form, Printer};
use crate::watch::{self, Watched, Watcher, When};

/// Of a command, so much is noted beside what it changed.
const COMMAND_CHARS: usize = 160;

impl Place {
    /// Why the tool may not be used; nothing where it may. A tool that touches nothing is not worth opening the hub.
    pub(super) fn judge(&self) -> Result<Option<String>, CliError> {
        let Some((tool, action, cwd)) = self.action() else { return Ok(None) };
        let home = self.env.home.as_ref().and_then(|home| home.to_str());
        let found = touches(&action, &cwd, home);
        // Words that are no files are not worth opening the hub either.
        let is_word = |touch: &Touch| matches!(touch.what, What::Mention { .. });
        let changes = may_change(&action, &cwd, home);
        if !changes
            && ((found.iter().all(is_word) && guard::present(&found).is_empty())
                || (found.iter().all(|touch| touch.what.reads_project()) && !self.has_captain()?))
        {
            return Ok(None);
        }
        let input = self.told.input.clone().unwrap_or_default();
        let question = Question {
            touches: Some(found),
            cwd: Some(cwd),
            client: Some(guard::of_client(&self.profile)),
            record: true,
            ..Question::about(Doing::Tool { name: tool.to_owned(), input })
        };
        let mut session = self.as_session();
        let reply = guard::check(&mut session, question)?;
        let view = guard::view(&reply)?;
        let denial = view.denial.as_ref().map(|denial| denial.text.clone());
        let agent = view.agent.as_ref().map(|who| Watcher { id: who.id.clone(), name: who.name.clone() });
        session.leave();
        if let Some(agent) = agent.filter(|_| changes && denial.is_none()) {
            self.look_before(agent, &action)?;
        }
        Ok(denial.map(|denial| self.translated(&denial)))
    }

    /// What is noted of a tool that was used, and what the agent should know of it.
    pub(super) fn remark(&self, hub: &mut LocalHub, call: &HookCall, moment: Moment) -> Option<String> {
        let caller = self.caller();
        let noted = |found: Result<Option<String>, CliError>| {
            found.unwrap_or_else(|error| {
                trouble::note(&self.state_dir, call, &error);
                None
            })
        };
        match moment {
            Moment::AfterTool => {
                let edits = noted(self.note_edits(hub, &caller));
                let changed = noted(self.look_after(hub, &caller, When::Tool));
                let text = [edits, changed].into_iter().flatten().collect::<Vec<_>>().join("\n");
                (!text.is_empty()).then_some(text)
            }
            // What is said now would keep the turn going.
            Moment::TurnEnd => {
                noted(self.look_after(hub, &caller, When::Turn));
                None
            }
            _ => None,
        }
    }

    /// Looks at what is not the agent's before a tool call that may change it.
    fn look_before(&self, agent: Watcher, action: &Action) -> Result<(), CliError> {
        let Some(session) = &self.session else { return Ok(()) };
        let hub_dir = self.state_dir.parent().unwrap_or(&self.state_dir);
        let Some(watched) = Watched::of(&mut self.open()?, &agent, hub_dir, self.trees())? else {
            return Ok(());
        };
        let command = match action {
            Action::Shell { command, .. } => command.as_str(),
            _ => self.told.tool.as_deref().unwrap_or_default(),
        };
        let command = interagent_core::line::one_line(command, COMMAND_CHARS);
        watch::before((&self.state_dir, session), agent, &command, &watched).map_err(|source| {
            CliError::new(ErrorKind::Unavailable, "what is there before a tool call can't be noted")
                .with_source(source)
        })
    }

    /// Looks at it again; answers with what the agent should know of what changed.
    pub(super) fn look_after(
        &self,
        hub: &mut LocalHub,
        caller: &Caller,
        when: When,
    ) -> Result<Option<String>, CliError> {
        match self.session.as_deref().filter(|session| watch::has_look(&self.state_dir, session)) {
            Some(session) => watch::after(hub, caller, (&self.state_dir, session), self.trees(), when),
            None => Ok(None),
        }
    }

    /// The trees whose files are looked at: the one the client works in, and the project's own.
    fn trees(&self) -> Vec<PathBuf> {
        let around = self.env.cwd.as_deref().and_then(tree_around).map(|tree| tree.root);
        let mut trees: Vec<PathBuf> = Vec::new();
        for tree in [around, self.project_root.clone(), self.main_root.clone()].into_iter().flatten() {
            let tree = real_path(&tree);
            if !trees.contains(&tree) {
                trees.push(tree);
            }
        }
        trees
    }

    /// The same text for a reader who may have our tools.
    fn translated(&self, text: &str) -> String {
        let session = self.briefed_session();
        let names = self
            .open()
            .ok()
            .zip(session)
            .and_then(|(mut hub, session)| hub.tools_of(&session).ok().flatten());
        // A session whose start no hook saw has no note of its tools.
        let names = names.or_else(|| tools::running(&self.env, &self.profile, &self.state_dir));
        Dialect::of(names.as_deref()).translate(text)
    }

    /// Whether the team has a captain, the only one whose reading is judged.
    fn has_captain(&self) -> Result<bool, CliError> {
        let mut hub = self.open()?;
        let team = hub.store().read(|reader| Ok::<_, StoreError>(reader.team()?.map(|team| team.config)))?;
        Ok(team.is_some_and(|team| team.formation == Formation::Captain))
    }

    /// Notes the files that the tool changed; answers with what the agent should know of others who changed them too.
    pub(super) fn note_edits(&self, hub: &mut LocalHub, caller: &Caller) -> Result<Option<String>, CliError> {
        let Some((_, action, cwd)) = self.action() else { return Ok(None) };
        let home = self.env.home.as_ref().and_then(|home| home.to_str());
        let written = touches(&action, &cwd, home).into_iter().filter_map(|touch| match touch.what {
            What::Write { path, how } if how != Writing::Below => Some(real(&path)),
            _ => None,
        });
        let paths: Vec<String> =
            written.filter(|path| path.starts_with('/')).take(limits::EDITED_PATHS).collect();
        if paths.is_empty() {
            return Ok(None);
        }
        let root = self.project_root.as_ref().and_then(|root| root.to_str()).map(real);
        let reply = hub.call(caller, EditNote { paths, root }.into())?;
        carry_out(&reply.effects);
        match reply.answer {
            Answer::Edits(edits) => Ok(edits.text),
            _ => Ok(None),
        }
    }

    fn action(&self) -> Option<(&str, Action, String)> {
        let tool = self.told.tool.as_deref()?;
        let client = guard::of_client(&self.profile);
        let action = Action::of(tool, self.told.input.as_ref()?, guard::subagents(&client));
        let cwd = self.env.cwd.as_ref()?.to_str()?.to_owned();
        (action != Action::Other).then_some((tool, action, cwd))
    }

    /// A run of the program as this session, which prints nothing.
    fn as_session(&self) -> Session {
        let hub = self.state_dir.parent().map(|hub| hub.as_os_str().to_owned());
        let global = Global { json: true, hub, color: ColourChoice::Never, from_agent: None, no_pager: true };
        let printer = Printer::new(Box::new(io::sink()), Box::new(io::sink()), Form::Json);
        let mut session = Session::with_printer(self.env.clone(), global, printer);
        session.act_as(Caller { session: self.briefed_session(), ..self.caller() });
        session
    }

    /// The session by which the hub knows whether its agent was briefed: one that our own run named comes first, unless it
    /// was inherited from another kind of client.
    fn briefed_session(&self) -> Option<String> {
        let is_ours = |named: &&String| {
            let row = self.open().ok().and_then(|mut hub| hub.session(named).ok().flatten());
            row.is_some_and(|row| row.profile == self.profile.name)
        };
        self.env.session.as_ref().filter(is_ours).cloned().or_else(|| self.session.clone())
    }

    /// Who calls, as far as the client's own words tell.
    pub(super) fn caller(&self) -> Caller {
        Caller {
            agent: self.agent.clone(),
            session: self.session.clone(),
            profile: Some(self.profile.name.clone()),
            ..Caller::default()
        }
    }
}

/// The file itself, by whatever name it was called: two who edit it through a link and without are told of each other.
fn real(path: &str) -> String {
    real_path(Path::new(path)).into_os_string().into_string().unwrap_or_else(|_| path.to_owned())
}
