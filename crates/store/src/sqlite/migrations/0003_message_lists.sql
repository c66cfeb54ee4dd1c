-- Lists of messages by sender and by intent walk an index, like those by thread and task, and know when each was sent. A
-- document that can't be read must not keep the whole hub from being opened: its row is left for `doctor`.
ALTER TABLE messages ADD COLUMN intent TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN wall INTEGER NOT NULL DEFAULT 0;
UPDATE messages SET
    intent = COALESCE(json_extract(doc, '$.intent'), ''),
    wall = CAST(COALESCE(json_extract(doc, '$.sent.wall'), 0) AS INTEGER)
WHERE json_valid(doc);
CREATE INDEX messages_sender ON messages (hub, sender, at);
CREATE INDEX messages_intent ON messages (hub, intent, at);
-- Questions that every summary asks: tasks of one status, and the reviews that wait.
CREATE INDEX tasks_status ON tasks (hub, status, at);
CREATE INDEX reviews_open ON reviews (hub, at) WHERE closed = 0;
