-- Which terminal is whose: one for each agent of this machine, as it was started or joined. What is in it now is asked
-- of tmux.
CREATE TABLE panes (
    hub INTEGER NOT NULL, agent TEXT NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (hub, agent)
) STRICT, WITHOUT ROWID;
