//! The table of tools. Fourteen have the names and parameters of the older MCP server, so that instructions written for
//! it work unchanged; six more are for shared work.

use super::{Does, Kind, Need, Param};

/// A tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) params: &'static [Param],
    pub(crate) does: Does,
}

impl Tool {
    /// Its parameters in a sentence.
    pub(crate) fn takes(&self) -> String {
        let action = matches!(self.does, Does::Action(_)).then_some("action");
        let names: Vec<&str> = action.into_iter().chain(self.params.iter().map(|param| param.name)).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    }

    /// Whether a call must name the action.
    pub(crate) fn asks_for_action(&self) -> bool {
        self.name != "briefing"
    }
}

const fn must(name: &'static str, field: &'static str, kind: Kind, about: &'static str) -> Param {
    Param { name, field, kind, need: Need::Must, about }
}

const fn may(name: &'static str, field: &'static str, kind: Kind, about: &'static str) -> Param {
    Param { name, field, kind, need: Need::May, about }
}

const fn me(name: &'static str) -> Param {
    Param { name, field: name, kind: Kind::Me, need: Need::May, about: "" }
}

/// A parameter that the operation calls the same.
const fn own(name: &'static str, kind: Kind) -> Param {
    may(name, name, kind, "")
}

const KEY: Param = may("key", "key", Kind::Text, "idempotency key");
const PRIORITY: Param = may("priority", "priority", Kind::Text, "low|medium|high|critical");

