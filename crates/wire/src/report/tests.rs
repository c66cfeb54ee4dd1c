//! Reports that are right, reports that are wrong, and what was written being read again.

use interagent_core::vocabulary::{BuildResult, FileAction, Priority, ReportStatus, TaskStatus};
use proptest::prelude::*;

use super::*;
use crate::Time;
use crate::answer::{
    ChangedFileView, CommitInfoView, ReportView, SkillView, TaskView, TodoScanView, VerificationView, Who,
};

const WHOLE: &str = "\
# written by a member
worker_id: member1
task_id: task-7k3m
parent_cmd: cmd_035
timestamp: \"2026-01-31T09:30:00\"
status: done
result:
  summary: \"the last token is kept\"
  files_modified:
    - src/parser.rs
  notes: |
    two lines
    of notes
skill_candidate:
  found: false
  name: null
";

fn why(text: &str) -> String {
    text.parse::<ReportFile>().unwrap_err().to_string()
}

#[test]
fn a_whole_report_is_read() {
    let report: ReportFile = WHOLE.parse().unwrap();
    assert_eq!(report.worker_id, "member1");
    assert_eq!(report.parent_cmd.as_deref(), Some("cmd_035"));
    assert_eq!(report.status, ReportStatus::Done);
    assert_eq!(report.files_modified, ["src/parser.rs"]);
    assert_eq!(report.notes.as_deref(), Some("two lines\nof notes\n"));
    assert!(!report.skill_candidate.found);
}

#[test]
fn a_text_that_is_too_much_for_a_report_is_refused_at_once() {
    let began = std::time::Instant::now();
    let fields: String = (0..50_000).map(|n| format!("field{n}: 1\n")).collect();
    assert_eq!(why(&fields), "line 65: there are more than 64 fields; a report has fewer");
    let inner: String = (0..50_000).map(|n| format!("  field{n}: 1\n")).collect();
    assert_eq!(
        why(&format!("result:\n{inner}")),
        "line 66: there are more than 64 fields; a report has fewer"
    );
    let notes = format!("  notes: {}", "x".repeat(1024 * 1024));
    let long = WHOLE.replace("  notes: |", &notes);
    assert_eq!(why(&long), format!("it has {} bytes; at most 1048576 are read", long.len()));
    // A debug build on a busy machine; comparing every name with every other is minutes.
    assert!(began.elapsed() < std::time::Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let cases = [
        ("", ""),
        (WHOLE, "status: done\n"),
        (WHOLE, "task_id: task-7k3m\nparent_cmd: cmd_035\n"),
        (WHOLE, "  summary: \"the last token is kept\"\n"),
        (WHOLE, "  found: false\n"),
    ];
    let mut said: Vec<String> = cases.iter().map(|(text, cut)| why(&text.replace(cut, ""))).collect();
    for (from, to) in [
        ("status: done", "status: finished"),
        ("status: done", "state: done"),
        ("  notes: |", "  remarks: |"),
        ("found: false", "found: maybe"),
        ("worker_id: member1", "worker_id: [member1]"),
        ("worker_id: member1", "worker_id: ''"),
        ("\"2026-01-31T09:30:00\"", "yesterday"),
        ("    - src/parser.rs", "    - {path: a}"),
        ("status: done", "status: done\nstatus: failed"),
        ("result:", "result: 5\nrest:"),
        ("# written", "---\na: 1\n---\n# written"),
        ("worker_id: member1", "worker_id: &a member1"),
        ("worker_id: member1", "worker_id: !!str member1"),
        ("worker_id: member1", "worker_id: \"member1"),
    ] {
        said.push(why(&WHOLE.replace(from, to)));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    line 1: there is no report in this text
    the report lacks status
    the report lacks task_id, parent_cmd
    line 7: the report lacks result.summary
    line 14: the report lacks skill_candidate.found
    line 6: `status` is done, failed or blocked
    line 6: `state` is no field of a report; a report has worker_id, task_id, parent_cmd, timestamp, status, result, skill_candidate, purpose_gap, changed_files, verification, todo_scan, commit_info
    line 11: `result.remarks` is no field of a report; result has summary, files_modified, notes
    line 15: `skill_candidate.found` is true or false
    line 2: `worker_id` is one text
    line 2: `worker_id` is empty
    line 5: `timestamp` is a time such as 2026-01-31T09:30:00
    line 10: `result.files_modified` is a list of texts
    line 7: `status` is there twice
    line 8: `rest` is no field of a report; a report has worker_id, task_id, parent_cmd, timestamp, status, result, skill_candidate, purpose_gap, changed_files, verification, todo_scan, commit_info
    line 5: a second document begins; a report is one
    line 2: a report uses no anchors, aliases or tags
    line 2: a report uses no anchors, aliases or tags
    line 2: it is not YAML: invalid indentation in quoted scalar
    ");
}

#[test]
fn a_bomb_does_not_go_off() {
    let mut laughs = String::from("a: &a [x, x]\n");
    for level in 'b'..='z' {
        let below = char::from(u8::try_from(u32::from(level) - 1).unwrap());
        laughs.push_str(&format!("{level}: &{level} [*{below}, *{below}, *{below}]\n"));
    }
    assert!(why(&laughs).contains("anchors"), "{}", why(&laughs));
    for deep in ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000)] {
        assert!(deep.parse::<ReportFile>().is_err());
    }
}

