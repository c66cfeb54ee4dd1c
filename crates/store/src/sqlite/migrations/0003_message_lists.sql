-- Lists of messages by sender and by intent walk an index, like those by thread and task. A document that can't be read must
-- not keep the whole hub from being opened: its row is left for `doctor`.
ALTER TABLE messages ADD COLUMN intent TEXT NOT NULL DEFAULT '';
UPDATE messages SET intent = CASE WHEN json_valid(doc) THEN COALESCE(json_extract(doc, '$.intent'), '') ELSE '' END;
CREATE INDEX messages_sender ON messages (hub, sender, at);
CREATE INDEX messages_intent ON messages (hub, intent, at);
