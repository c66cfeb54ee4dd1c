//! Opening the hub of a run later, and more than once: for surfaces that serve others.

use interagent_operations::LocalHub;

use super::{Create, Session, open};
use crate::config::hub::Discovery;
use crate::error::CliError;

impl Session {
    /// Opens the hub of this run, and makes the personal hub where there is none.
    pub(crate) fn door(&self) -> impl Fn() -> Result<LocalHub, CliError> + Send + Sync + use<> {
        let open = self.door_that_asks();
        move || open(Create::IfMissing)
    }

    /// Opens the hub of this run. A caller that only reads makes no personal hub, as with [`Session::call`].
    pub(crate) fn door_that_asks(
        &self,
    ) -> impl Fn(Create) -> Result<LocalHub, CliError> + Send + Sync + use<> {
        let (env, global) = (self.env.clone(), self.global.clone());
        move |create| {
            let mut again = Self::new(env.clone(), global.clone());
            let hub = match again.discover()? {
                Discovery::NotThere(missing) if create == Create::Never => {
                    return Err(open::no_hub(&missing));
                }
                discovery => open::open(discovery, &mut again.printer)?,
            };
            Ok(again.informed(hub))
        }
    }
}
