-- Which way of folding made the views. Those of the first schema were made by the first.
ALTER TABLE hubs ADD COLUMN fold INTEGER NOT NULL DEFAULT 1;
-- When a session was last heard of, so that ended ones can be forgotten.
ALTER TABLE sessions ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
