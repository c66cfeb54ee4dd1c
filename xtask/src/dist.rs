//! `cargo xtask dist`: the release binary as people get it, static, so that it starts fastest and runs on
//! any Linux of this architecture.
//!
//! The flags are given through the environment for this one target: in `.cargo/config.toml` they would
//! reach procedural macros too, which cannot be static.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::repo::{Repo, stdout_of};
use crate::{Result, ui};

/// A static executable that still loads anywhere, with its relocations packed: fewer pages to read and
/// touch at every start.
const FLAGS: &str =
    "-C target-feature=+crt-static -C relocation-model=pie -C link-arg=-Wl,-z,pack-relative-relocs";

pub(crate) fn run() -> Result<ExitCode> {
    let repo = Repo::find()?;
    let binary = build(&repo)?;
    let bytes =
        std::fs::read(&binary).map_err(|problem| format!("cannot read {}: {problem}", binary.display()))?;
    if needs_loader(&bytes) {
        return Err(format!("{} still needs a dynamic loader: the flags did not reach it", binary.display()));
    }
    let mebibytes = bytes.len() as f64 / (1024.0 * 1024.0);
    ui::line(&format!("{} ({} bytes, {mebibytes:.2} MiB, static)", binary.display(), bytes.len()));
    Ok(ExitCode::SUCCESS)
}

/// Builds the static binary and returns its path.
pub(crate) fn build(repo: &Repo) -> Result<PathBuf> {
    let target = static_target(&host()?)?;
    let variable = format!("CARGO_TARGET_{}_RUSTFLAGS", target.to_uppercase().replace('-', "_"));
    let mut command =
        repo.cargo(&["build", "--release", "--locked", "--package", "interagent", "--target", &target]);
    // Flags from outside would replace ours instead of joining them.
    command.env(variable, FLAGS).env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    let status = command.status().map_err(|problem| format!("cannot run cargo: {problem}"))?;
    if !status.success() {
        return Err(format!("the static build failed: {status}"));
    }
    Ok(repo.target.join(target).join("release").join("interagent"))
}

/// The target of the running compiler.
fn host() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = stdout_of(Command::new(rustc).arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(ToOwned::to_owned).ok_or_else(|| "`rustc -vV` names no host".to_owned())
}

fn static_target(host: &str) -> Result<String> {
    let architecture = host.split('-').next().unwrap_or_default();
    if host.contains("-linux-") {
        return Ok(format!("{architecture}-unknown-linux-gnu"));
    }
    Err(format!("the static build is for Linux; on {host} use `cargo build --release`"))
}

/// Whether a 64-bit little-endian ELF file names an interpreter, which only dynamic programs do.
fn needs_loader(elf: &[u8]) -> bool {
    const INTERPRETER_SEGMENT: u64 = 3;
    let number = |at: usize, width: usize| {
        let bytes = elf.get(at..at + width).unwrap_or_default();
        bytes.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte))
    };
    let at = |value: u64| usize::try_from(value).unwrap_or(usize::MAX / 2);
    let (table, entry, count) = (at(number(0x20, 8)), at(number(0x36, 2)), at(number(0x38, 2)));
    (0..count).any(|index| number(table + index * entry, 4) == INTERPRETER_SEGMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_linux_has_a_static_target() {
        assert_eq!(static_target("aarch64-unknown-linux-musl"), Ok("aarch64-unknown-linux-gnu".to_owned()));
        assert!(static_target("aarch64-apple-darwin").is_err());
    }

    #[test]
    fn a_dynamic_program_is_recognised() {
        // The test itself is a dynamic program.
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(needs_loader(&own));
        assert!(!needs_loader(b"not a program"));
    }
}
