//! Builds the Python package as a wheel and tests it with the oldest and the newest Python of this machine.
//!
//! Owns the environments and the order. The tests themselves are in `python/tests`. The wheel contains the program that
//! was built for the other tests, so nothing is compiled for it alone.

mod interpreters;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::repo::{Repo, stdout_of};
use crate::steps::{self, Outcome, Output, Steps};
use crate::tools::Tools;
use crate::versions::versions;
use crate::{Result, ui};
use interpreters::Interpreter;

/// The package whose API ours has, and whose example files are run.
const ORIGINAL: &str = "interagent-framework";
/// The type checker of pyright with the Node that it runs on.
const PYRIGHT: &str = "pyright[nodejs]";
/// Where the tests look for the example files.
const EXAMPLES_VARIABLE: &str = "INTERAGENT_EXAMPLES";
/// The directory of the generated files.
const GENERATED: &str = "python/interagent";

/// The result of the package's tests.
#[derive(Debug)]
pub(crate) struct PackageTests {
    outcome: Outcome,
    took: Duration,
}

impl PackageTests {
    pub(crate) fn not_at_all(outcome: Outcome) -> Self {
        Self { outcome, took: Duration::ZERO }
    }

    /// Reports it as a step.
    pub(crate) fn told(self, steps: &mut Steps) {
        steps.was_done("python", self.outcome, self.took);
    }
}

/// `cargo xtask python`: everything about the package.
pub(crate) fn run(repo: &Repo, tools: &Tools<'_>, steps: &mut Steps) {
    let mut built = Err("it was not built".to_owned());
    steps.step("wheel", Output::OnFailure, || outcome_of(&mut built, || wheel(repo, tools)));
    exercise(repo, tools, &built).told(steps);
}

/// `cargo xtask python --update`: writes the parts that mirror the catalog.
pub(crate) fn update(repo: &Repo) -> Result<()> {
    stdout_of(&mut repo.cargo(&["build", "--quiet", "--locked", "--package", "interagent"]))?;
    let mut catalog = Command::new(repo.target.join("debug").join("interagent"))
        .args(["operations", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|why| format!("cannot run interagent: {why}"))?;
    let Some(operations) = catalog.stdout.take() else { return Err("interagent has no output".to_owned()) };
    let mut generator = Command::new("python3");
    generator.arg(repo.root.join("python/tools/generate.py")).arg(repo.root.join(GENERATED));
    let written = stdout_of(generator.stdin(operations));
    catalog.wait().map_err(|why| format!("cannot wait for interagent: {why}"))?;
    written.map(|_| ui::line(&format!("wrote {GENERATED}")))
}

/// Builds the wheel and the source distribution. Before other tests run: it replaces the program that they start.
pub(crate) fn wheel(repo: &Repo, tools: &Tools<'_>) -> Result<PathBuf> {
    let maturin = tools.python_program("maturin", "maturin")?;
    let place = place(repo).join("dist");
    if place.exists() {
        std::fs::remove_dir_all(&place).map_err(|why| format!("cannot remove {}: {why}", place.display()))?;
    }
    let programs = maturin.parent().unwrap_or(Path::new("")).to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(programs.clone()).chain(std::env::split_paths(&path)))
        .map_err(|why| format!("PATH: {why}"))?;
    // The way of `pip install .`, with the profile of the other tests.
    let mut pip = Command::new(programs.join("pip"));
    pip.args(["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]);
    pip.arg("--config-settings=build-args=--profile dev").arg("--wheel-dir").arg(&place).arg(".");
    let mut sdist = Command::new(maturin);
    sdist.args(["sdist", "--out"]).arg(&place);
    for command in [&mut pip, &mut sdist] {
        stdout_of(command.current_dir(&repo.root).env("CARGO_TARGET_DIR", &repo.target).env("PATH", &path))?;
    }
    source_is_whole(repo, &only(&place, ".tar.gz")?)?;
    only(&place, ".whl")
}

/// Runs a function as a step that leaves something behind.
pub(crate) fn outcome_of<T>(left: &mut Result<T>, run: impl FnOnce() -> Result<T>) -> Outcome {
    *left = run();
    match left {
        Ok(_) => Outcome::Passed,
        Err(why) => Outcome::Failed(why.clone()),
    }
}

/// Tests the wheel. These tests mostly wait for processes, so they run beside others.
pub(crate) fn exercise(repo: &Repo, tools: &Tools<'_>, wheel: &Result<PathBuf>) -> PackageTests {
    let began = Instant::now();
    let outcome = match wheel {
        Err(_) => Outcome::Skipped("there is no wheel".to_owned()),
        Ok(wheel) => run_tests(repo, tools, wheel).unwrap_or_else(Outcome::Failed),
    };
    PackageTests { outcome, took: began.elapsed() }
}

fn run_tests(repo: &Repo, tools: &Tools<'_>, wheel: &Path) -> Result<Outcome> {
    let examples = examples(tools)?;
    let interpreters = interpreters::oldest_and_newest(tools)?;
    let run = |interpreter: &Interpreter| -> Result<PathBuf> {
        let python = installed(repo, interpreter, wheel)?;
        let mut tests = Command::new(&python);
        tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "python/tests"]);
        tests.env(EXAMPLES_VARIABLE, &examples).env_remove("PYTHONPATH").current_dir(&repo.root);
        match steps::command(&mut tests, Output::OnFailure) {
            Outcome::Passed => Ok(python),
            Outcome::Failed(why) | Outcome::Skipped(why) => {
                Err(format!("Python {}: {why}", interpreter.version))
            }
        }
    };
    let pythons: Vec<Result<PathBuf>> = thread::scope(|scope| {
        let running: Vec<_> = interpreters.iter().map(|one| scope.spawn(|| run(one))).collect();
        let ended = |_| Err("the tests of the package ended badly".to_owned());
        running.into_iter().map(|one| one.join().unwrap_or_else(ended)).collect()
    });
    let pythons = pythons.into_iter().collect::<Result<Vec<_>>>()?;
    let newest = pythons.last().ok_or("there is no Python here")?;
    types(repo, tools, newest)
}

