//! `cargo xtask test`: everything that must hold before a change is accepted, in one command.
//!
//! The cheap checks come first. What cannot run here is skipped by name and reason; a skipped check is
//! never counted as passed.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::args::{self, ClientsOptions, PYTHON_PACKAGE, PYTHON_SDK, PythonOptions, TestOptions};
use crate::clients::Exercised;
use crate::python::PackageTests;
use crate::repo::Repo;
use crate::steps::{self, Outcome, Output, Steps};
use crate::tools::{Install, Tools};
use crate::{Result, clients, python, tidy, ui, versions};

/// Asks the tests for their full counts; without it they run counts that fit a review.
const SOAK_VARIABLE: &str = "INTERAGENT_SOAK";

/// The program that makes the project which a test moves over.
const FRAMEWORK: &str = "interagent-framework";

/// Names what the tests do without, separated by commas. A test of a part that is not named fails when the part is missing.
const WITHOUT_VARIABLE: &str = "INTERAGENT_WITHOUT";
/// Where the sabotaged program lies.
const SABOTAGED_VARIABLE: &str = "INTERAGENT_SABOTAGED";

/// Programs that single tests use; those tests say themselves what they do without them.
const DEBIAN_TOOLS: [&str; 2] = ["strace", "sqlite3"];
/// A program that the tests of a terminal can't do without.
const TERMINAL: &str = "tmux";

