//! What is to be known of a pane before anything is typed into it, from one call: so it is all of the same moment.

use super::{Server, TmuxError};
use crate::screen::Capture;

/// A pane by the id that tmux gave it. Never a name, an index or a place: those move.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PaneId(String);

impl PaneId {
    /// `%` and a number; nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        let number = text.strip_prefix('%')?;
        let is_number = !number.is_empty() && number.len() <= 9 && number.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| Self(text.to_owned()))
    }

    /// As tmux writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What tmux knows of a pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Its program ended.
    pub is_dead: bool,
    /// It shows its history or a menu of tmux: keys do not reach the program.
    pub is_in_mode: bool,
    /// What is typed into it reaches its neighbours too.
    pub is_synchronized: bool,
    /// The process that tmux started in it.
    pub pid: i32,
    /// How many lines left its screen.
    pub history: u64,
    /// When the person before it last pressed a key, in seconds since 1970; none where nobody looks at it.
    pub last_key: Option<u64>,
    /// When a program last wrote to a pane of its window, in seconds since 1970; none where tmux does not say.
    pub last_output: Option<u64>,
    /// The id of the agent for whom we marked it.
    pub id: Option<String>,
    /// Which agent it says that it belongs to.
    pub agent: Option<String>,
}

/// A pane at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// What tmux knows.
    pub facts: Facts,
    /// What stands on its screen.
    pub capture: Capture,
}

/// The agent's name comes last: it may hold anything.
const FORMAT: &str = "#{pane_id} #{pane_dead} #{pane_in_mode} #{pane_synchronized} #{pane_pid} #{history_size} \
     #{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{window_activity} #{?@interagent_agent,#{@interagent_agent},-} #{@agent_id}";

/// Begins the line of a person who looks at the server.
const CLIENT: &str = "client ";

/// Only who has this very pane before them types into it; `pane_id` is that of a client's active pane.
const CLIENT_FORMAT: &str = "client #{client_activity} #{pane_id}";

/// Ends the lines of the people.
const SCREEN: &str = "screen";

impl Server {
    /// Looks at a pane.
    pub fn look(&self, pane: &PaneId) -> Result<Look, TmuxError> {
        let id = pane.as_str();
        let said = self.ask(&[
            "display-message",
            "-p",
            "-t",
            id,
            FORMAT,
            ";",
            "list-clients",
            "-F",
            CLIENT_FORMAT,
            ";",
            "display-message",
            "-p",
            SCREEN,
            ";",
            "capture-pane",
            "-p",
            "-e",
            "-t",
            id,
        ])?;
        read(&said, pane).ok_or_else(|| TmuxError::NoPane { pane: id.to_owned() })
    }
}

fn read(said: &str, pane: &PaneId) -> Option<Look> {
    let (facts, mut rest) = said.split_once('\n')?;
    let mut last_key = None;
    loop {
        let (line, after) = rest.split_once('\n')?;
        rest = after;
        if line == SCREEN {
            break;
        }
        let (activity, before) = line.strip_prefix(CLIENT)?.split_once(' ')?;
        if before == pane.as_str() {
            last_key = last_key.max(Some(activity.parse::<u64>().ok()?));
        }
    }
    let mut words = facts.splitn(13, ' ');
    let mut next = || words.next();
    if next()? != pane.as_str() {
        return None;
    }
    let (is_dead, is_in_mode, is_synchronized) = (next()? == "1", next()? != "0", next()? == "1");
    let (pid, history) = (next()?.parse().ok()?, next()?.parse().ok()?);
    let (width, height) = (next()?.parse().ok()?, next()?.parse().ok()?);
    let cursor = (next()?.parse().ok()?, next()?.parse().ok()?);
    let last_output = next()?.parse().ok();
    let id = next().filter(|id| *id != "-").map(str::to_owned);
    let agent = next().filter(|name| !name.is_empty()).map(str::to_owned);
    let facts =
        Facts { is_dead, is_in_mode, is_synchronized, pid, history, last_key, last_output, id, agent };
    Some(Look { facts, capture: Capture::read(rest, (width, height), cursor) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(text: &str) -> PaneId {
        PaneId::parse(text).unwrap()
    }

    #[test]
    fn only_an_id_names_a_pane() {
        assert_eq!(pane("%12").as_str(), "%12");
        for other in ["", "%", "12", "%1 ", "%-1", "%1;", "team:0.1", "{last}", "%1234567890"] {
            assert_eq!(PaneId::parse(other), None, "{other}");
        }
    }

    #[test]
    fn one_answer_says_everything() {
        let said = "%3 0 1 0 77 12 80 24 5 1 95 agt-1 the captain\nclient 100 %2\nclient 90 %3\nclient 80 %3\nscreen\n\u{1b}[2mhello\u{1b}[0m\n> \n";
        let Look { facts, capture } = read(said, &pane("%3")).unwrap();
        assert!(!facts.is_dead && facts.is_in_mode && !facts.is_synchronized);
        assert_eq!((facts.pid, facts.history, facts.last_key), (77, 12, Some(90)));
        assert_eq!(facts.last_output, Some(95));
        assert_eq!((facts.id.as_deref(), facts.agent.as_deref()), (Some("agt-1"), Some("the captain")));
        assert_eq!(capture.text(), "hello\n>\n");
        assert_eq!(capture.cursor(), (5, 1));
    }

    #[test]
    fn another_pane_or_half_an_answer_is_none() {
        let said = "%3 0 0 0 77 12 80 24 5 1 95 - \nscreen\nhello\n";
        assert!(
            read(said, &pane("%3")).is_some_and(|look| look.facts.agent.is_none() && look.facts.id.is_none())
        );
        assert_eq!(read(said, &pane("%4")), None);
        for half in ["", "\n", "%3 0 0\nscreen\n", "%3 0 0 0 77 12 80 24 5 1 \n", "          \nscreen\nx\n"] {
            assert_eq!(read(half, &pane("%3")), None, "{half}");
        }
    }
}
