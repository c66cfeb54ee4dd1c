//! Refusals as HTTP says them: a status, and a document with one sentence.

use std::convert::Infallible;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Collected, Full, Limited};
use interagent_core::refusal::Refusal;
use serde_json::{Value, json};

/// Boxed, because it is the rare end of functions that mostly give something small.
pub(super) type Answer = Box<Response<BoxBody<Bytes, Infallible>>>;

/// Refuses a request with a status, a code and a sentence.
pub(super) fn with(status: StatusCode, code: &str, sentence: &str) -> Answer {
    document(status, &json!({ "error": { "code": code, "sentence": sentence, "hints": [] } }))
}

/// The token is missing, or the hub does not take it.
pub(super) fn unauthorized(refusal: &Refusal) -> Answer {
    let mut answer = hub(StatusCode::UNAUTHORIZED, refusal);
    answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    answer
}

/// The hub refused in its own words.
pub(super) fn hub(status: StatusCode, refusal: &Refusal) -> Answer {
    let hints: Vec<&String> = refusal.hint.iter().collect();
    let error = json!({ "code": refusal.code, "sentence": refusal.sentence, "hints": hints });
    document(status, &json!({ "error": error }))
}

/// There is no room; later there may be.
pub(super) fn busy(sentence: &str) -> Answer {
    let mut answer = with(StatusCode::SERVICE_UNAVAILABLE, "busy", sentence);
    answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    answer
}

/// The method is none of those that this path has.
pub(super) fn method(allowed: &'static str) -> Answer {
    let mut answer =
        with(StatusCode::METHOD_NOT_ALLOWED, "no_such_method", &format!("this path takes {allowed}"));
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    answer
}

/// Longest sentence that is taken over from the SDK.
const SENTENCE_BYTES: usize = 4096;

/// An answer of the SDK. It refuses in plain text, and we do in documents.
pub(super) async fn as_document(
    answer: Response<BoxBody<Bytes, Infallible>>,
) -> Response<BoxBody<Bytes, Infallible>> {
    let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_refusal = answer.status().is_client_error() || answer.status().is_server_error();
    if !is_refusal || kind.starts_with("application/json") {
        return answer;
    }
    let (parts, body) = answer.into_parts();
    let text =
        Limited::new(body, SENTENCE_BYTES).collect().await.map(Collected::to_bytes).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let fallback = parts.status.canonical_reason().unwrap_or("the request was refused");
    let sentence = Some(text.trim()).filter(|text| !text.is_empty()).unwrap_or(fallback);
    let code = match parts.status {
        StatusCode::NOT_ACCEPTABLE => "not_accepted",
        StatusCode::NOT_FOUND => "no_such_session",
        status if status.is_server_error() => "internal",
        _ => "bad_request",
    };
    let mut answer = with(parts.status, code, sentence);
    answer.headers_mut().extend(parts.headers.get(ALLOW).cloned().map(|allowed| (ALLOW, allowed)));
    *answer
}

/// The body is no message of the protocol.
pub(super) fn message(code: i32, why: &str) -> Answer {
    let why: String = why.chars().take(300).collect();
    let error = json!({ "code": code, "message": why });
    document(StatusCode::BAD_REQUEST, &json!({ "jsonrpc": "2.0", "id": null, "error": error }))
}

fn document(status: StatusCode, document: &Value) -> Answer {
    let mut answer = Box::new(Response::new(Full::new(Bytes::from(document.to_string())).boxed()));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}
