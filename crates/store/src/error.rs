//! What can go wrong below the operations, in words a person can act on.
//!
//! Owns the error type of the store, its coarse kinds (for exit codes and health) and the command that helps.
//! Does not own refusals of the team's rules: those are answers, not errors.

use std::path::PathBuf;
use std::time::Duration;

use interagent_core::refusal::Refusal;
use interagent_core::store_identity::CopyDoubt;

/// What the operator runs where a store may be a copy.
pub const DECIDE: &str =
    "interagent doctor --moved if the original is gone, interagent doctor --copied if it is still used";

/// What the operator runs where the private key is lost.
pub const NEW_KEY: &str =
    "put state/key back; if it is lost, interagent backup FILE and interagent restore FILE --force";

/// The coarse kind of a [`StoreError`]: what the caller may decide on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Somebody else holds the writer gate or the database; trying again may work.
    Busy,
    /// The database can be opened but not trusted, or not opened any more.
    Damaged,
    /// Something that is not our database lies in its place.
    Foreign,
    /// The database was written by a newer version of the program.
    Newer,
    /// The database was written by an older version of the program, and can't be brought up to date from here.
    Older,
    /// The database is not there.
    Missing,
    /// Reading may work, writing does not.
    ReadOnly,
    /// There is no space left.
    Full,
    /// The file system cannot keep the durability promise.
    FileSystem,
    /// The SQLite library cannot keep the durability promise.
    Unsupported,
    /// The database may be a copy, and nobody has decided what it is.
    Undecided,
    /// What identifies the store can't be read.
    Unidentified,
    /// The private key of the replica can't be used.
    Key,
    /// The operating system reported an error.
    Io,
    /// The program used the store wrongly: a bug.
    Internal,
}

/// The process that was last seen holding the writer gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateHolder {
    /// Process id, as the holder wrote it.
    pub pid: u32,
    /// True when the operating system says that the process is stopped.
    pub stopped: bool,
}

