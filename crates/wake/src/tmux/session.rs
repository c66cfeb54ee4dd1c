//! The team's session: made beside whatever else the server holds, and changed in nothing but itself.
//!
//! Only options of our own session, windows and panes are set; the user's are left as they are.

use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use super::layout::PANES_MAX;
use super::panes::{HUB, MADE, Mark, literal, path, shown};
use super::{Server, TmuxError};

/// The size of a session before anybody looks at it: four panes that clients can draw in.
const COLUMNS: &str = "200";
const ROWS: &str = "50";
/// What stands in a pane until its client is started. It ends by itself if nobody comes.
pub(super) const HOLD: [&str; 2] = ["sleep", "60"];
/// The border of a pane: who, in which role, doing what.
const BORDER: &str =
    " #[bold]#{@agent_id}#[nobold] #{@agent_role} #{?@agent_state,[#{@agent_state}] ,}#{@current_task} ";
/// The right of the status line: the team in one line, then the time.
const STATUS: &str = "#{@interagent_life} %H:%M ";
const LIFE: &str = "@interagent_life";
/// Which window of the team it is, whatever the user calls it.
const WINDOW: &str = "@interagent_window";

/// A client as it is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Where it works.
    pub directory: String,
    /// Variables that it gets.
    pub variables: Vec<(String, String)>,
    /// Variables that it does not get.
    pub without: Vec<String>,
    /// Its program and arguments.
    pub words: Vec<String>,
    /// A file of `export` lines with variables that nobody else may read. The pane deletes it before the client runs.
    pub handed: Option<PathBuf>,
}

/// Reads the handed file, removes it and becomes the client. A pane that runs it again finds no file, and goes on.
const TAKE_HANDED: &str = r#"[ -r "$0" ] && . "$0"; rm -f -- "$0"; exec "$@""#;

impl Start {
    /// Through `env`, which becomes the client: tmux can set a variable, but not take one away.
    fn command(&self) -> Vec<String> {
        let without = self.without.iter().flat_map(|name| ["-u".to_owned(), name.clone()]);
        let handed = self.handed.iter().flat_map(|file| {
            ["/bin/sh".to_owned(), "-c".to_owned(), TAKE_HANDED.to_owned(), file.display().to_string()]
        });
        let words = std::iter::once("/usr/bin/env".to_owned()).chain(without).chain(handed);
        words.chain(self.words.iter().cloned()).map(|word| literal(&word)).collect()
    }
}

/// The team's session on a server.
#[derive(Debug)]
pub struct Team<'s> {
    server: &'s Server,
    hub: &'s str,
    /// tmux's id for the session, once there is one.
    id: Option<String>,
    /// What its status line says of the team.
    life: String,
    /// Variables that a server started for the team does not get.
    withheld: Vec<String>,
}

impl<'s> Team<'s> {
    /// The session of a hub on a server, whether it is there or not.
    pub fn of(server: &'s Server, hub: &'s str) -> Result<Self, TmuxError> {
        let (id, life) = find(server, hub)?.unzip();
        Ok(Self { server, hub, id, life: life.unwrap_or_default(), withheld: Vec::new() })
    }

    /// Keeps these variables out of the environment of a server that is started for the team.
    #[must_use]
    pub fn withholding(mut self, withheld: Vec<String>) -> Self {
        self.withheld = withheld;
        self
    }

    /// tmux's id for the session; nothing where there is none.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Makes a pane for an agent in its window and marks it. Nothing runs in it yet but what holds its place.
    pub fn add(&mut self, name: &str, window: &str, mark: &Mark) -> Result<String, TmuxError> {
        let pane = match &self.id {
            None => self.found(name, window)?,
            Some(session) => match self.window(session, window)? {
                Some(id) => self.split(session, &id, window)?,
                None => self.new_window(session, window)?,
            },
        };
        let server = self.server;
        // What ended shows its last words until somebody has read them.
        server.ask(&["set-option", "-p", "-t", &pane, "remain-on-exit", "on"])?;
        server.ask(&["set-option", "-p", "-t", &pane, MADE, "0"])?;
        server.mark(&pane, mark)?;
        Ok(pane)
    }

