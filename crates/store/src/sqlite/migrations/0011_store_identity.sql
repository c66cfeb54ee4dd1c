-- What identifies the store: the id in the file beside the database. The user only describes a doubt, as the machine does.
ALTER TABLE hubs ADD COLUMN store_id TEXT NOT NULL DEFAULT '';
ALTER TABLE hubs ADD COLUMN user_id TEXT NOT NULL DEFAULT '';