/// Every tool.
pub(crate) const TABLE: &[Tool] = &[
    Tool {
        name: "register_agent",
        about: "Join under a name, once. Later calls need no name.",
        params: &[
            must("name", "name", Kind::Text, ""),
            may("workspace_path", "workspace", Kind::Text, "absolute path"),
            may("description", "description", Kind::Text, "what you work on"),
        ],
        does: Does::Register,
    },
    Tool {
        name: "list_agents",
        about: "Who is in the team.",
        params: &[],
        does: Does::Operation("agent.list"),
    },
    Tool {
        name: "get_agent",
        about: "One agent: role, capabilities, status.",
        params: &[must("name", "agent", Kind::Text, "")],
        does: Does::Operation("agent.show"),
    },
    Tool {
        name: "send_message",
        about: "Send a message.",
        params: &[
            must("to", "to", Kind::People, "names, role:NAME, operator, all"),
            may("subject", "subject", Kind::Text, ""),
            must("content", "body", Kind::Text, "markdown"),
            me("from"),
            may(
                "intent",
                "intent",
                Kind::Text,
                "question, blocked, handoff, delegation, review_request, discussion (these oblige the recipient), message, context_share, report",
            ),
            PRIORITY,
            may("refs", "refs", Kind::Refs, "path:10-20, commit:ID, task:ID, URL"),
            own("task", Kind::Text),
            may("thread", "thread", Kind::Text, "a message id of it"),
            may("expires", "expires", Kind::Text, "RFC 3339"),
            KEY,
        ],
        does: Does::Operation("message.send"),
    },
    Tool {
        name: "check_inbox",
        about: "Your new messages, and what needs your answer.",
        params: &[
            me("agent_name"),
            may("wait", "wait", Kind::Whole, "seconds, at most 600"),
            own("limit", Kind::Whole),
        ],
        does: Does::Inbox,
    },
    Tool {
        name: "read_message",
        about: "Read a message. Acknowledges your own.",
        params: &[
            must("message_id", "message", Kind::Text, ""),
            me("reader"),
            may("offset", "offset", Kind::Whole, "next part"),
        ],
        does: Does::Read,
    },
    Tool {
        name: "reply_message",
        about: "Reply. This settles a question.",
        params: &[
            must("original_message_id", "message", Kind::Text, ""),
            me("from"),
            own("subject", Kind::Text),
            must("content", "body", Kind::Text, "markdown"),
            may("mark_complete", "complete", Kind::Flag, "settles any obligation"),
            may("verdict", "verdict", Kind::Text, "to a review_request"),
            own("intent", Kind::Text),
            PRIORITY,
            own("refs", Kind::Refs),
            KEY,
        ],
        does: Does::Operation("message.reply"),
    },
    Tool {
        name: "escalate",
        about: "When stuck: ask your superior or the human.",
        params: &[
            must("message_id", "message", Kind::Text, ""),
            me("agent_name"),
            must("reason", "reason", Kind::Text, "what you tried"),
            may("deadline", "deadline", Kind::Text, "RFC 3339"),
            may("default", "default", Kind::Text, "used without an answer"),
            KEY,
        ],
        does: Does::Operation("message.escalate"),
    },
    Tool {
        name: "publish_spec",
        about: "Publish a version of a shared document.",
        params: &[
            must("name", "name", Kind::Text, ""),
            must("content", "body", Kind::Text, "markdown"),
            me("publisher"),
            may("note", "note", Kind::Text, "what changed"),
            may("expected_version", "expected_version", Kind::Whole, "refused if outdated"),
        ],
        does: Does::Operation("spec.publish"),
    },
    Tool {
        name: "get_spec",
        about: "Read a shared document.",
        params: &[
            must("name", "name", Kind::Text, ""),
            own("version", Kind::Whole),
            own("offset", Kind::Whole),
            may("subscribe", "subscribe", Kind::Flag, "to new versions"),
        ],
        does: Does::Spec,
    },
    Tool {
        name: "list_specs",
        about: "All shared documents.",
        params: &[],
        does: Does::Operation("spec.list"),
    },
    Tool {
        name: "set_status",
        about: "Set your status.",
        params: &[
            me("agent_name"),
            must("status", "text", Kind::Text, ""),
            may("state", "state", Kind::Text, "working|idle|waiting|blocked|offline"),
            may("context_left", "context_left", Kind::Whole, "percent"),
        ],
        does: Does::Operation("status.set"),
    },
    Tool {
        name: "get_status",
        about: "What one agent is doing.",
        params: &[may("agent_name", "agent", Kind::Text, "")],
        does: Does::Operation("agent.show"),
    },
    Tool {
        name: "get_all_statuses",
        about: "All agents: status, obligations, unread mail.",
        params: &[],
        does: Does::Operation("status.board"),
    },
    Tool {
        name: "task",
        about: "Shared work. create(title, assignee...), list, show, next (finds and takes one), claim, update(status, note), report(status done|failed|blocked, summary) completes it, verdict(approved|revision_needed|rejected), reassign(to), split(into, reason), accept or decline(message) a handoff or delegation.",
        params: &[
            own("task", Kind::Text),
            own("title", Kind::Text),
            own("description", Kind::Text),
            own("assignee", Kind::Text),
            PRIORITY,
            own("acceptance_criteria", Kind::List),
            own("depends_on", Kind::List),
            own("parent", Kind::Text),
            own("files", Kind::List),
            may("quiet", "quiet", Kind::Flag, "no notification"),
            own("open", Kind::Flag),
            own("status", Kind::Text),
            own("note", Kind::Text),
            own("summary", Kind::Text),
            own("files_modified", Kind::List),
            may("skill_candidate", "skill_candidate", Kind::Object, "{found, name, description, reason}"),
            own("purpose_met", Kind::Flag),
            own("purpose_gap", Kind::Text),
            own("verdict", Kind::Text),
            own("with_open_parts", Kind::Flag),
            own("to", Kind::Text),
            own("reason", Kind::Text),
            own("message", Kind::Text),
            own("into", Kind::List),
            own("answer", Kind::Text),
            own("on", Kind::Text),
            own("remove", Kind::Flag),
            own("after", Kind::Text),
            own("limit", Kind::Whole),
            own("key", Kind::Text),
        ],
        does: Does::Action(&[
            ("create", "task.create"),
            ("list", "task.list"),
            ("show", "task.show"),
            ("next", "task.next"),
            ("claim", "task.claim"),
            ("update", "task.update"),
            ("note", "task.note"),
            ("report", "task.report"),
            ("verdict", "task.verdict"),
            ("depend", "task.depend"),
            ("reassign", "task.reassign"),
            ("redo", "task.redo"),
            ("split", "task.split"),
            ("accept", "message.accept"),
            ("decline", "message.decline"),
        ]),
    },
    Tool {
        name: "review",
        about: "Reviews of changes: open(source, to), show(round), comment(body, file, line or thread), resolve(thread), update (a new round), verdict, list.",
        params: &[
            own("review", Kind::Text),
            may("source", "source", Kind::Text, "main..HEAD, branch, task, staged, working-tree"),
            own("diff", Kind::Text),
            own("title", Kind::Text),
            own("body", Kind::Text),
            own("task", Kind::Text),
            may("to", "to", Kind::People, ""),
            own("file", Kind::Text),
            own("line", Kind::Whole),
            own("side", Kind::Text),
            own("thread", Kind::Text),
            own("after", Kind::Text),
            may("disposition", "disposition", Kind::Text, "approve|concern|question|note"),
            own("verdict", Kind::Text),
            own("note", Kind::Text),
            own("open", Kind::Flag),
            own("round", Kind::Whole),
            own("aliases", Kind::List),
        ],
        does: Does::Action(&[
            ("open", "review.open"),
            ("update", "review.update"),
            ("comment", "review.comment"),
            ("resolve", "review.resolve"),
            ("verdict", "review.verdict"),
            ("list", "review.list"),
            ("show", "review.show"),
        ]),
    },
    Tool {
        name: "decision",
        about: "Questions the team decides: open(question, options, to), position(position, reason), decide(outcome, reason), list, show.",
        params: &[
            own("decision", Kind::Text),
            own("question", Kind::Text),
            own("options", Kind::List),
            own("supersedes", Kind::Text),
            may("to", "to", Kind::People, "default: everybody"),
            own("position", Kind::Text),
            own("outcome", Kind::Text),
            own("reason", Kind::Text),
            own("open", Kind::Flag),
        ],
        does: Does::Action(&[
            ("open", "decision.open"),
            ("position", "decision.position"),
            ("decide", "decision.decide"),
            ("list", "decision.list"),
            ("show", "decision.show"),
        ]),
    },
    Tool {
        name: "lease",
        about: "Reserve files before you edit them: take(paths), renew, release(lease), list.",
        params: &[
            may("paths", "paths", Kind::List, "globs"),
            own("lease", Kind::Text),
            own("token", Kind::Whole),
            may("mode", "mode", Kind::Text, "exclusive|shared"),
            own("ttl_s", Kind::Whole),
            own("reason", Kind::Text),
        ],
        does: Does::Action(&[
            ("take", "lease.take"),
            ("renew", "lease.renew"),
            ("release", "lease.release"),
            ("list", "lease.list"),
        ]),
    },
    Tool {
        name: "search",
        about: "Search everything that was written.",
        params: &[
            must("text", "text", Kind::Text, "words, \"phrase\", prefix*, -without"),
            may("kinds", "kinds", Kind::List, "message, task, spec, decision, review, report"),
            own("author", Kind::Text),
            own("task", Kind::Text),
            own("after", Kind::Text),
            own("limit", Kind::Whole),
        ],
        does: Does::Operation("search"),
    },
    Tool {
        name: "briefing",
        about: "me: who you are, your rules, what is open; role=true: your role. team: what needs doing by whom.",
        params: &[],
        does: Does::Action(&[("me", "briefing"), ("team", "summary")]),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use interagent_wire::Request;

    #[test]
    fn names_are_unique_and_the_older_server_s_come_first() {
        let older = [
            "register_agent",
            "list_agents",
            "get_agent",
            "send_message",
            "check_inbox",
            "read_message",
            "reply_message",
            "escalate",
            "publish_spec",
            "get_spec",
            "list_specs",
            "set_status",
            "get_status",
            "get_all_statuses",
        ];
        let names: Vec<&str> = TABLE.iter().map(|tool| tool.name).collect();
        assert_eq!(names[..14], older);
        assert_eq!(names[14..], ["task", "review", "decision", "lease", "search", "briefing"]);
    }

    #[test]
    fn every_operation_and_every_field_is_in_the_catalog() {
        for tool in TABLE {
            let operations: Vec<&str> = match tool.does {
                Does::Register => vec!["agent.register"],
                Does::Operation(operation) => vec![operation],
                Does::Action(actions) => actions.iter().map(|(_, operation)| *operation).collect(),
                Does::Inbox | Does::Read | Does::Spec => continue,
            };
            let schemas: Vec<_> = operations.iter().map(|name| Request::schema(name).unwrap()).collect();
            for param in tool.params.iter().filter(|param| param.kind != Kind::Me) {
                let has = |schema: &schemars::Schema| {
                    schema.pointer(&format!("/properties/{}", param.field)).is_some()
                };
                assert!(schemas.iter().any(has), "{} {}", tool.name, param.name);
            }
        }
    }
}
