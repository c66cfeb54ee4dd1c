//! The panes of a server as tmux sees them, and the marks by which a pane says whose it is.
//!
//! Pane ids are used again, so a mark and the first process must both fit before anything is done with a pane.

use std::hash::{DefaultHasher, Hash, Hasher};

use interagent_core::line::one_line;

use super::session::HOLD;
use super::{Server, TmuxError};

/// The hub a pane, window or session belongs to, by the id of its replica: two clones on one machine are two teams.
pub(super) const HUB: &str = "@interagent_hub";
/// The agent a pane belongs to, by its id: a name may change.
const AGENT: &str = "@interagent_agent";
/// The model that the agent's client runs, as people's status lines show it.
const MODEL: &str = "@model_name";
/// The pane was made for its agent, and not marked where it stood: the process that was started in it, or 0 before that.
pub(super) const MADE: &str = "@interagent_made";
/// A print of what was last shown of the agent.
const SHOWN: &str = "@interagent_shown";
/// What the agent does, as it was last shown.
const STATE: &str = "@agent_state";

/// Longest text in a border or title.
const SHOWN_CHARS: usize = 120;

/// No field but the last holds a blank: the others are ids of ours or of tmux.
const FORMAT: &str = "#{pane_id} #{pane_pid} #{pane_dead} #{pane_dead_status} #{pane_tty} #{session_id} #{window_id} \
                      #{@interagent_agent} #{@interagent_hub} #{@interagent_made} #{@interagent_shown} \
                      #{pane_current_command}";

/// A pane at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pane {
    /// tmux's id for it: `%3`.
    pub id: String,
    /// Its first process.
    pub pid: i64,
    /// That process ended, and the pane shows what it left.
    pub dead: bool,
    /// With which code, where that is known.
    pub status: Option<i32>,
    /// Its terminal's device.
    pub tty: String,
    /// Its session: `$1`.
    pub session: String,
    /// Its window: `@2`.
    pub window: String,
    /// The id of the agent that it is marked for.
    pub agent: Option<String>,
    /// The id of the replica of the hub that it is marked for.
    pub hub: Option<String>,
    /// It was made for the agent by us: the process that we started in it, 0 before that.
    pub made: Option<i64>,
    /// A print of what its border and title say of the agent.
    pub shown: Option<String>,
    /// The name of what runs in front.
    pub command: String,
}

impl Pane {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.splitn(12, ' ');
        let mut next = || fields.next();
        let word = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Some(Self {
            id: next().filter(|id| id.starts_with('%'))?.to_owned(),
            pid: next()?.parse().ok()?,
            dead: next()? == "1",
            status: next()?.parse().ok(),
            tty: next()?.to_owned(),
            session: next()?.to_owned(),
            window: next()?.to_owned(),
            agent: word(next()?),
            hub: word(next()?),
            made: next()?.parse().ok(),
            shown: word(next()?),
            command: next()?.to_owned(),
        })
    }

    /// Whether nothing runs in it but what holds its place until its client is started.
    pub fn holds_a_place(&self) -> bool {
        self.made == Some(0) && self.command == HOLD[0]
    }

    /// Whether what we started in it is still what it began with.
    pub fn is_ours(&self) -> bool {
        self.made == Some(self.pid)
    }

    /// Whether a shell is in front: what is typed there is executed.
    pub fn shows_a_shell(&self) -> bool {
        const SHELLS: [&str; 12] =
            ["ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "sh", "tcsh", "zsh"];
        SHELLS.contains(&self.command.trim_start_matches('-'))
    }
}

/// What a pane says of itself, in its border and to scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The id of the hub's replica.
    pub hub: String,
    /// The id of the agent.
    pub agent: String,
    /// Its name.
    pub name: String,
    /// Its role, where it has one.
    pub role: String,
    /// Which kind of client.
    pub profile: String,
    /// Its model; empty for the client's own choice.
    pub model: String,
}

impl Server {
    /// All panes of the server; none where no server runs.
    pub fn panes(&self) -> Result<Vec<Pane>, TmuxError> {
        if !self.is_there() {
            return Ok(Vec::new());
        }
        let said = match self.ask(&["list-panes", "-a", "-F", FORMAT]) {
            // A socket that nobody listens to any more.
            Err(error) if error.is_absent() => return Ok(Vec::new()),
            said => said?,
        };
        let mut panes: Vec<Pane> = said.lines().filter_map(Pane::parse).collect();
        // A window that several sessions show is listed for each.
        panes.sort_by(|a, b| a.id.cmp(&b.id));
        panes.dedup_by(|a, b| a.id == b.id);
        Ok(panes)
    }

    /// One pane; nothing where it is gone.
    pub fn pane(&self, id: &str) -> Result<Option<Pane>, TmuxError> {
        Ok(self.panes()?.into_iter().find(|pane| pane.id == id))
    }

    /// Says in a pane whose it is.
    pub fn mark(&self, pane: &str, mark: &Mark) -> Result<(), TmuxError> {
        let values = [
            (HUB, &mark.hub),
            (AGENT, &mark.agent),
            ("@agent_id", &mark.name),
            ("@agent_role", &mark.role),
            ("@agent_cli", &mark.profile),
            (MODEL, &mark.model),
        ];
        for (option, value) in values {
            self.ask(&["set-option", "-p", "-t", pane, option, &shown(value)])?;
        }
        self.title(pane, &[&mark.name, &mark.role])
    }

