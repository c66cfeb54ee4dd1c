//! Readable files: derived from the log, written by a follower, never needed to read the log again.
