-- Lists of messages by sender and by intent walk an index, like those by thread and task.
ALTER TABLE messages ADD COLUMN intent TEXT NOT NULL DEFAULT '';
UPDATE messages SET intent = COALESCE(json_extract(doc, '$.intent'), '');
CREATE INDEX messages_sender ON messages (hub, sender, at);
CREATE INDEX messages_intent ON messages (hub, intent, at);
