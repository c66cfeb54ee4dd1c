//! team

use interagent_core::refusal::Refusal;
use interagent_wire::Answer;
#[allow(unused_imports)]
use interagent_wire::request as ask;

use crate::call::Call;

pub(crate) fn show(_call: &mut Call<'_>) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn take(_call: &mut Call<'_>, _params: &ask::TeamTake) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

