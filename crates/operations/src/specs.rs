//! specs

use interagent_core::refusal::Refusal;
use interagent_wire::Answer;
#[allow(unused_imports)]
use interagent_wire::request as ask;

use crate::call::Call;

pub(crate) fn publish(_call: &mut Call<'_>, _params: &ask::SpecPublish) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn show(_call: &mut Call<'_>, _params: &ask::SpecShow) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn list(_call: &mut Call<'_>, _params: &ask::SpecList) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn subscribe(_call: &mut Call<'_>, _params: &ask::SpecSubscribe) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}
