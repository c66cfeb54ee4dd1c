-- What this store knows of each replica's key, and what its people decided. Local: it is never in git, no view and no event.
CREATE TABLE replicas (
    hub INTEGER NOT NULL,
    origin TEXT NOT NULL,
    -- own, new, accepted or rejected.
    standing TEXT NOT NULL,
    -- The pinned public key; empty while the replica signed nothing.
    key TEXT NOT NULL DEFAULT '',
    -- The newest seal of that key, as JSON, and the entry it covers.
    seal TEXT NOT NULL DEFAULT '',
    sealed INTEGER NOT NULL DEFAULT 0,
    -- The entry that the first seal seen here covers: the end of the unsigned history.
    first_sealed INTEGER NOT NULL DEFAULT 0,
    -- A seal of another key, where one was seen.
    rival TEXT NOT NULL DEFAULT '',
    -- Entries up to this one count whatever the standing says: they counted before standings were known.
    counted INTEGER NOT NULL DEFAULT 0,
    -- The replica that it succeeds, because a person said so here.
    succeeds TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (hub, origin)
) STRICT, WITHOUT ROWID;
INSERT INTO replicas (hub, origin, standing, counted)
    SELECT e.hub, e.origin, CASE WHEN e.origin = h.origin THEN 'own' ELSE 'new' END, MAX(e.oseq)
    FROM entries e JOIN hubs h ON h.hub = e.hub GROUP BY e.hub, e.origin, h.origin;
