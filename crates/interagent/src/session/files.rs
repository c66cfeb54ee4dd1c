//! Readable files of the hub: written after the answer, and never a reason for a command to fail.

use interagent_mirror::files::{self, Bound, Effort, FilesError, Findings, Followed};

use super::{Session, history};
use crate::error::{CliError, ErrorKind};
use crate::ui::look::Role;

impl Session {
    /// Lets the files follow what this command wrote. What hinders it is noted for `status`, and met by the next one.
    pub(super) fn follow_files(&mut self) {
        if !std::mem::take(&mut self.wrote) {
            return;
        }
        if let Some(hub) = &mut self.hub
            && let Some(hub_dir) = hub.state_dir().parent().map(ToOwned::to_owned)
        {
            self.effects.extend(history::catch_up(hub));
            let followed = files::follow(hub.store(), &hub_dir, Bound::Brief).unwrap_or_default();
            if self.is_for_people() {
                for file in followed.moved {
                    self.printer.note(Role::Quiet, &format!("note: {}", moved_note(&file)));
                }
            }
        }
    }

    /// Writes every file that is missing, behind or otherwise not what it should be.
    pub(crate) fn write_files(&mut self) -> Result<Followed, CliError> {
        let hub = self.hub()?;
        let hub_dir = hub.state_dir().parent().map(ToOwned::to_owned).unwrap_or_default();
        files::write_all(hub.store(), &hub_dir).map_err(|error| match error {
            FilesError::Store(error) => error.into(),
            FilesError::Cursor(source) => {
                CliError::new(ErrorKind::Unavailable, "the readable files can't be followed")
                    .with_source(source)
                    .with_hint("interagent doctor")
            }
        })
    }

    /// What a person should know of the files.
    pub(crate) fn look_at_files(&mut self, effort: Effort) -> Result<Findings, CliError> {
        let hub = self.hub()?;
        let hub_dir = hub.state_dir().parent().map(ToOwned::to_owned).unwrap_or_default();
        Ok(files::check(hub.store(), &hub_dir, effort)?)
    }
}

/// What a person reads whose text was moved in a file.
pub(crate) fn moved_note(file: &str) -> String {
    format!("{file}: your text is now below the generated part, where it is kept")
}
