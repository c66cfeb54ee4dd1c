//! Lines of bounded length from a stream.

use std::io::{self, BufRead, BufReader, Read};

/// Longest line that is read. A body has at most 1 MiB, and JSON can escape each byte with six.
pub(crate) const LINE_BYTES: usize = 8 * 1024 * 1024;
/// Capacity that is kept between lines, so that one long line does not hold its memory for good.
const KEPT_BYTES: usize = 64 * 1024;

/// One line of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InputLine {
    /// A line without its end.
    Whole(Vec<u8>),
    /// A line longer than the limit; its rest was skipped.
    TooLong,
}

/// A stream read line by line.
pub(crate) struct InputLines<R> {
    read: BufReader<R>,
}

impl<R: Read> InputLines<R> {
    pub(crate) fn new(read: R) -> Self {
        Self { read: BufReader::with_capacity(KEPT_BYTES, read) }
    }

    /// The next line; nothing at the end. Half a line before the end is no line.
    pub(crate) fn next(&mut self) -> io::Result<Option<InputLine>> {
        let mut line = Vec::new();
        let mut is_too_long = false;
        loop {
            let available = match self.read.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                available => available?,
            };
            if available.is_empty() {
                return Ok(None);
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.unwrap_or(available.len());
            is_too_long |= line.len() + taken > LINE_BYTES;
            match is_too_long {
                true => line = Vec::new(),
                false => line.extend_from_slice(&available[..taken]),
            }
            self.read.consume(taken + usize::from(newline.is_some()));
            if newline.is_some() {
                return Ok(Some(if is_too_long { InputLine::TooLong } else { InputLine::Whole(line) }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_line_is_skipped_and_the_next_is_read() {
        let long = vec![b'x'; LINE_BYTES + 1];
        let exact = vec![b'y'; LINE_BYTES];
        let stream = [b"a\n\n".as_slice(), &long, b"\n", &exact, b"\nhalf"].concat();
        let mut lines = InputLines::new(stream.as_slice());
        let mut next = || lines.next().unwrap();
        assert_eq!(next(), Some(InputLine::Whole(b"a".to_vec())));
        assert_eq!(next(), Some(InputLine::Whole(Vec::new())));
        assert_eq!(next(), Some(InputLine::TooLong));
        assert_eq!(next(), Some(InputLine::Whole(exact)));
        assert_eq!(next(), None);
    }
}
