//! The cheerful line at the end of finished work, where the team wants one.
//!
//! It is said to whoever ran the command and to nobody else: it stands in no log, no file and no answer for programs.

use crate::ids::TaskId;
use crate::line::one_line;
use crate::team::Language;

/// Characters of the line.
const CHEER_CHARS: usize = 120;

const ENGLISH: [&str; 6] = [
    "Done and dusted!",
    "Another one across the line!",
    "That is how it is done!",
    "Mission complete!",
    "Onwards and upwards!",
    "The team moves forward!",
];

const JAPANESE: [&str; 6] =
    ["任務完了！", "やり遂げた！", "見事に片付いた！", "一歩前進！", "この調子でいこう！", "よし、次へ！"];

/// The line: the task's own, or one that is composed. The same task always gets the same.
pub fn cheer(language: &Language, task: &TaskId, title: &str, echo: Option<&str>) -> String {
    if let Some(echo) = echo.map(|echo| one_line(echo, CHEER_CHARS)).filter(|echo| !echo.is_empty()) {
        return echo;
    }
    let bytes = task.as_str().bytes();
    let choice = bytes.fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
    let of = |list: &[&'static str; 6]| list[choice % list.len()];
    let said = match language {
        Language::En => of(&ENGLISH).to_owned(),
        Language::Ja => of(&JAPANESE).to_owned(),
        // The same in the second language, as far as it is known here.
        Language::JaAnd(code) if code == "en" => format!("{} ({})", of(&JAPANESE), of(&ENGLISH)),
        Language::JaAnd(_) => of(&JAPANESE).to_owned(),
    };
    one_line(&format!("{said} {title}"), CHEER_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tasks_own_line_comes_first_and_stays_one_line() {
        let task = TaskId::from_bits(7);
        assert_eq!(cheer(&Language::En, &task, "Parser", Some(" Hoo\nray! ")), "Hoo ray!");
        insta::assert_snapshot!(cheer(&Language::En, &task, "Parser", Some("  ")), @"The team moves forward! Parser");
        insta::assert_snapshot!(cheer(&Language::parse("ja+en").unwrap(), &task, "Parser", None), @"よし、次へ！ (The team moves forward!) Parser");
    }
}
