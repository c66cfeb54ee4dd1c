//! people

use interagent_core::refusal::Refusal;
use interagent_wire::Answer;
#[allow(unused_imports)]
use interagent_wire::request as ask;

use crate::call::Call;

pub(crate) fn register(_call: &mut Call<'_>, _params: &ask::AgentRegister) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn list(_call: &mut Call<'_>, _params: &ask::AgentList) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn show(_call: &mut Call<'_>, _params: &ask::AgentShow) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn rename(_call: &mut Call<'_>, _params: &ask::AgentRename) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn retire(_call: &mut Call<'_>, _params: &ask::AgentRetire) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn whoami(_call: &mut Call<'_>) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn set_status(_call: &mut Call<'_>, _params: &ask::StatusSet) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn board(_call: &mut Call<'_>) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

