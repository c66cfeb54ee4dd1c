//! The exit codes of the program: a documented part of its interface.
//!
//! Owns the numbers. Which error leads to which code is decided by `error`.

/// How a command ended, for the program that started it.
///
/// Code 0 means that what was asked is done and, for a write, on disk; no other code is used for a write that is on
/// disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ExitCode {
    /// Done. A listing whose reader left early (`interagent log | head`) counts as done.
    Done = 0,
    /// A rule of the team or of the program refuses it. Repeating it changes nothing.
    Refused = 1,
    /// The command line is wrong.
    Usage = 2,
    /// What was named does not exist, or there is no hub here.
    NotFound = 3,
    /// It was possible when it was asked, and somebody else was faster, or the same key was used for another request.
    Conflict = 4,
    /// The store, or the output that the answer should go to, can't be used now. Repeating it later may work.
    Unavailable = 5,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::ExitCode;

    #[test]
    fn the_numbers_are_an_interface_and_stay() {
        let codes = [
            ExitCode::Done,
            ExitCode::Refused,
            ExitCode::Usage,
            ExitCode::NotFound,
            ExitCode::Conflict,
            ExitCode::Unavailable,
        ];
        assert_eq!(codes.map(|code| code as u8), [0, 1, 2, 3, 4, 5]);
    }
}
