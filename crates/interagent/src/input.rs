//! Texts that a command takes from an argument, standard input, a file or the person's editor.
//!
//! Owns reading them: bounded, whole, and as UTF-8. Whether a text is acceptable is decided by the hub.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use interagent_core::limits;

use crate::error::{CliError, ErrorKind};

/// One byte more than any text may have, so that a longer one is refused by its rule and not cut.
const READ_LIMIT_BYTES: u64 = limits::BODY_BYTES as u64 + 1;

// No doc comment here: clap would show it as the help of every command that takes a text.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Body {
    /// The text, in Markdown; `-` reads it from standard input.
    #[arg(
        short = 'm',
        long = "message",
        visible_alias = "body",
        value_name = "TEXT",
        allow_hyphen_values = true
    )]
    message: Option<String>,
    /// Read the text from a file.
    #[arg(long, value_name = "FILE", conflicts_with = "message")]
    file: Option<PathBuf>,
}

impl Body {
    /// The text; none where none was given.
    pub(crate) fn read(self) -> Result<Option<String>, CliError> {
        match (self.message, self.file) {
            (Some(message), _) => text_or_stdin(message).map(Some),
            (None, Some(file)) => from_file(&file).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The text, where the command makes no sense without one.
    pub(crate) fn required(self) -> Result<String, CliError> {
        self.read()?.ok_or_else(|| {
            CliError::new(ErrorKind::Usage, "there is no text")
                .with_hint("give it with -m TEXT, with -m - from standard input, or with --file FILE")
        })
    }
}

// No doc comment here either.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Text {
    /// The text, in Markdown; `-` reads it from standard input.
    #[arg(value_name = "TEXT", conflicts_with_all = ["message", "file"])]
    text: Option<String>,
    #[command(flatten)]
    body: Body,
}

impl Text {
    fn into_body(self) -> Body {
        match self.text {
            Some(text) => Body { message: Some(text), file: None },
            None => self.body,
        }
    }

    /// Whether the command line says where the text is.
    pub(crate) fn is_given(&self) -> bool {
        self.text.is_some() || self.body.message.is_some() || self.body.file.is_some()
    }

    /// The text; none where none was given.
    pub(crate) fn read(self) -> Result<Option<String>, CliError> {
        self.into_body().read()
    }

    /// The text, where the command makes no sense without one.
    pub(crate) fn required(self) -> Result<String, CliError> {
        self.into_body().required()
    }
}

/// The argument itself, or standard input where it is `-`.
pub(crate) fn text_or_stdin(argument: String) -> Result<String, CliError> {
    match argument.as_str() {
        "-" => take(io::stdin().lock(), "standard input"),
        _ => Ok(argument),
    }
}

/// The text of a file; `-` is standard input.
pub(crate) fn from_file(path: &Path) -> Result<String, CliError> {
    if path.as_os_str() == "-" {
        return take(io::stdin().lock(), "standard input");
    }
    let shown = path.display().to_string();
    let file = File::open(path).map_err(|source| {
        let kind = match source.kind() {
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            _ => ErrorKind::Unavailable,
        };
        let error = CliError::new(kind, format!("cannot read `{shown}`")).with_source(source);
        error.with_hint("name a file that you can read, or - for standard input")
    })?;
    take(file, &shown)
}

fn take(from: impl Read, shown: &str) -> Result<String, CliError> {
    let mut bytes = Vec::new();
    from.take(READ_LIMIT_BYTES).read_to_end(&mut bytes).map_err(|source| {
        let kind = match source.kind() {
            io::ErrorKind::IsADirectory => ErrorKind::Usage,
            _ => ErrorKind::Unavailable,
        };
        let error = CliError::new(kind, format!("cannot read `{shown}`")).with_source(source);
        error.with_hint("name a file that you can read, or - for standard input")
    })?;
    if bytes.len() as u64 >= READ_LIMIT_BYTES {
        let sentence =
            format!("`{shown}` holds more than {} bytes, the most a text may have", limits::BODY_BYTES);
        let error = CliError::new(ErrorKind::Usage, sentence).with_code("too_long");
        return Err(error.with_hint("send a part; a message refers to the file with --ref PATH"));
    }
    String::from_utf8(bytes).map_err(|source| {
        CliError::new(ErrorKind::Usage, format!("`{shown}` is not UTF-8 text"))
            .with_source(source.utf8_error())
            .with_hint("write it as UTF-8; a message refers to other files with --ref PATH")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_the_largest_size_is_read_and_one_byte_more_is_not() {
        let most = vec![b'x'; limits::BODY_BYTES];
        assert_eq!(take(most.as_slice(), "it").unwrap().len(), limits::BODY_BYTES);
        let over = vec![b'x'; limits::BODY_BYTES + 1];
        assert_eq!(take(over.as_slice(), "it").unwrap_err().exit_code() as u8, 2);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_and_not_repaired() {
        let error = take(&b"caf\xe9"[..], "notes.txt").unwrap_err();
        insta::assert_snapshot!(error.lines().join("\n"), @r"
        error: `notes.txt` is not UTF-8 text
        cause: incomplete utf-8 byte sequence from index 3
        hint: write it as UTF-8; a message refers to other files with --ref PATH
        ");
    }
}
