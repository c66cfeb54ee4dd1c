-- Which way of folding made the views. Those of the first schema were made by the first.
ALTER TABLE hubs ADD COLUMN fold INTEGER NOT NULL DEFAULT 1;
-- When a session was last heard of, so that ended ones can be forgotten. Where its document does not say so, it is kept as
-- long as one that was heard of now.
ALTER TABLE sessions ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET seen = CASE
    CASE WHEN json_valid(doc) THEN json_type(doc, '$.seen') END
    WHEN 'integer' THEN CAST(json_extract(doc, '$.seen') AS INTEGER)
    ELSE CAST(strftime('%s', 'now') AS INTEGER) * 1000000
END;
