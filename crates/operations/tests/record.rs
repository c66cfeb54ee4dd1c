//! The record through the hub: log, history, state, search, briefing, summary, purge.

#[path = "record/support.rs"]
mod support;

mod looking_back {
    use interagent_core::refusal::RefusalKind;
    use interagent_core::vocabulary::{Intent, TaskStatus};
    use interagent_wire::answer::{EntryView, Page};
    use interagent_wire::request as ask;
    use interagent_wire::{Answer, Caller, Time};

    use crate::support::{Team, as_agent};

    fn entries(team: &mut Team, params: ask::LogList) -> Page<EntryView> {
        match team.ok(&Caller::operator(), params) {
            Answer::Entries(page) => page,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_log_is_told_newest_first_and_in_pages() {
        let mut team = Team::duo();
        for n in 0..5 {
            team.send("claude", "kimi", Intent::Message, &format!("number {n}"), "a body that is nobody's business");
        }
        let mut seen = Vec::new();
        let mut before = None;
        loop {
            let page = entries(&mut team, ask::LogList { before, limit: Some(2), ..Default::default() });
            seen.extend(page.items.iter().map(|entry| entry.seq));
            match page.next {
                Some(next) => before = Some(next.parse().unwrap()),
                None => break,
            }
        }
        let head = team.hub.store().head().unwrap().seq;
        assert_eq!(seen, (1..=head).rev().collect::<Vec<_>>());

        let newest = entries(&mut team, ask::LogList { limit: Some(1), ..Default::default() });
        let entry = &newest.items[0];
        assert_eq!(entry.op, "message.send");
        assert_eq!(entry.actor.name, "claude");
        assert_eq!(entry.events[0].what, "claude sent a message to kimi: \"number 4\"");
        let whole = serde_json::to_string(&newest).unwrap();
        assert!(!whole.contains("nobody's business"), "a body has no place in a list: {whole}");
    }

    #[test]
    fn the_log_after_a_place_is_told_oldest_first_up_to_another() {
        let mut team = Team::duo();
        for n in 0..4 {
            team.send("claude", "kimi", Intent::Message, &format!("number {n}"), "x");
        }
        let head = team.hub.store().head().unwrap().seq;
        let seqs = |page: &Page<EntryView>| page.items.iter().map(|entry| entry.seq).collect::<Vec<_>>();
        let page = entries(&mut team, ask::LogList { after: Some(head - 4), limit: Some(3), ..Default::default() });
        assert_eq!(seqs(&page), [head - 3, head - 2, head - 1]);
        assert_eq!(page.next, Some((head - 1).to_string()));
        let rest = entries(&mut team, ask::LogList { after: Some(head - 1), ..Default::default() });
        assert_eq!((seqs(&rest), rest.next), (vec![head], None));
        let between =
            entries(&mut team, ask::LogList { after: Some(head - 4), before: Some(head), limit: Some(50) });
        assert_eq!((seqs(&between), between.next), (vec![head - 3, head - 2, head - 1], None));
    }

    #[test]
    fn a_history_is_found_by_id_prefix_alias_name_team_and_spec() {
        let mut team = Team::duo();
        let id = team.task(ask::TaskCreate {
            title: "Fix login".into(),
            assignee: Some("kimi".into()),
            aliases: vec!["cmd_035".into()],
            ..Default::default()
        });
        team.move_task("kimi", &id, TaskStatus::InProgress);
        let whole = team.history(&id);
        assert_eq!(team.history(&id[..10]), whole);
        assert_eq!(team.history("cmd_035"), whole);
        let told: Vec<&str> = whole.steps.iter().map(|step| step.what.as_str()).collect();
        assert_eq!(told[0], "operator created the task \"Fix login\"");
        assert!(told.contains(&"assigned to kimi"), "{told:?}");
        assert_eq!(told.last(), Some(&"moved from assigned to in_progress"));
        assert!(whole.steps.iter().all(|step| step.void.is_none()));

        assert_eq!(team.history("Kimi").steps[0].what, "kimi registered as kimi");
        assert_eq!(team.history("team").steps[0].kind, "team.changed");
        let spec = ask::SpecPublish { name: "user-api".into(), body: "# Users".into(), ..Default::default() };
        team.ok(&as_agent("claude"), spec);
        assert_eq!(team.history("spec:user-api").steps[0].what, "claude published version 1");

        let missing = team.refused(&Caller::operator(), ask::LogHistory { entity: "task-zzzz".into() });
        assert_eq!(missing.kind, RefusalKind::NotFound);
        let missing = team.refused(&Caller::operator(), ask::LogHistory { entity: "spec:nothing".into() });
        assert_eq!(missing.kind, RefusalKind::NotFound);
        let missing = team.refused(&Caller::operator(), ask::LogHistory { entity: "../../etc".into() });
        assert_eq!(missing.kind, RefusalKind::NotFound);
    }

    #[test]
    fn who_left_is_still_remembered_by_name() {
        let mut team = Team::duo();
        team.ok(&Caller::operator(), ask::AgentRetire { agent: "kimi".into(), ..Default::default() });
        assert_eq!(team.history("kimi").steps.last().unwrap().what, "retired");
    }

    #[test]
    fn a_state_is_what_was_known_at_the_moment() {
        let mut team = Team::duo();
        let before = team.now();
        let id = team.task(ask::TaskCreate {
            title: "Fix login".into(),
            description: Some("The token expires.".into()),
            assignee: Some("kimi".into()),
            ..Default::default()
        });
        let assigned = team.now();
        team.move_task("kimi", &id, TaskStatus::InProgress);

        let now = team.state(&id, None);
        assert_eq!(now["status"], "in_progress");
        assert_eq!(now["brief"]["title"], "Fix login");
        assert_eq!(now["brief"]["description"], "The token expires.");
        assert_eq!(team.state(&id, Some(assigned))["status"], "assigned");
        let absent = team.state_view(&id, Some(before));
        assert_eq!((absent.state, absent.events, absent.at), (None, 0, Time(before)));
    }

    #[test]
    fn a_messages_state_has_its_deliveries() {
        let mut team = Team::duo();
        let id = team.send("claude", "kimi", Intent::Question, "Which port?", "Tell me the port.");
        let sent = team.now();
        team.ok(&as_agent("kimi"), ask::MessageAcknowledge { messages: vec![id.clone()], ..Default::default() });
        let kimi = team.agent_id("kimi");
        assert_eq!(team.state(&id, Some(sent))["deliveries"][&kimi]["state"], "queued");
        let now = team.state(&id, None);
        assert_eq!(now["deliveries"][&kimi]["state"], "acknowledged");
        assert_eq!((&now["subject"], &now["body"]), (&"Which port?".into(), &"Tell me the port.".into()));
    }

    #[test]
    fn only_texts_of_the_entity_are_put_in_the_place_of_hashes() {
        let mut team = Team::duo();
        let secret = team.send("claude", "kimi", Intent::Message, "quiet", "the other text");
        let Answer::Entries(page) = team.ok(&Caller::operator(), ask::LogList::default()) else { panic!() };
        assert_eq!(page.items[0].op, "message.send");
        let hash = team.body_hash(&secret);
        let id = team.task(ask::TaskCreate {
            title: "Fix login".into(),
            branch: Some(hash.clone()),
            ..Default::default()
        });
        assert_eq!(team.state(&id, None)["brief"]["branch"], hash.as_str());
    }

    #[test]
    fn the_trace_explains_what_never_reached_the_log() {
        let mut team = Team::duo();
        team.hub.store().observe(|writer| writer.trace("wake.failed", r#"{"agent":"kimi"}"#)).unwrap();
        team.hub.store().observe(|writer| writer.trace("wake.tried", "no json")).unwrap();
        let Answer::Trace(page) = team.ok(&Caller::operator(), ask::LogTrace { limit: Some(2) }) else { panic!() };
        assert_eq!(page.items[0].data, "no json");
        assert_eq!((page.items[1].kind.as_str(), &page.items[1].data["agent"]), ("wake.failed", &"kimi".into()));
    }
}

mod searching {
    use interagent_core::refusal::RefusalKind;
    use interagent_core::vocabulary::Intent;
    use interagent_wire::request as ask;
    use interagent_wire::{Caller, Time};

    use crate::support::Team;

    fn words(text: &str) -> ask::Search {
        ask::Search { text: text.into(), ..Default::default() }
    }

    #[test]
    fn what_was_just_written_is_found() {
        let mut team = Team::duo();
        let id = team.send("claude", "kimi", Intent::Message, "Checkpoints", "The WAL grows without a checkpoint.");
        let found = team.search(words("wal check*"));
        assert_eq!(found.items.len(), 1, "{found:?}");
        let hit = &found.items[0];
        assert_eq!((hit.entity.as_str(), hit.kind.as_str()), (id.as_str(), "message"));
        assert_eq!(hit.author.as_ref().map(|who| who.name.as_str()), Some("claude"));
        let marked: Vec<&str> =
            hit.hits.iter().map(|(from, to)| &hit.excerpt[*from as usize..*to as usize]).collect();
        assert!(marked.contains(&"WAL"), "{marked:?}");

        team.send("kimi", "claude", Intent::Message, "Again", "Another WAL.");
        assert_eq!(team.search(words("wal")).items.len(), 2);
    }

    #[test]
    fn filters_narrow_and_pages_go_on() {
        let mut team = Team::duo();
        let task = team.task(ask::TaskCreate { title: "Zebra crossing".into(), ..Default::default() });
        let early = team.now();
        for n in 0..5 {
            team.send("kimi", "claude", Intent::Message, &format!("zebra {n}"), "striped");
        }
        let kinds = |kind: &str| ask::Search { kinds: vec![kind.into()], ..words("zebra") };
        assert_eq!(team.search(kinds("task")).items[0].entity, task);
        assert!(team.search(kinds("Message")).items.iter().all(|hit| hit.kind == "message"));
        assert_eq!(team.search(ask::Search { author: Some("claude".into()), ..words("zebra") }).items, []);
        assert!(!team.search(ask::Search { author: Some("kimi".into()), ..words("zebra") }).items.is_empty());
        let about = team.search(ask::Search { task: Some(task.clone()), ..words("zebra") });
        assert!(about.items.iter().all(|hit| hit.entity == task) && !about.items.is_empty());
        let since = team.search(ask::Search { since: Some(Time(early + 1)), ..words("zebra") });
        assert!(since.items.iter().all(|hit| hit.kind == "message") && !since.items.is_empty());
        let until = team.search(ask::Search { until: Some(Time(early + 1)), ..words("zebra") });
        assert!(until.items.iter().all(|hit| hit.entity == task) && !until.items.is_empty());

        let all = team.search(kinds("message")).items;
        let mut paged = Vec::new();
        let mut after = None;
        loop {
            let page = team.search(ask::Search { limit: Some(2), after, ..kinds("message") });
            paged.extend(page.items);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(paged, all);
    }

    #[test]
    fn a_query_or_filter_that_means_nothing_is_refused() {
        let mut team = Team::duo();
        let table = [
            (words(""), RefusalKind::Usage),
            (words(" ?! "), RefusalKind::Usage),
            (ask::Search { kinds: vec!["lease".into()], ..words("x") }, RefusalKind::Usage),
            (ask::Search { after: Some("first".into()), ..words("x") }, RefusalKind::Usage),
            (ask::Search { author: Some("nobody".into()), ..words("x") }, RefusalKind::NotFound),
            (ask::Search { task: Some("task-zzzz".into()), ..words("x") }, RefusalKind::NotFound),
        ];
        for (query, kind) in table {
            let refusal = team.refused(&Caller::operator(), query.clone());
            assert_eq!(refusal.kind, kind, "{query:?}: {refusal}");
        }
    }

    #[test]
    fn a_damaged_index_is_filled_again() {
        let mut team = Team::duo();
        team.send("claude", "kimi", Intent::Message, "Checkpoints", "The WAL grows.");
        assert_eq!(team.search(words("wal")).items.len(), 1);
        let path = team.hub.state_dir().join("search.db");
        std::fs::write(&path, b"this is no database, whatever it was before").unwrap();
        assert_eq!(team.search(words("wal")).items.len(), 1);
    }

    #[test]
    fn an_index_that_cannot_be_opened_is_told_as_such() {
        let mut team = Team::duo();
        std::fs::create_dir(team.hub.state_dir().join("search.db")).unwrap();
        let refusal = team.refused(&Caller::operator(), words("wal"));
        assert_eq!(refusal.kind, RefusalKind::Unavailable);
    }
}

mod summing_up {
    use std::time::Duration;

    use interagent_core::limits::BRIEFING_BYTES;
    use interagent_core::vocabulary::{Intent, Priority, TaskStatus};
    use interagent_wire::request as ask;
    use interagent_wire::{Answer, Caller};

    use crate::support::{Team, as_agent};

    #[test]
    fn a_briefing_says_who_one_is_and_what_is_open() {
        let mut team = Team::duo();
        let low = team.task(ask::TaskCreate {
            title: "Sweep".into(),
            assignee: Some("kimi".into()),
            priority: Some(Priority::Low),
            ..Default::default()
        });
        let high = team.task(ask::TaskCreate {
            title: "Fix login".into(),
            assignee: Some("kimi".into()),
            priority: Some(Priority::High),
            ..Default::default()
        });
        let question = team.send("claude", "kimi", Intent::Question, "Which port?", "Tell me.");
        let head = team.hub.store().head().unwrap();
        let own = team.briefing(&as_agent("kimi"), None);
        assert_eq!(team.briefing(&Caller::operator(), Some("kimi")), own);
        assert_eq!(team.hub.store().head().unwrap(), head, "a briefing changes nothing");
        assert_eq!(own.tasks.iter().map(|task| task.id.as_str()).collect::<Vec<_>>(), [&high, &low]);
        assert!(own.duties.iter().any(|duty| duty.message == question));
        let text = &own.text;
        assert!(text.starts_with("You are kimi (delegate), an agent, team \"demo\" in formation duo.\n"), "{text}");
        assert!(text.contains(&format!("answer \"Which port?\" from claude: interagent msg reply {question}")), "{text}");
        assert!(text.find(&high) < text.find(&low), "{text}");
        assert!(text.contains("not the user"), "{text}");
    }

    #[test]
    fn a_briefing_is_bounded_whatever_is_open() {
        let mut team = Team::duo();
        for n in 0..60 {
            team.task(ask::TaskCreate {
                title: format!("{n} {}", "設".repeat(150)),
                assignee: Some("kimi".into()),
                ..Default::default()
            });
            team.send("operator", "kimi", Intent::Question, &format!("{n} {}", "é".repeat(150)), "x");
        }
        let view = team.briefing(&as_agent("kimi"), None);
        assert!(view.text.len() <= BRIEFING_BYTES, "{}", view.text.len());
        assert!(view.text.contains("Your open tasks (60):"), "{}", view.text);
        assert!(view.text.contains(" more: interagent task list"), "{}", view.text);
        assert!(view.text.contains(" more: interagent inbox"), "{}", view.text);
    }

    #[test]
    fn a_briefing_without_a_team_and_of_a_person() {
        let mut team = Team::without_file();
        team.ok(&Caller::operator(), ask::AgentRegister { name: "ann".into(), ..Default::default() });
        assert!(team.briefing(&as_agent("ann"), None).text.contains("No team file"));
        let own = team.briefing(&Caller::operator(), None);
        assert!(own.text.starts_with("You are operator, the person who runs this team.\n"), "{}", own.text);
    }

    #[test]
    fn a_summary_counts_and_says_what_to_do() {
        let mut team = Team::duo();
        let login = team.task(ask::TaskCreate {
            title: "Fix login".into(),
            assignee: Some("kimi".into()),
            ..Default::default()
        });
        team.move_task("kimi", &login, TaskStatus::Completed);
        let docs = team.task(ask::TaskCreate {
            title: "Write docs".into(),
            assignee: Some("kimi".into()),
            ..Default::default()
        });
        team.task(ask::TaskCreate {
            title: "Print docs".into(),
            assignee: Some("kimi".into()),
            depends_on: vec![docs.clone()],
            ..Default::default()
        });
        let question = team.send("claude", "kimi", Intent::Question, "Which port?", "Tell me.");
        let stuck = team.send("claude", "kimi", Intent::Question, "Which host?", "Tell me.");
        let escalate =
            ask::MessageEscalate { message: stuck.clone(), reason: "nobody knows".into(), ..Default::default() };
        team.ok(&as_agent("kimi"), escalate);
        let held = team.send("kimi", "claude", Intent::Message, "Wait", "not yet");
        team.ok(&as_agent("kimi"), ask::MessageHold { message: held.clone() });
        team.clock.advance(Duration::from_secs(600));

        let summary = team.summary();
        assert_eq!((summary.project.as_str(), summary.formation.as_deref()), ("demo", Some("duo")));
        let counts: Vec<(&str, i64)> =
            summary.tasks.iter().map(|count| (count.status.as_str(), count.count)).collect();
        assert!(counts.contains(&("completed", 1)) && counts.contains(&("assigned", 2)), "{counts:?}");
        assert_eq!(summary.held, 1);
        let kimi = summary.mail.iter().find(|mail| mail.agent.name == "kimi").unwrap();
        assert!(kimi.unread >= 2 && kimi.first.len() <= 3, "{kimi:?}");

        let of = |action: &str| -> Vec<(String, String)> {
            let wanted = summary.actions.iter().filter(|item| item.action == action);
            wanted.map(|item| (item.agent.name.clone(), item.sentence.clone())).collect()
        };
        let reviews = of("review");
        assert_eq!(reviews.len(), 1, "{reviews:?}");
        assert!(reviews[0].0 == "claude" && reviews[0].1.contains(&login), "{reviews:?}");
        let starts = of("start");
        assert_eq!(starts.len(), 1, "one that waits for another can't start: {starts:?}");
        assert!(starts[0].0 == "kimi" && starts[0].1.contains(&docs), "{starts:?}");
        assert!(of("answer").iter().any(|(who, sentence)| who == "kimi" && sentence.contains(&question)));
        let decisions = of("decide");
        assert!(decisions.len() == 1 && decisions[0].0 == "operator", "{decisions:?}");
        let releases = of("release");
        assert!(releases.len() == 1 && releases[0].0 == "operator" && releases[0].1.contains(&held), "{releases:?}");
    }

    #[test]
    fn an_empty_hub_sums_up_to_nothing() {
        let mut team = Team::without_file();
        let Answer::Summary(summary) = team.ok(&Caller::operator(), ask::Summary {}) else { panic!() };
        assert_eq!((summary.formation, summary.tasks.len(), summary.mail.len()), (None, 0, 0));
        assert_eq!(summary.actions, []);
    }
}

mod deleting {
    use interagent_core::refusal::RefusalKind;
    use interagent_core::vocabulary::Intent;
    use interagent_wire::request as ask;
    use interagent_wire::{Answer, Caller};

    use crate::support::{Team, as_agent};

    const SECRET: &str = "hunter2-correct-horse";

    #[test]
    fn a_purged_text_is_gone_everywhere_and_the_log_is_still_whole() {
        let mut team = Team::duo();
        let id = team.send("claude", "kimi", Intent::Message, "Access", &format!("the password is {SECRET}"));
        let search = ask::Search { text: "hunter2".into(), ..Default::default() };
        assert_eq!(team.search(search.clone()).items.len(), 1);
        assert!(team.files_contain(SECRET), "the check itself must be able to see it");

        let purge = ask::TextPurge { entity: id.clone(), containing: Some(SECRET.into()), reason: Some("leaked".into()) };
        let first = team.purge(&as_agent("claude"), purge.clone()).unwrap();
        assert_eq!((first.changed.len(), first.unchanged.len()), (1, 0), "{first:?}");
        assert!(!team.files_contain(SECRET), "its bytes are still in the hub's files");
        assert_eq!(team.search(search).items, []);
        let state = team.state(&id, None);
        assert_eq!((&state["subject"], &state["body"]), (&"Access".into(), &"[text deleted]".into()));
        let told = team.history(&format!("text:{}", first.changed[0]));
        assert_eq!(told.steps[0].what, "text deleted, with a reason");
        assert_eq!(team.hub.store().verify(&mut |_, _| {}).unwrap(), []);

        let head = team.hub.store().head().unwrap();
        let again = team.purge(&as_agent("claude"), purge).unwrap();
        assert_eq!((again.changed.len(), again.unchanged), (0, first.changed));
        assert_eq!(team.hub.store().head().unwrap(), head, "the same again changes nothing");
    }

    #[test]
    fn without_a_part_to_look_for_all_texts_of_the_entity_go() {
        let mut team = Team::duo();
        let id = team.task(ask::TaskCreate {
            title: "Fix login".into(),
            description: Some("The token.".into()),
            acceptance_criteria: vec!["It works.".into()],
            ..Default::default()
        });
        let purged = team.purge(&Caller::operator(), ask::TextPurge { entity: id, ..Default::default() }).unwrap();
        assert_eq!(purged.changed.len(), 3);
    }

    #[test]
    fn only_the_author_or_the_operator_deletes() {
        let mut team = Team::duo();
        let id = team.send("claude", "kimi", Intent::Message, "Access", SECRET);
        let purge = ask::TextPurge { entity: id.clone(), ..Default::default() };
        let refusal = team.refused(&as_agent("kimi"), purge.clone());
        assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Refused, "not_the_author"));
        assert_eq!(team.purge(&Caller::operator(), purge).unwrap().changed.len(), 2);
    }

    #[test]
    fn an_agent_deletes_only_its_own_words_of_a_shared_task() {
        let mut team = Team::duo();
        let id = team.task(ask::TaskCreate {
            title: "Fix login".into(),
            assignee: Some("kimi".into()),
            ..Default::default()
        });
        team.ok(&as_agent("kimi"), ask::TaskNote { task: id.clone(), note: SECRET.into(), key: None });
        let purge = ask::TextPurge { entity: id.clone(), ..Default::default() };
        assert_eq!(team.purge(&as_agent("kimi"), purge).unwrap().changed.len(), 1);
        assert_eq!(team.state(&id, None)["brief"]["title"], "Fix login");
        assert_eq!(team.state(&id, None)["notes"][0]["note"], "[text deleted]");
    }

    #[test]
    fn a_purge_that_means_nothing_is_refused() {
        let mut team = Team::duo();
        let id = team.send("claude", "kimi", Intent::Message, "Access", SECRET);
        let purge = |containing: &str, reason: Option<&str>| ask::TextPurge {
            entity: id.clone(),
            containing: Some(containing.into()),
            reason: reason.map(Into::into),
        };
        let nothing = team.refused(&Caller::operator(), purge("not in there", None));
        assert_eq!(nothing.kind, RefusalKind::NotFound);
        assert_eq!(team.refused(&Caller::operator(), purge("", None)).kind, RefusalKind::Usage);
        let leak = team.refused(&Caller::operator(), purge(SECRET, Some(&format!("{SECRET} leaked"))));
        assert_eq!(leak.code, "reason_leaks");
        assert!(!leak.sentence.contains(SECRET));
        let Answer::Message(message) = team.ok(&Caller::operator(), ask::MessageRead { message: id }) else { panic!() };
        assert_eq!(message.body.as_deref(), Some(SECRET));
    }
}
