//! The process environment, read once.
//!
//! Owns the names of the environment variables and how each is understood. Does not own what follows from them: hub
//! discovery is `hub`, the caller's facts are `facts`, colour and width are `ui`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use interagent_agents::Profiles;
use interagent_wake::notify::Detail;
use interagent_wake::tmux::Server;

use super::facts::Chain;
use crate::ui::pager::{self, Pager};

/// Names the process at which the caller's ancestors end: it and what is above do not count.
///
/// For harnesses that an agent may have started and that act on their own, such as this program's tests.
const ANCESTORS_END_VARIABLE: &str = "INTERAGENT_ANCESTORS_END";

/// The moment from which ages are told instead of the clock's, in microseconds since 1970.
///
/// For pictures of a screen that must not differ from run to run, such as those of this program's tests. Only words
/// like `3 min ago` follow it; nothing is decided or stored by it.
const TOLD_AT_VARIABLE: &str = "INTERAGENT_TOLD_AT";

/// Set by the scripts of `interagent completion`, to the name of the shell that asks what could be typed next.
pub(crate) const COMPLETE_VARIABLE: &str = "INTERAGENT_COMPLETE";

/// The user's own profiles, below the directory for configuration.
const OWN_PROFILES: &str = "interagent/profiles";

/// Leaves at once when all fits, keeps colours, keeps the screen.
const DEFAULT_PAGER: &str = "less -FRX";

/// Longest value we take from a variable that is shown or stored; a longer one is treated as not set, or cut where
/// its presence alone says something.
///
/// Real session ids are 36 bytes; the environment belongs to whoever started us.
const VALUE_LIMIT_BYTES: usize = 512;

/// Everything the program takes from its environment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Env {
    /// The physical working directory; `None` when it was deleted or cannot be read.
    pub(crate) cwd: Option<PathBuf>,
    /// `HOME`, only when it is an absolute path.
    pub(crate) home: Option<PathBuf>,
    /// `INTERAGENT_HUB`: the hub to use instead of the one that discovery would find.
    pub(crate) hub: Option<OsString>,
    /// `INTERAGENT_AGENT`: the agent that this process claims to act for.
    pub(crate) agent: Option<String>,
    /// `INTERAGENT_SESSION`: the session that this process claims to belong to.
    pub(crate) session: Option<String>,
    /// `TMUX_PANE`: the pane that this process was started in.
    pub(crate) tmux_pane: Option<String>,
    /// `TMUX`: the socket of the tmux server that this process runs in.
    pub(crate) tmux_socket: Option<PathBuf>,
    /// `INTERAGENT_NTFY_SERVER`: the server that pushes go to.
    pub(crate) ntfy_server: Option<String>,
    /// `INTERAGENT_NTFY_TOPIC`: the topic that pushes go to, whatever the team file says.
    pub(crate) ntfy_topic: Option<String>,
    /// `INTERAGENT_NTFY_TOKEN`: what that server asks for.
    pub(crate) ntfy_token: Option<String>,
    /// How much of a notice leaves the machine.
    pub(crate) ntfy_detail: Detail,
    /// [`COMPLETE_VARIABLE`]: the shell that asks, where one does.
    pub(crate) completes_for: Option<String>,
    /// `VISUAL`, or else `EDITOR`: the command that edits a text.
    pub(crate) editor: Option<String>,
    /// The words of the pager that is wished for; empty for none.
    pub(crate) pager_words: Vec<String>,
    /// `LESS` is set: its options are the user's.
    pub(crate) less_is_set: bool,
    /// `TERM` says that the terminal can do nothing but print, or says nothing.
    pub(crate) terminal_is_dumb: bool,
    /// What the environment says about colour.
    pub(crate) colour: ColourWish,
    /// `COLUMNS`, when it is a positive number.
    pub(crate) columns: Option<usize>,
    /// Which of the standard streams are terminals.
    pub(crate) terminals: Terminals,
    /// [`ANCESTORS_END_VARIABLE`]: the first ancestor that does not count.
    pub(crate) ancestors_end: Option<u32>,
    /// `XDG_CONFIG_HOME`, or `.config` in the home directory.
    pub(crate) config_home: Option<PathBuf>,
    /// The profiles of the program and the user's own.
    pub(crate) profiles: Arc<Profiles>,
    /// Variables of coding clients that are set, in the order of the clients.
    pub(crate) client_markers: Vec<(&'static str, String)>,
    /// The ancestors of this process.
    pub(crate) chain: Chain,
}

/// The colour conventions, from strongest to weakest: `NO_COLOR`, `CLICOLOR_FORCE`, `TERM=dumb`, `CLICOLOR=0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ColourWish {
    /// No convention applies: colour on a terminal only.
    #[default]
    Unsaid,
    Never,
    Always,
}

/// Which of the standard streams are terminals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Terminals {
    pub(crate) stdin: bool,
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
    /// Standard output is the null device. The runtime also opens it in the place of a closed one.
    pub(crate) stdout_is_null: bool,
}

