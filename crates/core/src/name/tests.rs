//! Names: what is accepted, refused and suggested.

use super::*;

fn refused(raw: &str) -> (&'static str, Option<String>) {
    match Name::parse(raw) {
        Ok(name) => panic!("{raw:?} was accepted as {name}"),
        Err(problem) => (problem.code.as_str(), problem.suggestion.map(|name| name.to_string())),
    }
}

#[track_caller]
fn assert_refused(raw: &str, code: &str, suggestion: Option<&str>) {
    assert_eq!(refused(raw), (code, suggestion.map(str::to_owned)), "{raw:?}");
}

#[test]
fn ordinary_names_are_accepted_and_folded() {
    for name in [
        "a",
        "7",
        "claude",
        "kimi-2",
        "member1",
        "vice_captain1",
        "a.b",
        "gpt-5.1",
        "com10",
        "ai1",
        "console",
    ] {
        assert_eq!(Name::parse(name).unwrap().as_str(), name);
    }
    assert_eq!(Name::parse("KiMi").unwrap(), Name::parse("kimi").unwrap());
    assert_eq!(Name::parse(&"a".repeat(64)).unwrap().as_str().len(), 64);
}

#[test]
fn empty_and_long_names() {
    assert_refused("", "name_empty", None);
    assert_refused("   ", "name_empty", None);
    assert_refused(&"a".repeat(65), "name_too_long", Some(&"a".repeat(64)));
    assert_refused(&"x".repeat(4096), "name_too_long", Some(&"x".repeat(64)));
    // The cut leaves no separator at the end.
    assert_refused(&format!("{}-b", "a".repeat(63)), "name_too_long", Some(&"a".repeat(63)));
}

#[test]
fn names_that_mean_something_to_a_file_system() {
    assert_refused(".", "name_edge", None);
    assert_refused("..", "name_edge", None);
    assert_refused("a..b", "name_double_dot", Some("a.b"));
    assert_refused("../../etc/passwd", "name_character", Some("etc-passwd"));
    assert_refused("/etc/passwd", "name_character", Some("etc-passwd"));
    assert_refused("C:\\agents", "name_character", Some("c-agents"));
    assert_refused("index.lock", "name_lock_ending", Some("index-lock"));
    assert_refused("HEAD.LOCK", "name_lock_ending", Some("head-lock"));
    assert_refused(".git", "name_edge", Some("git"));
    for device in ["con", "NUL", "prn", "aux", "com1", "lpt9", "com0"] {
        assert_refused(device, "name_device", Some(&format!("{}-agent", device.to_ascii_lowercase())));
    }
    assert_refused("nul.txt", "name_device", Some("nul-txt-agent"));
}

#[test]
fn reserved_names_and_their_imitations() {
    for word in RESERVED {
        assert_refused(word, "name_reserved", Some(&format!("{word}-agent")));
        assert_refused(&word.to_uppercase(), "name_reserved", Some(&format!("{word}-agent")));
    }
    assert_refused("0perator", "name_reserved_lookalike", Some("0perator-agent"));
    assert_refused("r00t", "name_reserved_lookalike", Some("r00t-agent"));
    assert_refused("hurnan", "name_reserved_lookalike", Some("hurnan-agent"));
}

#[test]
fn later_reserved_names_stay_readable() {
    for word in RESERVED_FOR_NEW {
        let name = Name::parse(word).unwrap();
        let problem = name.check_new().unwrap_err();
        assert_eq!(problem.code.as_str(), "name_reserved", "{word}");
        assert_eq!(problem.suggestion.map(|name| name.to_string()), Some(format!("{word}-agent")));
    }
    let imitated = Name::parse("lnteragent").unwrap().check_new().unwrap_err();
    assert_eq!(imitated.code.as_str(), "name_reserved_lookalike");
    for free in ["admin-2", "server1", "hero", "channels", "kimi"] {
        assert_eq!(Name::parse(free).unwrap().check_new(), Ok(()), "{free}");
    }
}

#[test]
fn names_that_mean_something_to_tmux_shell_sql_or_a_template() {
    assert_refused("%1", "name_character", Some("1"));
    assert_refused("{last}", "name_character", Some("last"));
    assert_refused("*", "name_character", None);
    assert_refused("-rf", "name_edge", Some("rf"));
    assert_refused("$(reboot)", "name_character", Some("reboot"));
    assert_refused("a;b", "name_character", Some("a-b"));
    assert_refused("'; DROP TABLE agents;--", "name_character", Some("drop-table-agents"));
    assert_refused("{{7*7}}", "name_character", Some("7-7"));
    assert_refused("#{pane_id}", "name_character", Some("pane_id"));
    assert_refused("kimi@laptop", "name_character", Some("kimi-laptop"));
    assert_refused("role:reviewer", "name_character", Some("role-reviewer"));
}

#[test]
fn characters_nobody_sees() {
    for hidden in
        ["ki\u{200b}mi", "kimi\u{202e}", "\u{feff}kimi", "ki\0mi", "kimi\n", "\u{1b}kimi", "kimi\u{e0041}"]
    {
        assert_refused(hidden, "name_hidden_character", Some("kimi"));
    }
    assert_refused("\u{200b}", "name_hidden_character", None);
    let problem = Name::parse("ki\u{1b}[31mmi").unwrap_err();
    assert!(!problem.to_string().contains('\u{1b}'), "{problem}");
}

