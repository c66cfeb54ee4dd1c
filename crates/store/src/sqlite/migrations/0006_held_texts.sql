-- Texts that look like secrets: kept out of git and files until they are released. A row without a kind is a release
-- that came before its text.
CREATE TABLE suspects (
    hub INTEGER NOT NULL, hash TEXT NOT NULL, kind TEXT NOT NULL, entity TEXT NOT NULL, held INTEGER NOT NULL,
    PRIMARY KEY (hub, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX suspects_held ON suspects (hub, hash) WHERE held = 1;
-- What did not count: there is little of it, and a merge asks for all.
CREATE INDEX entity_log_void ON entity_log (hub, entity, at, seq, n) WHERE void IS NOT NULL;
