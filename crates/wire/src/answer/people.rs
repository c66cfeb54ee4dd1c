//! The team and its agents, as shown.

use interagent_core::liveness::Liveness;
use interagent_core::token::Token;
use interagent_core::vocabulary::{AgentState, Auth, Duty, SessionState, WakeWay};

use super::{PlaceView, RefView, Who, is_once, once};
use crate::{Time, shapes};

shapes! {
    /// The team as it was last taken in.
    struct TeamView {
        /// The project's name.
        project: String,
        /// duo, peers or captain.
        formation: String,
        /// hierarchical, peer or review, where the formation has such a name.
        mode: Option<String>,
        /// The normalised team file as JSON.
        config: serde_json::Value,
        /// The same as a commented `team.toml`.
        text: String,
        /// When it was taken in.
        changed: Time,
        /// By whom.
        by: Who,
    }
    /// What an agent said of itself.
    struct StatusView {
        /// In one word.
        state: AgentState,
        /// In its own words.
        text: Option<String>,
        /// Context left, in percent.
        context_left: Option<u8>,
        /// Since when.
        since: Time,
    }
    /// An agent.
    struct AgentView {
        /// For ever.
        id: String,
        /// For now.
        name: String,
        /// The replica that delivers for it.
        home: String,
        /// Whether that is this one.
        local: bool,
        /// Which kind of CLI, or `human`.
        profile: String,
        /// Its role.
        role: Option<String>,
        /// Its superior.
        reports_to: Option<String>,
        /// What it is good at.
        capabilities: Vec<String>,
        /// The paths it owns.
        paths: Vec<String>,
        /// What it works on.
        description: Option<String>,
        /// Where it works.
        workspace: Option<String>,
        /// The model that its client was started with or switched to, where that is known.
        model: Option<String>,
        /// What it said of itself.
        status: Option<StatusView>,
        /// Unread messages, counted up to 1000.
        unread: u32,
        /// Since when.
        registered: Time,
        /// Until when.
        retired: Option<Time>,
        /// What follows for people: what a retired agent leaves behind, where the mail of an earlier one is.
        notes: Vec<String>,
    }
    /// An agent's token. It is as good as the agent itself: whoever has it is that agent.
    struct TokenView {
        /// Whose it is.
        agent: Who,
        /// The token; absent when it was revoked.
        token: Option<Token>,
        /// The file that holds it, for its owner alone.
        file: Option<String>,
        /// When it was made.
        created: Option<Time>,
    }
    /// A fact about a caller.
    struct CallerFact {
        /// token, variable, session, process, pane, client, terminal or behalf.
        fact: String,
        /// What it says.
        value: String,
        /// Whether it decided who the caller is.
        counted: bool,
    }
    /// What is said to an agent at a hook.
    struct HookView {
        /// Whether the session is bound to an agent.
        known: bool,
        /// Whose it is, where something is said.
        agent: Option<Who>,
        /// What is said; absent where there is nothing to say.
        text: Option<String>,
        /// Whether it briefs the agent.
        briefed: bool,
        /// One line for the person at the client.
        #[serde(default)]
        notice: Option<String>,
        /// The messages in it.
        messages: Vec<String>,
        /// The stamp of these offers, to be given with the next hook once the text was printed.
        stamp: Option<i64>,
    }
    /// A session of an agent for which mail waits.
    struct WakeTarget {
        /// The client's id for it.
        session: String,
        /// Which kind of client.
        profile: String,
        /// The client's process.
        pid: Option<i64>,
        /// Where it works.
        cwd: Option<String>,
        /// How it is to be woken now; absent where it is not.
        way: Option<WakeWay>,
        /// How soon it sees a message.
        reach: String,
        /// It sees the message without a person's help: it is in a turn, a waiter is beside it, or it was woken.
        sees: bool,
    }
    /// Which sessions of an agent are to be woken.
    struct WakeView {
        /// Whose.
        agent: Who,
        /// Messages that wait, counted up to 1000.
        waiting: u32,
        /// Names the set of these messages.
        set: String,
        /// Its sessions.
        targets: Vec<WakeTarget>,
    }
    /// Who the caller is.
    struct IdentityView {
        /// The member the caller counts as; absent when unbound.
        member: Option<Who>,
        /// Who really acts, when the operator speaks for an agent.
        actor: Option<Who>,
        /// How that was decided, as a word.
        auth: Option<Auth>,
        /// How that was decided, for people.
        how: String,
        /// What is known of the caller, and what of it counted.
        facts: Vec<CallerFact>,
        /// The hub.
        hub: String,
        /// This replica.
        origin: String,
        /// Its name.
        alias: String,
        /// Where the hub lies; the command line says so, the hub itself does not know.
        place: Option<PlaceView>,
    }
    /// A row of the board.
    struct BoardRow {
        /// The agent.
        agent: AgentView,
        /// Its open task that it works on, or else the first.
        task: Option<super::TaskRow>,
        /// Open tasks, counted up to 1000.
        open_tasks: u32,
        /// What it owes, counted up to 1000.
        owes: u32,
        /// Whether it lives and what it does, from hooks and processes; absent for people and for agents of other replicas.
        #[serde(default)]
        life: Option<Liveness>,
        /// How soon it sees a message; absent for people and for agents of other replicas.
        #[serde(default)]
        reach: Option<String>,
        /// Its live sessions.
        sessions: Vec<SessionView>,
        /// When anything was last heard of it, by its sessions, its status and the newest 1000 entries of the log.
        seen: Option<Time>,
    }
    /// A session of an agent's client that has no name in the team.
    struct UnnamedView {
        /// The client's id for it.
        session: String,
        /// Which kind of client.
        profile: String,
        /// What people call the client.
        client: String,
        /// The client's process.
        pid: Option<i64>,
        /// Where it works.
        cwd: Option<String>,
    }
    /// What everybody is doing.
    struct BoardView {
        /// One row each.
        rows: Vec<BoardRow>,
        /// Messages that wait for a release.
        held: u32,
        /// Texts that look like secrets and are kept out of git and files, counted up to 1000.
        #[serde(default)]
        held_texts: u32,
        /// Entries of other replicas that claim to be from the future and wait for their time, counted up to 1000.
        #[serde(default)]
        waiting_entries: u32,
        /// Until when other clones defer the newest entries of this one, because its clock ran ahead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock_ahead_until: Option<Time>,
        /// Sessions of agents' clients on this machine that have no name in the team.
        #[serde(default)]
        unnamed: Vec<UnnamedView>,
        /// The project's name; absent without a team file.
        project: Option<String>,
        /// duo, peers or captain; absent without a team file.
        formation: Option<String>,
        /// hierarchical, peer or review, where the formation has such a name.
        mode: Option<String>,
        /// Tasks that somebody has still to do.
        active_tasks: i64,
        /// Tasks that were done: completed, under review or approved.
        completed_tasks: i64,
        /// Messages that members here have not read, counted up to 1000 for each.
        pending_messages: u32,
        /// Permission prompts that are open, oldest first.
        #[serde(default)]
        permissions: Vec<super::PermissionView>,
    }
    /// A client's session.
    struct SessionView {
        /// The client's id for it.
        id: String,
        /// Whose it is.
        agent: Who,
        /// Which kind of client.
        profile: String,
        /// The client's process.
        pid: Option<i64>,
        /// The tmux pane.
        pane: Option<String>,
        /// Where it works.
        cwd: Option<String>,
        /// What its hooks say.
        state: SessionState,
        /// Whether it lives and what it does, from hooks and process together.
        #[serde(default)]
        life: Option<Liveness>,
        /// Since when it is bound.
        bound: Time,
        /// When anything was last heard.
        seen: Time,
        /// How soon it sees a message.
        reach: String,
    }
    /// Something an agent owes.
    struct DutyView {
        /// What.
        duty: Duty,
        /// Who.
        agent: Who,
        /// By which message.
        message: String,
        /// From whom that is.
        from: Who,
        /// Its subject.
        subject: String,
        /// About which task.
        task: Option<String>,
        /// What the message points at, without texts.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        refs: Vec<RefView>,
        /// Since when.
        since: Time,
        /// How often a person was asked, repeats included.
        #[serde(default = "once", skip_serializing_if = "is_once")]
        asked: u32,
    }
}
