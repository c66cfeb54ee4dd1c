//! sessions

use interagent_core::refusal::Refusal;
use interagent_wire::Answer;
#[allow(unused_imports)]
use interagent_wire::request as ask;

use crate::call::Call;

pub(crate) fn bind(_call: &mut Call<'_>, _params: &ask::SessionBind) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn end(_call: &mut Call<'_>, _params: &ask::SessionEnd) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn list(_call: &mut Call<'_>, _params: &ask::SessionList) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn view(
    _reader: &mut interagent_store::reader::Reader<'_>,
    _row: &interagent_store::observe::SessionRow,
) -> Result<interagent_wire::answer::SessionView, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}