    /// Makes the session with its first pane.
    fn found(&mut self, name: &str, window: &str) -> Result<String, TmuxError> {
        let server = self.server;
        server.make_place();
        let name = self.free_name(name)?;
        let format = "#{session_id} #{window_id} #{pane_id}";
        let words =
            ["new-session", "-d", "-P", "-F", format, "-x", COLUMNS, "-y", ROWS, "-s", &name, "-n", window];
        let made = server.begin_without(&self.withheld, &[&words[..], &HOLD].concat())?;
        let mut ids = made.split_whitespace().map(str::to_owned);
        let (Some(session), Some(first), Some(pane)) = (ids.next(), ids.next(), ids.next()) else {
            return Err(TmuxError::Refused { verb: "new-session".to_owned(), said: made });
        };
        for (option, value) in [
            (HUB, self.hub),
            ("status-right", STATUS),
            ("status-right-length", "100"),
            ("status-left-length", "40"),
        ] {
            server.ask(&["set-option", "-t", &session, option, value])?;
        }
        self.prepare(&first, window)?;
        self.id = Some(session);
        Ok(pane)
    }

    fn new_window(&self, session: &str, window: &str) -> Result<String, TmuxError> {
        let target = format!("{session}:");
        let format = "#{window_id} #{pane_id}";
        let words = ["new-window", "-d", "-P", "-F", format, "-t", &target, "-n", window];
        let made = self.server.ask(&[&words[..], &HOLD].concat())?;
        match made.trim().split_once(' ') {
            Some((id, pane)) => {
                self.prepare(id, window)?;
                Ok(pane.to_owned())
            }
            None => Err(TmuxError::Refused { verb: "new-window".to_owned(), said: made }),
        }
    }

    /// One more pane in a window; where there is no room for it, in a new one.
    fn split(&self, session: &str, id: &str, window: &str) -> Result<String, TmuxError> {
        let words = ["split-window", "-d", "-P", "-F", "#{pane_id}", "-t", id];
        let Ok(pane) = self.server.ask(&[&words[..], &HOLD].concat()) else {
            return self.new_window(session, window);
        };
        self.server.ask(&["select-layout", "-t", id, "tiled"])?;
        Ok(pane.trim().to_owned())
    }

    /// The looks of a window of ours, and of no other.
    fn prepare(&self, id: &str, window: &str) -> Result<(), TmuxError> {
        let options = [
            (HUB, self.hub),
            (WINDOW, window),
            ("pane-border-status", "top"),
            ("pane-border-format", BORDER),
            ("automatic-rename", "off"),
            ("allow-rename", "off"),
        ];
        for (option, value) in options {
            self.server.ask(&["set-option", "-w", "-t", id, option, value])?;
        }
        Ok(())
    }

    /// A window of this name with room for one more.
    fn window(&self, session: &str, wanted: &str) -> Result<Option<String>, TmuxError> {
        let format = "#{window_id} #{window_panes} #{@interagent_window}";
        let said = self.server.ask(&["list-windows", "-t", session, "-F", format])?;
        let fits = |line: &str| {
            let mut fields = line.splitn(3, ' ');
            let (id, panes) = (fields.next()?, fields.next()?.parse::<usize>().ok()?);
            (fields.next() == Some(wanted) && panes < PANES_MAX).then(|| id.to_owned())
        };
        Ok(said.lines().find_map(fits))
    }

    /// The name, or with a number behind it where another session has it.
    fn free_name(&self, wanted: &str) -> Result<String, TmuxError> {
        let taken = match self.server.is_there() {
            true => self.server.ask(&["list-sessions", "-F", "#{session_name}"]).unwrap_or_default(),
            false => String::new(),
        };
        let is_free = |name: &String| !taken.lines().any(|other| other == name);
        let numbered = (2..1000).map(|number| format!("{wanted}-{number}"));
        let name = std::iter::once(wanted.to_owned()).chain(numbered).find(is_free);
        name.ok_or_else(|| TmuxError::Refused {
            verb: "new-session".to_owned(),
            said: "no name is free".to_owned(),
        })
    }

