-- Who changed which file in the last moments, and who told whom: two agents on one file are told of each other.
CREATE TABLE edits (
    hub INTEGER NOT NULL, path TEXT NOT NULL, agent TEXT NOT NULL, told TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (hub, path, agent, told)
) STRICT, WITHOUT ROWID;
CREATE INDEX edits_at ON edits (hub, at);
