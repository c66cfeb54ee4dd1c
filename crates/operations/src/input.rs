//! Words for machines in requests: paths, branches, foreign ids. Checked before anything is read or locked.

use interagent_core::ids::must_be_alias;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::secrets;

/// A path, a branch or another word for machines.
pub(crate) fn word(what: &'static str, given: &str) -> Result<String, Refusal> {
    let given = given.trim();
    let wrong = if given.is_empty() {
        "is empty".to_owned()
    } else if given.len() > limits::WORD_BYTES {
        format!("has {} bytes; at most {} are allowed", given.len(), limits::WORD_BYTES)
    } else if given.contains(char::is_control) {
        "contains a control character".to_owned()
    } else {
        return no_secret(what, given).map(|()| given.to_owned());
    };
    Err(Refusal::usage("bad_text", format!("{what} {wrong}")))
}

/// Refuses a secret where it would become a part of the log itself: from there it can't be held back or purged.
pub(crate) fn no_secret(what: &'static str, given: &str) -> Result<(), Refusal> {
    let Some(found) = secrets::first(given) else { return Ok(()) };
    Err(Refusal::rule("looks_like_a_secret", format!("{what} looks like {}", found.kind.told()))
        .hint("write it into the text, if at all: a text can be held back from git, and purged"))
}

/// Refuses a secret as the name of something: names stand in every entry about it.
pub(crate) fn no_secret_name(what: &'static str, given: &str) -> Result<(), Refusal> {
    no_secret(what, given).map_err(|refusal| {
        refusal.hint("choose another name: it goes to git and can be neither held back nor purged")
    })
}

/// An optional word for machines.
pub(crate) fn maybe_word(what: &'static str, given: Option<&str>) -> Result<Option<String>, Refusal> {
    given.map(|given| word(what, given)).transpose()
}

/// Refuses a list that is longer than allowed.
pub(crate) fn few<T>(what: &'static str, given: &[T], most: usize) -> Result<(), Refusal> {
    if given.len() <= most {
        return Ok(());
    }
    Err(Refusal::usage(
        "too_many",
        format!("{} {what} are too many; at most {most} are allowed", given.len()),
    ))
}

/// Ids in other systems: single words, each once.
pub(crate) fn aliases(given: &[String]) -> Result<Vec<String>, Refusal> {
    few("aliases", given, limits::ITEMS)?;
    let mut read: Vec<String> = Vec::with_capacity(given.len());
    for alias in given {
        must_be_alias(alias)?;
        no_secret("an alias", alias)?;
        if !read.contains(alias) {
            read.push(alias.clone());
        }
    }
    Ok(read)
}
