//! record

use interagent_core::refusal::Refusal;
use interagent_wire::Answer;
#[allow(unused_imports)]
use interagent_wire::request as ask;

use crate::call::Call;

pub(crate) fn list(_call: &mut Call<'_>, _params: &ask::LogList) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn history(_call: &mut Call<'_>, _params: &ask::LogHistory) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn state(_call: &mut Call<'_>, _params: &ask::LogState) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn trace(_call: &mut Call<'_>, _params: &ask::LogTrace) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn search(_call: &mut Call<'_>, _params: &ask::Search) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn briefing(_call: &mut Call<'_>, _params: &ask::Briefing) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn summary(_call: &mut Call<'_>) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn purge(_call: &mut Call<'_>, _params: &ask::TextPurge) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}
