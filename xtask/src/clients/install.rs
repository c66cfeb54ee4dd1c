//! Brings clients from npm and PyPI into a directory of their own, once.
//!
//! `<clients>/<name>/<version>/` holds the files, `<clients>/<name>/installed.json` says that they are complete. It is
//! written last, so an installation that was interrupted does not count, and the next run starts it anew.

use std::cmp::Reverse;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::Client;
use crate::repo::{self, stdout_of};
use crate::tools::Tools;
use crate::versions::versions;
use crate::{Result, ui};

/// The npm package of the Node that npm and most clients run on.
pub(crate) const NODE_PACKAGE: &str = "node-{platform}";
/// What kimi-cli asks for.
const PYTHON_MINOR: u32 = 12;

/// The clients of this machine.
#[derive(Debug)]
pub(super) struct Clients<'a> {
    tools: &'a Tools<'a>,
    directory: PathBuf,
}

impl<'a> Clients<'a> {
    pub(super) fn new(tools: &'a Tools<'a>, directory: PathBuf) -> Self {
        Self { tools, directory }
    }

    /// Makes sure that a client is there, in its version.
    pub(super) fn ensure(&self, client: &Client) -> Result<()> {
        if self.is_installed(&client.name, &client.version) {
            return Ok(());
        }
        self.tools.permitted(&format!("{} {}", client.name, client.version))?;
        std::fs::create_dir_all(&self.directory)
            .map_err(|why| format!("cannot make {}: {why}", self.directory.display()))?;
        let _only_one = self.lock()?;
        if self.is_installed(&client.name, &client.version) {
            return Ok(());
        }
        ui::line(&format!("  installing {} {}", client.name, client.version));
        let (name, version) = (&client.name, &client.version);
        match (&client.npm, &client.pypi) {
            (Some(package), None) => {
                let (node, package) = (self.node()?, on_platform(package)?);
                let fill = |place: &Path| npm(place, &package, version, Some(&node));
                self.install(name, version, &on_platform(&client.program)?, &fill)
            }
            (None, Some(package)) => {
                let fill = |place: &Path| self.python(place, package, version);
                self.install(name, version, &client.program, &fill)
            }
            _ => Err(format!("versions.toml names no single package for {name}")),
        }
    }

    /// What an installed client prints as its version.
    pub(super) fn reported(&self, client: &Client) -> Result<String> {
        self.ensure(client)?;
        let program = self.directory.join(&client.name).join(&client.version);
        let said = stdout_of(Command::new(program.join(on_platform(&client.program)?)).arg("--version"))?;
        version_in(&said).ok_or_else(|| format!("{} printed no version: {}", client.name, said.trim()))
    }

    /// The directory with the `node` that npm and most clients run on.
    fn node(&self) -> Result<PathBuf> {
        let version = &versions()?.node;
        let package = on_platform(NODE_PACKAGE)?;
        let programs = format!("node_modules/{package}/bin");
        if !self.is_installed("node", version) {
            if !repo::on_path("npm") {
                self.tools.debian_tool("npm")?;
            }
            ui::line(&format!("  installing node {version}"));
            let fill = |place: &Path| npm(place, &package, version, None);
            self.install("node", version, &format!("{programs}/node"), &fill)?;
        }
        Ok(self.directory.join("node").join(version).join(programs))
    }

    fn python(&self, place: &Path, package: &str, version: &str) -> Result<()> {
        let python = new_enough_python()?;
        stdout_of(Command::new(python).args(["-m", "venv", "--clear"]).arg(place))?;
        let mut pip = Command::new(place.join("bin").join("pip"));
        stdout_of(
            pip.args(["install", "--quiet", "--disable-pip-version-check"])
                .arg(format!("{package}=={version}")),
        )?;
        Ok(())
    }

