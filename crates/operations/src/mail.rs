//! mail

use interagent_core::refusal::Refusal;
use interagent_wire::Answer;
#[allow(unused_imports)]
use interagent_wire::request as ask;

use crate::call::Call;

pub(crate) fn inbox(_call: &mut Call<'_>, _params: &ask::MessageInbox) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn read(_call: &mut Call<'_>, _params: &ask::MessageRead) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn acknowledge(_call: &mut Call<'_>, _params: &ask::MessageAcknowledge) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn settle(_call: &mut Call<'_>, _params: &ask::MessageSettle) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn accept(_call: &mut Call<'_>, _params: &ask::MessageAccept) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn decline(_call: &mut Call<'_>, _params: &ask::MessageDecline) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn thread(_call: &mut Call<'_>, _params: &ask::MessageThread) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn list(_call: &mut Call<'_>, _params: &ask::MessageList) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn hold(_call: &mut Call<'_>, _params: &ask::MessageHold) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn release(_call: &mut Call<'_>, _params: &ask::MessageRelease) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn take(_call: &mut Call<'_>, _params: &ask::OfferTake) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn confirm(_call: &mut Call<'_>, _params: &ask::OfferConfirm) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn waiting(_reader: &mut interagent_store::reader::Reader<'_>, _agent: &interagent_core::ids::AgentId) -> Result<bool, Refusal> { Ok(false) }