fn task(report: ReportView) -> TaskView {
    let who = Who { id: "agt-1".to_owned(), name: report.worker.name.clone(), replica: None };
    TaskView {
        id: "task-7k3m9zyx0a1b".to_owned(),
        title: "t".to_owned(),
        description: None,
        status: TaskStatus::Completed,
        priority: Priority::Medium,
        assignee: None,
        assigner: who,
        capability: None,
        purpose: None,
        requirements: Vec::new(),
        acceptance_criteria: Vec::new(),
        parent: None,
        order: true,
        serves: None,
        depends_on: Vec::new(),
        ready: true,
        branch: None,
        files: Vec::new(),
        target_path: None,
        echo_message: None,
        redo_of: None,
        reassigned_from: None,
        successor: None,
        notes: Vec::new(),
        reports: vec![report],
        verdicts: Vec::new(),
        reviews: Vec::new(),
        awaits_verdict: false,
        split: None,
        aliases: Vec::new(),
        created: Time(0),
        updated: Time(0),
    }
}

fn text() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        any::<String>(),
        "[a-z:#|>{}\\[\\]'\"\\\\ \n\t-]{0,40}",
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("12".to_owned()),
        Just("two\nlines".to_owned()),
        Just("two\n\n  lines\n".to_owned()),
        Just("\n".repeat(2) + "x"),
    ];
    odd.prop_map(|text| text.replace('\0', "")).prop_filter("not blank", |text| !text.trim().is_empty())
}

proptest! {
    #[test]
    fn what_was_written_is_read_again(
        summary in text(),
        notes in proptest::option::of(text()),
        files in proptest::collection::vec(text(), 0..3),
        name in proptest::option::of(text()),
        gap in proptest::option::of(text()),
        command in text(),
    ) {
        let report = ReportView {
            timestamp: Time(1_769_851_800_000_000),
            worker: Who { id: "agt-1".to_owned(), name: "kimi".to_owned(), replica: None },
            spoken_by: None,
            status: ReportStatus::Blocked,
            summary: Some(summary.clone()),
            files_modified: files.clone(),
            notes: notes.clone(),
            skill_candidate: SkillView {
                found: name.is_some(),
                name: name.clone(),
                description: None,
                reason: None,
            },
            purpose_gap: gap.clone(),
            purpose_met: gap.is_none(),
            changed_files: files.iter().map(|path| ChangedFileView { path: path.clone(), action: FileAction::Created }).collect(),
            verification: Some(VerificationView {
                build_result: BuildResult::Fail,
                build_command: Some(command.clone()),
                error_console: notes.clone(),
            }),
            todo_scan: Some(TodoScanView { count: 3, new_todos: files.clone() }),
            commit_info: Some(CommitInfoView { branch: Some(command.clone()), commit_hash: None }),
        };
        let written = write(&task(report));
        let read: ReportFile = written.parse().map_err(|why| TestCaseError::fail(format!("{why}\n{written}")))?;
        prop_assert_eq!(read.summary, summary);
        prop_assert_eq!(read.notes, notes);
        let changed: Vec<String> = read.changed_files.into_iter().map(|file| file.path).collect();
        prop_assert_eq!(&changed, &files);
        prop_assert_eq!(&read.files_modified, &files);
        prop_assert_eq!(read.verification.and_then(|tried| tried.build_command), Some(command.clone()));
        prop_assert_eq!(read.todo_scan.map(|scan| (scan.count, scan.new_todos)), Some((3, files)));
        prop_assert_eq!(read.commit_info.and_then(|commit| commit.branch), Some(command));
        prop_assert_eq!(read.purpose_met, gap.is_none());
        prop_assert_eq!(read.skill_candidate.name, name);
        prop_assert_eq!(read.purpose_gap, gap);
    }
}