/// An error of the store. Its display is one sentence; [`StoreError::hint`] names the command that helps.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The writer gate was not free within the time limit.
    #[error("the writer gate {}; waited {} ms", held_by(*.holder), .waited.as_millis())]
    GateHeld {
        /// Who holds it, when that could be read.
        holder: Option<GateHolder>,
        /// How long we waited.
        waited: Duration,
    },
    /// SQLite's own lock was not free within the second time limit.
    #[error("the database {} is locked by another program", .path.display())]
    Locked {
        /// The database file.
        path: PathBuf,
    },
    /// SQLite found the file to be malformed.
    #[error("the database {} is damaged: {detail}", .path.display())]
    Damaged {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        detail: String,
    },
    /// A text is not the one that was stored.
    #[error("the stored text {hash} is damaged: its bytes do not match its hash")]
    DamagedText {
        /// The hash it should have.
        hash: String,
    },
    /// A text that was written here is not here any more, and nobody deleted it.
    #[error("the stored text {hash} is missing, and nobody deleted it")]
    MissingText {
        /// Its hash.
        hash: String,
    },
    /// The database file exists and has no bytes, which no crash of ours can cause.
    #[error("the database {} was emptied (0 bytes)", .path.display())]
    Emptied {
        /// The database file.
        path: PathBuf,
    },
    /// A column held another type than every writer of ours stores there.
    #[error("a stored row is damaged: column {column} should hold {expected} and holds {found}")]
    WrongColumn {
        /// Position of the column, from 0.
        column: usize,
        /// What the reader needs.
        expected: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// A row holds something no version of the program stores there.
    #[error("a stored row can't be read: {detail}")]
    UnreadableRow {
        /// What is wrong with it.
        detail: String,
    },
    /// A directory, FIFO, symbolic link or the like lies where a file of ours belongs.
    #[error("{} is {found}, not a {expected} of interagent; it was left alone", .path.display())]
    NotOurs {
        /// The place.
        path: PathBuf,
        /// What belongs there.
        expected: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// The file is a SQLite database of another program.
    #[error("{} is a database of another program (application id {application_id:#010x}); it was left alone", .path.display())]
    OtherProgram {
        /// The database file.
        path: PathBuf,
        /// The application id found in it.
        application_id: i64,
    },
    /// The schema is newer than this program.
    #[error("the database {} has schema version {found}, this interagent knows versions up to {known}", .path.display())]
    NewerSchema {
        /// The database file.
        path: PathBuf,
        /// Version found.
        found: i64,
        /// Newest version known here.
        known: i64,
    },
    /// The schema is older than this program, and this connection may not change it.
    #[error(
        "the database {} has schema version {found}, this interagent needs version {needed}, and it can't be brought up to date by who may only read it", .path.display()
    )]
    OlderSchema {
        /// The database file.
        path: PathBuf,
        /// Version found.
        found: i64,
        /// The version this program reads.
        needed: i64,
    },
    /// The views were folded by a newer program.
    #[error(
        "a newer interagent has brought this hub up to date (fold {found}, this one knows {known}): it can be read here, but not changed"
    )]
    NewerFold {
        /// The way of folding found.
        found: i64,
        /// The newest one known here.
        known: i64,
    },
    /// No store was ever made here.
    #[error("there is no store in {}", .state_dir.display())]
    Absent {
        /// The state directory.
        state_dir: PathBuf,
    },
    /// A store was made here and its database is gone.
    #[error("the database {} is missing although a store was made here", .path.display())]
    Gone {
        /// The database file.
        path: PathBuf,
    },
    /// The database was deleted or replaced while this process had it open.
    #[error("the database {} was deleted or replaced while it was in use; nothing was written", .path.display())]
    Replaced {
        /// The database file.
        path: PathBuf,
    },
    /// The place can be read at most, or not even that.
    #[error("{} cannot be {action}: {detail}", .path.display())]
    ReadOnly {
        /// The file or directory.
        path: PathBuf,
        /// What was tried: "written", "read", "created".
        action: &'static str,
        /// Why not.
        detail: String,
    },
    /// The database may be a copy: two writers of one replica would fork its log.
    #[error("this hub may be a copy ({doubt}); nothing is written until the operator decides")]
    Undecided {
        /// Why.
        doubt: CopyDoubt,
    },
    /// The private key of this replica can't be used: nothing is signed, and no other key is made.
    #[error("the private key of this replica (state/key) can't be used: {detail}")]
    Key {
        /// Why not.
        detail: String,
    },
    /// A fact that identifies the store can't be read, so nothing follows from it.
    #[error("the identity of this store can't be read: {detail}")]
    Unidentified {
        /// The file, and what the system said.
        detail: String,
    },
    /// The store was opened for reading only.
    #[error("the store was opened for reading only")]
    OpenedReadOnly,
    /// The disk or quota is full.
    #[error("no space is left to write {}: {detail}", .path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// What the system said.
        detail: String,
    },
    /// The file system is known not to keep locks or flushed data.
    #[error("{} lies on {file_system}, which cannot keep the database safe (locks or flushes do not hold there)", .path.display())]
    FileSystem {
        /// The state directory.
        path: PathBuf,
        /// Name of the file system type.
        file_system: &'static str,
    },
    /// The SQLite library is too old.
    #[error(
        "SQLite {found} is too old: versions below {needed} can corrupt a database that several processes write"
    )]
    OldLibrary {
        /// Version linked.
        found: &'static str,
        /// Lowest version accepted.
        needed: &'static str,
    },
    /// The operating system reported an error.
    #[error("could not {action} {}: {source}", .path.display())]
    Io {
        /// The step that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The disk reported an error to SQLite.
    #[error("the disk failed while using {}: {detail}", .path.display())]
    Disk {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        detail: String,
    },
    /// The disk failed in the middle of a commit and also kept it from being taken back.
    #[error("the disk failed while {} was written, and it is not known whether this was stored: {detail}", .path.display())]
    Unsure {
        /// The database file.
        path: PathBuf,
        /// What failed first, and what failed then.
        detail: String,
    },
    /// The wake-up channel could not be watched.
    #[error("cannot watch {} for wake-ups: {detail}", .path.display())]
    Watch {
        /// The signal directory.
        path: PathBuf,
        /// What the watcher said.
        detail: String,
    },
    /// A statement violated a constraint of the schema.
    #[error("the store refused a row: {detail}")]
    Constraint {
        /// What SQLite said.
        detail: String,
    },
    /// The program used the store wrongly.
    #[error("internal error in the store: {detail}")]
    Internal {
        /// What was wrong.
        detail: String,
    },
}

