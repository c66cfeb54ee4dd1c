//! Finds the tools that the test command and the benchmark need, and installs the missing ones below
//! the build directory. Owns nothing outside it, except Debian packages when run as root.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::Result;
use crate::repo::{self, Repo, stdout_of};
use crate::versions::versions;

/// Whether missing tools may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Install {
    Allowed,
    Forbidden,
}

#[derive(Debug)]
pub(crate) struct Tools<'a> {
    repo: &'a Repo,
    install: Install,
    /// Debian installs for one at a time.
    apt: Mutex<()>,
}

impl<'a> Tools<'a> {
    pub(crate) fn new(repo: &'a Repo, install: Install) -> Self {
        Self { repo, install, apt: Mutex::new(()) }
    }

    pub(crate) fn repo(&self) -> &Repo {
        self.repo
    }

    /// A cargo subcommand: from our own directory if it is the pinned version, or whichever is on `PATH`, or built from
    /// crates.
    pub(crate) fn cargo_tool(&self, name: &str) -> Result<PathBuf> {
        let own = self.repo.tools().join("bin").join(name);
        if own.is_file() && (self.install == Install::Forbidden || is_pinned(&own, name)?) {
            return Ok(own);
        }
        if repo::on_path(name) {
            return Ok(PathBuf::from(name));
        }
        self.permitted(name)?;
        let root = self.repo.tools();
        // It runs for a second: a fast build of it is worth more than a fast program.
        let mut command = self.repo.cargo(&["install", "--quiet", "--locked", "--debug", "--root"]);
        // A target directory of its own: the tool's profile and features must not touch our build.
        command.arg(&root).arg(versions()?.cargo_tool(name)).env("CARGO_TARGET_DIR", root.join("build"));
        command.env("CARGO_PROFILE_DEV_DEBUG", "0");
        stdout_of(&mut command)?;
        Ok(own)
    }

    /// A program that PyPI distributes, from `PATH` or in a virtual environment of its own.
    pub(crate) fn python_tool(&self, package: &str) -> Result<PathBuf> {
        let own = self.python_environment(package)?.join("bin").join(package);
        if !own.is_file() && repo::on_path(package) {
            return Ok(PathBuf::from(package));
        }
        self.python_program(package, package)
    }

    /// A program of a Python package in an environment of its own, whatever else is installed by that name.
    pub(crate) fn python_program(&self, package: &str, program: &str) -> Result<PathBuf> {
        let environment = self.python_environment(package)?;
        let own = environment.join("bin").join(program);
        // Written last: an interrupted installation does not count. The tests look for it, too.
        let complete = environment.join("complete");
        if complete.is_file() {
            return Ok(own);
        }
        self.permitted(package)?;
        let make = || stdout_of(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment));
        if make().is_err() {
            // Debian ships python3 without the part that makes environments.
            self.debian_packages(&["python3-venv"])?;
            make()?;
        }
        let pip = environment.join("bin").join("pip");
        stdout_of(Command::new(pip).args(["install", "--quiet", &versions()?.python_package(package)]))?;
        if !own.is_file() {
            return Err(format!("the package {package} brought no program {program}"));
        }
        std::fs::write(&complete, "").map_err(|why| format!("cannot write {}: {why}", complete.display()))?;
        Ok(own)
    }

    fn python_environment(&self, package: &str) -> Result<PathBuf> {
        Ok(self.repo.tools().join(format!("venv-{}", versions()?.python_package(package))))
    }

    /// A program from Debian, installed when we are root.
    pub(crate) fn debian_tool(&self, program: &str) -> Result<()> {
        if repo::on_path(program) {
            return Ok(());
        }
        self.permitted(program)?;
        self.debian_packages(&[program])
    }

    pub(crate) fn debian_packages(&self, packages: &[&str]) -> Result<()> {
        let names = packages.join(" ");
        self.permitted(&names)?;
        if !repo::on_path("apt-get") {
            return Err(format!("{names}: not installed, and there is no apt-get here to install it with"));
        }
        if stdout_of(Command::new("id").arg("-u"))?.trim() != "0" {
            return Err(format!("{names}: not installed; run `sudo apt-get install {names}`"));
        }
        let _alone = self.apt.lock();
        let apt = |arguments: &[&str]| {
            stdout_of(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
        };
        let mut arguments = vec!["install", "--yes", "--quiet", "--no-install-recommends"];
        arguments.extend_from_slice(packages);
        if apt(&arguments).is_err() {
            // A fresh container has no package lists, an old one has stale ones.
            apt(&["update", "--quiet"])?;
            apt(&arguments)?;
        }
        Ok(())
    }

    /// Refuses in one sentence where nothing may be installed.
    pub(crate) fn permitted(&self, name: &str) -> Result<()> {
        match self.install {
            Install::Allowed => Ok(()),
            Install::Forbidden => {
                Err(format!("{name} is not installed, and --no-tools forbids to install it"))
            }
        }
    }
}

/// Whether a cargo tool is the pinned version. It prints `NAME VERSION` first.
fn is_pinned(program: &Path, name: &str) -> Result<bool> {
    let Some(pin) = versions()?.of_cargo_tool(name) else { return Ok(true) };
    let said = stdout_of(Command::new(program).arg("--version")).unwrap_or_default();
    Ok(said.split_whitespace().nth(1) == Some(pin))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn empty_repo() -> Repo {
        let nowhere = PathBuf::from("no-such-directory");
        Repo { root: nowhere.clone(), target: nowhere, metadata: serde_json::Value::Null }
    }

    #[test]
    fn nothing_is_installed_when_it_is_forbidden() {
        let repo = empty_repo();
        let tools = Tools::new(&repo, Install::Forbidden);
        for refused in [
            tools.cargo_tool("cargo-no-such-tool").map(|_| ()),
            tools.python_tool("no-such-tool").map(|_| ()),
            tools.debian_tool("no-such-tool"),
        ] {
            assert!(refused.unwrap_err().contains("--no-tools"));
        }
    }

    #[test]
    fn tool_of_another_version_is_not_the_pinned_one() {
        let directory = std::env::temp_dir().join(format!("interagent-tools-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let tool = directory.join("cargo-deny");
        let says = |version: &str| {
            std::fs::write(&tool, format!("#!/bin/sh\necho cargo-deny {version}\n")).unwrap();
            std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
            is_pinned(&tool, "cargo-deny").unwrap()
        };
        let pin = versions().unwrap().of_cargo_tool("cargo-deny").unwrap();
        assert!(says(pin) && !says("0.0.1"));
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn what_is_installed_is_used() {
        let repo = empty_repo();
        assert_eq!(Tools::new(&repo, Install::Forbidden).debian_tool("sh"), Ok(()));
        assert_eq!(Tools::new(&repo, Install::Forbidden).python_tool("sh"), Ok(PathBuf::from("sh")));
    }
}
