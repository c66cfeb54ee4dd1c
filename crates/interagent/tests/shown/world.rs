//! One world in which the whole story happens, seen in one form.

use std::path::PathBuf;

use std::collections::HashMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use interagent_testkit::Sandbox;
use serde_json::Value;

use crate::mask::{Mask, of_the_hub};
use crate::story::{CHANGE, OPERATOR, SECOND_CHANGE, Step, story};

/// How answers are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// By a person with a screen of so many columns.
    Columns(usize),
    Json,
}

/// What a step showed, with everything replaced that differs from run to run.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) step: Step,
    pub(crate) shown: String,
}

/// Ages are told from this long after the story, so that all of them are the same.
const LATER_US: u128 = (3 * 86_400 + 3600) * 1_000_000;

/// Fields that are lists of members.
const MEMBERS: [&str; 3] = ["to", "reviewers", "subscribers"];

/// What the operator does at a terminal.
const PROVEN: [&str; 4] = ["agent token", "msg release", "lease force", "purge"];

/// Plays the whole story.
pub(crate) fn play(form: Form) -> Vec<Scene> {
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join("interagent");
    // The length of paths decides where lines break; that of the usual place differs from machine to machine.
    let sandbox = Sandbox::of(&program, Path::new("/tmp"));
    std::fs::write(sandbox.project().join("change.diff"), CHANGE).unwrap();
    std::fs::write(sandbox.project().join("second.diff"), SECOND_CHANGE).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
    // As if it were installed: where it lies is this machine's business.
    let program = PathBuf::from(sandbox.start().command(&[]).get_program());
    let programs = program.parent().unwrap().display().to_string();
    let told_at = (now + LATER_US).to_string();
    let mut mask = Mask::new(sandbox.project().parent().unwrap());
    let mut kept = HashMap::new();
    let mut scenes = Vec::new();
    for step in story() {
        let (line, keep) =
            step.line.split_once(" => ").map_or((step.line, None), |(line, keep)| (line, Some(keep)));
        let mut words: Vec<String> = words(line).into_iter().map(|word| with_ids(&word, &kept)).collect();
        let mut run = sandbox.start().env("INTERAGENT_TOLD_AT", &told_at).env("PATH", &programs);
        if step.who != OPERATOR {
            run = run.env("INTERAGENT_AGENT", step.who);
        } else if PROVEN.iter().any(|act| line.starts_with(act)) {
            run = run.seated();
        }
        match form {
            Form::Columns(columns) => run = run.env("COLUMNS", &columns.to_string()),
            Form::Json => words.push("--json".to_owned()),
        }
        let mut output = run.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(output.status, 0, "{}: {line}\n{}{}", step.who, output.stdout, output.stderr);
        if let Some((name, kind)) = keep.map(|keep| keep.split_once(':').unwrap()) {
            kept.insert(name, first_id(&output.stdout, kind));
        }
        if line.starts_with("init ") {
            mask.machine_is(sandbox.json(&["whoami"])["alias"].as_str().unwrap());
        }
        if line == "doctor" {
            output.stdout = of_the_hub(form, &output.stdout);
        }
        let mut text = match form {
            Form::Columns(_) => output.stdout,
            Form::Json => pretty(&output.stdout),
        };
        if !output.stderr.is_empty() {
            text.push_str(&format!("--- stderr\n{}", output.stderr));
        }
        // Looked at even when not shown: ids are numbered in the order of the story.
        let shown = mask.masked(&text);
        scenes.push(Scene { step, shown });
    }
    scenes.retain(|scene| scene.step.shown);
    scenes
}

/// The words of a command line, as a shell with only single quotes would see them.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for character in line.chars() {
        match character {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words
}

fn with_ids(word: &str, kept: &HashMap<&str, String>) -> String {
    match word.strip_prefix('{').and_then(|word| word.strip_suffix('}')) {
        Some(name) if !name.contains('"') => kept[name].clone(),
        _ => word.to_owned(),
    }
}

fn first_id(text: &str, kind: &str) -> String {
    let start = text.find(&format!("{kind}-")).unwrap_or_else(|| panic!("there is no {kind} in {text}"));
    text[start..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

fn pretty(document: &str) -> String {
    let mut document: Value = serde_json::from_str(document).unwrap();
    in_order(&mut document);
    serde_json::to_string_pretty(&document).unwrap() + "\n"
}

/// Members of a list stand in the order of their ids, which are random; here by name.
fn in_order(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(in_order),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                in_order(field);
                if let (true, Value::Array(members)) = (MEMBERS.contains(&name.as_str()), field) {
                    members.sort_by_key(|member| {
                        member.pointer("/agent/name").unwrap_or(&member["name"]).to_string()
                    });
                }
            }
        }
        _ => {}
    }
}
