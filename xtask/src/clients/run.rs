//! Runs the tests with real clients, and checks that every chosen client really was exercised.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Client;
use super::install::Clients;
use super::table;
use crate::repo::Repo;
use crate::steps::{self, Outcome, Output, Steps};
use crate::tools::Tools;
use crate::ui;

/// Where the clients are installed, for those who share them between clones. The tests read it too.
const DIRECTORY_VARIABLE: &str = "INTERAGENT_CLIENTS_DIR";
/// Where a test leaves the screens that become pictures.
const SCREENS_VARIABLE: &str = "INTERAGENT_SCREENS";
/// Where each test leaves a note of what it did.
const RECORDS_VARIABLE: &str = "INTERAGENT_CLIENT_RECORDS";
/// How each client is exercised; the tests of each way are a module of that name. Over stdio and over HTTP it uses the MCP
/// server; what it is able to do is tried at a terminal.
const WAYS: [&str; 3] = ["stdio", "http", ABLE];
/// The way that leaves the cells of the table.
const ABLE: &str = "able";
/// A test in which several clients work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Together {
    /// Its name, which ends in the names of its clients.
    test: &'static str,
    /// The record that it leaves for each of them.
    way: &'static str,
    clients: &'static [&'static str],
}

/// Run where all their clients are chosen.
const TOGETHER: [Together; 6] = [
    Together { test: "peers::claude_and_kimi", way: "peers", clients: &["claude", "kimi"] },
    Together { test: "supervised::claude_and_kimi", way: "supervised", clients: &["claude", "kimi"] },
    Together { test: "peers::claude_and_codex", way: "defaults", clients: &["claude", "codex"] },
    Together { test: "undo::claude_and_codex_and_kimi", way: "undo", clients: &["claude", "codex", "kimi"] },
    Together {
        test: "captain::claude_and_codex_and_kimi",
        way: "captain",
        clients: &["claude", "codex", "kimi"],
    },
    Together { test: "captain::loops::claude_and_kimi", way: "loops", clients: &["claude", "kimi"] },
];
/// Clients spend their time waiting, for each other and for us: more of them at once take no longer.
const AT_ONCE: &str = "3";

/// How the tests with real clients ended.
#[derive(Debug)]
pub(crate) struct Exercised {
    outcome: Outcome,
    took: Duration,
    /// What each client did.
    lines: Vec<String>,
    notes: Vec<String>,
}

impl Exercised {
    /// Ended without a word.
    pub(crate) fn not_at_all(outcome: Outcome) -> Self {
        Self { outcome, took: Duration::ZERO, lines: Vec::new(), notes: Vec::new() }
    }

    /// Tells it as a step.
    pub(crate) fn told(self, steps: &mut Steps) {
        self.lines.iter().for_each(|line| ui::line(&format!("  {line}")));
        self.notes.into_iter().for_each(|note| steps.note(note));
        steps.was_done("clients", self.outcome, self.took);
    }
}

/// Runs the story of a captain's team once, which leaves what a person would see of it in a directory.
pub(crate) fn show_captain(repo: &Repo, tools: &Tools<'_>, screens: &Path) -> Result<(), String> {
    let directory = directory(repo);
    let clients = Clients::new(tools, directory.clone());
    for name in ["claude", "codex", "kimi"] {
        clients.ensure(super::find(name)?)?;
    }
    let mut command = Command::new(tools.cargo_tool("cargo-nextest")?);
    command.args(["nextest", "run", "--package", "interagent", "--test", "clients", "--locked"]);
    command.args([
        "--cargo-quiet",
        "--run-ignored",
        "all",
        "-E",
        "test(=captain::claude_and_codex_and_kimi)",
    ]);
    command.env(DIRECTORY_VARIABLE, &directory).env(SCREENS_VARIABLE, screens).current_dir(&repo.root);
    match steps::command(&mut command, Output::Live) {
        Outcome::Passed => Ok(()),
        Outcome::Failed(why) | Outcome::Skipped(why) => Err(why),
    }
}

/// What a client prints as its version, once it is installed.
pub(crate) fn reported_version(tools: &Tools<'_>, client: &Client) -> Result<String, String> {
    Clients::new(tools, directory(tools.repo())).reported(client)
}

fn directory(repo: &Repo) -> PathBuf {
    std::env::var_os(DIRECTORY_VARIABLE)
        .map_or_else(|| repo.tools().join("clients"), |named| repo.root.join(named))
}

