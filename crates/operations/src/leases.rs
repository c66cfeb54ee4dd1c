//! leases

use interagent_core::refusal::Refusal;
use interagent_wire::Answer;
#[allow(unused_imports)]
use interagent_wire::request as ask;

use crate::call::Call;

pub(crate) fn take(_call: &mut Call<'_>, _params: &ask::LeaseTake) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn renew(_call: &mut Call<'_>, _params: &ask::LeaseRenew) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn release(_call: &mut Call<'_>, _params: &ask::LeaseRelease) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn force(_call: &mut Call<'_>, _params: &ask::LeaseForce) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}

pub(crate) fn list(_call: &mut Call<'_>) -> Result<Answer, Refusal> {
    Err(Refusal::usage("missing", "not there"))
}
