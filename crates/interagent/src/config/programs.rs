//! Programs of this machine: which clients are installed, and where our own program lies.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use interagent_agents::{Profile, Profiles, Seen};
use rustix::fs::OFlags;

/// A client that says nothing for so long is there all the same.
const VERSION_LIMIT: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(10);
/// Most of a version that is read and shown.
const VERSION_BYTES: u64 = 4096;
const VERSION_CHARS: usize = 60;
/// Most of an error that is shown.
const ERROR_CHARS: usize = 160;
/// A first line that names an interpreter is not longer.
const FIRST_LINE_BYTES: u64 = 256;

/// A client that is installed.
#[derive(Debug, Clone)]
pub(crate) struct Installed {
    pub(crate) profile: Profile,
    pub(crate) program: PathBuf,
    pub(crate) version: Version,
}

/// What came of asking a client for its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Version {
    Said(String),
    /// It ended well and said nothing.
    Silent,
    /// It takes longer than is waited for.
    Slow,
    /// It can't be started, or ended with an error: its own words.
    Broken(String),
}

impl Version {
    pub(crate) fn said(self) -> Option<String> {
        match self {
            Self::Said(version) => Some(version),
            Self::Silent | Self::Slow | Self::Broken(_) => None,
        }
    }
}

/// The path of the program that runs, links followed.
pub(crate) fn own() -> io::Result<PathBuf> {
    std::env::current_exe()?.canonicalize()
}

/// Where a program lies that a client's file names, links followed. A bare name is looked for on PATH.
pub(crate) fn resolved(program: &str) -> Option<PathBuf> {
    let given = Path::new(program);
    if given.is_absolute() {
        return given.canonicalize().ok();
    }
    if program.contains('/') {
        return None;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).map(|directory| directory.join(given)).find(|path| is_program(path));
    found?.canonicalize().ok()
}