impl StoreError {
    /// The coarse kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::GateHeld { .. } | Self::Locked { .. } => ErrorKind::Busy,
            Self::Damaged { .. }
            | Self::DamagedText { .. }
            | Self::MissingText { .. }
            | Self::Emptied { .. }
            | Self::WrongColumn { .. }
            | Self::UnreadableRow { .. } => ErrorKind::Damaged,
            Self::NotOurs { .. } | Self::OtherProgram { .. } => ErrorKind::Foreign,
            Self::NewerSchema { .. } | Self::NewerFold { .. } => ErrorKind::Newer,
            Self::OlderSchema { .. } => ErrorKind::Older,
            Self::Absent { .. } | Self::Gone { .. } | Self::Replaced { .. } => ErrorKind::Missing,
            Self::ReadOnly { .. } | Self::OpenedReadOnly => ErrorKind::ReadOnly,
            Self::Undecided { .. } => ErrorKind::Undecided,
            Self::Unidentified { .. } => ErrorKind::Unidentified,
            Self::Key { .. } => ErrorKind::Key,
            Self::Full { .. } => ErrorKind::Full,
            Self::FileSystem { .. } => ErrorKind::FileSystem,
            Self::OldLibrary { .. } => ErrorKind::Unsupported,
            Self::Io { .. } | Self::Disk { .. } | Self::Unsure { .. } | Self::Watch { .. } => ErrorKind::Io,
            Self::Constraint { .. } | Self::Internal { .. } => ErrorKind::Internal,
        }
    }

    /// The command that helps, when there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Absent { .. } => Some("interagent setup"),
            Self::Damaged { .. }
            | Self::DamagedText { .. }
            | Self::MissingText { .. }
            | Self::Emptied { .. }
            | Self::Gone { .. } => Some("interagent doctor --recover"),
            Self::WrongColumn { .. } | Self::UnreadableRow { .. } => Some("interagent doctor --rebuild"),
            Self::OlderSchema { .. } => Some("run any interagent command once where the hub may be written"),
            Self::NewerFold { .. } => Some("update interagent, and start running programs of it again"),
            Self::Undecided { .. } => Some(DECIDE),
            Self::Key { .. } => Some(NEW_KEY),
            Self::GateHeld { .. }
            | Self::Unidentified { .. }
            | Self::Locked { .. }
            | Self::NotOurs { .. }
            | Self::OtherProgram { .. }
            | Self::NewerSchema { .. }
            | Self::Replaced { .. }
            | Self::ReadOnly { .. }
            | Self::Full { .. }
            | Self::FileSystem { .. }
            | Self::OldLibrary { .. }
            | Self::Io { .. }
            | Self::Disk { .. }
            | Self::Unsure { .. }
            | Self::Watch { .. } => Some("interagent doctor"),
            Self::OpenedReadOnly | Self::Constraint { .. } | Self::Internal { .. } => None,
        }
    }

    /// An error for misuse of the store by the program itself.
    pub fn internal(detail: impl Into<String>) -> Self {
        Self::Internal { detail: detail.into() }
    }

    /// A row that can't be read.
    pub(crate) fn unreadable_row(detail: String) -> Self {
        Self::UnreadableRow { detail }
    }

    /// The database has its tables but no hub in them.
    pub(crate) fn no_hub() -> Self {
        Self::unreadable_row("the database holds no hub".to_owned())
    }

    /// Translates an error of the operating system on one of our files.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        use std::io::ErrorKind as Os;
        let path = path.into();
        match source.kind() {
            Os::PermissionDenied | Os::ReadOnlyFilesystem => {
                Self::ReadOnly { path, action: "used", detail: format!("could not {action} it: {source}") }
            }
            Os::StorageFull | Os::QuotaExceeded | Os::FileTooLarge => {
                Self::Full { path, detail: source.to_string() }
            }
            _ => Self::Io { action, path, source },
        }
    }
}

fn held_by(holder: Option<GateHolder>) -> String {
    match holder {
        Some(GateHolder { pid, stopped: true }) => {
            format!("is held by process {pid}, which is stopped (continue or end it)")
        }
        Some(GateHolder { pid, stopped: false }) => format!("is held by process {pid}"),
        None => "is held by a process that did not leave its id".to_owned(),
    }
}

impl ErrorKind {
    /// The kind as a word that programs can match.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Busy => "store_busy",
            Self::Damaged => "store_damaged",
            Self::Foreign => "store_foreign",
            Self::Newer => "store_newer",
            Self::Older => "store_older",
            Self::Missing => "store_missing",
            Self::ReadOnly => "store_read_only",
            Self::Undecided => "store_undecided",
            Self::Unidentified => "store_unidentified",
            Self::Key => "store_key",
            Self::Full => "store_full",
            Self::FileSystem => "store_file_system",
            Self::Unsupported => "store_unsupported",
            Self::Io => "store_io",
            Self::Internal => "store_internal",
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        let refusal = Self::unavailable(error.kind().as_str(), error.to_string());
        match error.hint() {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        }
    }
}
