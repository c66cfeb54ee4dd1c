//! reviews

use interagent_core::refusal::Refusal;
use interagent_wire::Answer;
#[allow(unused_imports)]
use interagent_wire::request as ask;

use crate::call::Call;

pub(crate) fn open(_call: &mut Call<'_>, _params: &ask::ReviewOpen) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn comment(_call: &mut Call<'_>, _params: &ask::ReviewComment) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn resolve(_call: &mut Call<'_>, _params: &ask::ReviewResolve) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn verdict(_call: &mut Call<'_>, _params: &ask::ReviewVerdict) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn list(_call: &mut Call<'_>, _params: &ask::ReviewList) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn show(_call: &mut Call<'_>, _params: &ask::ReviewShow) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}