    /// The team in one line, on the right of the status line. tmux draws anew for every option that is set, so one that says
    /// the same is left alone.
    pub fn show_life(&self, line: &str) -> Result<(), TmuxError> {
        let line = shown(line);
        match &self.id {
            Some(session) if self.life != line => {
                self.server.ask(&["set-option", "-t", session, LIFE, &line]).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// Brings a pane to the front of its session.
    pub fn select(&self, pane: &str) -> Result<(), TmuxError> {
        self.server.ask(&["select-window", "-t", pane])?;
        self.server.ask(&["select-pane", "-t", pane]).map(drop)
    }
}

/// The session of a hub, and what its status line says of the team.
fn find(server: &Server, hub: &str) -> Result<Option<(String, String)>, TmuxError> {
    if !server.is_there() {
        return Ok(None);
    }
    let format = "#{session_id} #{@interagent_hub} #{@interagent_life}";
    let said = match server.ask(&["list-sessions", "-F", format]) {
        Err(error) if error.is_absent() => return Ok(None),
        said => said?,
    };
    let of_hub = |line: &str| {
        let (id, rest) = line.split_once(' ')?;
        // Nothing stands behind it where nothing was shown yet.
        let (found, life) = rest.split_once(' ').unwrap_or((rest, ""));
        (found == hub).then(|| (id.to_owned(), life.to_owned()))
    };
    Ok(said.lines().find_map(of_hub))
}

impl Server {
    /// Starts a client in a pane, in the place of whatever is in it.
    pub fn start(&self, pane: &str, start: &Start) -> Result<(), TmuxError> {
        let variables: Vec<String> =
            start.variables.iter().map(|(name, value)| literal(&format!("{name}={value}"))).collect();
        let command = start.command();
        let directory = path(&start.directory);
        let mut words = vec!["respawn-pane", "-k", "-t", pane, "-c", &directory];
        variables.iter().for_each(|variable| words.extend(["-e", variable.as_str()]));
        words.push("--");
        words.extend(command.iter().map(String::as_str));
        // In the same call: whoever is killed afterwards leaves a pane that says who started what is in it.
        words.extend([";", "set-option", "-p", "-F", "-t", pane, MADE, "#{pane_pid}"]);
        self.ask(&words).map(drop)
    }

    /// Closes a pane: what runs in it loses its terminal and is told so.
    pub fn close(&self, pane: &str) -> Result<(), TmuxError> {
        self.ask(&["kill-pane", "-t", pane]).map(drop)
    }

    /// Becomes a client of a session; comes back only where that fails.
    pub fn attach(&self, session: &str) -> std::io::Error {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").env_remove("TMUX_PANE");
        command.arg("-S").arg(self.socket()).args(["attach-session", "-t", session]);
        command.exec()
    }

    /// Has the client in front of a pane look at another session.
    pub fn switch(&self, from_pane: &str, session: &str) -> Result<(), TmuxError> {
        let here = self.ask(&["display-message", "-p", "-t", from_pane, "#{session_id}"])?;
        let clients =
            self.ask(&["list-clients", "-t", here.trim(), "-F", "#{client_activity} #{client_name}"])?;
        let newest = clients
            .lines()
            .filter_map(|line| line.split_once(' '))
            .max_by_key(|(at, _)| at.parse::<i64>().ok());
        match newest {
            Some((_, client)) => self.ask(&["switch-client", "-c", client, "-t", session]).map(drop),
            None => self.ask(&["switch-client", "-t", session]).map(drop),
        }
    }

    /// Makes the directory of the socket, as tmux does for its usual one.
    fn make_place(&self) {
        if let Some(directory) = self.socket().parent() {
            // Where it can't be made tmux says why.
            let _ = std::fs::DirBuilder::new().mode(0o700).create(directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_shown_already_is_not_set_again() {
        let dir = tempfile::tempdir().unwrap();
        let server = Server::at(dir.path().join("tmux"));
        let mark = Mark {
            hub: "hub-1".into(),
            agent: "agt-1".into(),
            name: "ann".into(),
            role: "member".into(),
            profile: "claude".into(),
            model: String::new(),
        };
        Team::of(&server, "hub-1").unwrap().add("team", "team", &mark).unwrap();
        Team::of(&server, "hub-1").unwrap().show_life("1 idle").unwrap();
        let team = Team::of(&server, "hub-1").unwrap();
        let session = team.id().unwrap();
        let shown =
            || server.ask(&["show-options", "-v", "-q", "-t", session, LIFE]).unwrap().trim().to_owned();
        assert_eq!(shown(), "1 idle");
        server.ask(&["set-option", "-u", "-t", session, LIFE]).unwrap();
        team.show_life("1 idle").unwrap();
        assert_eq!(shown(), "", "tmux was told nothing");
        team.show_life("2 idle").unwrap();
        assert_eq!(shown(), "2 idle");
        server.ask(&["kill-server"]).unwrap();
    }
}
