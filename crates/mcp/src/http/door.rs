//! The way of a request: checked for where it comes from, let in by its token, and only then read.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_core::token::Token;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;

use super::connection_limit::Presence;
use super::office::{Guest, Key, Office, Vacated};
use super::origin::Origins;
use super::receipt::{Flushed, Watched};
use super::refuse::{self, Answer};
use super::sessions::Sessions;
use crate::server::Server;
use crate::transport::{INVALID_REQUEST, LINE_BYTES, PARSE_ERROR};

/// The only path there is.
pub(super) const PATH: &str = "/mcp";
const METHODS: &str = "GET, POST, DELETE";
const SESSION: &str = "mcp-session-id";
/// How long a request's body may take.
const BODY_TIME: Duration = Duration::from_secs(30);

/// What every request passes.
pub(super) struct FrontDoor {
    origins: Origins,
    office: Arc<Office>,
    sessions: Arc<Sessions>,
    service: StreamableHttpService<Server, Sessions>,
}

impl FrontDoor {
    pub(super) fn new(address: SocketAddr, office: Arc<Office>) -> Self {
        let origins = Origins::of(address);
        let sessions = Arc::new(Sessions::new(office.clone()));
        // The SDK checks the same again: neither of the two doors relies on the other.
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(origins.hosts())
            .with_allowed_origins(origins.origins())
            .enforce_origin_validation()
            .with_sse_retry(None)
            .with_max_request_body_bytes(LINE_BYTES);
        let service = StreamableHttpService::new(|| Ok(Server::for_visits()), sessions.clone(), config);
        Self { origins, office, sessions, service }
    }

    /// Answers one request.
    pub(super) async fn answer<B>(
        &self,
        request: Request<B>,
        presence: &Presence,
        flushed: Arc<Flushed>,
    ) -> Response<Watched>
    where
        B: Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        match self.enter(request, presence, flushed.clone()).await {
            Ok(answer) => answer,
            Err(refused) => (*refused).map(|body| Watched::of_nobody(body, flushed)),
        }
    }

    async fn enter<B>(
        &self,
        request: Request<B>,
        presence: &Presence,
        flushed: Arc<Flushed>,
    ) -> Result<Response<Watched>, Answer>
    where
        B: Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.origins.check(request.uri(), request.headers())?;
        if request.uri().path() != PATH {
            let sentence = format!("there is only {PATH} here");
            return Err(refuse::with(StatusCode::NOT_FOUND, "no_such_path", &sentence));
        }
        if ![Method::GET, Method::POST, Method::DELETE].contains(request.method()) {
            return Err(refuse::method(METHODS));
        }
        let guest = self.admit(request.headers()).await?;
        presence.known()?;
        let stay = match request.headers().get(SESSION) {
            None => self.office.loose(&guest),
            Some(id) => {
                id.to_str().ok().and_then(|id| self.office.session(id, &guest)).ok_or_else(no_session)?
            }
        };
        let visit = stay.visit(&self.office.closing);
        let receipt = visit.receipt.clone();
        // Dropped while it waits, like this whole call, when the client leaves.
        let leaving = receipt.gone().clone().drop_guard();
        let is_end = request.method() == Method::DELETE;
        let mut request = self.read(request, &guest).await?;
        request.extensions_mut().insert(visit);
        request.extensions_mut().insert(guest);
        let mut answer = refuse::as_document(self.service.handle(request).await).await;
        leaving.disarm();
        if is_end && answer.status() == StatusCode::ACCEPTED {
            // It is done, not only accepted, and the official Python client wants that said.
            *answer.status_mut() = StatusCode::NO_CONTENT;
        }
        Ok(answer.map(|body| Watched::new(body, receipt, flushed, Some(stay))))
    }

    /// Lets in whoever shows a token that the hub takes.
    async fn admit(&self, headers: &HeaderMap) -> Result<Guest, Answer> {
        let token = bearer(headers).map_err(|refusal| refuse::unauthorized(&refusal))?;
        let office = self.office.clone();
        match tokio::task::spawn_blocking(move || office.admit(token)).await {
            Ok(Ok(guest)) => Ok(guest),
            Ok(Err(refusal)) if refusal.kind == RefusalKind::Unavailable => {
                Err(refuse::hub(StatusCode::SERVICE_UNAVAILABLE, &refusal))
            }
            Ok(Err(refusal)) => Err(refuse::unauthorized(&refusal)),
            Err(_) => {
                let sentence = "the call failed inside the server";
                Err(refuse::with(StatusCode::INTERNAL_SERVER_ERROR, "internal", sentence))
            }
        }
    }

    /// Reads the body of a message, within its bounds, and finds a place where it begins a session.
    async fn read<B>(&self, request: Request<B>, guest: &Guest) -> Result<Request<Full<Bytes>>, Answer>
    where
        B: Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        if request.method() != Method::POST {
            return Ok(request.map(|_| Full::default()));
        }
        if !is_json(request.headers()) {
            let sentence = "a message is sent as application/json";
            return Err(refuse::with(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", sentence));
        }
        let (parts, body) = request.into_parts();
        let bytes = match tokio::time::timeout(BODY_TIME, Limited::new(body, LINE_BYTES).collect()).await {
            Ok(Ok(whole)) => whole.to_bytes(),
            Ok(Err(problem)) if problem.is::<LengthLimitError>() => {
                let sentence = format!("a message has at most {} MiB", LINE_BYTES / 1024 / 1024);
                return Err(refuse::with(StatusCode::PAYLOAD_TOO_LARGE, "too_long", &sentence));
            }
            Ok(Err(_)) => {
                let sentence = "the message ended before its end";
                return Err(refuse::with(StatusCode::BAD_REQUEST, "cut_off", sentence));
            }
            Err(_) => {
                let sentence = format!("the message took longer than {} seconds", BODY_TIME.as_secs());
                return Err(refuse::with(StatusCode::REQUEST_TIMEOUT, "too_slow", &sentence));
            }
        };
        if begins_session(&bytes)? && !parts.headers.contains_key(SESSION) {
            self.make_place(guest).await?;
        }
        Ok(Request::from_parts(parts, Full::new(bytes)))
    }

    async fn make_place(&self, guest: &Guest) -> Result<(), Answer> {
        match self.office.place(guest) {
            Ok(None) => {}
            Ok(Some(idle)) => self.clear(idle).await,
            Err(sentence) => return Err(refuse::busy(sentence)),
        }
        Ok(())
    }

    /// Gives up what nobody uses, as long as the server runs.
    pub(super) async fn sweep(&self) {
        loop {
            self.office.until_one_may_be_abandoned().await;
            for vacated in self.office.abandoned(Instant::now()) {
                self.clear(vacated).await;
            }
        }
    }

    /// Ends what is left of a room that was given up.
    async fn clear(&self, vacated: Vacated) {
        let key = vacated.key.clone();
        // What can't be ended now is found dead by the next one that needs the name.
        let _ = tokio::task::spawn_blocking(move || vacated.end()).await;
        if let Key::Session(id) = key {
            // One that is just being closed is as good as closed.
            let _ = self.sessions.close_session(&id).await;
        }
    }
}

