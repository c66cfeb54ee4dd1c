//! tasks

use interagent_core::refusal::Refusal;
use interagent_wire::Answer;
#[allow(unused_imports)]
use interagent_wire::request as ask;

use crate::call::Call;

pub(crate) fn create(_call: &mut Call<'_>, _params: &ask::TaskCreate) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn list(_call: &mut Call<'_>, _params: &ask::TaskList) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn show(_call: &mut Call<'_>, _params: &ask::TaskShow) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn update(_call: &mut Call<'_>, _params: &ask::TaskUpdate) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn claim(_call: &mut Call<'_>, _params: &ask::TaskClaim) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn next(_call: &mut Call<'_>, _params: &ask::TaskNext) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn note(_call: &mut Call<'_>, _params: &ask::TaskNote) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn depend(_call: &mut Call<'_>, _params: &ask::TaskDepend) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn report(_call: &mut Call<'_>, _params: &ask::TaskReport) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn verdict(_call: &mut Call<'_>, _params: &ask::TaskVerdict) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn reassign(_call: &mut Call<'_>, _params: &ask::TaskReassign) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn redo(_call: &mut Call<'_>, _params: &ask::TaskRedo) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn row(
    _reader: &mut interagent_store::reader::Reader<'_>,
    _task: &interagent_core::entity::Task,
) -> Result<interagent_wire::answer::TaskRow, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}
