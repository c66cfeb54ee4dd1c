//! The document that a person fills in to report: YAML, with what the task says beside it.

use interagent_core::line::one_line;
use interagent_wire::Time;
use interagent_wire::answer::TaskView;

/// Characters of a line of a comment.
const COMMENT_CHARS: usize = 200;

/// A report with what is known filled in.
pub(super) fn document(worker: Option<&str>, task: Option<&TaskView>, now: i64) -> String {
    let mut text = String::from(
        "# A report. Lines that begin with # are comments; an unchanged document sends nothing.\n",
    );
    if let Some(task) = task {
        comment(&mut text, "task", &task.title);
        if let Some(serves) = &task.serves {
            comment(&mut text, &format!("purpose ({})", serves.order), &serves.purpose);
            serves.acceptance_criteria.iter().for_each(|one| comment(&mut text, "done when", one));
        }
    }
    let id = task.map_or("", |task| &task.id);
    let parent = task.and_then(|task| task.parent.as_deref()).unwrap_or("null");
    let worker = worker.or_else(|| Some(task?.assignee.as_ref()?.name.as_str())).unwrap_or_default();
    text.push_str(&format!(
        "worker_id: {worker}\ntask_id: {id}\nparent_cmd: {parent}\ntimestamp: \"{}\"\n\
         # done, failed or blocked\nstatus: done\n\
         result:\n  summary: \"\"\n  files_modified: []\n  notes: null\n\
         # what others could reuse\nskill_candidate:\n  found: false\n  name: null\n  description: null\n  reason: null\n\
         # Compare the result with the purpose. Then take the # away: null for no gap, or what is missing.\n# purpose_gap: null\n",
        Time(now)
    ));
    text
}

fn comment(text: &mut String, label: &str, said: &str) {
    text.push_str(&format!("# {label}: {}\n", one_line(said, COMMENT_CHARS)));
}
