-- When something is to be looked at again, and what is known of it until then. Written by whoever supervises, never by who
-- sends. `boot` and `due_boot` are the clock that counts; `due_wall` only says what it becomes in another run of the machine.
CREATE TABLE timers (
    hub INTEGER NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, agent TEXT NOT NULL, boot TEXT NOT NULL,
    due_boot INTEGER NOT NULL, due_wall INTEGER NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (hub, kind, subject, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX timers_due ON timers (hub, boot, due_boot);
