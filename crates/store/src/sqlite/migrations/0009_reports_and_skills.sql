-- The reports of tasks, to ask for all since a moment and for those that propose a skill. Rows belong to their task.
CREATE TABLE task_reports (
    hub INTEGER NOT NULL, task TEXT NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, worker TEXT NOT NULL,
    found INTEGER NOT NULL,
    PRIMARY KEY (hub, task, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX reports_at ON task_reports (hub, at, task, n);
CREATE INDEX reports_worker ON task_reports (hub, worker, at, task, n);
CREATE INDEX reports_found ON task_reports (hub, at, task, n) WHERE found = 1;
-- What the operator made of skills that were proposed.
CREATE TABLE skills (
    hub INTEGER NOT NULL, key TEXT NOT NULL, promoted INTEGER NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (hub, key)
) STRICT, WITHOUT ROWID;
-- Small facts of this machine that are no events: what was announced, how far somebody has seen.
CREATE TABLE marks (
    hub INTEGER NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, value TEXT NOT NULL, wall INTEGER NOT NULL,
    PRIMARY KEY (hub, kind, subject)
) STRICT, WITHOUT ROWID;
