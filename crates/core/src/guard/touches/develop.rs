//! Which programs are development: builds, tests, interpreters, package managers, scripts.

use crate::guard::shell::Run;

const PROGRAMS: [&str; 62] = [
    "ant", "bazel", "black", "bun", "bundle", "bunx", "cargo", "cc", "clang", "clang++", "cmake", "composer",
    "corepack", "deno", "dotnet", "eslint", "flake8", "g++", "gcc", "gem", "go", "gofmt", "gradle",
    "gradlew", "java", "javac", "jest", "just", "ld", "make", "mix", "mvn", "mvnw", "mypy", "ninja", "node",
    "nox", "npm", "npx", "nx", "php", "phpunit", "pip", "pip3", "pipenv", "pipx", "pnpm", "poetry",
    "prettier", "pytest", "rake", "ruby", "ruff", "rustc", "rustup", "swift", "tox", "tsc", "turbo", "uv",
    "vitest", "yarn",
];

/// What such a program is asked only to look: alone it says its version or how it is called.
const ALONE: [&str; 4] = ["--help", "--version", "-V", "-h"];

/// Commands of such programs that only look, by their first word.
const LOOKS: [(&str, &[&str]); 11] = [
    ("cargo", &["help", "locate-project", "metadata", "pkgid", "search", "tree"]),
    ("go", &["doc", "env", "list", "version"]),
    ("java", &["-version", "--version"]),
    ("make", &["-n", "-v", "--dry-run", "--just-print"]),
    ("node", &["-v"]),
    ("npm", &["-v", "explain", "help", "list", "ls", "outdated", "view", "why"]),
    ("pip", &["freeze", "list", "show"]),
    ("pip3", &["freeze", "list", "show"]),
    ("pnpm", &["list", "ls", "outdated", "why"]),
    ("rustup", &["show", "which"]),
    ("yarn", &["info", "list", "why"]),
];

/// Programs that are development only with these words.
const WORKS: [(&str, &[&str]); 3] = [
    ("docker", &["build", "buildx", "run"]),
    ("docker-compose", &["build", "run", "up"]),
    ("podman", &["build", "run"]),
];

/// Whether a run is development.
pub(super) fn is_development(program: &str, run: &Run) -> bool {
    let first = run.arguments.first().and_then(Option::as_deref).unwrap_or_default();
    let asks = |table: &[(&str, &[&str])]| {
        table.iter().any(|(name, words)| *name == program && words.contains(&first))
    };
    let is_python =
        program.strip_prefix("python").is_some_and(|v| v.chars().all(|c| c.is_ascii_digit() || c == '.'));
    if run.is_script() || asks(&WORKS) {
        return true;
    }
    let only_looks = asks(&LOOKS) || (run.arguments.len() == 1 && ALONE.contains(&first));
    (is_python || PROGRAMS.contains(&program)) && !only_looks
}
