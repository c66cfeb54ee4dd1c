//! The SDK's sessions, tied to their rooms: opened with a token, watched for the answer, left when they end.

use std::sync::Arc;

use http::request::Parts;
use rmcp::model::{ClientJsonRpcMessage, GetExtensions, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use tokio_stream::{Stream, StreamExt};

use super::office::{Guest, Key, Office};
use super::receipt::Visit;

/// All sessions of one server.
#[derive(Debug)]
pub(super) struct Sessions {
    local: LocalSessionManager,
    office: Arc<Office>,
}

impl Sessions {
    pub(super) fn new(office: Arc<Office>) -> Self {
        let mut local = LocalSessionManager::default();
        // A long wait is no idleness: the office knows who is still there.
        local.session_config.keep_alive = None;
        // Who left gets its answer again by asking again, so nobody is told how to resume.
        local.session_config.sse_retry = None;
        Self { local, office }
    }
}

/// Something the front door put into a request.
fn brought<T: Clone + Send + Sync + 'static>(message: &ClientJsonRpcMessage) -> Option<T> {
    let ClientJsonRpcMessage::Request(request) = message else { return None };
    request.request.extensions().get::<Parts>()?.extensions.get::<T>().cloned()
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        self.local.create_session().await
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        let Some(guest) = brought::<Guest>(&message) else {
            return Err(LocalSessionManagerError::SessionNotFound(id.clone()));
        };
        let _in_use = self.office.open(Key::Session(id.clone()), &guest);
        self.local.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.local.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        let (office, key) = (self.office.clone(), Key::Session(id.clone()));
        // What can't be ended now is found dead by the next one that needs the name.
        let _ = tokio::task::spawn_blocking(move || office.leave(&key)).await;
        self.local.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let receipt = brought::<Visit>(&message).map(|visit| visit.receipt);
        receipt.iter().for_each(super::receipt::Receipt::is_streamed);
        let stream = self.local.create_stream(id, message).await?;
        Ok(stream.map(move |piece| {
            let is_answer = matches!(
                piece.message.as_deref(),
                Some(ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_))
            );
            if let (true, Some(receipt)) = (is_answer, &receipt) {
                receipt.came();
            }
            piece
        }))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.local.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.local.resume(id, last_event_id).await
    }
}
