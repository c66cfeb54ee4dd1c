//! What the models of the team do, in their own words. Each text has a word that nobody else writes, which is the cue of whoever
//! is told it.

use interagent_testkit::clients::{Client, MockModel, Turn, client};
use serde_json::json;

use crate::team::nonce;

/// What every member tries first, and the guard refuses (F004).
const FORBIDDEN: &str = "date; sleep 60";

pub(super) struct Script {
    /// What the operator says to the captain.
    pub(super) wish: String,
    /// What the captain orders.
    pub(super) order: String,
    /// What the vice captain makes of it.
    pub(super) first_part: String,
    pub(super) second_part: String,
    pub(super) third_part: String,
    /// What the members report.
    pub(super) first_done: String,
    pub(super) second_done: String,
    pub(super) third_done: String,
}

impl Script {
    pub(super) fn new() -> Self {
        Self {
            wish: format!("People should see who they are. {}", nonce("wish")),
            order: format!("Build the profile page {}", nonce("order")),
            first_part: format!("Build its API {}", nonce("first")),
            second_part: format!("Build its view {}", nonce("second")),
            third_part: format!("Test both {}", nonce("third")),
            first_done: format!("the API answers {}", nonce("api")),
            second_done: format!("the view shows it {}", nonce("view")),
            third_done: format!("both are tested {}", nonce("tests")),
        }
    }

    /// Gives the models their parts: the captain, its vice captain and the second member are Claude Code, the first member is
    /// Kimi Code, the third is Codex.
    pub(super) fn give(&self, claude: &MockModel, kimi: &MockModel, codex: &MockModel) {
        let Self { wish, order, first_part, second_part, third_part, first_done, second_done, third_done } =
            self;
        claude.cue(
            wish,
            play(
                &[&format!(
                    "interagent task create '{order}' --assignee vice_captain1 --alias order \
                 --purpose 'people see who they are' --criteria 'the page is there'"
                )],
                "The order is given.",
            ),
        );
        claude.cue(order, play(
            &[
                "interagent task update order --status in_progress",
                &format!("interagent task create '{first_part}' --assignee member1 --parent order --alias first"),
                &format!("interagent task create '{second_part}' --assignee member2 --parent order --alias second"),
                &format!("interagent task create '{third_part}' --assignee member3 --parent order --alias third"),
            ],
            "All parts are given.",
        ));
        kimi.cue(
            first_part,
            works(
                "kimi",
                &[
                    FORBIDDEN,
                    "interagent task update first --status in_progress",
                    &format!(
                        "interagent report first done --summary '{first_done}' --no-skill --purpose-met"
                    ),
                ],
            ),
        );
        claude.cue(second_part, play(
            &[
                FORBIDDEN,
                "interagent task update second --status in_progress",
                &format!(
                    "interagent report second done --summary '{second_done}' --purpose-met --skill cut-the-log \
                     --skill-description 'cuts a log' --skill-reason 'asked for often'"
                ),
            ],
            "Done.",
        ));
        // The hub is read-only in its sandbox, so it works with the tools.
        let report = json!({ "action": "report", "task": "third", "status": "done", "summary": third_done,
            "purpose_met": true, "skill_candidate": { "found": false } });
        let task = |arguments| Turn::Call { tool: "mcp__interagent__task".to_owned(), arguments };
        codex.cue(
            third_part,
            vec![
                client("codex").shell(FORBIDDEN),
                task(json!({ "action": "update", "task": "third", "status": "in_progress" })),
                task(report),
                Turn::Say("Done.".to_owned()),
            ],
        );
        // What is approved needs nothing more, though it names what was to be done.
        kimi.cue(&format!("approved: {first_part}"), vec![Turn::Say("Thank you.".to_owned())]);
        claude.cue(&format!("approved: {second_part}"), vec![Turn::Say("Thank you.".to_owned())]);
        codex.cue(&format!("approved: {third_part}"), vec![Turn::Say("Thank you.".to_owned())]);
        // Any report may come first, and several may come at once.
        let judges = play(
            &["interagent task verdict first approved; interagent task verdict second approved; \
               interagent task verdict third approved; interagent task show first | grep -q approved && \
               interagent task show second | grep -q approved && interagent task show third | grep -q approved && \
               interagent report order done --summary 'the page is there' --no-skill --purpose-met"],
            "Judged.",
        );
        claude.cue(first_done, judges.clone());
        claude.cue(second_done, judges.clone());
        claude.cue(third_done, judges);
    }
}

fn play(commands: &[&str], last: &str) -> Vec<Turn> {
    let claude: &dyn Client = client("claude");
    let calls = commands.iter().map(|command| claude.shell(command));
    calls.chain([Turn::Say(last.to_owned())]).collect()
}

fn works(name: &str, commands: &[&str]) -> Vec<Turn> {
    let worker = client(name);
    let calls = commands.iter().map(|command| worker.shell(command));
    calls.chain([Turn::Say("Done.".to_owned())]).collect()
}
