//! Words that become a part of the log itself: a secret in one is refused, because nothing could take it back.

use interagent_core::team::{TeamConfig, render};
use interagent_wire::{Caller, Request, request as ask};

use crate::support::{Team, as_agent};

/// Put together here, so that no scanner stumbles over this file.
fn token() -> String {
    ["ghp_", "a1B2c3D4e5F6g7H8i9", "J0k1L2m3N4o5P6q7R8"].concat()
}

#[test]
fn a_secret_in_a_name_a_key_a_path_or_a_capability_is_refused() {
    let mut team = Team::duo();
    let task = ask::TaskCreate { title: "T".into(), ..Default::default() };
    let file = render(&TeamConfig::usual_duo("demo"));
    let requests: [(&str, Request); 9] = [
        ("agent", ask::AgentRegister { name: token(), ..Default::default() }.into()),
        ("rename", ask::AgentRename { agent: "kimi".into(), name: token() }.into()),
        ("spec", ask::SpecPublish { name: token(), body: "B".into(), ..Default::default() }.into()),
        ("subscription", ask::SpecSubscribe { name: token(), remove: false }.into()),
        ("team", ask::TeamTake { text: file.replace("demo", &token()) }.into()),
        ("key", ask::TaskCreate { key: Some(token()), ..task.clone() }.into()),
        ("capability", ask::TaskCreate { capability: Some(token()), ..task.clone() }.into()),
        ("alias", ask::TaskCreate { aliases: vec![token()], ..task }.into()),
        ("lease", ask::LeaseTake { paths: vec![format!("src/{}", token())], ..Default::default() }.into()),
    ];
    for (what, request) in requests {
        let who = if what == "lease" { as_agent("kimi") } else { Caller::operator() };
        let refusal = team.refused(&who, request);
        assert_eq!(refusal.code, "looks_like_a_secret", "{what}: {refusal:?}");
        assert!(!refusal.sentence.contains(&token()), "{what}: a screen may be shared");
    }
    assert!(!team.files_contain(&token()));
}