/// Both type checkers, on the package as it is installed and on a program of a user.
fn types(repo: &Repo, tools: &Tools<'_>, python: &Path) -> Result<Outcome> {
    let mypy = tools.python_program("mypy", "mypy")?;
    let pyright = tools.python_program(PYRIGHT, "pyright")?;
    let strict = |what: &[&str]| {
        let mut command = Command::new(&mypy);
        command.arg("--strict").arg("--cache-dir").arg(place(repo).join("mypy"));
        command.arg("--python-executable").arg(python).args(what);
        command
    };
    let (mut package, mut sample) =
        (strict(&["--package", "interagent"]), strict(&["python/tests/sample.py"]));
    let mut pyright = Command::new(pyright);
    pyright.arg("--pythonpath").arg(python).env("PYRIGHT_PYTHON_CACHE_DIR", repo.tools().join("pyright"));
    for command in [&mut package, &mut sample, &mut pyright] {
        match steps::command(command.current_dir(&repo.root).env_remove("PYTHONPATH"), Output::OnFailure) {
            Outcome::Passed => {}
            failed => return Ok(failed),
        }
    }
    Ok(Outcome::Passed)
}

/// The environment of an interpreter with the wheel in it; its Python.
fn installed(repo: &Repo, interpreter: &Interpreter, wheel: &Path) -> Result<PathBuf> {
    let pytest = versions()?.python_package("pytest").replace("==", "<=");
    let place = place(repo).join(format!("venv-{}-{pytest}", interpreter.version));
    let python = place.join("bin").join("python");
    // Written last: an interrupted installation does not count.
    let complete = place.join("complete");
    if !complete.is_file() {
        stdout_of(Command::new(&interpreter.program).args(["-m", "venv", "--clear"]).arg(&place))?;
        // The newest that this Python takes.
        stdout_of(pip(&python).arg(pytest))?;
        std::fs::write(&complete, "").map_err(|why| format!("cannot write {}: {why}", complete.display()))?;
    }
    stdout_of(pip(&python).args(["--no-index", "--no-deps", "--force-reinstall"]).arg(wheel))?;
    Ok(python)
}

fn pip(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).env_remove("PYTHONPATH");
    pip
}

/// The example files of the original package, as they are in its source distribution.
fn examples(tools: &Tools<'_>) -> Result<PathBuf> {
    let package = versions()?.python_package(ORIGINAL);
    let place = tools.repo().tools().join(format!("source-{package}"));
    let unpacked = || {
        let folders = std::fs::read_dir(&place).into_iter().flatten().flatten();
        folders.map(|entry| entry.path().join("examples")).find(|path| path.is_dir())
    };
    if let Some(examples) = unpacked() {
        return Ok(examples);
    }
    tools.permitted(&package)?;
    let python = tools.python_program("maturin", "python")?;
    stdout_of(
        Command::new(python)
            .args(["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest"])
            .args([place.as_os_str(), package.as_ref()]),
    )?;
    let archive = only(&place, ".tar.gz")?;
    stdout_of(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&place))?;
    unpacked().ok_or_else(|| format!("{package} has no examples"))
}

/// Whether a source distribution has every file that the program is built from. Building it takes minutes; the compiler
/// wrote down what it read.
fn source_is_whole(repo: &Repo, archive: &Path) -> Result<()> {
    let listed = stdout_of(Command::new("tar").arg("-tzf").arg(archive))?;
    let read = repo.target.join("debug").join("interagent.d");
    let read =
        std::fs::read_to_string(&read).map_err(|why| format!("cannot read {}: {why}", read.display()))?;
    let has = |path: &str| {
        listed.lines().any(|line| line.split_once('/').is_some_and(|(_, inside)| inside == path))
    };
    let inside = |path: &str| {
        let path = std::fs::canonicalize(path).ok()?;
        path.strip_prefix(&repo.root).ok().map(|path| path.display().to_string())
    };
    let files = read.split_whitespace().filter_map(inside);
    let missing: Vec<String> = files.filter(|path| !path.starts_with("target/") && !has(path)).collect();
    match missing.first() {
        None if has("pyproject.toml") && has("Cargo.lock") => Ok(()),
        None => Err("the source distribution lacks pyproject.toml or Cargo.lock".to_owned()),
        Some(path) => {
            Err(format!("the source distribution lacks {} files, {path} among them", missing.len()))
        }
    }
}

/// The one file in a directory whose name ends so.
fn only(place: &Path, ending: &str) -> Result<PathBuf> {
    let files = std::fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    let fits = |path: &PathBuf| path.to_string_lossy().ends_with(ending);
    let found: Vec<PathBuf> = files.filter(fits).collect();
    match found.as_slice() {
        [file] => Ok(file.clone()),
        others => Err(format!("{} has {} files that end with {ending}", place.display(), others.len())),
    }
}

fn place(repo: &Repo) -> PathBuf {
    repo.target.join("python")
}
