//! The headings of the dashboard, in the languages of a team.

use interagent_core::team::Language;
use interagent_core::vocabulary::TaskStatus;

/// One section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heading {
    NeedsAction,
    InProgress,
    Results,
    Candidates,
    Skills,
    Waiting,
    Questions,
}

impl Heading {
    fn english(self) -> &'static str {
        match self {
            Self::NeedsAction => "Needs action",
            Self::InProgress => "In progress",
            Self::Results => "Today's results",
            Self::Candidates => "Skill candidates",
            Self::Skills => "Generated skills",
            Self::Waiting => "Waiting",
            Self::Questions => "Questions",
        }
    }

    fn japanese(self) -> &'static str {
        match self {
            Self::NeedsAction => "要対応",
            Self::InProgress => "進行中",
            Self::Results => "本日の成果",
            Self::Candidates => "スキル化候補",
            Self::Skills => "生成されたスキル",
            Self::Waiting => "待機中",
            Self::Questions => "伺い事項",
        }
    }

    /// As the team reads it. A second language that we do not know gets the English words.
    pub(super) fn told(self, language: &Language) -> String {
        match language {
            Language::En => self.english().to_owned(),
            Language::Ja => self.japanese().to_owned(),
            Language::JaAnd(_) => format!("{} ({})", self.japanese(), self.english()),
        }
    }
}

/// A word or phrase inside a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phrase {
    /// Follows the name of an agent that waits for an answer.
    NeedsAnswer,
    /// Follows the name of the agent that asks.
    Asks,
    /// Precedes a deadline.
    Before,
    /// Precedes what happens without an answer.
    Otherwise,
    /// The status of a task, before its title.
    Status(TaskStatus),
}

impl Phrase {
    fn english(self) -> &'static str {
        match self {
            Self::NeedsAnswer => "needs an answer",
            Self::Asks => "asks",
            Self::Before => "before",
            Self::Otherwise => "otherwise",
            Self::Status(status) => status.as_str(),
        }
    }

    fn japanese(self) -> &'static str {
        match self {
            Self::NeedsAnswer => "が回答を待っています",
            Self::Asks => "からの質問",
            Self::Before => "期限",
            Self::Otherwise => "回答がない場合",
            Self::Status(status) => match status {
                TaskStatus::Pending => "未割当",
                TaskStatus::Assigned => "着手待ち",
                TaskStatus::InProgress => "作業中",
                TaskStatus::Blocked => "停止中",
                TaskStatus::Completed => "完了",
                TaskStatus::UnderReview => "レビュー中",
                TaskStatus::RevisionNeeded => "要修正",
                TaskStatus::Approved => "承認済み",
                TaskStatus::Rejected => "却下",
                TaskStatus::Failed => "失敗",
                TaskStatus::Cancelled => "取り消し",
                TaskStatus::Reassigned => "引き継ぎ済み",
            },
        }
    }

    /// As the team reads it.
    pub(super) fn told(self, language: &Language) -> String {
        match language {
            Language::En => self.english().to_owned(),
            Language::Ja => self.japanese().to_owned(),
            Language::JaAnd(_) => format!("{} ({})", self.japanese(), self.english()),
        }
    }
}

/// The columns of the results.
pub(super) fn columns(language: &Language) -> &'static str {
    match language {
        Language::En => "| time | field | task | result |",
        Language::Ja => "| 時刻 | 分野 | 任務 | 結果 |",
        Language::JaAnd(_) => "| 時刻 (time) | 分野 (field) | 任務 (task) | 結果 (result) |",
    }
}

/// What stands in a section without rows.
pub(super) fn none(language: &Language) -> &'static str {
    match language {
        Language::En => "none",
        Language::Ja => "なし",
        Language::JaAnd(_) => "なし (none)",
    }
}

/// What stands below rows that are not all.
pub(super) fn and_more(language: &Language) -> &'static str {
    match language {
        Language::En => "and more",
        Language::Ja => "ほか",
        Language::JaAnd(_) => "ほか (and more)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_said_in_the_languages_of_the_team() {
        let told = ["en", "ja", "ja+en", "ja+de"]
            .map(|language| Heading::NeedsAction.told(&Language::parse(language).unwrap()));
        assert_eq!(told, ["Needs action", "要対応", "要対応 (Needs action)", "要対応 (Needs action)"]);
        let told = ["en", "ja", "ja+en"].map(|language| none(&Language::parse(language).unwrap()));
        assert_eq!(told, ["none", "なし", "なし (none)"]);
    }
}