/// The same words whether there is no such session or it is another's.
fn no_session() -> Answer {
    let sentence = "there is no such session: it ended, or it was never yours; begin a new one";
    refuse::with(StatusCode::NOT_FOUND, "no_such_session", sentence)
}

/// The token of a request. Only a header carries it: addresses end up in logs.
fn bearer(headers: &HeaderMap) -> Result<Token, Refusal> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let token = match (given.next(), given.next()) {
        (Some(one), None) => one.to_str().ok().and_then(|text| {
            let (scheme, token) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| Token::shown(token.trim()))
        }),
        _ => None,
    };
    token.ok_or_else(|| {
        Refusal::rule("no_token", "every request needs the header `Authorization: Bearer TOKEN`, once")
            .hint("interagent agent token NAME shows an agent's token")
    })
}

fn is_json(headers: &HeaderMap) -> bool {
    let mut given = headers.get_all(CONTENT_TYPE).iter();
    let (Some(kind), None) = (given.next(), given.next()) else { return false };
    let kind = kind.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// Whether a message begins a session; one that is none is refused as over standard input.
fn begins_session(bytes: &[u8]) -> Result<bool, Answer> {
    match serde_json::from_slice::<ClientJsonRpcMessage>(bytes) {
        Ok(ClientJsonRpcMessage::Request(request)) => {
            Ok(matches!(request.request, ClientRequest::InitializeRequest(_)))
        }
        Ok(_) => Ok(false),
        Err(problem) => Err(match serde_json::from_slice::<Value>(bytes) {
            Err(_) => refuse::message(PARSE_ERROR, &format!("not JSON: {problem}")),
            Ok(Value::Array(_)) => {
                refuse::message(INVALID_REQUEST, "batches are not taken: send one message a request")
            }
            Ok(_) => {
                let why = "not a JSON-RPC 2.0 message; an id is a string or a whole number";
                refuse::message(INVALID_REQUEST, why)
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Facts;
    use tokio_util::sync::CancellationToken;

    /// The SDK's own door, without ours before it.
    #[test]
    fn the_sdk_refuses_other_hosts_and_origins_by_itself() {
        let door = || Err(Refusal::unavailable("nothing", "there is no hub in this test"));
        let office = Office::new(Arc::new(door), Facts::default(), CancellationToken::new());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let front = FrontDoor::new(([127, 0, 0, 1], 7717).into(), Arc::new(office));
        // A request that passes is refused for what it accepts, after these checks.
        let passes = StatusCode::NOT_ACCEPTABLE;
        for (host, origin, wanted) in [
            ("127.0.0.1:7717", None, passes),
            ("localhost:7717", Some("http://localhost:7717"), passes),
            ("[::1]:7717", Some("http://[::1]:7717"), passes),
            ("evil.example:7717", None, StatusCode::FORBIDDEN),
            ("127.0.0.1:1", None, StatusCode::FORBIDDEN),
            ("127.0.0.1", None, StatusCode::FORBIDDEN),
            ("localhost:7717", Some("http://localhost:1"), StatusCode::FORBIDDEN),
            ("localhost:7717", Some("http://localhost"), StatusCode::FORBIDDEN),
            ("localhost:7717", Some("https://evil.example"), StatusCode::FORBIDDEN),
            ("localhost:7717", Some("null"), StatusCode::FORBIDDEN),
        ] {
            let mut request = Request::post(PATH).header("Host", host);
            if let Some(origin) = origin {
                request = request.header("Origin", origin);
            }
            let request = request.body(Full::<Bytes>::default()).unwrap();
            let answer = runtime.block_on(front.service.handle(request));
            assert_eq!(answer.status(), wanted, "{host} {origin:?}");
        }
    }
}
