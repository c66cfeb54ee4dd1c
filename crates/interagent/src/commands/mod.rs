//! The commands: from arguments to a request, one module for each noun.
//!
//! A command gathers what its request needs, calls one operation and hands the answer over. No rule lives here: what is
//! allowed and what follows is decided by the hub.

pub(crate) mod agent;
pub(crate) mod api;
pub(crate) mod attach;
pub(crate) mod briefing;
pub(crate) mod call;
mod called;
pub(crate) mod completion;
mod consent;
pub(crate) mod control;
pub(crate) mod decision;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod down;
pub(crate) mod export;
pub(crate) mod follow;
pub(crate) mod guard;
pub(crate) mod hold;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod inbox;
pub(crate) mod inbox_write;
pub(crate) mod init;
pub(crate) mod join;
pub(crate) mod lease;
pub(crate) mod log;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod msg;
pub(crate) mod notify;
pub(crate) mod ps;
pub(crate) mod purge;
pub(crate) mod quick;
pub(crate) mod read;
pub(crate) mod relay;
pub(crate) mod replica;
pub(crate) mod restore;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod say;
pub(crate) mod search;
pub(crate) mod send;
pub(crate) mod session;
pub(crate) mod setup;
pub(crate) mod skill;
pub(crate) mod spec;
pub(crate) mod status;
pub(crate) mod supervise;
pub(crate) mod sync;
pub(crate) mod task;
pub(crate) mod team;
pub(crate) mod trust;
pub(crate) mod up;
pub(crate) mod wait;
pub(crate) mod wake;
pub(crate) mod watch;

use crate::cli::Command;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::Session;

/// Runs one command.
pub(crate) fn run(command: Command, session: &mut Session) -> Result<ExitCode, CliError> {
    match command {
        Command::Demo(demo) => demo.run(session),
        Command::Init(init) => init.run(session),
        Command::Setup(setup) => setup.run(session),
        Command::Trust(trust) => trust.run(session),
        Command::Team(team) => team.run(session),
        Command::Agent(agent) => agent.run(session),
        Command::Whoami(whoami) => whoami.run(session),
        Command::Status(status) => status.run(session),
        Command::Quick(quick) => quick.run(session),
        Command::Delegate(delegate) => delegate.run(session),
        Command::Relay(relay) => session.ask(relay.request()),
        Command::Run(run) => run.run(session),
        Command::Up(up) => up.run(session),
        Command::Down(down) => down.run(session),
        Command::Restart(restart) => restart.run(session),
        Command::Attach(attach) => attach.run(session),
        Command::Ps(ps) => ps.run(session),
        Command::Join(join) => join.run(session),
        Command::Send(send) => send.run(session),
        Command::Reply(reply) => reply.run(session),
        Command::Inbox(inbox) => inbox.run(session),
        Command::Read(read) => read.run(session),
        Command::Ack(ack) => session.ask(ack.request()),
        Command::Msg(msg) => msg.run(session),
        Command::Task(task) => task.run(session),
        Command::Report(report) => report.run(session),
        Command::Skill(skill) => skill.run(session),
        Command::Replica(replica) => replica.run(session),
        Command::Say(say) => say.run(session),
        Command::Control(control) => control.run(session),
        Command::Notify(notify) => notify.run(session),
        Command::Review(review) => review.run(session),
        Command::Spec(spec) => session.ask(spec.request()?),
        Command::Decision(decision) => session.ask(decision.request()?),
        Command::Lease(lease) => {
            let request = lease.request(session)?;
            session.ask(request)
        }
        Command::Guard(guard) => guard.run(session),
        Command::Session(bound) => session.ask(bound.request()),
        Command::Log(log) => log.run(session),
        Command::Search(search) => session.ask_patiently("searching", search.request()),
        Command::Briefing(briefing) => session.ask(briefing.request()),
        Command::Summary(_) => {
            session.look_at_screens();
            session.ask(interagent_wire::request::Summary {})
        }
        Command::UpdateTemplate(update) => session.ask(update.request()),
        Command::Export(export) => export.run(session),
        Command::Hold(hold) => hold.run(session),
        Command::Purge(purge) => purge.run(session),
        Command::Wait(wait) => wait.run(session),
        Command::Watch(watch) => watch.run(session),
        Command::Mcp(mcp) => mcp.run(session),
        Command::Api(api) => api.run(session),
        Command::Wake(wake) => wake.run(session),
        Command::Supervise(supervise) => supervise.run(session),
        Command::Hook(hook) => hook.run(session),
        Command::Call(call) => call.run(session),
        Command::Operations(_) => call::list(session),
        Command::Doctor(doctor) => doctor.run(session),
        Command::Backup(backup) => backup.run(session),
        Command::Restore(restore) => restore.run(session),
        Command::Sync(sync) => sync.run(session),
        Command::Import(import) => import.run(session),
        Command::InboxWrite(write) => write.run(session),
        Command::Completion(completion) => completion.run(session),
        Command::Man(man) => man.run(session),
    }
}
