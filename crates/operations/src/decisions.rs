//! decisions

use interagent_core::refusal::Refusal;
use interagent_wire::Answer;
#[allow(unused_imports)]
use interagent_wire::request as ask;

use crate::call::Call;

pub(crate) fn open(_call: &mut Call<'_>, _params: &ask::DecisionOpen) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn position(_call: &mut Call<'_>, _params: &ask::DecisionPosition) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn decide(_call: &mut Call<'_>, _params: &ask::DecisionDecide) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn list(_call: &mut Call<'_>, _params: &ask::DecisionList) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn show(_call: &mut Call<'_>, _params: &ask::DecisionShow) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}
