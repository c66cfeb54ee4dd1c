//! The story behind the snapshots: who does what, in an order in which every command has something to show.
//!
//! It has what makes layouts break: long titles, wide characters, hostile texts, every status of a task, empty lists.

/// One command of the story, as one would type it after `interagent`. A word in braces is an id that an earlier line
/// kept with `=> name:kind`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) who: &'static str,
    pub(crate) line: &'static str,
    /// Its answer is part of the snapshots.
    pub(crate) shown: bool,
}

/// The member who is the person.
pub(crate) const OPERATOR: &str = "operator";

/// A change to review, in a file of the project.
pub(crate) const CHANGE: &str = "\
diff --git a/src/parser.rs b/src/parser.rs
--- a/src/parser.rs
+++ b/src/parser.rs
@@ -118,7 +118,8 @@ fn tokens(input: &str) -> Vec<Token> {
     let mut rest = input;
-    while let Some((token, after)) = split(rest) { found.push(token); rest = after; if rest.is_empty() { break } }
+    while let Some((token, after)) = split(rest) {
+        found.push(token);
     found
";

/// The same change in its second version: a line before it, and another condition.
pub(crate) const SECOND_CHANGE: &str = "\
diff --git a/src/parser.rs b/src/parser.rs
--- a/src/parser.rs
+++ b/src/parser.rs
@@ -118,3 +118,5 @@ fn tokens(input: &str) -> Vec<Token> {
     let mut rest = input;
-    while let Some((token, after)) = split(rest) { found.push(token); rest = after; if rest.is_empty() { break } }
+    // The last token has nothing after it.
+    'tokens: while let Some((token, after)) = split(rest) {
+        found.push(token);
     found
";

const fn show(who: &'static str, line: &'static str) -> Step {
    Step { who, line, shown: true }
}

/// Only moves the story on.
const fn tell(who: &'static str, line: &'static str) -> Step {
    Step { who, line, shown: false }
}

/// All of it, in order.
pub(crate) fn story() -> impl Iterator<Item = Step> {
    [TEAM, NOTHING_YET, TALK, TASKS, REVIEWS, SPECS, DECISIONS, LEASES, LOOKING_BACK, ROUNDS]
        .into_iter()
        .flatten()
        .copied()
}

const TEAM: &[Step] = &[
    show(OPERATOR, "demo --dir ../story"),
    show(OPERATOR, "init --project 'The parser of the wire format'"),
    show(OPERATOR, "team show"),
    show(OPERATOR, "team check"),
    show(OPERATOR, "team take"),
    show(
        OPERATOR,
        "agent register codex --profile codex --description 'keeps an eye on the tests, the documents and everything that nobody else looks at'",
    ),
    tell(OPERATOR, "agent register gemini --profile gemini"),
    tell(OPERATOR, "agent register old-helper --profile kimi"),
    show(OPERATOR, "agent rename old-helper older-helper"),
    show(OPERATOR, "agent retire older-helper --reason 'the work is done'"),
    show(OPERATOR, "agent token codex"),
    show(OPERATOR, "agent token codex --revoke"),
    show("kimi", "whoami"),
    show(OPERATOR, "setup generic --print"),
    show(OPERATOR, "trust"),
];

const NOTHING_YET: &[Step] = &[
    show(OPERATOR, "task list"),
    show("kimi", "task next"),
    show(OPERATOR, "msg list"),
    show("kimi", "inbox"),
    show(OPERATOR, "review list"),
    show(OPERATOR, "spec list"),
    show(OPERATOR, "decision list"),
    show(OPERATOR, "lease list"),
    show(OPERATOR, "session list"),
    show(OPERATOR, "search token"),
    show(OPERATOR, "summary"),
    show(OPERATOR, "log trace"),
];

const TALK: &[Step] = &[
    show(
        "claude",
        "send --to kimi --intent question -s 'Does the parser keep the last token?' -m 'It is lost at the end of a file that has no line break, and then the checker complains about a bracket that is there.' --ref src/parser.rs:120-140 => question:msg",
    ),
    show("kimi", "reply {question} 'It does, since yesterday.' => answer:msg"),
    tell("claude", "reply {answer} --intent question 'And at the end of an empty file?' => deeper:msg"),
    tell("kimi", "reply {deeper} 'There is no token, so none is lost.' => deepest:msg"),
    tell(
        "codex",
        "send --to kimi --priority high -s '構文解析が最後の字句を失うので修正してください 🚨👩\u{200d}💻' -m '空のファイルでは問題ありません。改行のないファイルの末尾だけで起きます。👍🏽' => wide:msg",
    ),
    tell(
        "gemini",
        "send --to kimi -s '\u{1b}[31mred\u{1b}[0m \u{202e}gpj.exe' -m 'a title \u{1b}]0;mine\u{7} and \u{2066}hidden\u{2069}' => hostile:msg",
    ),
    show(
        "claude",
        "msg send --to kimi -s 'Everything that has to be known about the release of the parser before it can go out to all the users of it' -m 'It waits for the tests.' => long:msg",
    ),
    tell(
        "codex",
        "send --to kimi --intent blocked -s 'No access' -m 'The server refuses my key.' => stuck:msg",
    ),
    show(
        "kimi",
        "msg escalate {stuck} --reason 'nobody of us has access to the server' --deadline 2h => raised:msg",
    ),
    show("operator", "msg answer {raised} 'Use the second server.'"),
    show(OPERATOR, "msg hold {wide}"),
    show(OPERATOR, "msg release {wide}"),
    tell("claude", "send --to codex -s 'Wait with this one' -m 'Until the release.' => waits:msg"),
    tell(OPERATOR, "msg hold {waits}"),
    show(OPERATOR, "inbox --agent kimi"),
    show("kimi", "wait --timeout 0"),
    show("kimi", "inbox"),
    show("kimi", "ack {long} {wide}"),
    tell(
        "claude",
        "send --to codex --intent discussion -s 'Tabs or spaces' -m 'Say what you think.' => tabs:msg",
    ),
    show("codex", "msg settle {tabs}"),
    show(OPERATOR, "read {question}"),
    show(OPERATOR, "msg read {hostile}"),
    show(OPERATOR, "msg thread {question}"),
    show(OPERATOR, "msg list --held"),
    show(
        "kimi",
        "status set working 'the parser, and after it the printer that nobody has looked at for years' --context 40",
    ),
    tell("codex", "status set idle"),
];

const TASKS: &[Step] = &[
    show(
        "claude",
        "task create 'Keep the last token of a file that ends without a line break, whatever its encoding' --assignee kimi --priority high --announce -m 'It is lost in tokens().' --purpose 'Users lose their last line.' --criterion 'the tests pass' --criterion 'no other token changes' --requirement 'no new dependency' --files src/parser.rs,src/tokens.rs --branch keep-last-token => keep:task",
    ),
    tell("claude", "task create 'Write the tests 🧪 字句' --assignee codex => tests:task"),
    show("claude", "task depend {tests} {keep}"),
    tell("claude", "task create 'Somebody should look at the printer' --priority low => printer:task"),
    tell("claude", "task create 'Measure it' => measure:task"),
    show("kimi", "task next --peek"),
    show("codex", "task claim {measure}"),
    show("kimi", "task next"),
    show("kimi", "task update {keep} --status in_progress"),
    show("kimi", "task note {keep} 'half of it works'"),
    show(
        "kimi",
        "task report {keep} done --summary 'the last token is kept' --files src/parser.rs --notes 'slower by 2 %' --skill last-token --skill-description 'finds tokens that get lost' --skill-reason 'every parser has this'",
    ),
    show("claude", "task verdict {keep} revision_needed --note 'the empty file is missing'"),
    tell("kimi", "task update {keep} --status in_progress"),
    tell("kimi", "task report {keep} done --summary 'with the empty file' --no-skill"),
    tell("claude", "task verdict {keep} approved --note 'well done'"),
    tell("claude", "task create 'Rewrite the printer' --assignee kimi => rewrite:task"),
    show("claude", "task reassign {rewrite} --to codex --reason 'kimi is busy' => moved:task"),
    tell("claude", "task create 'Name the release' --assignee kimi => name:task"),
    tell("kimi", "task update {name} --status in_progress"),
    tell("kimi", "task report {name} done --summary 'it is called Token' --no-skill"),
    show("claude", "task redo {name} --reason 'it is taken' => again:task"),
    tell("claude", "task create 'Publish the documents' --assignee kimi => publish:task"),
    tell("kimi", "task update {publish} --status in_progress"),
    tell("kimi", "task report {publish} failed --summary 'the site is gone' --no-skill"),
    tell("claude", "task create 'Ask the users' --assignee kimi => ask:task"),
    tell("kimi", "task update {ask} --status in_progress"),
    tell("kimi", "task update {ask} --status blocked --note 'nobody answers'"),
    tell("claude", "task create 'Translate it' --assignee kimi => translate:task"),
    tell("claude", "task update {translate} --status cancelled"),
    tell("claude", "task create 'Tidy up' --assignee kimi => tidy:task"),
    tell("kimi", "task update {tidy} --status in_progress"),
    tell("kimi", "task report {tidy} done --summary 'tidy' --no-skill"),
    tell("claude", "task verdict {tidy} revision_needed --note 'the docs too'"),
    tell("claude", "task create 'Sweep' --assignee codex => sweep:task"),
    tell("codex", "task update {sweep} --status in_progress"),
    tell("codex", "task report {sweep} done --summary 'swept' --no-skill"),
    tell("codex", "task update {sweep} --status under_review"),
    tell("claude", "task create 'Rename everything' --assignee codex => rename:task"),
    tell("codex", "task update {rename} --status in_progress"),
    tell("codex", "task report {rename} done --summary 'renamed' --no-skill"),
    tell("claude", "task verdict {rename} rejected --note 'nobody wants it'"),
    tell("claude", "task create 'Tell the users what came of it' --assignee codex --depends-on {ask}"),
    tell("kimi", "task update {again} --status in_progress"),
    tell("claude", "task create 'Polish the parser' --assignee kimi => polish:task"),
    tell("kimi", "task update {polish} --status in_progress"),
    show(
        "kimi",
        "report {polish} done --summary 'polished' --skill Last_Token --build pass --branch polish --todos 2",
    ),
    tell(
        "codex",
        "send --to kimi --intent handoff --task {tests} -s 'The tests are yours' -m 'All of them.' => handoff:msg",
    ),
    show("kimi", "msg accept {handoff}"),
    tell(
        "kimi",
        "send --to codex --intent handoff --task {ask} -s 'The users too' -m 'Please.' => unwanted:msg",
    ),
    show("codex", "msg decline {unwanted} --reason 'not my part'"),
    show(OPERATOR, "quick --to kimi 'Design the schema of the database'"),
    show(OPERATOR, "quick --explain 'Review the login change'"),
    show(OPERATOR, "delegate --to kimi --task 'Implement the login' --description 'Sessions, no tokens.'"),
    show(OPERATOR, "relay --to kimi"),
    show(OPERATOR, "task list --limit 20"),
    show(OPERATOR, "task show {keep}"),
    show(OPERATOR, "task show {tests}"),
];

const REVIEWS: &[Step] = &[
    show(
        "kimi",
        "review open --title 'The parser keeps the last token' --task {polish} --diff change.diff --to claude => review:rev",
    ),
    show(
        "claude",
        "review comment {review} -m 'Off by one? The loop ends before the last token is looked at, as far as I can see.' --path src/parser.rs --line 120",
    ),
    tell("claude", "review comment {review} -m 'A name would help.'"),
    tell("kimi", "review show {review} => remark:note"),
    show("kimi", "review resolve {review} {remark}"),
    show(OPERATOR, "review show {review}"),
    tell("kimi", "review open 'The printer' -m 'Please look.' --to claude,codex"),
    show("claude", "review verdict {review} approved --note 'good'"),
    show(OPERATOR, "review list"),
];

const SPECS: &[Step] = &[
    show("claude", "spec publish wire-format 'One line each.' --note 'the first one'"),
    show("kimi", "spec subscribe wire-format"),
    tell(
        "claude",
        "spec publish wire-format 'One line each, ended by a line break. What is longer than a line of a screen is shown in several.' --note 'says how a line ends, because three of us understood it differently'",
    ),
    show(OPERATOR, "spec show wire-format"),
    show(OPERATOR, "spec list"),
    show(OPERATOR, "spec history wire-format"),
    show(OPERATOR, "spec diff wire-format"),
];

const DECISIONS: &[Step] = &[
    show(
        "claude",
        "decision open 'Which parser do we take for the next version, and who maintains it?' --option hand-written --option generated --to kimi => parser:dec",
    ),
    show(
        "kimi",
        "decision position {parser} hand-written --reason 'its errors are better, and we know how it works'",
    ),
    tell("claude", "decision open 'Tabs?' --option yes --option no --to kimi => tabs-or-not:dec"),
    show("claude", "decision decide {parser} hand-written --reason 'kimi has convinced me'"),
    show(OPERATOR, "decision show {parser}"),
    show(OPERATOR, "decision show {tabs-or-not}"),
    show(OPERATOR, "decision list"),
];

const LEASES: &[Step] = &[
    show(
        "kimi",
        "lease take 'src/parser/**' src/tokens.rs --ttl 21600 --reason 'rewriting all of it from the ground up' => parser-files:lease",
    ),
    show("kimi", "lease renew {parser-files}"),
    tell("codex", "lease take 'tests/**' --ttl 21600 => test-files:lease"),
    tell("claude", "lease take docs/guide.md --ttl 21600 => docs:lease"),
    show(OPERATOR, "lease list"),
    show(
        "claude",
        "guard explain 'cd src && sed -i s/a/b/ parser/lexer.rs && cat parser/lexer.rs' --agent codex",
    ),
    show("claude", "guard explain ls"),
    show("codex", "lease release {test-files}"),
    show(OPERATOR, "lease force {docs} --reason 'claude is gone'"),
    show(
        OPERATOR,
        "session bind 0b7c4a1e-0000-4000-8000-00000000beef --agent codex --profile codex --pane %3",
    ),
    show(OPERATOR, "session list"),
    show(OPERATOR, "session end 0b7c4a1e-0000-4000-8000-00000000beef"),
];

const LOOKING_BACK: &[Step] = &[
    show(OPERATOR, "status"),
    show(OPERATOR, "ps"),
    show(OPERATOR, "agent list"),
    show(OPERATOR, "agent show kimi"),
    show(OPERATOR, "msg list --limit 12"),
    show(OPERATOR, "summary"),
    show("kimi", "briefing"),
    show(OPERATOR, "search token --limit 6"),
    show(OPERATOR, "log --limit 8"),
    show(OPERATOR, "log show {name}"),
    show(OPERATOR, "log verify"),
    show(OPERATOR, "update-template --agent claude --focus sub-agents"),
    show(OPERATOR, "purge {waits} --reason 'a key'"),
    show(OPERATOR, "call message.send '{\"to\": [\"kimi\"], \"body\": \"hello\"}'"),
    show(OPERATOR, "operations"),
    show(OPERATOR, "doctor"),
    show(OPERATOR, "backup ../copy.db"),
    show(OPERATOR, "skill list"),
    show(OPERATOR, "skill show last-token"),
    show(OPERATOR, "skill promote last-token"),
    show(OPERATOR, "skill reject last-token --reason 'a library does it'"),
    show(OPERATOR, "control claude clear -m 'Begin with the parser.'"),
    show(OPERATOR, "control --list"),
    show(OPERATOR, "say claude 'The parser first, please.'"),
];

const ROUNDS: &[Step] = &[
    tell(
        "kimi",
        "review open --title 'The loop has a name' --diff change.diff --to claude --alias loop => second:rev",
    ),
    tell(
        "claude",
        "review comment loop -m 'What ends the loop?' --path src/parser.rs --line 120 --disposition question => why:note",
    ),
    tell("kimi", "review comment loop --thread {why} -m 'The last token does.'"),
    tell("claude", "review comment loop -m 'Name it.' --path src/parser.rs --line 119 --disposition concern"),
    tell("claude", "review verdict loop revision_needed --note 'see the threads'"),
    show("kimi", "review update loop --diff second.diff -m 'The loop has a name now.'"),
    show(OPERATOR, "review show loop"),
];