#[test]
fn letters_that_look_like_others() {
    assert_refused("сlаudе", "name_lookalike_character", Some("claude"));
    assert_refused("ΚΙΜι", "name_lookalike_character", Some("kiui"));
    assert_refused("ｋｉｍｉ", "name_lookalike_character", Some("kimi"));
    assert_refused("\u{212a}imi", "name_lookalike_character", Some("kimi"));
    // The same name composed and decomposed gets the same suggestion.
    assert_refused("jos\u{e9}", "name_lookalike_character", Some("jose"));
    assert_eq!(refused("jose\u{301}").1.as_deref(), Some("jose"));
    assert_refused("設計者", "name_character", None);
    // One letter out of three would be left: nobody would recognise it.
    assert_refused("設計a", "name_character", None);
    assert_refused("kimi 🚀", "name_character", Some("kimi"));
}

#[test]
fn sentences_say_what_is_wrong_and_what_would_work() {
    insta::assert_snapshot!(Name::parse("Kimi Two").unwrap_err(), @"`Kimi Two` holds ` `; a name has only a-z, 0-9, `.`, `_` and `-`. `kimi-two` would work.");
    insta::assert_snapshot!(Name::parse("operator").unwrap_err(), @"`operator` is reserved: it means somebody else than an agent. `operator-agent` would work.");
    insta::assert_snapshot!(Name::parse("ki\u{202e}mi").unwrap_err(), @r#"`ki\u{202e}mi` holds invisible, direction or control characters; a name shows all it is. `kimi` would work."#);
    insta::assert_snapshot!(Name::parse("сlaude").unwrap_err(), @"`сlaude` holds characters that look like a-z but are not; a name has only ASCII. `claude` would work.");
    insta::assert_snapshot!(Name::parse(&"ab".repeat(40)).unwrap_err(), @"`abababababababababababababababababababab...` has 80 characters; a name has at most 64. `abababababababababababababababababababababababababababababababab` would work.");
}

#[test]
fn lookalikes_share_a_skeleton_and_normal_pairs_do_not() {
    let skeleton = |name: &str| Name::parse(name).unwrap().skeleton();
    let alike = [
        ("kimi", "kim1"),
        ("claude", "c1aude"),
        ("bob", "b0b"),
        ("modem", "modern"),
        ("w1", "vv1"),
        ("a-b", "a_b"),
        ("a.b", "a--b"),
        ("lil", "iii"),
    ];
    for (a, b) in alike {
        assert_eq!(skeleton(a), skeleton(b), "{a} {b}");
    }
    let different = [
        ("member1", "member2"),
        ("member1", "member11"),
        ("member1-1", "member11"),
        ("gpt-5", "gpt-s"),
        ("claude", "claudia"),
        ("agent8", "agentb"),
        ("kimi", "kim"),
    ];
    for (a, b) in different {
        assert_ne!(skeleton(a), skeleton(b), "{a} {b}");
    }
}

#[test]
fn serde_validates_and_knows_the_operator() {
    let read = |json: &str| serde_json::from_str::<Name>(json);
    assert_eq!(read("\"operator\"").unwrap(), Name::operator());
    assert_eq!(read("\"Kimi\"").unwrap().as_str(), "kimi");
    assert!(read("\"system\"").is_err());
    assert!(read("\"../x\"").is_err());
    assert_eq!(serde_json::to_string(&Name::operator()).unwrap(), "\"operator\"");
}

#[test]
fn addresses_read_and_show_the_same() {
    for (raw, shown) in [
        ("kimi", "kimi"),
        ("Kimi@Laptop", "kimi@laptop"),
        ("kimi@user", "kimi@user"),
        ("role:reviewer", "role:reviewer"),
        ("ROLE:Vice-Captain", "role:vice_captain"),
        ("All", "all"),
        ("operator", "operator"),
        ("human", "operator"),
        ("User", "operator"),
        ("operator@laptop", "operator@laptop"),
    ] {
        let address = Address::parse(raw).unwrap();
        assert_eq!(address.to_string(), shown);
        let json = serde_json::to_string(&address).unwrap();
        assert_eq!(json, format!("\"{shown}\""));
        assert_eq!(serde_json::from_str::<Address>(&json).unwrap(), address);
    }
    for raw in ["", "@", "kimi@", "@kimi", "a@b@c", "role:", "role:boss", "system", "all@laptop", "rolé:x"] {
        assert!(Address::parse(raw).is_err(), "{raw}");
    }
    insta::assert_snapshot!(Address::parse("role:boss").unwrap_err(), @"`boss` is not a role. The roles are principal, delegate, reviewer, collaborator, captain, vice_captain, member.");
}

proptest::proptest! {
    #[test]
    fn any_text_is_a_valid_name_or_gets_a_valid_suggestion(raw in "\\PC*|.{0,80}|[a-zA-Z0-9._-]{0,70}") {
        match Name::parse(&raw) {
            Ok(name) => proptest::prop_assert_eq!(Name::parse(name.as_str()).unwrap(), name),
            Err(problem) => if let Some(name) = problem.suggestion {
                proptest::prop_assert_eq!(Name::parse(name.as_str()).unwrap(), name);
            },
        }
        if let Ok(address) = Address::parse(&raw) {
            proptest::prop_assert_eq!(Address::parse(&address.to_string()).unwrap(), address);
        }
    }
}
