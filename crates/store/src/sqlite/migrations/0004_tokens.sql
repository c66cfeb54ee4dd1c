-- What a client over the network shows to be an agent. Only the hash is kept: a copy of the database lets nobody in.
CREATE TABLE tokens (
    hub INTEGER NOT NULL, agent TEXT NOT NULL, hash TEXT NOT NULL, created INTEGER NOT NULL,
    PRIMARY KEY (hub, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_hash ON tokens (hub, hash);