    /// Shows another model of the agent in a pane.
    pub fn mark_model(&self, pane: &str, model: &str) -> Result<(), TmuxError> {
        self.ask(&["set-option", "-p", "-t", pane, MODEL, &shown(model)]).map(drop)
    }

    /// Takes every mark of ours off a pane, which stays. What its title was before is not known, so it has none.
    pub fn unmark(&self, pane: &str) -> Result<(), TmuxError> {
        let ours = [
            HUB,
            AGENT,
            MADE,
            SHOWN,
            STATE,
            "@agent_id",
            "@agent_role",
            "@agent_cli",
            MODEL,
            "@current_task",
        ];
        for option in ours {
            self.ask(&["set-option", "-p", "-u", "-t", pane, option])?;
        }
        self.title(pane, &[])
    }

    /// Shows who an agent is and what it does, in the title and the border of its pane. Nothing is told to tmux where the pane
    /// shows that already.
    pub fn show_state(&self, pane: &Pane, mark: &Mark, state: &str, task: &str) -> Result<(), TmuxError> {
        let mut print = DefaultHasher::new();
        (&mark.name, &mark.role, state, task).hash(&mut print);
        let print = format!("{:016x}", print.finish());
        if pane.shown.as_deref() == Some(&print) {
            return Ok(());
        }
        let options =
            [("@agent_id", mark.name.as_str()), (STATE, state), ("@current_task", task), (SHOWN, &print)];
        for (option, value) in options {
            self.ask(&["set-option", "-p", "-t", &pane.id, option, &shown(value)])?;
        }
        self.title(&pane.id, &[&mark.name, &mark.role, state])
    }

    /// The title of a pane is a format, so what stands in it must not be one.
    fn title(&self, pane: &str, parts: &[&str]) -> Result<(), TmuxError> {
        let parts: Vec<String> =
            parts.iter().filter(|part| !part.is_empty()).map(|part| shown(part)).collect();
        self.ask(&["select-pane", "-t", pane, "-T", &parts.join(" - ")]).map(drop)
    }

    /// The last line that a program left in its pane when it ended. The line of tmux that says so is not it, and has pushed
    /// others up.
    pub fn last_line(&self, pane: &str) -> Result<Option<String>, TmuxError> {
        let said = self.ask(&["capture-pane", "-p", "-S", "-50", "-t", pane])?;
        let is_its_own = |line: &&str| !line.is_empty() && !line.starts_with("Pane is dead");
        Ok(said.lines().map(str::trim).rfind(is_its_own).map(str::to_owned))
    }

    /// The code with which the program of a dead pane ended.
    ///
    /// A tmux that keeps the list of logins does not hear of a program that ends while it writes that list, and counts it as
    /// ended, without a code, until the next process of its own does. So it is given one.
    pub fn ended_with(&self, pane: &str) -> Result<Option<i32>, TmuxError> {
        let status =
            |server: &Self| Ok(server.pane(pane)?.filter(|pane| pane.dead).and_then(|pane| pane.status));
        match status(self)? {
            Some(code) => Ok(Some(code)),
            None => {
                self.ask(&["run-shell", "true"])?;
                status(self)
            }
        }
    }

    /// What stands on a pane's screen, without what is above it.
    pub fn screen(&self, pane: &str) -> Result<String, TmuxError> {
        self.ask(&["capture-pane", "-p", "-t", pane])
    }
}

/// A text as tmux shows it and nothing else: no format, no style, no control character, no end of the command.
pub(super) fn shown(text: &str) -> String {
    literal(&one_line(text, SHOWN_CHARS).replace('#', "##"))
}

/// A path where tmux expects a format: it names that path and runs nothing.
pub(super) fn path(path: &str) -> String {
    literal(&path.replace('#', "##"))
}

/// An argument that ends with a semicolon would end the command.
pub(super) fn literal(word: &str) -> String {
    match word.strip_suffix(';') {
        Some(rest) => format!("{rest}\\;"),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_tmux_is_read_whole_or_not_at_all() {
        let line = "%3 4711 0  /dev/pts/4 $1 @2 agt-1 hub-1 4711 9f tail -f x";
        let pane = Pane::parse(line).unwrap();
        assert_eq!((pane.id.as_str(), pane.pid, pane.status), ("%3", 4711, None));
        assert_eq!((pane.agent.as_deref(), pane.command.as_str()), (Some("agt-1"), "tail -f x"));
        let foreign = Pane::parse("%0 1 1 137 /dev/pts/0 $0 @0     -bash").unwrap();
        assert_eq!((pane.is_ours(), pane.shown.as_deref(), foreign.is_ours()), (true, Some("9f"), false));
        assert_eq!((foreign.agent.clone(), foreign.hub.clone(), foreign.status), (None, None, Some(137)));
        assert!(foreign.shows_a_shell() && foreign.dead && !pane.shows_a_shell());
        for line in ["", "x", "%1", "%1 many 0", "1 2 3 4 5 6 7 8 9 10 11 12"] {
            assert_eq!(Pane::parse(line), None, "{line}");
        }
    }

    #[test]
    fn what_is_shown_is_no_format_and_no_command() {
        assert_eq!(shown("#(touch /tmp/x) #[fg=red]"), "##(touch /tmp/x) ##[fg=red]");
        assert_eq!(shown("a\u{1b}[2Jb\n"), "a[2Jb");
        assert_eq!(shown("model;"), "model\\;");
    }
}