/// Whether what is written to standard output reaches nobody.
fn stdout_is_null() -> bool {
    let (Ok(out), Ok(null)) = (rustix::fs::fstat(std::io::stdout()), rustix::fs::stat("/dev/null")) else {
        return false;
    };
    rustix::fs::FileType::from_raw_mode(out.st_mode) == rustix::fs::FileType::CharacterDevice
        && out.st_rdev == null.st_rdev
}

impl Env {
    /// Reads the environment of this process.
    pub(crate) fn from_process() -> Self {
        let terminals = Terminals {
            stdin: std::io::stdin().is_terminal(),
            stdout: std::io::stdout().is_terminal(),
            stderr: std::io::stderr().is_terminal(),
            stdout_is_null: stdout_is_null(),
        };
        let cwd = std::env::current_dir().ok();
        Self { cwd, terminals, ..Self::from_variables(|name| std::env::var_os(name)) }
    }

    /// The tmux server that this process runs in, where it runs in one.
    pub(crate) fn tmux_server(&self) -> Vec<Server> {
        self.tmux_socket.iter().map(Server::at).collect()
    }

    /// The pager for long answers, where there is a screen and one is wanted. Whether a person is there is another question.
    pub(crate) fn pager(&self) -> Option<Pager> {
        let is_screen = self.terminals.stdin && self.terminals.stdout && !self.terminal_is_dumb;
        let is_wished =
            self.pager_words.first().is_some_and(|program| !program.is_empty() && program != "cat");
        if !is_screen || !is_wished {
            return None;
        }
        let (rows, columns) = terminal_size()?;
        Some(Pager { words: self.pager_words.clone(), may_set_less: !self.less_is_set, rows, columns })
    }

    /// Understands variables, wherever they come from; leaves `cwd` and `terminals` empty.
    ///
    /// An empty variable counts as not set, as every convention here wants it.
    pub(crate) fn from_variables(lookup: impl Fn(&str) -> Option<OsString>) -> Self {
        let raw = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let text = |name: &str| {
            raw(name)?
                .into_string()
                .ok()
                .filter(|value| value.len() <= VALUE_LIMIT_BYTES && !value.contains('\0'))
        };
        // An unusable value still shows that there is one: it names nobody, so its caller is not taken for the operator.
        let sign = |name: &str| raw(name).map(|value| shortened(&value));
        let place = |name: &str| raw(name).map(PathBuf::from).filter(|place| place.is_absolute());
        let home = place("HOME");
        let config_home = place("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
        let profiles = own_profiles(config_home.as_deref());
        Self {
            cwd: None,
            home,
            config_home,
            hub: raw("INTERAGENT_HUB"),
            agent: sign("INTERAGENT_AGENT"),
            session: sign("INTERAGENT_SESSION"),
            tmux_pane: text("TMUX_PANE"),
            tmux_socket: text("TMUX")
                .and_then(|value| value.split(',').next().map(PathBuf::from))
                .filter(|socket| socket.is_absolute()),
            ntfy_server: text("INTERAGENT_NTFY_SERVER"),
            ntfy_topic: text("INTERAGENT_NTFY_TOPIC"),
            ntfy_token: text("INTERAGENT_NTFY_TOKEN"),
            ntfy_detail: match text("INTERAGENT_NTFY_DETAIL").as_deref() {
                Some("full") => Detail::Full,
                _ => Detail::Brief,
            },
            completes_for: text(COMPLETE_VARIABLE),
            editor: text("VISUAL").or_else(|| text("EDITOR")),
            pager_words: pager_words(&lookup),
            less_is_set: lookup("LESS").is_some(),
            terminal_is_dumb: text("TERM").is_none_or(|term| term == "dumb"),
            colour: colour_wish(text),
            columns: text("COLUMNS")
                .and_then(|columns| columns.trim().parse().ok())
                .filter(|columns| *columns > 0),
            terminals: Terminals::default(),
            ancestors_end: text(ANCESTORS_END_VARIABLE).and_then(|pid| pid.parse().ok()),
            client_markers: profiles
                .marks()
                .flat_map(|marks| marks.variables)
                .copied()
                .filter_map(|name| sign(name).map(|value| (name, value)))
                .collect(),
            profiles: Arc::new(profiles),
            chain: Chain::default(),
        }
    }

    /// The same, with the user's own profiles as they are now.
    pub(crate) fn with_profiles_of_now(&self) -> Self {
        Self { profiles: Arc::new(own_profiles(self.config_home.as_deref())), ..self.clone() }
    }
}

/// A value that may be no text or too long, cut to a length that no name and no session has.
fn shortened(value: &OsStr) -> String {
    let text = value.to_string_lossy();
    let end = text.floor_char_boundary(VALUE_LIMIT_BYTES);
    match end < text.len() {
        true => format!("{}\u{2026}", &text[..end]),
        false => text.into_owned(),
    }
}

fn own_profiles(config_home: Option<&Path>) -> Profiles {
    Profiles::with_own(config_home.map(|config| config.join(OWN_PROFILES)).as_deref())
}

/// The pager of our own variable, the usual one, or the usual program. Here an empty variable is a wish: no pager.
fn pager_words(lookup: &impl Fn(&str) -> Option<OsString>) -> Vec<String> {
    let wish = lookup("INTERAGENT_PAGER").or_else(|| lookup("PAGER"));
    let wish = match &wish {
        Some(wish) => wish.to_str().unwrap_or_default(),
        None => DEFAULT_PAGER,
    };
    pager::words_of(wish)
}

fn colour_wish(text: impl Fn(&str) -> Option<String>) -> ColourWish {
    let is = |name: &str, wanted: &str| text(name).is_some_and(|value| value == wanted);
    if text("NO_COLOR").is_some() {
        ColourWish::Never
    } else if text("CLICOLOR_FORCE").is_some_and(|force| force != "0") {
        ColourWish::Always
    } else if is("TERM", "dumb") || is("CLICOLOR", "0") {
        ColourWish::Never
    } else {
        ColourWish::Unsaid
    }
}

/// What this process was called with, its own name first.
pub(crate) fn arguments() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// Whether a person could be at the other end: this process has a controlling terminal.
///
/// Not a part of [`Env`] because only writes of an unmarked caller need to know. A sandbox may hide `/dev/tty`
/// although there is a terminal, so the kernel's own record is asked second.
pub(crate) fn has_controlling_terminal() -> bool {
    File::open("/dev/tty").is_ok() || super::facts::terminal_number_of_this_process().is_some()
}

/// The number of columns of the terminal on standard output.
pub(crate) fn terminal_columns() -> Option<usize> {
    terminal_size().map(|(_, columns)| columns)
}

/// Rows and columns of the terminal on standard output.
fn terminal_size() -> Option<(usize, usize)> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col > 0).then_some((usize::from(size.ws_row), usize::from(size.ws_col)))
}