    /// Fills an empty place, and says that it is complete once the program is there.
    fn install(
        &self,
        name: &str,
        version: &str,
        program: &str,
        fill: &dyn Fn(&Path) -> Result<()>,
    ) -> Result<()> {
        let home = self.directory.join(name);
        let place = home.join(version);
        let disk = |why: std::io::Error| format!("cannot install into {}: {why}", place.display());
        if home.exists() {
            // What an interrupted run or an older version left.
            std::fs::remove_dir_all(&home).map_err(disk)?;
        }
        std::fs::create_dir_all(&place).map_err(disk)?;
        fill(&place)?;
        if !place.join(program).is_file() {
            return Err(format!("{name} {version} was installed and brought no program {program}"));
        }
        let record = json!({ "version": version, "program": format!("{version}/{program}") });
        let draft = home.join("installed.json.new");
        std::fs::write(&draft, record.to_string()).map_err(disk)?;
        std::fs::rename(draft, home.join("installed.json")).map_err(disk)
    }

    fn is_installed(&self, name: &str, version: &str) -> bool {
        let home = self.directory.join(name);
        let Ok(text) = std::fs::read_to_string(home.join("installed.json")) else { return false };
        let Ok(record) = serde_json::from_str::<Value>(&text) else { return false };
        record["version"] == version
            && record["program"].as_str().is_some_and(|program| home.join(program).is_file())
    }

    /// Two runs that share the directory install one after the other.
    fn lock(&self) -> Result<File> {
        let path = self.directory.join("lock");
        let locked = || -> std::io::Result<File> {
            let file = File::create(&path)?;
            file.lock()?;
            Ok(file)
        };
        locked().map_err(|why| format!("cannot lock {}: {why}", path.display()))
    }
}

/// The first word that is a version.
fn version_in(said: &str) -> Option<String> {
    let words = said.split_whitespace().map(|word| word.trim_start_matches('v'));
    let is_version =
        |word: &&str| word.contains('.') && word.starts_with(|first: char| first.is_ascii_digit());
    words.into_iter().find(is_version).map(ToOwned::to_owned)
}

/// Installs one package. Scripts of packages do not run: they could fetch from anywhere.
fn npm(place: &Path, package: &str, version: &str, node: Option<&Path>) -> Result<()> {
    let mut command = Command::new("npm");
    command.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
    command.arg(place).arg(format!("{package}@{version}"));
    if let Some(node) = node {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let first = std::iter::once(node.to_owned()).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(first).map_err(|why| format!("PATH: {why}"))?);
    }
    let done = command.output().map_err(|why| format!("cannot run npm: {why}"))?;
    if done.status.success() {
        return Ok(());
    }
    Err(format!(
        "npm could not fetch {package} {version}: {}",
        npm_complaint(&String::from_utf8_lossy(&done.stderr))
    ))
}

/// npm says first what broke, and then for long what one could do.
fn npm_complaint(said: &str) -> String {
    const LINES: usize = 3;
    let lines = said.lines().map(|line| line.trim_start_matches("npm error").trim());
    lines.filter(|line| !line.is_empty()).take(LINES).collect::<Vec<_>>().join("; ")
}

/// Fills in npm's name of this machine.
pub(crate) fn on_platform(text: &str) -> Result<String> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => return Err(format!("the clients are not distributed for {other}")),
    };
    let system = match std::env::consts::OS {
        "linux" => "linux",
        "macos" => "darwin",
        other => return Err(format!("the clients are not tried on {other}")),
    };
    Ok(text.replace("{platform}", &format!("{system}-{architecture}")))
}

