//! Programs that run another one: which of their arguments are that program.

/// How a wrapper is called.
struct Wrapper {
    name: &'static str,
    /// Options whose value is the next argument.
    valued: &'static [&'static str],
    /// Arguments of its own before the program.
    own: usize,
}

const fn plain(name: &'static str, valued: &'static [&'static str]) -> Wrapper {
    Wrapper { name, valued, own: 0 }
}

const WRAPPERS: [Wrapper; 28] = [
    plain("builtin", &[]),
    plain("busybox", &[]),
    plain("caffeinate", &["-t", "-w"]),
    Wrapper { name: "chroot", valued: &["--userspec", "--groups"], own: 1 },
    Wrapper { name: "chrt", valued: &["-T", "-P", "-D"], own: 1 },
    plain("chronic", &[]),
    plain("command", &[]),
    plain("doas", &["-u", "-C"]),
    plain("eatmydata", &[]),
    plain("env", &["-u", "--unset", "-C", "--chdir"]),
    plain("exec", &["-a"]),
    plain("fakeroot", &["-l", "-s", "-i"]),
    Wrapper { name: "flock", valued: &["-w", "--timeout", "-E"], own: 1 },
    plain("ionice", &["-c", "-n", "-p"]),
    plain("nice", &["-n", "--adjustment"]),
    plain("nohup", &[]),
    plain("setsid", &[]),
    plain("stdbuf", &["-i", "-o", "-e"]),
    plain("strace", &["-a", "-b", "-e", "-E", "-I", "-o", "-O", "-p", "-P", "-s", "-S", "-u", "-X"]),
    plain("sudo", &["-u", "-g", "-h", "-p", "-C", "-T", "-r", "-t", "-U", "-D", "--chdir"]),
    Wrapper { name: "taskset", valued: &[], own: 1 },
    plain("time", &["-f", "-o", "--format", "--output"]),
    Wrapper { name: "timeout", valued: &["-k", "-s", "--kill-after", "--signal"], own: 1 },
    plain("toybox", &[]),
    plain("unbuffer", &[]),
    plain("unshare", &["-S", "-G", "-R", "-w", "--setuid", "--setgid", "--root", "--wd"]),
    plain("watch", &["-n", "--interval", "-q", "--equexit"]),
    plain(
        "xargs",
        &["-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s", "--max-args", "--max-procs", "--delimiter"],
    ),
];

/// What a wrapper leaves.
#[derive(Debug, Default)]
pub(super) struct Unwrapped {
    /// The program and its arguments.
    pub(super) words: Vec<Option<String>>,
    /// Variables that are set for it.
    pub(super) settings: Vec<(String, Option<String>)>,
    /// The directory it is run in, where that is another; absent inside where it is not known.
    pub(super) directory: Option<Option<String>>,
}

/// What `xargs` puts into a command at most; of more, the names are not known.
const PUT: usize = 50;

/// What a wrapper runs, with this text on its standard input and each argument as a text of commands. Absent where the program is no wrapper, or runs nothing.
pub(super) fn unwrap(
    program: &str,
    arguments: &[Option<String>],
    scripts: &[String],
    input: Option<&str>,
) -> Option<Unwrapped> {
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.name == program)?;
    let mut found = Unwrapped::default();
    let mut rest = arguments.iter();
    let mut own = wrapper.own;
    let script_before = |left: usize| scripts.get(arguments.len() - left - 1).map_or("", String::as_str);
    let mut words: Vec<Option<String>> = Vec::new();
    let mut placeholder = None;
    while let Some(argument) = rest.next() {
        match argument.as_deref() {
            Some("--") => {}
            // It only says what would run.
            Some("-v" | "-V") if program == "command" => return None,
            Some(option) if option.starts_with('-') && option.len() > 1 => {
                let (name, value) =
                    option.split_once('=').map_or((option, None), |(n, v)| (n, Some(v.to_owned())));
                let value = match value {
                    Some(value) => Some(Some(value)),
                    None if wrapper.valued.contains(&name) => rest.next().cloned(),
                    None => None,
                };
                match (program, name) {
                    ("env", "-C" | "--chdir") | ("sudo", "-D" | "--chdir") => {
                        found.directory = Some(value.flatten());
                    }
                    ("env", "-S" | "--split-string") => {
                        let text = value.flatten().or_else(|| rest.next().cloned().flatten())?;
                        words.extend(text.split_whitespace().map(|word| Some(word.to_owned())));
                    }
                    ("xargs", "-I") => placeholder = value.flatten(),
                    ("xargs", joined) if joined.starts_with("-I") => {
                        placeholder = Some(joined[2..].to_owned());
                    }
                    _ => {}
                }
                if !words.is_empty() {
                    break;
                }
            }
            Some(setting) if matches!(program, "env" | "sudo") && is_setting(setting) => {
                let (name, value) = setting.split_once('=')?;
                found.settings.push((name.to_owned(), Some(value.to_owned())));
            }
            // `env A=$B program`: only the value is not known.
            None if matches!(program, "env" | "sudo") && is_setting(script_before(rest.len())) => {
                let (name, _) = script_before(rest.len()).split_once('=')?;
                found.settings.push((name.to_owned(), None));
            }
            _ if own > 0 => own -= 1,
            _ => {
                words.push(argument.clone());
                break;
            }
        }
    }
    words.extend(rest.cloned());
    if program == "xargs" {
        let is_shell = words.first().and_then(Option::as_deref).is_some_and(|name| SHELLS.contains(&name));
        let names: Vec<&str> = input.into_iter().flat_map(str::split_whitespace).take(PUT + 1).collect();
        match (placeholder, names.as_slice()) {
            (Some(mark), names) => {
                let only = if let [only] = names { Some(*only) } else { None };
                for word in
                    words.iter_mut().filter(|word| word.as_ref().is_some_and(|word| word.contains(&mark)))
                {
                    // What would grow without end is not known.
                    let fits = |word: &str, only: &str| {
                        !mark.is_empty() && word.len().saturating_mul(only.len()) <= super::COMMAND_BYTES
                    };
                    let put = word.as_deref().zip(only).filter(|(word, only)| fits(word, only));
                    let put = put.map(|(word, only)| word.replace(&mark, only));
                    // In a text for a shell a name that is not known stays an expansion.
                    let text = word.as_deref().filter(|_| is_shell).map(|word| word.replace(&mark, "$_"));
                    *word = put.or(text);
                }
            }
            (None, names) if (1..=PUT).contains(&names.len()) => {
                words.extend(names.iter().map(|name| Some((*name).to_owned())));
            }
            (None, _) => words.push(None),
        }
    }
    found.words = words;
    (!found.words.is_empty()).then_some(found)
}

fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| super::syntax::is_name(name))
}

/// The shells: what they are given with `-c` or on standard input are commands.
pub(super) const SHELLS: [&str; 7] = ["ash", "bash", "dash", "ksh", "mksh", "sh", "zsh"];

/// What a shell is told to run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// This argument, by its place.
    Argument(usize),
    /// What comes on standard input.
    Input,
    /// A file.
    File,
}

/// What the arguments of a shell tell it to run.
pub(super) fn told(arguments: &[Option<String>]) -> Told {
    let mut commands = false;
    let mut i = 0;
    while let Some(argument) = arguments.get(i) {
        match argument.as_deref() {
            Some("-s") => return Told::Input,
            Some("-o" | "+o" | "-O" | "--rcfile" | "--init-file") => i += 1,
            Some("--") => {}
            Some(option) if option.starts_with("--") => {}
            Some(option) if option.starts_with(['-', '+']) && option.len() > 1 => {
                commands |= option.starts_with('-') && option.contains('c');
                if option.ends_with('o') {
                    i += 1;
                }
            }
            _ if commands => return Told::Argument(i),
            _ => return Told::File,
        }
        i += 1;
    }
    Told::Input
}

/// What `find` finds: all below where it begins, or those of one name.
pub(super) fn found_below(arguments: &[Option<String>]) -> String {
    let start = arguments.iter().flatten().find(|word| !word.starts_with('-')).map_or(".", String::as_str);
    let named = |pair: &[Option<String>]| match pair {
        [Some(option), Some(name)] if option == "-name" => Some(name.clone()),
        _ => None,
    };
    let names: Vec<String> = arguments.windows(2).filter_map(named).collect();
    let is_one = !arguments.iter().flatten().any(|word| matches!(word.as_str(), "-o" | "-or" | "!" | "-not"));
    let start = start.trim_end_matches('/');
    match names.as_slice() {
        [name] if is_one => format!("{start}/**/{name}"),
        _ => format!("{start}/**"),
    }
}

/// What `find` runs for what it finds: each command, with the paths in the place of `{}`.
pub(super) fn found(arguments: &[Option<String>], below: &str) -> Vec<Vec<Option<String>>> {
    let mut commands = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if !matches!(argument.as_deref(), Some("-exec" | "-execdir" | "-ok" | "-okdir")) {
            continue;
        }
        let command = rest.by_ref().take_while(|word| !matches!(word.as_deref(), Some(";" | "+")));
        let put = |word: &Option<String>| word.as_ref().map(|word| word.replace("{}", below));
        commands.push(command.map(put).collect());
    }
    commands
}
