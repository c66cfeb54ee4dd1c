//! The guard: what a tool is about to do, and who changed which file.

use super::params;

params! {
    /// Where a path belongs, as found on the caller's machine.
    struct TreeParam {
        /// The path or directory that was looked at.
        path: String,
        /// The root of its git worktree.
        root: String,
        /// The git directory that all worktrees of the repository share.
        repository: String,
        /// The branch that is checked out; left out for a commit without one.
        branch: Option<String>,
        /// A merge was begun and is not committed yet.
        merging: bool,
        /// Git ignores the path.
        ignored: bool,
        /// The path is a hook of git that asks the guard, or a directory with one.
        guarded: bool,
        /// The hooks of its repository that ask the guard.
        hooks: Vec<String>,
        /// Files of its worktree that git does not know and does not ignore, where it was asked.
        untracked: Option<Vec<String>>,
    }
    /// A path that leads elsewhere, as found on the caller's machine.
    struct LinkParam {
        /// As it is called.
        path: String,
        /// Where it leads.
        real: String,
    }
    /// What the profile of the caller's client says of its tools and files.
    struct ClientParam {
        /// Tools that start another agent.
        subagents: Vec<String>,
        /// Kinds of subagents that can only read.
        read_only_subagents: Vec<String>,
        /// Files and directories of a project that configure the client, relative to its root.
        files: Vec<String>,
    }
    /// Says whether the team's rules allow what a tool or a command line is about to do. Nothing is run.
    struct GuardCheck {
        /// Whose: a name or id; the caller when left out.
        agent: Option<String>,
        /// The tool's name, as the client calls it.
        tool: Option<String>,
        /// The tool's arguments.
        input: Option<serde_json::Value>,
        /// A command line, where there is no tool.
        command: Option<String>,
        /// What is known of the client.
        client: ClientParam,
        /// The directory it begins in, absolute.
        cwd: String,
        /// The caller's home directory.
        home: Option<String>,
        /// The project's directory on the caller's machine.
        project: Option<String>,
        /// The hub's directory on the caller's machine.
        hub: Option<String>,
        /// Words of the command that are names of files which are there, as absolute paths.
        present: Vec<String>,
        /// Paths that lead elsewhere: what is judged is the file that is written to.
        links: Vec<LinkParam>,
        /// Where the paths that are touched belong. A rule has nothing to say of a path that is not here.
        trees: Vec<TreeParam>,
        /// Whether the agent had its briefing in this session; left out where that is not known.
        briefed: Option<bool>,
        /// Git itself asks, before a commit or a push: a person may be bound, too.
        at_git: bool,
        /// The files that the commit changes, absolute, where git asks before a commit.
        committed: Vec<String>,
        /// The branches that git is about to put elsewhere, where it asks before it does.
        updated: Vec<String>,
        /// Leave a line in the trace when it is refused.
        record: bool,
    }
    /// Tells those whom it concerns that something changed while a tool ran, which the caller may not change.
    struct GuardReport {
        /// What the tool call was, in one line.
        command: String,
        /// What changed, in words.
        changes: Vec<String>,
        /// The agents that hold some of it, by id, each with the files that are theirs.
        holders: Vec<HolderParam>,
        /// The name of what is kept of it.
        kept: String,
    }
    /// An agent that holds files which changed.
    struct HolderParam {
        /// Its id.
        agent: String,
        /// The files, absolute.
        files: Vec<String>,
    }
    /// Notes that files were changed, and tells both agents when another one changed one of them within 30 seconds.
    struct EditNote {
        /// The files, absolute.
        paths: Vec<String>,
        /// The directory they are told relative to.
        root: Option<String>,
    }
}
