//! Pictures for the documentation, taken from real panes: those of the captain's team of real clients that a test brings up.

mod svg;

use std::path::Path;
use std::process::ExitCode;

use crate::repo::Repo;
use crate::tools::{Install, Tools};
use crate::{Result, clients, ui};

/// How wide the terminal is that the test shows.
const COLUMNS: usize = 150;

/// Takes all pictures anew.
pub(crate) fn run() -> Result<ExitCode> {
    let repo = Repo::find()?;
    let screens = repo.target.join("tmp").join("screens");
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    if screens.exists() {
        std::fs::remove_dir_all(&screens).map_err(|error| failed(&screens, error))?;
    }
    std::fs::create_dir_all(&screens).map_err(|error| failed(&screens, error))?;
    clients::show_captain(&repo, &Tools::new(&repo, Install::Allowed), &screens)?;
    let images = repo.root.join("docs/images");
    std::fs::create_dir_all(&images).map_err(|error| failed(&images, error))?;
    for name in ["team-captain", "team-members", "team-ps"] {
        let screen = screens.join(name);
        let text = std::fs::read_to_string(&screen).map_err(|error| failed(&screen, error))?;
        let image = images.join(format!("{name}.svg"));
        std::fs::write(&image, svg::picture(text.trim_end(), COLUMNS))
            .map_err(|error| failed(&image, error))?;
    }
    ui::line("docs/images is up to date");
    Ok(ExitCode::SUCCESS)
}
