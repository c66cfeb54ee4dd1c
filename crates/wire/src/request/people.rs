//! The team, its agents, their status and sessions.

use interagent_core::vocabulary::{AgentState, Moment, NoticeKind, SessionState, WakeWay};

use super::params;

params! {
    /// Shows the team: formation, rules and seats as they were last taken in.
    struct TeamShow {}
    /// Takes a team file in: its rules hold from then on, and every agent it lists is registered.
    struct TeamTake {
        /// The text of `team.toml`.
        text: String,
    }
    /// Registers an agent, or brings what is known of it up to date.
    struct AgentRegister {
        /// Its name.
        name: String,
        /// Which kind of CLI it is (claude, kimi, codex, gemini, ...).
        profile: Option<String>,
        /// What it works on.
        description: Option<String>,
        /// The directory it works in.
        workspace: Option<String>,
    }
    /// Lists the agents with role, state and unread mail.
    struct AgentList {
        /// Also those who take part no longer.
        retired: bool,
    }
    /// Shows one agent.
    struct AgentShow {
        /// Its name or id; the caller when left out.
        agent: Option<String>,
    }
    /// Gives an agent another name.
    struct AgentRename {
        /// Its name or id.
        agent: String,
        /// The new name.
        name: String,
    }
    /// Ends an agent's part in the team; its history stays.
    struct AgentRetire {
        /// Its name or id.
        agent: String,
        /// Why.
        reason: Option<String>,
    }
    /// Shows an agent's token, with which its client is that agent over HTTP. The first time it is made.
    struct AgentToken {
        /// Its name or id; the caller when left out.
        agent: Option<String>,
        /// Make another one; the one before works no longer.
        new: bool,
    }
    /// Takes an agent's token away: it works no longer.
    struct AgentRevoke {
        /// Its name or id; the caller when left out.
        agent: Option<String>,
    }
    /// Says who the caller is and how that was decided.
    struct Whoami {}
    /// Says what the caller is doing.
    struct StatusSet {
        /// In one word: working, idle, waiting, blocked, offline.
        state: Option<AgentState>,
        /// In its own words.
        text: Option<String>,
        /// Context left, in percent.
        context_left: Option<u8>,
    }
    /// Shows what everybody is doing, what they owe and what waits for them.
    struct StatusBoard {}
    /// Binds a client's session to an agent. What the session does counts for that agent from then on.
    struct SessionBind {
        /// The client's id for the session.
        session: String,
        /// Whose it is: a name or id; the caller when left out.
        agent: Option<String>,
        /// Which kind of client.
        profile: Option<String>,
        /// The client's process.
        pid: Option<i64>,
        /// When that process started, in ticks since boot.
        started: Option<i64>,
        /// Which run of the machine.
        boot: Option<String>,
        /// The tmux pane.
        pane: Option<String>,
        /// Where it works.
        cwd: Option<String>,
        /// What its hooks say.
        state: Option<SessionState>,
        /// Join though another live session has this agent.
        join: bool,
    }
    /// Tells the hub what a client's hook told of, and answers with what is said to the agent. Messages in it are offered to
    /// the session; the session's next hook is the evidence that they arrived.
    struct SessionHook {
        /// The client's id for the session.
        session: String,
        /// What happened.
        moment: Option<Moment>,
        /// The client takes in what is said there.
        heard: bool,
        /// A hook has kept this turn going already.
        looping: bool,
        /// The client tells of the end of a turn once, also where that kept it going: so only a prompt begins one.
        ends_once: bool,
        /// It happened in a subagent.
        subagent: bool,
        /// What a notice of the client says.
        notice: Option<NoticeKind>,
        /// The tool that the hook is about.
        tool: Option<String>,
        /// What that tool runs, edits or opens.
        command: Option<String>,
        /// The stamps of the hand-overs that were printed for the client, as far as they are known. What was offered under
        /// another one never left us.
        printed: Vec<i64>,
        /// What the agent should know beside its messages. Where the client does not hear it now, it is said as soon as it does.
        remark: Option<String>,
        /// Context left, in percent, where the client says so.
        context_left: Option<u8>,
        /// The session may be bound now: the caller's process is known.
        bind: bool,
        /// Nobody is invited: the hub is the user's own, and the project has none.
        uninvited: bool,
        /// Which kind of client.
        profile: Option<String>,
        /// What people call the client.
        client: Option<String>,
        /// The client's process.
        pid: Option<i64>,
        /// The tmux pane.
        pane: Option<String>,
        /// Where it works.
        cwd: Option<String>,
        /// How it is woken while it is idle.
        wake: Option<WakeWay>,
        /// That process only shows the session, and another one serves it.
        viewed: bool,
        /// The client's process may become known later than the session: a session that nothing wakes is bound again at a
        /// prompt.
        looks_again: bool,
        /// What the client calls the tools of our MCP server, with `{tool}`; absent where it can't have any.
        tools: Option<String>,
        /// The client's settings list our MCP server.
        tools_configured: bool,
        /// The process that runs its hooks and its MCP servers, as `pid-start`.
        host: Option<String>,
    }
    /// Names the idle sessions of an agent that are to be woken from outside, because mail waits: once for each set of waiting
    /// messages. Whoever is on their machine wakes them, and then calls this again with what became of it: only a wake that
    /// succeeded counts.
    struct SessionWake {
        /// Its name or id.
        agent: String,
        /// The set of messages they were woken for, as the first answer named it; what waits now when left out.
        set: Option<String>,
        /// Sessions that were woken.
        woken: Vec<String>,
        /// Sessions that could not be woken.
        failed: Vec<String>,
    }
    /// Ends a session: what was offered to it goes back into the queue.
    struct SessionEnd {
        /// The client's id for it.
        session: String,
    }
    /// Lists the sessions that did not end.
    struct SessionList {
        /// Of one agent only.
        agent: Option<String>,
    }
}
