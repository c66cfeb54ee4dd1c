//! The marked block in a file of instructions: everything around it is the user's.

use crate::profile::Profile;

/// What a client's file of instructions tells an agent that has our MCP server.
pub const BLOCK_FOR_TOOLS: &str = include_str!("../../texts/block-tools.md");
/// What it tells an agent that has only a shell.
pub const BLOCK_FOR_SHELL: &str = include_str!("../../texts/block-shell.md");

/// What a client's file of instructions tells the agent: setup gives the server to every client that can have it.
pub(super) fn block(profile: &Profile) -> &'static str {
    if profile.gets_server() { BLOCK_FOR_TOOLS } else { BLOCK_FOR_SHELL }
}

const BEGIN: &str = "<!-- interagent:begin -->";
const END: &str = "<!-- interagent:end -->";

/// Where our block stands in a text, with its last line end.
fn place(text: &str) -> Result<Option<std::ops::Range<usize>>, &'static str> {
    let Some(start) = text.find(BEGIN) else {
        return if text.contains(END) { Err("our block ends there without a beginning") } else { Ok(None) };
    };
    let Some(end) = text[start..].find(END).map(|at| start + at + END.len()) else {
        return Err("our block begins there and does not end");
    };
    let line_end = ["\r\n", "\n"].iter().find(|line_end| text[end..].starts_with(**line_end));
    Ok(Some(start..end + line_end.map_or(0, |line_end| line_end.len())))
}

/// Whether the text has a block of ours.
pub(super) fn has_block(text: &str) -> bool {
    text.contains(BEGIN)
}

/// Whether our block is all that a text holds.
pub fn is_only_block(text: &str) -> bool {
    has_block(text) && without_block(text).is_ok_and(|rest| rest.trim().is_empty())
}

/// The text with our block as it should be: in its place, or at the end.
pub(super) fn with_block(text: &str, block: &str) -> Result<String, &'static str> {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = block.replace('\n', line_end);
    if let Some(place) = place(text)? {
        return Ok(format!("{}{block}{}", &text[..place.start], &text[place.end..]));
    }
    let gap = match text {
        "" => String::new(),
        text if text.ends_with('\n') => line_end.to_owned(),
        _ => line_end.repeat(2),
    };
    Ok(format!("{text}{gap}{block}"))
}

/// The text without our block and the empty line before it.
pub(super) fn without_block(text: &str) -> Result<String, &'static str> {
    let Some(place) = place(text)? else { return Ok(text.to_owned()) };
    let before = &text[..place.start];
    let is_gap = |gap: &&str| before.ends_with(&gap.repeat(2));
    let gap = ["\r\n", "\n"].iter().find(|gap| is_gap(gap)).map_or(0, |gap| gap.len());
    Ok(format!("{}{}", &before[..before.len() - gap], &text[place.end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_comes_goes_and_leaves_the_rest() {
        for text in ["", "# Mine\n", "# Mine\n\nmore\n", "# Mine\r\n\r\nmore\r\n"] {
            let with = with_block(text, BLOCK_FOR_TOOLS).unwrap();
            assert_eq!(with_block(&with, BLOCK_FOR_TOOLS).unwrap(), with);
            assert_eq!(without_block(&with).unwrap(), text, "{text:?}");
        }
        let with = with_block("no newline", BLOCK_FOR_SHELL).unwrap();
        assert_eq!(without_block(&with).unwrap(), "no newline\n");
    }

    #[test]
    fn an_older_block_is_replaced_in_its_place() {
        let old = format!("above\n\n{BEGIN}\nold words\n{END}\n\nbelow\n");
        let block = BLOCK_FOR_SHELL;
        assert_eq!(with_block(&old, block).unwrap(), format!("above\n\n{block}\nbelow\n"));
        assert!(with_block(&format!("{BEGIN}\nnever ends\n"), block).is_err());
        assert!(with_block(&format!("never begins\n{END}\n"), block).is_err());
    }
}