/// The moment from which ages are told, where it is not the clock's.
pub(crate) fn told_at_us() -> Option<i64> {
    std::env::var(TOLD_AT_VARIABLE).ok()?.parse().ok()
}

/// Whether tests write the pages that are made from the program, instead of comparing them.
#[cfg(test)]
pub(crate) fn updates_docs() -> bool {
    std::env::var_os("INTERAGENT_UPDATE_DOCS").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(variables: &[(&str, &str)]) -> Env {
        Env::from_variables(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn colour_conventions_in_their_order() {
        let cases: [(&[(&str, &str)], ColourWish); 9] = [
            (&[], ColourWish::Unsaid),
            (&[("NO_COLOR", "")], ColourWish::Unsaid),
            (&[("NO_COLOR", "0")], ColourWish::Never),
            (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], ColourWish::Never),
            (&[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], ColourWish::Always),
            (&[("CLICOLOR_FORCE", "0")], ColourWish::Unsaid),
            (&[("TERM", "dumb")], ColourWish::Never),
            (&[("CLICOLOR", "0")], ColourWish::Never),
            (&[("CLICOLOR", "1"), ("TERM", "xterm")], ColourWish::Unsaid),
        ];
        for (variables, wanted) in cases {
            assert_eq!(env(variables).colour, wanted, "{variables:?}");
        }
    }

    #[test]
    fn unusable_values_count_as_not_set() {
        let long = "x".repeat(VALUE_LIMIT_BYTES + 1);
        let env = env(&[
            ("HOME", "relative/home"),
            ("COLUMNS", "0"),
            ("INTERAGENT_HUB", ""),
            ("INTERAGENT_NTFY_TOPIC", &long),
        ]);
        assert_eq!((env.home, env.columns, env.hub, env.ntfy_topic), (None, None, None, None));
        for columns in ["-1", "wide", "1.5", ""] {
            assert_eq!(self::env(&[("COLUMNS", columns)]).columns, None, "{columns}");
        }
    }

    #[test]
    fn unusable_signs_of_an_agent_stay_signs() {
        use std::os::unix::ffi::OsStringExt;
        let values = [OsString::from("x".repeat(5_000)), OsString::from_vec(b"kimi\xff".to_vec())];
        for value in values {
            let env = Env::from_variables(|name| {
                let is_sign = ["INTERAGENT_AGENT", "INTERAGENT_SESSION", "CLAUDECODE"].contains(&name);
                is_sign.then(|| value.clone())
            });
            assert_eq!(env.client_markers.len(), 1, "{value:?}");
            assert_eq!(env.agent, env.session);
            let name = env.agent.unwrap();
            assert!(interagent_core::name::Name::parse(&name).is_err(), "{name}");
        }
    }

    #[test]
    fn client_markers_are_passed_on_in_a_fixed_order() {
        let env = env(&[("CLAUDE_PID", "42"), ("CLAUDECODE", "1"), ("CLAUDE_PROJECT_DIR", "/p")]);
        assert_eq!(env.client_markers, [("CLAUDECODE", "1".to_owned()), ("CLAUDE_PID", "42".to_owned())]);
    }
}
