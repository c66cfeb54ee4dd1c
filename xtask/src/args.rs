//! The task runner's arguments. Parsed by hand: seven tasks with few options need no parser crate.

use crate::Result;
use crate::clients::{self, Client};

pub(crate) const USAGE: &str = "\
Usage: cargo xtask <task>

  test [--soak] [--newest] [--no-tools] [--clients all|NAME,...] [--without NAME,...]
                               format, tidy, lints, licences, spelling and every test
      --soak                   run the long tests with their full counts, and every client
      --newest                 first move the pins in versions.toml to the newest releases
      --no-tools               install nothing; say which checks were skipped for it
      --clients                real agent clients to test with beside claude, codex and kimi:
                               gemini, opencode, qwen, copilot, kimi-cli, goose, droid
      --without                what is done without, of the clients, python-sdk and python-package; what
                               is missing and not named here fails (INTERAGENT_WITHOUT names more)
  clients all|NAME,... [--no-tools]
                               only the tests with these clients
  python [--update] [--no-tools]
                               only the Python package: wheel, tests, types, examples
      --update                 write its parts that mirror the catalog, and test nothing
  tidy                         only the checks of our own rules (no compiler needed)
  bench [--quick] [--sizes N,N,...] [--no-hcom] [--dist]
                               measure the budgets; sizes are stores of so many entries,
                               --dist takes the static build
  dist                         build the static release binary
  screenshots                  take the pictures of docs/images anew, from real panes of tmux";

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Help,
    Test(TestOptions),
    Clients(ClientsOptions),
    Python(PythonOptions),
    Tidy,
    Bench(BenchOptions),
    Dist,
    Screenshots,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TestOptions {
    pub(crate) soak: bool,
    /// Move the pins to the newest releases before anything runs.
    pub(crate) newest: bool,
    pub(crate) no_tools: bool,
    /// Clients to test with beside the usual ones.
    pub(crate) clients: Vec<&'static Client>,
    /// What is done without.
    pub(crate) without: Vec<String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ClientsOptions {
    pub(crate) no_tools: bool,
    pub(crate) clients: Vec<&'static Client>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PythonOptions {
    pub(crate) no_tools: bool,
    /// Write the generated files and test nothing.
    pub(crate) update: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BenchOptions {
    pub(crate) quick: bool,
    pub(crate) hcom: bool,
    /// Measure the static build instead of the plain one.
    pub(crate) dist: bool,
    /// Store sizes in entries, ascending; never empty.
    pub(crate) sizes: Vec<u64>,
}

pub(crate) fn parse(arguments: &[String]) -> Result<Task> {
    let Some((task, options)) = arguments.split_first() else {
        return Ok(Task::Help);
    };
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    match task.as_str() {
        "help" | "--help" | "-h" => Ok(Task::Help),
        "test" => test_options(&options).map(Task::Test),
        "clients" => clients_options(&options).map(Task::Clients),
        "python" => python_options(&options).map(Task::Python),
        "bench" => bench_options(&options).map(Task::Bench),
        "tidy" => no_options(&options).map(|()| Task::Tidy),
        "dist" => no_options(&options).map(|()| Task::Dist),
        "screenshots" => no_options(&options).map(|()| Task::Screenshots),
        other => Err(format!("there is no task `{other}`")),
    }
}

fn no_options(options: &[&str]) -> Result<()> {
    options.first().map_or(Ok(()), |option| Err(unknown(option)))
}

fn test_options(options: &[&str]) -> Result<TestOptions> {
    let mut parsed = TestOptions::default();
    let mut rest = options.iter().copied();
    while let Some(option) = rest.next() {
        match option {
            "--soak" => parsed.soak = true,
            "--newest" => parsed.newest = true,
            "--no-tools" => parsed.no_tools = true,
            "--clients" => parsed.clients.extend(clients::named(rest.next().unwrap_or_default())?),
            "--without" => parsed.without.extend(without(rest.next().unwrap_or_default())?),
            other => return Err(unknown(other)),
        }
    }
    if parsed.soak && parsed.clients.is_empty() {
        parsed.clients = clients::named("all")?;
    }
    Ok(parsed)
}

fn clients_options(options: &[&str]) -> Result<ClientsOptions> {
    let mut parsed = ClientsOptions::default();
    for option in options {
        match *option {
            "--no-tools" => parsed.no_tools = true,
            list if !list.starts_with('-') => parsed.clients.extend(clients::named(list)?),
            other => return Err(unknown(other)),
        }
    }
    if parsed.clients.is_empty() {
        return Err(format!("which clients? There are {}", clients::names().join(", ")));
    }
    Ok(parsed)
}

fn python_options(options: &[&str]) -> Result<PythonOptions> {
    let mut parsed = PythonOptions::default();
    for option in options {
        match *option {
            "--no-tools" => parsed.no_tools = true,
            "--update" => parsed.update = true,
            other => return Err(unknown(other)),
        }
    }
    Ok(parsed)
}

/// Beside the clients, what a run can be told to do without.
pub(crate) const PYTHON_SDK: &str = "python-sdk";
/// The package that Python programs import.
pub(crate) const PYTHON_PACKAGE: &str = "python-package";

/// Reads a list of what is done without. A word that names nothing would leave its reader in a false belief.
pub(crate) fn without(list: &str) -> Result<Vec<String>> {
    let words = list.split(',').map(str::trim);
    let known = |word: &str| [PYTHON_SDK, PYTHON_PACKAGE].contains(&word) || clients::names().contains(&word);
    words
        .map(|word| match known(word) {
            true => Ok(word.to_owned()),
            false => Err(format!(
                "there is nothing called `{word}` to do without; there are {}, {PYTHON_SDK}, {PYTHON_PACKAGE}",
                clients::names().join(", ")
            )),
        })
        .collect()
}

fn bench_options(options: &[&str]) -> Result<BenchOptions> {
    let mut parsed = BenchOptions { quick: false, hcom: true, dist: false, sizes: Vec::new() };
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        match *option {
            "--quick" => parsed.quick = true,
            "--no-hcom" => parsed.hcom = false,
            "--dist" => parsed.dist = true,
            "--sizes" => parsed.sizes = sizes(rest.next().copied().unwrap_or_default())?,
            other => return Err(unknown(other)),
        }
    }
    if parsed.sizes.is_empty() {
        parsed.sizes = if parsed.quick { vec![1_000, 20_000] } else { vec![1_000, 100_000, 1_000_000] };
    }
    Ok(parsed)
}

fn sizes(list: &str) -> Result<Vec<u64>> {
    let mut sizes = Vec::new();
    for item in list.split(',') {
        match item.trim().parse::<u64>() {
            Ok(size) if size > 0 => sizes.push(size),
            _ => {
                return Err(format!("--sizes needs whole numbers above zero like 1000,100000, not `{list}`"));
            }
        }
    }
    sizes.sort_unstable();
    sizes.dedup();
    Ok(sizes)
}

fn unknown(option: &str) -> String {
    format!("this task has no option `{option}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(ToOwned::to_owned).collect()
    }

    #[test]
    fn options_reach_their_task() {
        assert_eq!(
            parse(&words("test --soak --no-tools --clients codex,qwen --without kimi,python-sdk")),
            Ok(Task::Test(TestOptions {
                soak: true,
                newest: false,
                no_tools: true,
                clients: clients::named("codex,qwen").unwrap(),
                without: vec!["kimi".to_owned(), "python-sdk".to_owned()],
            }))
        );
        assert_eq!(
            parse(&words("clients all --no-tools")),
            Ok(Task::Clients(ClientsOptions { no_tools: true, clients: clients::named("all").unwrap() }))
        );
        assert_eq!(
            parse(&words("python --update")),
            Ok(Task::Python(PythonOptions { no_tools: false, update: true }))
        );
        assert_eq!(
            parse(&words("bench --sizes 50,7,50 --no-hcom --dist")),
            Ok(Task::Bench(BenchOptions { quick: false, hcom: false, dist: true, sizes: vec![7, 50] }))
        );
        let Ok(Task::Test(soaked)) = parse(&words("test --soak")) else { panic!("no test task") };
        assert_eq!(soaked.clients, clients::named("all").unwrap());
        assert_eq!(parse(&[]), Ok(Task::Help));
    }

    #[test]
    fn a_mistake_is_named() {
        assert_eq!(parse(&words("tets")), Err("there is no task `tets`".to_owned()));
        assert_eq!(parse(&words("tidy --fix")), Err("this task has no option `--fix`".to_owned()));
        assert!(parse(&words("bench --sizes 10,x")).is_err());
        assert!(parse(&words("bench --sizes")).is_err());
        for mistake in ["test --clients", "test --clients nobody", "test --without snake", "clients"] {
            assert!(parse(&words(mistake)).unwrap_err().contains("kimi-cli"), "{mistake}");
        }
    }
}
