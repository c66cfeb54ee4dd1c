//! The demo's story: who says what, and what they need to remember of it.

/// The member who is you.
pub(super) const YOU: &str = "you";
/// What you are asked at the end, and what is answered where nobody is at the terminal.
pub(super) const QUESTION: &str = "Some users rely on the lost token. Keep a switch for them?";
pub(super) const ANSWER: &str = "No switch: say it in the changelog.";

/// A part of the story.
pub(super) struct Scene {
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) lines: &'static [Line],
}

/// One command. A word in braces is an id that an earlier line kept, or your answer.
pub(super) struct Line {
    pub(super) who: &'static str,
    pub(super) words: &'static [&'static str],
    /// The name for the id it is given, and how such an id begins.
    pub(super) keep: Option<(&'static str, &'static str)>,
}

const fn line(who: &'static str, words: &'static [&'static str]) -> Line {
    Line { who, words, keep: None }
}

const fn keeping(
    who: &'static str,
    name: &'static str,
    kind: &'static str,
    words: &'static [&'static str],
) -> Line {
    Line { who, words, keep: Some((name, kind)) }
}

pub(super) const STORY: &[Scene] = &[
    Scene {
        title: "1. A team",
        about: "You make the hub. The team file says who is in it; change it as you like.",
        lines: &[line(YOU, &["init", "--project", "A lexer"])],
    },
    Scene {
        title: "2. A question",
        about: "claude asks, kimi owes an answer, and the answer settles it.",
        lines: &[
            keeping(
                "claude",
                "question",
                "msg-",
                &[
                    "send",
                    "--to",
                    "kimi",
                    "--intent",
                    "question",
                    "-s",
                    "Last token",
                    "-m",
                    "Does the lexer keep the last token of a file that ends without a newline?",
                    "--ref",
                    "src/lexer.rs:40-58",
                ],
            ),
            line("kimi", &["inbox"]),
            line("kimi", &["reply", "{question}", "-m", "No, it is dropped in line 52. I can repair that."]),
        ],
    },
    Scene {
        title: "3. A task, reviewed",
        about: "Nobody approves their own work: claude looks at it, wants a change, and approves.",
        lines: &[
            keeping(
                "claude",
                "task",
                "task-",
                &[
                    "task",
                    "create",
                    "Keep the last token",
                    "--assignee",
                    "kimi",
                    "--criterion",
                    "a file without a final newline keeps its last token",
                ],
            ),
            line("kimi", &["task", "update", "{task}", "--status", "in_progress"]),
            line("kimi", &["lease", "take", "src/lexer.rs", "--reason", "the last token"]),
            line(
                "kimi",
                &[
                    "task",
                    "update",
                    "{task}",
                    "--status",
                    "completed",
                    "--note",
                    "flush() at the end of input",
                ],
            ),
            line(
                "claude",
                &[
                    "task",
                    "verdict",
                    "{task}",
                    "revision_needed",
                    "--note",
                    "An empty file yields a token now.",
                ],
            ),
            line("kimi", &["inbox"]),
            line(
                "kimi",
                &["task", "update", "{task}", "--status", "completed", "--note", "an empty file yields none"],
            ),
            line("claude", &["task", "verdict", "{task}", "approved"]),
        ],
    },
    Scene {
        title: "4. A handoff",
        about: "kimi passes on what claude does better. claude has to accept or decline.",
        lines: &[
            keeping(
                "kimi",
                "handoff",
                "msg-",
                &[
                    "send",
                    "--to",
                    "claude",
                    "--intent",
                    "handoff",
                    "-s",
                    "The manual",
                    "-m",
                    "The chapter on tokens needs a paragraph. You know it better.",
                ],
            ),
            line("claude", &["msg", "accept", "{handoff}"]),
        ],
    },
    Scene {
        title: "5. Stuck, so it ends at you",
        about: "What no agent may decide climbs until it reaches a person.",
        lines: &[
            keeping(
                "claude",
                "switch",
                "msg-",
                &["send", "--to", "kimi", "--intent", "question", "-s", "Old behaviour", "-m", QUESTION],
            ),
            line(
                "kimi",
                &[
                    "msg",
                    "escalate",
                    "{switch}",
                    "--reason",
                    "Breaking users is not for me to decide.",
                    "--default",
                    "no switch",
                ],
            ),
            line(YOU, &["inbox"]),
            line(YOU, &["msg", "answer", "{switch}", "-m", "{answer}"]),
            line("kimi", &["inbox"]),
        ],
    },
    Scene {
        title: "6. Where things stand",
        about: "One log is behind it all, so anybody can ask at any time.",
        lines: &[line(YOU, &["summary"]), line(YOU, &["log", "show", "{task}"])],
    },
];