/// Installs the chosen clients, runs their tests, and fails for everyone that was not exercised.
pub(crate) fn exercise(repo: &Repo, tools: &Tools<'_>, chosen: &[&Client], output: Output) -> Exercised {
    let began = Instant::now();
    if chosen.is_empty() {
        return Exercised::not_at_all(Outcome::Skipped("--without names every client".to_owned()));
    }
    let directory = directory(repo);
    let clients = Clients::new(tools, directory.clone());
    let mut problems = Vec::new();
    // A client at a terminal is one in tmux.
    if let Err(why) = tools.debian_tool("tmux") {
        problems.push(format!("the tests at a terminal fail without tmux: {why}"));
    }
    let mut installed = Vec::new();
    for client in chosen {
        match clients.ensure(client) {
            Ok(()) => installed.push(*client),
            Err(why) => problems.push(not_exercised(client, &why)),
        }
    }
    let records = repo.target.join("tmp").join("client-records");
    if let Err(why) = fresh(&records) {
        let sentence = format!("cannot make {}: {why}", records.display());
        return Exercised::not_at_all(Outcome::Failed(sentence));
    }
    let mut ran = Outcome::Passed;
    if !installed.is_empty() {
        let mut command = tests(repo, tools, &installed);
        command.env(DIRECTORY_VARIABLE, &directory).env(RECORDS_VARIABLE, &records);
        ran = steps::command(&mut command, output);
    }
    let (mut lines, mut notes) = (Vec::new(), Vec::new());
    if let Outcome::Failed(why) = &ran {
        problems.push(why.clone());
    }
    for (client, way) in
        installed.iter().flat_map(|client| ways(client, &installed).map(move |way| (client, way)))
    {
        match record(&records, client, way) {
            Ok(line) => lines.push(line),
            // A test that failed was said above, and leaves no record.
            Err(why) if ran == Outcome::Passed => problems.push(not_exercised(client, &why)),
            Err(_) => {}
        }
        notes.extend(shared_network(&records, client, way));
    }
    if problems.is_empty() {
        let cells = installed.iter().filter_map(|client| {
            let mut record = read(&record_path(&records, client, ABLE))?;
            record["version"] = client.shown_version().into();
            Some(record)
        });
        problems.extend(table::settle(&repo.root, &cells.collect::<Vec<_>>()).err());
    }
    let outcome = if problems.is_empty() { Outcome::Passed } else { Outcome::Failed(problems.join("; ")) };
    Exercised { outcome, took: began.elapsed(), lines, notes }
}

/// How a client is exercised beside these others.
fn ways(client: &Client, all: &[&Client]) -> impl Iterator<Item = &'static str> {
    let together = together(all).filter(|together| together.clients.contains(&client.name.as_str()));
    let usual = WAYS.into_iter().filter(|way| !client.headless_only || *way == ABLE);
    usual.chain(together.map(|together| together.way).collect::<Vec<_>>())
}

/// The tests in which clients work together that can be run with these.
fn together(clients: &[&Client]) -> impl Iterator<Item = Together> {
    let is_there = |name: &str| clients.iter().any(|client| client.name == name);
    TOGETHER.into_iter().filter(move |together| together.clients.iter().all(|name| is_there(name)))
}

fn not_exercised(client: &Client, why: &str) -> String {
    let name = &client.name;
    format!("{name} was not exercised: {why} (`--without {name}` goes on without it)")
}

/// Records of earlier runs must not speak for this one.
fn fresh(directory: &Path) -> std::io::Result<()> {
    if directory.exists() {
        std::fs::remove_dir_all(directory)?;
    }
    std::fs::create_dir_all(directory)
}

/// The tests are ignored in ordinary runs, where no client may be installed; here they are asked for by name.
fn tests(repo: &Repo, tools: &Tools<'_>, clients: &[&Client]) -> Command {
    let names: Vec<String> = clients.iter().map(|client| client.name.replace('-', "_")).collect();
    match tools.cargo_tool("cargo-nextest") {
        Ok(program) => {
            let mut command = Command::new(program);
            // Built as all tests are: for a part of them, crates would be compiled again with other features.
            command.args(["nextest", "run", "--workspace", "--all-targets", "--locked", "--cargo-quiet"]);
            command.args(["--run-ignored", "all", "--test-threads", AT_ONCE]);
            let wanted = format!("binary_id(interagent::clients) & test(/{}/)", paths(&names));
            command.args(["--status-level", "pass", "-E", &wanted]);
            command.current_dir(&repo.root);
            command
        }
        Err(_) => {
            let mut command = repo.cargo(&["test", "--quiet"]);
            let of_client = |client: &&Client| {
                let test = client.name.replace('-', "_");
                match client.headless_only {
                    true => vec![format!("{test}::{test}")],
                    false => WAYS.iter().map(|way| format!("{way}::{test}")).collect(),
                }
            };
            let exact = clients.iter().flat_map(of_client);
            command.args(["--package", "interagent", "--test", "clients", "--locked"]);
            command
                .args(["--", "--ignored", "--exact"])
                .args(exact)
                .args(together(clients).map(|together| together.test));
            command
        }
    }
}