/// An interpreter that is new enough: from `PATH`, or from where pyenv keeps those that are not switched on.
fn new_enough_python() -> Result<PathBuf> {
    let minors = (PYTHON_MINOR..PYTHON_MINOR + 4).rev();
    let mut candidates: Vec<PathBuf> = minors.map(|minor| format!("python3.{minor}").into()).collect();
    candidates.push("python3".into());
    let pyenv = std::env::var_os("PYENV_ROOT")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".pyenv")));
    if let Some(versions) = pyenv.and_then(|pyenv| pyenv.join("versions").read_dir().ok()) {
        let versions = newest_first(versions.filter_map(|entry| Some(entry.ok()?.path())).collect());
        candidates.extend(versions.iter().map(|version| version.join("bin").join("python3")));
    }
    let question = format!("import sys, venv; sys.exit(sys.version_info < (3, {PYTHON_MINOR}))");
    let is_new_enough = |candidate: &PathBuf| {
        Command::new(candidate).args(["-c", &question]).output().is_ok_and(|done| done.status.success())
    };
    candidates
        .into_iter()
        .find(is_new_enough)
        .ok_or_else(|| format!("it needs Python 3.{PYTHON_MINOR} or newer, and there is none here"))
}

/// Sorts version directories, newest first: kimi-cli 1.51.0 crashes with Python 3.12.1.
fn newest_first(mut versions: Vec<PathBuf>) -> Vec<PathBuf> {
    let numbers = |directory: &Path| -> Vec<u32> {
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        name.split('.').map_while(|number| number.parse().ok()).collect()
    };
    versions.sort_by_key(|version| Reverse(numbers(version)));
    versions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::Repo;
    use crate::tools::Install;

    fn fill(place: &Path) -> Result<()> {
        std::fs::write(place.join("program"), "").map_err(|why| why.to_string())
    }

    #[test]
    fn version_is_found_in_what_a_client_prints() {
        assert_eq!(version_in(" 1.34.0\n").as_deref(), Some("1.34.0"));
        assert_eq!(version_in("goose v2.0.1 (abc)\n").as_deref(), Some("2.0.1"));
        assert_eq!(version_in("no version"), None);
    }

    #[test]
    fn newest_python_comes_first() {
        let found = ["/v/3.9.18", "/v/system", "/v/3.13.0", "/v/3.12.1"].map(PathBuf::from).to_vec();
        let wanted = ["/v/3.13.0", "/v/3.12.1", "/v/3.9.18", "/v/system"].map(PathBuf::from);
        assert_eq!(newest_first(found), wanted);
    }

    #[test]
    fn npm_is_quoted_from_the_start() {
        let said = "npm error code E1\nnpm error\nnpm error request failed\nnpm error because\nnpm error see the log";
        assert_eq!(npm_complaint(said), "code E1; request failed; because");
    }

    #[test]
    fn only_what_is_complete_counts_as_installed() {
        let directory = std::env::temp_dir().join(format!("interagent-clients-{}", std::process::id()));
        let repo = Repo { root: PathBuf::new(), target: PathBuf::new(), metadata: Value::Null };
        let tools = Tools::new(&repo, Install::Forbidden);
        let clients = Clients::new(&tools, directory.clone());

        let interrupted = clients.install("a", "1", "program", &|_: &Path| Err("cut off".to_owned()));
        assert_eq!(interrupted, Err("cut off".to_owned()));
        assert!(!clients.is_installed("a", "1"));
        let empty = clients.install("a", "1", "other-program", &fill).unwrap_err();
        assert!(empty.contains("brought no program"), "{empty}");
        assert!(!clients.is_installed("a", "1"));

        clients.install("a", "1", "program", &fill).unwrap();
        assert!(clients.is_installed("a", "1") && !clients.is_installed("a", "2"));
        clients.install("a", "2", "program", &fill).unwrap();
        assert!(clients.is_installed("a", "2") && !directory.join("a").join("1").exists());
        std::fs::remove_file(directory.join("a").join("2").join("program")).unwrap();
        assert!(!clients.is_installed("a", "2"));

        let forbidden = clients.ensure(super::super::find("kimi").unwrap()).unwrap_err();
        assert!(forbidden.contains("--no-tools"), "{forbidden}");
        std::fs::remove_dir_all(directory).unwrap();
    }
}
