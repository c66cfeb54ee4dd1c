//! What clients really say at their events, kept for the tests of our hooks. `INTERAGENT_UPDATE_PAYLOADS=1` records it
//! anew; otherwise nobody stands between a client and our program.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::team::Team;

const VARIABLE: &str = "INTERAGENT_UPDATE_PAYLOADS";
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/hooks/payloads");
const PRODUCT: &str = env!("CARGO_BIN_EXE_interagent");
/// Stands for the folder of the one run that was recorded.
const ANYWHERE: &str = "/sandbox";
/// No setting of a client is longer.
const SETTINGS_BYTES: u64 = 1024 * 1024;

/// A script between the client and our program that keeps what it passes on.
pub(super) struct Recorder {
    recorded: PathBuf,
    root: PathBuf,
}

impl Recorder {
    /// Steps between them, in every file that names our program.
    pub(super) fn between(team: &Team) -> Option<Self> {
        std::env::var_os(VARIABLE)?;
        let (home, project) = (team.sandbox.home(), team.sandbox.project());
        let (recorded, script) = (home.join("recorded"), home.join("recorder"));
        fs::create_dir_all(&recorded).unwrap();
        let text = format!(
            "#!/bin/sh\n[ \"$1\" = hook ] || exec {PRODUCT} \"$@\"\n\
             said=$(mktemp {}/$2.$3.XXXXXX) && cat > \"$said\" && exec {PRODUCT} \"$@\" < \"$said\"\n",
            recorded.display()
        );
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let script = script.display().to_string();
        [&home, &project].into_iter().for_each(|folder| redirect(folder, &script));
        Some(Self { recorded, root: home.parent().unwrap().to_owned() })
    }

    /// Keeps the first payload of each event, without what is only of this run.
    pub(super) fn keep(&self) {
        let mut first: BTreeMap<(String, String), (SystemTime, PathBuf)> = BTreeMap::new();
        for file in fs::read_dir(&self.recorded).unwrap().map(Result::unwrap) {
            let name = file.file_name().into_string().unwrap();
            let (profile, rest) = name.split_once('.').unwrap();
            let (event, _) = rest.rsplit_once('.').unwrap();
            let said = (file.metadata().unwrap().modified().unwrap(), file.path());
            let earliest =
                first.entry((profile.to_owned(), event.to_owned())).or_insert_with(|| said.clone());
            *earliest = said.min(earliest.clone());
        }
        for ((profile, event), (_, path)) in first {
            let said = fs::read_to_string(path).unwrap().replace(self.root.to_str().unwrap(), ANYWHERE);
            let folder = Path::new(KEPT).join(profile);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("{event}.json")), said.trim_end().to_owned() + "\n").unwrap();
        }
    }
}

/// Lets every text below a folder that names our program name the script.
fn redirect(folder: &Path, script: &str) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (kind, path) = (entry.file_type().unwrap(), entry.path());
        if kind.is_dir() && !["node_modules", "state", ".git", "recorded"].iter().any(|n| path.ends_with(n)) {
            redirect(&path, script);
        } else if kind.is_file()
            && entry.metadata().unwrap().len() < SETTINGS_BYTES
            && let Ok(text) = fs::read_to_string(&path)
            && text.contains(PRODUCT)
            && !path.ends_with("recorder")
        {
            fs::write(&path, text.replace(PRODUCT, script)).unwrap();
        }
    }
}
