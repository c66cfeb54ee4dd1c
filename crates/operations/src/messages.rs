//! messages

use interagent_core::refusal::Refusal;
use interagent_wire::Answer;
#[allow(unused_imports)]
use interagent_wire::request as ask;

use crate::call::Call;

pub(crate) fn send(_call: &mut Call<'_>, _params: &ask::MessageSend) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn reply(_call: &mut Call<'_>, _params: &ask::MessageReply) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn escalate(_call: &mut Call<'_>, _params: &ask::MessageEscalate) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn answer(_call: &mut Call<'_>, _params: &ask::MessageAnswer) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