pub(crate) fn run(options: &TestOptions) -> Result<ExitCode> {
    let repo = Repo::find()?;
    let install = if options.no_tools { Install::Forbidden } else { Install::Allowed };
    let tools = Tools::new(&repo, install);
    let mut steps = Steps::begin();
    let mut without = options.without.clone();
    if let Ok(more) = std::env::var(WITHOUT_VARIABLE)
        && !more.is_empty()
    {
        without.extend(args::without(&more).map_err(|why| format!("{WITHOUT_VARIABLE}: {why}"))?);
    }

    std::thread::scope(|scope| {
        // Where it has to be built, that goes on beside the lints, which leave a core idle for long.
        let deny = scope.spawn(|| tools.cargo_tool("cargo-deny"));
        steps.step("rustfmt", Output::OnFailure, || cargo(&repo, &["fmt", "--all", "--check"]));
        steps.step("tidy", Output::OnFailure, || tidy_step(&repo));
        steps.step("clippy", Output::OnFailure, || {
            cargo(
                &repo,
                &["clippy", "--quiet", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
            )
        });
        steps.step("cargo-deny", Output::OnFailure, || {
            let found = deny.join().unwrap_or_else(|_| Err("its build ended badly".to_owned()));
            deny_step(&repo, found)
        });
    });
    steps.step("typos", Output::OnFailure, || typos_step(&repo, &tools));
    for tool in DEBIAN_TOOLS {
        if let Err(why) = tools.debian_tool(tool) {
            steps.note(format!("tests that need {tool} are skipped: {why}"));
        }
    }
    if let Err(why) = tools.debian_tool(TERMINAL) {
        steps.note(format!("tests that need {TERMINAL} fail: {why}"));
    }
    // The tests that need it build it themselves, but not within the time a test has on a fresh clone.
    steps.step("sabotaged", Output::OnFailure, || sabotaged_step(&repo));
    let mut wheel = Err(String::new());
    let is_without_package = without.iter().any(|word| word == PYTHON_PACKAGE);
    if !is_without_package {
        steps.step("wheel", Output::OnFailure, || {
            python::outcome_of(&mut wheel, || python::wheel(&repo, &tools))
        });
    }
    let chosen = clients::chosen(&options.clients, &without);
    let (exercised, tried) = std::thread::scope(|scope| {
        // Real clients mostly wait: their tests need no time of their own.
        let clients = scope.spawn(|| clients::exercise(&repo, &tools, &chosen, Output::OnFailure));
        let package = scope.spawn(|| python::exercise(&repo, &tools, &wheel));
        tests_step(&repo, &tools, options, &mut without, &mut steps);
        let badly = || Outcome::Failed("ended badly".to_owned());
        (
            clients.join().unwrap_or_else(|_| Exercised::not_at_all(badly())),
            package.join().unwrap_or_else(|_| PackageTests::not_at_all(badly())),
        )
    });
    exercised.told(&mut steps);
    if !is_without_package {
        tried.told(&mut steps);
    }
    if !without.is_empty() {
        steps.note(format!("done without {}", without.join(", ")));
    }
    // After the tests, which built the program it plays with.
    steps.step("newcomer", Output::OnFailure, || newcomer_step(&repo));
    steps.step("doc tests", Output::OnFailure, || {
        cargo(&repo, &["test", "--quiet", "--doc", "--workspace", "--locked"])
    });

    Ok(closed(&steps))
}

/// Moves the pins, then runs the same command without `--newest`: a process reads the pins once.
pub(crate) fn run_with_newest() -> Result<ExitCode> {
    let repo = Repo::find()?;
    versions::move_to_newest(&Tools::new(&repo, Install::Allowed))?;
    let program = std::env::current_exe().map_err(|why| format!("cannot find this program: {why}"))?;
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--newest");
    let status = Command::new(program).args(arguments).status();
    let status = status.map_err(|why| format!("cannot start the tests: {why}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// `cargo xtask clients`: only the tests with real clients.
pub(crate) fn run_clients(options: &ClientsOptions) -> Result<ExitCode> {
    let repo = Repo::find()?;
    let install = if options.no_tools { Install::Forbidden } else { Install::Allowed };
    let mut steps = Steps::begin();
    clients::exercise(&repo, &Tools::new(&repo, install), &options.clients, Output::Live).told(&mut steps);
    Ok(closed(&steps))
}

/// `cargo xtask python`: only the Python package.
pub(crate) fn run_python(options: &PythonOptions) -> Result<ExitCode> {
    let repo = Repo::find()?;
    if options.update {
        return python::update(&repo).map(|()| ExitCode::SUCCESS);
    }
    let install = if options.no_tools { Install::Forbidden } else { Install::Allowed };
    let mut steps = Steps::begin();
    python::run(&repo, &Tools::new(&repo, install), &mut steps);
    Ok(closed(&steps))
}

/// Prints the summary and gives the verdict.
fn closed(steps: &Steps) -> ExitCode {
    ui::line(&steps.summary());
    if steps.failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn cargo(repo: &Repo, arguments: &[&str]) -> Outcome {
    steps::command(&mut repo.cargo(arguments), Output::OnFailure)
}

fn tidy_step(repo: &Repo) -> Outcome {
    match tidy::findings(repo) {
        Ok(findings) if findings.is_empty() => Outcome::Passed,
        Ok(findings) => {
            ui::line("");
            for finding in &findings {
                ui::line(&format!("  {finding}"));
            }
            Outcome::Failed(format!("{} findings, listed above", findings.len()))
        }
        Err(problem) => Outcome::Failed(problem),
    }
}

/// Licences, duplicate and banned crates, and where crates come from. Advisories need a database from
/// the network that a build must not depend on.
fn deny_step(repo: &Repo, found: Result<PathBuf>) -> Outcome {
    match found {
        Ok(program) => {
            let mut command = Command::new(program);
            command.args(["--all-features", "--locked", "check", "bans", "licenses", "sources"]);
            steps::command(command.current_dir(&repo.root), Output::OnFailure)
        }
        Err(why) => Outcome::Skipped(why),
    }
}

fn typos_step(repo: &Repo, tools: &Tools<'_>) -> Outcome {
    match tools.python_tool("typos") {
        Ok(program) => steps::command(Command::new(program).current_dir(&repo.root), Output::OnFailure),
        Err(why) => Outcome::Skipped(why),
    }
}

/// The program with deliberate faults, which shows that the checkers can fail.
/// Built where the good program is built, because all but a few crates are the same for both, and then laid aside.
fn sabotaged_step(repo: &Repo) -> Outcome {
    let mut command = repo.cargo(&["build", "--quiet", "--locked", "--package", "interagent"]);
    match steps::command(command.args(["--features", "sabotage"]), Output::OnFailure) {
        Outcome::Passed => {}
        failed => return failed,
    }
    let aside = sabotaged_program(repo);
    let lay_aside = || {
        std::fs::create_dir_all(repo.target.join("sabotage"))?;
        std::fs::copy(repo.target.join("debug").join("interagent"), &aside)
    };
    match lay_aside() {
        Ok(_) => Outcome::Passed,
        Err(why) => Outcome::Failed(format!("cannot make {}: {why}", aside.display())),
    }
}

fn sabotaged_program(repo: &Repo) -> PathBuf {
    repo.target.join("sabotage").join("interagent")
}

/// The README's path of a newcomer, word for word.
fn newcomer_step(repo: &Repo) -> Outcome {
    let mut command = Command::new(repo.root.join(".ci").join("newcomer"));
    command.current_dir(&repo.root).env("CARGO_TARGET_DIR", &repo.target).env("INTERAGENT_BUILT", "1");
    steps::command(&mut command, Output::OnFailure)
}

/// Many tests wait for processes, terminals and clocks: more than there are cores keep all of them busy.
fn at_once() -> usize {
    2 * std::thread::available_parallelism().map_or(1, usize::from)
}

/// The tests themselves. Their output is shown as it comes, so that a reader sees how many ran.
fn tests_step(
    repo: &Repo,
    tools: &Tools<'_>,
    options: &TestOptions,
    without: &mut Vec<String>,
    steps: &mut Steps,
) {
    let profile = if options.soak { "soak" } else { "default" };
    let mut command = match tools.cargo_tool("cargo-nextest") {
        Ok(program) => {
            let mut command = Command::new(program);
            // Called directly, the program expects the name of its subcommand first, as cargo would pass it.
            command.args(["nextest", "run", "--workspace", "--all-targets", "--locked", "--cargo-quiet"]);
            command.args(["--profile", profile, "--test-threads", &at_once().to_string()]);
            command.current_dir(&repo.root);
            command
        }
        Err(why) => {
            steps.note(format!("tests ran with `cargo test` instead of nextest: {why}"));
            repo.cargo(&["test", "--quiet", "--workspace", "--all-targets", "--locked", "--no-fail-fast"])
        }
    };
    if options.soak {
        command.env(SOAK_VARIABLE, "1");
    } else {
        command.env_remove(SOAK_VARIABLE);
    }
    command.env(SABOTAGED_VARIABLE, sabotaged_program(repo));
    let packages = || {
        tools.python_program("mcp", "mcp")?;
        tools.python_program(FRAMEWORK, "interagent")
    };
    if !without.iter().any(|word| word == PYTHON_SDK)
        && let Err(why) = packages()
        && options.no_tools
    {
        // Otherwise the test itself tries, and says why it can't.
        steps.step(PYTHON_SDK, Output::OnFailure, || {
            Outcome::Failed(format!("{why}; `--without {PYTHON_SDK}` goes on without it"))
        });
        without.push(PYTHON_SDK.to_owned());
    }
    command.env(WITHOUT_VARIABLE, without.join(","));
    steps.step("tests", Output::Live, || steps::command(&mut command, Output::Live));
}