/// The clients of this machine, in the order of their profiles.
pub(crate) fn installed(profiles: &Profiles) -> Vec<Installed> {
    let known = known(profiles);
    let found: Vec<(Profile, PathBuf)> = known
        .iter()
        .filter_map(|profile| Some((profile.clone(), found(profiles, &known, profile)?)))
        .collect();
    std::thread::scope(|scope| {
        let asked: Vec<_> = found
            .into_iter()
            .map(|(profile, program)| {
                scope.spawn(move || Installed { version: version(&program), profile, program })
            })
            .collect();
        asked.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}

/// The program of one client, where it is installed.
pub(crate) fn find(profiles: &Profiles, profile: &Profile) -> Option<PathBuf> {
    found(profiles, &known(profiles), profile)
}

fn known(profiles: &Profiles) -> Vec<Profile> {
    profiles.names().into_iter().filter_map(|name| profiles.get(name)).collect()
}

fn found(profiles: &Profiles, known: &[Profile], profile: &Profile) -> Option<PathBuf> {
    let name = profile.executable.as_deref()?;
    let others = known.iter().filter(|other| other.executable.as_deref() == Some(name));
    let is_alone = others.count() == 1;
    called(name).into_iter().find(|path| is_alone || belongs_to(profiles, profile, path))
}

/// A program by its path, or by its name.
pub(crate) fn named(program: &str) -> Option<PathBuf> {
    match program.contains('/') {
        true => Some(PathBuf::from(program)).filter(|path| is_program(path)),
        false => called(program).into_iter().next(),
    }
}

/// Whether typing this name would run a program.
pub(crate) fn is_on_path(name: &str) -> bool {
    !called(name).is_empty()
}

/// The programs of a name, in the order of the search path.
fn called(name: &str) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::split_paths(&path).map(|directory| directory.join(name));
    all.filter(|path| is_program(path)).collect()
}

fn is_program(path: &Path) -> bool {
    // A directory of the search path may be a relative one: that is whatever somebody put there.
    path.is_absolute()
        && std::fs::metadata(path)
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Whether a program is this client, where two clients have programs of one name.
fn belongs_to(profiles: &Profiles, profile: &Profile, program: &Path) -> bool {
    let target = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let interpreter = interpreter(&target);
    let fits = |script: &Path| {
        let script = script.to_string_lossy();
        let seen = match &interpreter {
            Some(interpreter) => Seen { executable: interpreter, script: Some(&script) },
            None => Seen { executable: &name, script: None },
        };
        profiles.marks().find(|marks| marks.fit(seen)).map(|marks| marks.profile)
    };
    // The name it is called by may be one, and where it really lies another.
    let judged = fits(&target).or_else(|| fits(program));
    judged == Some(profile.name.as_str())
}

/// What the first line of a script names, with its arguments.
fn first_words(script: &Path) -> Option<String> {
    let mut head = Vec::new();
    File::open(script).ok()?.take(FIRST_LINE_BYTES).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    Some(head.strip_prefix("#!")?.lines().next()?.trim().to_owned())
}

fn named_interpreter(script: &Path) -> Option<String> {
    first_words(script)?.split_whitespace().next().map(str::to_owned)
}

/// The program that runs a script, by its first line.
fn interpreter(script: &Path) -> Option<String> {
    let line = first_words(script)?;
    let mut words = line.split_whitespace();
    let program = words.next()?;
    let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    match base(program).as_str() {
        "env" => words.find(|word| !word.starts_with('-')).map(base),
        _ => Some(base(program)),
    }
}

/// What a program says of its version, if it does so soon.
pub(crate) fn version(program: &Path) -> Version {
    let started = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return Version::Broken(why_not_started(program, &error)),
    };
    if !ends_within(&mut child, VERSION_LIMIT) {
        let _ = child.kill();
        let _ = child.wait();
        return Version::Slow;
    }
    let (output, complaint) = (said(child.stdout.take()), said(child.stderr.take()));
    match child.wait() {
        Ok(ended) if !ended.success() => {
            let words = error_line(&complaint).or_else(|| error_line(&output));
            Version::Broken(words.unwrap_or_else(|| ended.to_string()))
        }
        _ => first_line(&output).map_or(Version::Silent, |line| Version::Said(cut(line, VERSION_CHARS))),
    }
}

/// What a program that ended has written. What it left running may hold the pipe open, so nobody waits for its end.
fn said(pipe: Option<impl Read + AsFd>) -> String {
    let mut said = Vec::new();
    if let Some(pipe) = pipe.filter(|pipe| rustix::fs::fcntl_setfl(pipe, OFlags::NONBLOCK).is_ok()) {
        let _ = pipe.take(VERSION_BYTES).read_to_end(&mut said);
    }
    String::from_utf8_lossy(&said).into_owned()
}

fn first_line(said: &str) -> Option<&str> {
    said.lines().map(str::trim).find(|line| !line.is_empty())
}

/// The line that says what is wrong: interpreters show the place in the program first.
fn error_line(said: &str) -> Option<String> {
    let names_it = |line: &&str| line.to_lowercase().contains("error");
    let line = said.lines().map(str::trim).find(names_it).or_else(|| first_line(said))?;
    Some(cut(line, ERROR_CHARS))
}

fn cut(line: &str, chars: usize) -> String {
    line.chars().take(chars).collect()
}

/// Why a program can't be started, with what is wrong with its file.
pub(crate) fn why_not_started(program: &Path, error: &io::Error) -> String {
    let shown = program.display();
    match (error.kind(), named_interpreter(program)) {
        (io::ErrorKind::NotFound, Some(interpreter)) if program.exists() => {
            format!("{error}: its first line names `{interpreter}`, which is not there")
        }
        _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
            format!("{error}: `{shown}` is no program that this machine can run")
        }
        _ => error.to_string(),
    }
}

/// Whether a program ends by itself in this time.
pub(crate) fn ends_within(child: &mut Child, limit: Duration) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < limit {
        match child.try_wait() {
            Ok(Some(_)) => return true,
            Ok(None) => std::thread::sleep(LOOK),
            Err(_) => return false,
        }
    }
    false
}
