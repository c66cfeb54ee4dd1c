//! What a tool answers with: a text for the model, the answer as JSON, and what arrives with it.

use interagent_core::refusal::Refusal;
use interagent_wire::Reply;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::envelope;
use crate::ledger::Handed;
use crate::render::Said;
use interagent_core::harmless;

/// A tool's answer.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) text: String,
    /// The same document as `--json` prints, with the call that follows.
    pub(crate) document: Value,
    pub(crate) refused: bool,
    /// What counts as arrived once this was written.
    pub(crate) handed: Option<Handed>,
}

/// The text with what is to be said of the whole: that nothing had to be changed, and what else is worth knowing.
fn with_remarks(reply: &Reply, text: String) -> String {
    let unchanged = reply.unchanged.iter().map(|why| format!("nothing to do: {}", harmless::line(why)));
    let notes = reply.notes.iter().map(|note| format!("note: {}", harmless::line(note)));
    unchanged.chain([text]).chain(notes).collect::<Vec<_>>().join("\n")
}

impl Outcome {
    /// An operation's answer with its text.
    pub(crate) fn of(reply: &Reply, said: Said) -> Self {
        let Said { text, next } = said;
        let mut document = reply.document().unwrap_or(Value::Null);
        document["next"] = next.into();
        let text = with_remarks(reply, text);
        without_nulls(&mut document);
        bound(&mut document);
        harmless::document(&mut document);
        Self { text, document, refused: false, handed: None }
    }

    /// Marks the texts of others in the document, and says where a text that was cut goes on.
    pub(crate) fn says_more_at(&mut self, next: Option<usize>) {
        self.document["about"] = envelope::NOTICE.into();
        if let Some(next) = next {
            self.document["next_offset"] = next.into();
        }
    }

    /// A refusal, in the words of whoever refused.
    pub(crate) fn refusal(refusal: &Refusal) -> Self {
        let sentence = harmless::line(&refusal.sentence);
        let mut text = format!("refused ({}): {sentence}", refusal.code);
        if let Some(hint) = &refusal.hint {
            text.push_str(&format!("\nhint: {}", harmless::line(hint)));
        }
        let hints: Vec<&String> = refusal.hint.iter().collect();
        let mut document = json!({ "error": {
            "kind": refusal.kind, "code": refusal.code, "sentence": refusal.sentence, "hints": hints,
        } });
        harmless::document(&mut document);
        Self { text, document, refused: true, handed: None }
    }

    /// The answer as the protocol carries it.
    pub(crate) fn into_result(self) -> CallToolResult {
        let content = vec![ContentBlock::text(self.text)];
        let mut result =
            if self.refused { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.structured_content = Some(self.document);
        result
    }
}

/// A document goes into a model's context: no single text in it is longer than an answer may be.
fn bound(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > envelope::ANSWER_BYTES => {
            let part = envelope::part(text, 0, envelope::ANSWER_BYTES);
            *text = format!("{} [cut: `interagent ... --json` shows all {} bytes]", part.text, text.len());
        }
        Value::Array(items) => items.iter_mut().for_each(bound),
        Value::Object(fields) => fields.values_mut().for_each(bound),
        _ => {}
    }
}

/// What is absent costs no tokens: a reader takes a missing field for null.
fn without_nulls(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(without_nulls);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_a_tool_error_with_code_sentence_and_hint() {
        let refusal = Refusal::rule("not_you", "you are a, not b\u{202e}").hint("leave the name out");
        let result = Outcome::refusal(&refusal).into_result();
        assert_eq!(result.is_error, Some(true));
        let wanted = json!({ "error": { "kind": "refused", "code": "not_you",
            "sentence": "you are a, not b\\u{202e}", "hints": ["leave the name out"] } });
        assert_eq!(result.structured_content, Some(wanted));
        assert_eq!(
            result.content,
            vec![ContentBlock::text(
                "refused (not_you): you are a, not b\\u{202e}\nhint: leave the name out"
            )]
        );
    }

    #[test]
    fn nulls_are_left_out_everywhere() {
        let mut value = json!({ "a": null, "b": [{ "c": null, "d": 0 }], "e": "" });
        without_nulls(&mut value);
        assert_eq!(value, json!({ "b": [{ "d": 0 }], "e": "" }));
    }
}
