//! Reads the corpus.

/// What a trick writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// A file that another agent holds alone.
    Lease,
    /// A protected branch, or the tree where it is checked out.
    Main,
    /// The team file of the hub.
    Hub,
}

/// Whether the command line shows what a trick does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// It does.
    Plain,
    /// A program decides, such as an interpreter or a build tool.
    Opaque,
}

/// A trick.
#[derive(Debug, Clone)]
pub(super) struct Trick {
    pub(super) target: Target,
    pub(super) class: Class,
    pub(super) command: String,
}

/// All tricks, in the order of the file.
pub(super) fn tricks() -> Vec<Trick> {
    let mut kind = None;
    let mut found = Vec::new();
    for text in include_str!("tricks.txt").lines() {
        if let Some(header) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
            && let Some(of_header) = header.split_once(' ').and_then(of_header)
        {
            kind = Some(of_header);
        } else if !text.is_empty() && !text.starts_with('#') {
            let (target, class) = kind.unwrap();
            found.push(Trick { target, class, command: text.replace('⏎', "\n") });
        }
    }
    found
}

fn of_header((target, class): (&str, &str)) -> Option<(Target, Class)> {
    let target = match target {
        "lease" => Target::Lease,
        "main" => Target::Main,
        "hub" => Target::Hub,
        _ => return None,
    };
    let class = match class {
        "plain" => Class::Plain,
        "opaque" => Class::Opaque,
        _ => return None,
    };
    Some((target, class))
}