/// Matches tests whose path names the clients they need, in one part: `waking::claude`, `codex::two_agents_in_one_project`,
/// `peers::claude_and_kimi`.
fn paths(names: &[String]) -> String {
    let one = format!("({})", names.join("|"));
    format!("(^|::){one}(_and_{one})*(::|$)")
}

/// What a client did, on one line.
fn record(records: &Path, client: &Client, way: &str) -> Result<String, String> {
    let record =
        read(&record_path(records, client, way)).ok_or_else(|| format!("its test {way} left no record"))?;
    if record["version"] != client.version {
        return Err(format!("version {} ran instead of {}", record["version"], client.version));
    }
    let number = |key: &str| record[key].as_u64().unwrap_or_default();
    match (number("runs"), number("requests")) {
        (0, _) | (_, 0) => Err(format!("its record says so: {record}")),
        (runs, requests) => Ok(format!(
            "{} {} {way}: {runs} runs, {requests} requests to the model, {:.1} s",
            client.name,
            client.version,
            record["seconds"].as_f64().unwrap_or_default()
        )),
    }
}

/// Said when a client could have spoken to the world.
fn shared_network(records: &Path, client: &Client, way: &str) -> Option<String> {
    let why = read(&record_path(records, client, way))?["shared_network"].as_str()?.to_owned();
    Some(format!("{} ran without a network of its own: {why}", client.name))
}

fn record_path(records: &Path, client: &Client, way: &str) -> PathBuf {
    records.join(format!("{}-{way}.json", client.name))
}

fn read(path: &Path) -> Option<Value> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clients::find;

    #[test]
    fn two_clients_work_together_where_both_are_chosen() {
        let [claude, kimi, codex] = ["claude", "kimi", "codex"].map(|name| find(name).unwrap());
        assert!(ways(claude, &[claude, kimi]).eq(["stdio", "http", "able", "peers", "supervised", "loops"]));
        assert!(
            ways(codex, &[claude, kimi, codex]).eq(["stdio", "http", "able", "defaults", "undo", "captain"])
        );
        assert!(ways(kimi, &[kimi, codex]).eq(WAYS));
    }

    #[test]
    fn a_test_runs_where_every_client_in_its_path_is_chosen() {
        let chosen = paths(&["claude".to_owned(), "kimi".to_owned()]);
        assert_eq!(chosen, "(^|::)(claude|kimi)(_and_(claude|kimi))*(::|$)");
        for together in TOGETHER {
            let clients = together.clients.join("_and_").replace('-', "_");
            assert!(together.test.ends_with(&format!("::{clients}")), "{}", together.test);
        }
    }

    #[test]
    fn a_client_counts_only_with_a_record_of_its_own_version() {
        let records = std::env::temp_dir().join(format!("interagent-records-{}", std::process::id()));
        fresh(&records).unwrap();
        let kimi = find("kimi").unwrap();
        let said = |text: &str| {
            std::fs::write(record_path(&records, kimi, "stdio"), text).unwrap();
            record(&records, kimi, "stdio")
        };
        assert_eq!(record(&records, kimi, "stdio"), Err("its test stdio left no record".to_owned()));
        let good = format!(r#"{{"version":"{}","runs":2,"requests":7,"seconds":3.25}}"#, kimi.version);
        assert_eq!(
            said(&good),
            Ok(format!("kimi {} stdio: 2 runs, 7 requests to the model, 3.2 s", kimi.version))
        );
        assert!(said(&good.replace(&kimi.version, "0.1")).is_err());
        assert!(said(&good.replace("\"requests\":7", "\"requests\":0")).is_err());
        assert_eq!(shared_network(&records, kimi, "stdio"), None);
        said(&good.replace('{', "{\"shared_network\":\"no unshare\",")).unwrap();
        assert_eq!(
            shared_network(&records, kimi, "stdio"),
            Some("kimi ran without a network of its own: no unshare".to_owned())
        );
        assert!(record(&records, kimi, "http").is_err());
        fresh(&records).unwrap();
        assert!(record(&records, kimi, "stdio").is_err());
        std::fs::remove_dir_all(&records).unwrap();
    }
}
