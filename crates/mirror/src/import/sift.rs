//! Foreign texts made fit for the log: what can be kept is kept, what can't is named.

use interagent_core::limits;
use interagent_core::secrets;
use interagent_core::text::subject_of;

use super::people::is_word;
use super::plan::spec_name;
use super::record::{Left, Records, SpecRecord};

/// Files of one report, items of one list: more is a mistake, and an entry holds them itself.
const ITEMS: usize = 1_000;
const NAMELESS: &str = "(no subject)";

/// Makes every text fit, and takes out what never will.
pub(super) fn sift(records: &mut Records) -> Vec<Left> {
    let (mut left, notes) = (Vec::new(), &mut records.notes);
    records.messages.retain_mut(|message| {
        let (subject, body) = headed(message.subject.take(), message.body.take());
        message.subject = Some(subject);
        message.body = body;
        fits(&message.file, &message.id, [message.body.as_deref()], &mut left)
    });
    records.tasks.retain_mut(|task| {
        let (title, description) = headed(task.title.take(), task.description.take());
        task.title = Some(title);
        task.description = description;
        for text in task.requirements.iter_mut().chain(&mut task.criteria) {
            *text = whole(std::mem::take(text));
        }
        for (_, note) in &mut task.notes {
            *note = whole(std::mem::take(note));
        }
        task.requirements.truncate(ITEMS);
        task.criteria.truncate(ITEMS);
        task.depends_on.truncate(limits::DEPENDENCIES);
        task.purpose = task.purpose.take().map(whole);
        task.echo_message = task.echo_message.take().map(whole);
        task.target_path = task.target_path.take().filter(|path| stays(path, &task.file, notes));
        let texts = [&task.description, &task.purpose, &task.echo_message].map(|text| text.as_deref());
        let lists =
            task.requirements.iter().chain(&task.criteria).chain(task.notes.iter().map(|(_, note)| note));
        fits(&task.file, &task.id, texts.into_iter().chain(lists.map(|text| Some(text.as_str()))), &mut left)
    });
    records.reports.retain_mut(|report| {
        report.summary = whole(std::mem::take(&mut report.summary));
        report.notes = report.notes.take().map(whole);
        report.purpose_gap = report.purpose_gap.take().map(whole);
        report.skill = report.skill.take().map(|skill| skill.map(|text| text.map(whole)));
        report.files.retain(|path| stays(path, &report.file, notes));
        report.files.truncate(ITEMS);
        let texts = [Some(report.summary.as_str()), report.notes.as_deref(), report.purpose_gap.as_deref()];
        fits(&report.file, &report.task, texts, &mut left)
    });
    records.specs.retain_mut(|spec| {
        spec.body = whole(std::mem::take(&mut spec.body));
        fits(&spec.file, &spec.name, [Some(spec.body.as_str())], &mut left) && is_named(spec, &mut left)
    });
    for agent in &mut records.agents {
        agent.workspace = agent.workspace.take().filter(|path| stays(path, "a workspace", notes));
        agent.status = agent.status.take().map(|(text, when)| {
            let text: String = whole(text).chars().take(limits::NOTE_BYTES / 4).collect();
            (text, when)
        });
    }
    left
}

/// One line and the rest. A heading that is longer than a line, or several, is kept at the beginning of the text.
fn headed(heading: Option<String>, body: Option<String>) -> (String, Option<String>) {
    let body = body.map(whole).filter(|body| !body.trim().is_empty());
    let Some(heading) = heading.map(whole).filter(|heading| !heading.trim().is_empty()) else {
        let made = body.as_deref().map(subject_of).filter(|made| !made.is_empty());
        return (made.unwrap_or_else(|| NAMELESS.to_owned()), body);
    };
    let line = heading.trim();
    if line.chars().count() <= limits::SUBJECT_CHARS && !line.contains(['\n', '\r']) {
        return (line.to_owned(), body);
    }
    let cut = subject_of(line);
    // Where the heading was made of the text, the text is all there is to keep.
    let body = match body {
        Some(body) if body.trim_start().starts_with(line) => body,
        Some(body) => format!("{line}\n\n{body}"),
        None => line.to_owned(),
    };
    (if cut.is_empty() { NAMELESS.to_owned() } else { cut }, Some(body))
}

/// No engine stores NUL in every kind of text.
fn whole(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

/// Whether a path is taken. Why one is not is told where nobody would guess it.
fn stays(path: &str, file: &str, notes: &mut Vec<String>) -> bool {
    if let Some(found) = secrets::first(path) {
        notes.push(format!("{file}: a path looks like {} and is left out", found.kind.told()));
    }
    is_word(path)
}

/// Whether a spec has a name here.
fn is_named(spec: &SpecRecord, left: &mut Vec<Left>) -> bool {
    let why = match secrets::first(&spec.name) {
        Some(found) => format!("its name looks like {}: names go to git", found.kind.told()),
        None => "no name for a spec can be made of its name".to_owned(),
    };
    let is_named = spec_name(&spec.name).is_some();
    left.extend((!is_named).then(|| Left { file: secrets::veiled(&spec.file), why }));
    is_named
}

fn fits<'t>(
    file: &str,
    id: &str,
    texts: impl IntoIterator<Item = Option<&'t str>>,
    left: &mut Vec<Left>,
) -> bool {
    let longest = texts.into_iter().flatten().map(str::len).max().unwrap_or(0);
    if longest <= limits::BODY_BYTES {
        return true;
    }
    let shown: String = id.chars().take(64).collect();
    let why = format!("a text of {shown} has {longest} bytes; at most {} are kept", limits::BODY_BYTES);
    left.push(Left { file: file.to_owned(), why });
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_one_line_and_nothing_is_lost() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(headed(some(" Hi "), some("there")), ("Hi".into(), some("there")));
        assert_eq!(headed(None, some("first\nsecond")), ("first".into(), some("first\nsecond")));
        assert_eq!(headed(some("a\nb"), some("c")), ("a".into(), some("a\nb\n\nc")));
        assert_eq!(headed(some("a\nb"), some("a\nb")), ("a".into(), some("a\nb")));
        assert_eq!(headed(None, some(" ")), (NAMELESS.into(), None));
        assert_eq!(headed(some("\0"), None), ("\u{fffd}".into(), None));
        let long = "x".repeat(201);
        assert_eq!(headed(Some(long.clone()), None).1, Some(long));
    }
}
