//! What a command says when it could not do what was asked.
//!
//! Owns the form of an error at the edge: kind, sentence, source, hints. The words of a refusal come from whoever
//! refuses; how a line reaches the terminal is `ui`.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_store::StoreError;
use serde_json::json;

use crate::exit_code::ExitCode;
use crate::ui::harmless::{Lines, harmless};

/// What went wrong, as far as a program needs to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    Refused,
    Usage,
    NotFound,
    Conflict,
    Unavailable,
}

impl ErrorKind {
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            Self::Refused => ExitCode::Refused,
            Self::Usage => ExitCode::Usage,
            Self::NotFound => ExitCode::NotFound,
            Self::Conflict => ExitCode::Conflict,
            Self::Unavailable => ExitCode::Unavailable,
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Usage => "usage",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::Unavailable => "unavailable",
        }
    }
}

/// An error that ends a command.
#[derive(Debug)]
pub(crate) struct CliError {
    kind: ErrorKind,
    code: Cow<'static, str>,
    sentence: String,
    source: Option<Box<dyn Error + Send + Sync>>,
    hints: Vec<String>,
}

impl CliError {
    pub(crate) fn new(kind: ErrorKind, sentence: impl Into<String>) -> Self {
        Self { kind, code: kind.code().into(), sentence: sentence.into(), source: None, hints: Vec::new() }
    }

    /// What went wrong, as far as a program needs to know it.
    pub(crate) fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Replaces the kind's general code by the name of the rule that refused.
    pub(crate) fn with_code(mut self, code: impl Into<Cow<'static, str>>) -> Self {
        self.code = code.into();
        self
    }

    pub(crate) fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds what helps; hints are shown in the order they were added.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Takes the hints away, where they do not fit what was asked.
    pub(crate) fn without_hints(mut self) -> Self {
        self.hints.clear();
        self
    }

    /// What went wrong and why, in one line without what helps.
    pub(crate) fn sentence(&self) -> String {
        let causes = self.causes().map(|cause| format!(": {cause}"));
        let whole: String = std::iter::once(self.sentence.clone()).chain(causes).collect();
        harmless(&whole, Lines::One).into_owned()
    }

    /// What helps.
    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    /// Whether this rule refused.
    pub(crate) fn has_code(&self, code: &str) -> bool {
        self.code == code
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        self.kind.exit_code()
    }

    /// The lines for people: `error:`, then one `cause:` for each source, then one `hint:` for each hint.
    ///
    /// Sentences quote names and paths that others chose, so they are made harmless here.
    pub(crate) fn lines(&self) -> Vec<String> {
        let causes = self.causes().map(|cause| format!("cause: {cause}"));
        let hints = self.hints.iter().map(|hint| format!("hint: {hint}"));
        std::iter::once(format!("error: {}", self.sentence))
            .chain(causes)
            .chain(hints)
            .map(|line| harmless(&line, Lines::One).into_owned())
            .collect()
    }

    /// The document for programs, the answer to a command with `--json`.
    ///
    /// It goes to standard output, in the place of the answer: a program then reads exactly one document from one
    /// stream, whatever happened, and standard error stays for people.
    pub(crate) fn document(&self) -> serde_json::Value {
        let causes: Vec<String> = self.causes().map(ToString::to_string).collect();
        json!({ "error": {
            "code": self.code,
            "exit_code": self.exit_code() as u8,
            "sentence": self.sentence,
            "causes": causes,
            "hints": self.hints,
        } })
    }

    fn causes(&self) -> impl Iterator<Item = &(dyn Error + 'static)> {
        let mut next = self.source();
        std::iter::from_fn(move || {
            let cause = next?;
            next = cause.source();
            Some(cause)
        })
    }
}

impl From<Refusal> for CliError {
    fn from(refusal: Refusal) -> Self {
        let kind = match refusal.kind {
            RefusalKind::Refused => ErrorKind::Refused,
            RefusalKind::Usage => ErrorKind::Usage,
            RefusalKind::NotFound => ErrorKind::NotFound,
            RefusalKind::Conflict => ErrorKind::Conflict,
            RefusalKind::Unavailable => ErrorKind::Unavailable,
        };
        let error = Self::new(kind, refusal.sentence).with_code(refusal.code);
        match refusal.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

impl From<CliError> for Refusal {
    /// For a surface that answers with refusals; what was behind the error is told with it.
    fn from(error: CliError) -> Self {
        let causes: String = error.causes().map(|cause| format!(": {cause}")).collect();
        let sentence = format!("{}{causes}", error.sentence);
        let refusal = match error.kind {
            ErrorKind::Refused => Self::rule(&error.code, sentence),
            ErrorKind::Usage => Self::usage(&error.code, sentence),
            ErrorKind::NotFound => Self::not_found(&error.code, sentence),
            ErrorKind::Conflict => Self::conflict(&error.code, sentence),
            ErrorKind::Unavailable => Self::unavailable(&error.code, sentence),
        };
        match error.hints.join("; ") {
            hints if hints.is_empty() => refusal,
            hints => refusal.hint(hints),
        }
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        Refusal::from(error).into()
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl Error for CliError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error() -> CliError {
        CliError::new(ErrorKind::Unavailable, "cannot open the store of `evil\u{1b}[2J`")
            .with_source(std::io::Error::from(std::io::ErrorKind::PermissionDenied))
            .with_hint("check who owns it")
            .with_hint("run `interagent doctor`")
    }

    #[test]
    fn people_get_lines_that_cannot_move_the_cursor() {
        insta::assert_snapshot!(error().lines().join("\n"), @r"
        error: cannot open the store of `evil␛[2J`
        cause: permission denied
        hint: check who owns it
        hint: run `interagent doctor`
        ");
    }

    #[test]
    fn programs_get_one_document() {
        let document = error().with_code("store_locked").document();
        insta::assert_snapshot!(document, @r#"{"error":{"causes":["permission denied"],"code":"store_locked","exit_code":5,"hints":["check who owns it","run `interagent doctor`"],"sentence":"cannot open the store of `evil\u001b[2J`"}}"#);
    }

    #[test]
    fn every_kind_has_its_exit_code() {
        use ErrorKind::{Conflict, NotFound, Refused, Unavailable, Usage};
        let codes = [Refused, Usage, NotFound, Conflict, Unavailable]
            .map(|kind| CliError::new(kind, "no").exit_code() as u8);
        assert_eq!(codes, [1, 2, 3, 4, 5]);
    }
}
