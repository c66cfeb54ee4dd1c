-- The log: what happened. `hub` is a local number, so that a key costs one byte and one database can hold many hubs.
CREATE TABLE hubs (
    hub INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    origin TEXT NOT NULL,
    alias TEXT NOT NULL,
    machine TEXT NOT NULL,
    inode INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    oseq INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    prev TEXT NOT NULL
) STRICT;
CREATE TABLE entries (
    hub INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    origin TEXT NOT NULL,
    oseq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    wall INTEGER NOT NULL,
    actor TEXT NOT NULL,
    op TEXT NOT NULL,
    key TEXT,
    request TEXT,
    held INTEGER NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (hub, seq)
) STRICT;
CREATE UNIQUE INDEX entries_origin ON entries (hub, origin, oseq);
CREATE UNIQUE INDEX entries_key ON entries (hub, actor, key) WHERE key IS NOT NULL;
CREATE INDEX entries_held ON entries (hub, at) WHERE held = 1;
CREATE TABLE blobs (
    hub INTEGER NOT NULL,
    hash TEXT NOT NULL,
    salt TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (hub, hash)
) STRICT;

-- The views: what the log means. Every row is owned by exactly one entity and can be made again from the log.
CREATE TABLE entity_log (
    hub INTEGER NOT NULL,
    entity TEXT NOT NULL,
    at INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    n INTEGER NOT NULL,
    void TEXT,
    PRIMARY KEY (hub, entity, at, seq, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE origins (
    hub INTEGER NOT NULL, id TEXT NOT NULL, alias TEXT NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (hub, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE teams (hub INTEGER PRIMARY KEY, doc TEXT NOT NULL) STRICT;
CREATE TABLE agents (
    hub INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, home TEXT NOT NULL, at INTEGER NOT NULL,
    retired INTEGER NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (hub, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX agents_name ON agents (hub, name);
CREATE TABLE messages (
    hub INTEGER NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, thread TEXT NOT NULL, sender TEXT NOT NULL,
    task TEXT, held TEXT, expires INTEGER, doc TEXT NOT NULL,
    PRIMARY KEY (hub, id)
) STRICT;
CREATE INDEX messages_at ON messages (hub, at);
CREATE INDEX messages_thread ON messages (hub, thread, at);
CREATE INDEX messages_task ON messages (hub, task, at) WHERE task IS NOT NULL;
CREATE INDEX messages_held ON messages (hub, at) WHERE held IS NOT NULL;
CREATE TABLE mail (
    hub INTEGER NOT NULL, message TEXT NOT NULL, agent TEXT NOT NULL, at INTEGER NOT NULL,
    unread INTEGER NOT NULL, state TEXT NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (hub, message, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX mail_agent ON mail (hub, agent, unread, at);
CREATE TABLE obligations (
    hub INTEGER NOT NULL, message TEXT NOT NULL, agent TEXT NOT NULL, duty TEXT NOT NULL, task TEXT,
    since INTEGER NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (hub, message, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX obligations_agent ON obligations (hub, agent, at);
CREATE INDEX obligations_task ON obligations (hub, task) WHERE task IS NOT NULL;
CREATE TABLE tasks (
    hub INTEGER NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, status TEXT NOT NULL, closed INTEGER NOT NULL,
    assignee TEXT, parent TEXT, rank INTEGER NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (hub, id)
) STRICT;
CREATE INDEX tasks_at ON tasks (hub, at);
CREATE INDEX tasks_open ON tasks (hub, assignee, rank, at) WHERE closed = 0;
CREATE INDEX tasks_parent ON tasks (hub, parent) WHERE parent IS NOT NULL;
CREATE TABLE deps (
    hub INTEGER NOT NULL, task TEXT NOT NULL, depends_on TEXT NOT NULL,
    PRIMARY KEY (hub, task, depends_on)
) STRICT, WITHOUT ROWID;
CREATE INDEX deps_on ON deps (hub, depends_on);
CREATE TABLE reviews (
    hub INTEGER NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, task TEXT, closed INTEGER NOT NULL,
    doc TEXT NOT NULL,
    PRIMARY KEY (hub, id)
) STRICT;
CREATE INDEX reviews_at ON reviews (hub, at);
CREATE INDEX reviews_task ON reviews (hub, task) WHERE task IS NOT NULL;
CREATE TABLE specs (
    hub INTEGER NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (hub, name)
) STRICT;
CREATE TABLE decisions (
    hub INTEGER NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, closed INTEGER NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (hub, id)
) STRICT;
CREATE INDEX decisions_at ON decisions (hub, at);
CREATE TABLE leases (
    hub INTEGER NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, ended INTEGER NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (hub, id)
) STRICT;
CREATE INDEX leases_at ON leases (hub, at);
CREATE TABLE aliases (
    hub INTEGER NOT NULL, alias TEXT NOT NULL, entity TEXT NOT NULL,
    PRIMARY KEY (hub, alias, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_entity ON aliases (hub, entity);

-- Observations: what this machine saw. Not in the log, not in git; a rebuild leaves them alone.
CREATE TABLE sessions (
    hub INTEGER NOT NULL, id TEXT NOT NULL, agent TEXT NOT NULL, ended INTEGER NOT NULL, pid INTEGER,
    doc TEXT NOT NULL,
    PRIMARY KEY (hub, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_agent ON sessions (hub, agent) WHERE ended = 0;
CREATE TABLE offers (
    hub INTEGER NOT NULL, message TEXT NOT NULL, agent TEXT NOT NULL, holder TEXT NOT NULL, via TEXT NOT NULL,
    attempt INTEGER NOT NULL, offered INTEGER NOT NULL, boot TEXT NOT NULL, due_boot INTEGER NOT NULL,
    due_wall INTEGER NOT NULL,
    PRIMARY KEY (hub, message, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX offers_holder ON offers (hub, holder);
CREATE TABLE lease_clocks (
    hub INTEGER NOT NULL, lease TEXT NOT NULL, boot TEXT NOT NULL, due_boot INTEGER NOT NULL,
    due_wall INTEGER NOT NULL,
    PRIMARY KEY (hub, lease)
) STRICT, WITHOUT ROWID;
CREATE TABLE pairs (
    hub INTEGER NOT NULL, sender TEXT NOT NULL, recipient TEXT NOT NULL, since INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (hub, sender, recipient)
) STRICT, WITHOUT ROWID;
CREATE TABLE trace (
    hub INTEGER NOT NULL, n INTEGER NOT NULL, wall INTEGER NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (hub, n)
) STRICT, WITHOUT ROWID;
