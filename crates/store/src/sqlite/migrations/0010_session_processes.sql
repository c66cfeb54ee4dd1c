-- Whether an ancestor of a caller was ever bound is asked for every command of a person.
CREATE INDEX sessions_pid ON sessions (hub, pid);
