-- Which way of folding made the views. Those of the first schema were made by the first.
ALTER TABLE hubs ADD COLUMN fold INTEGER NOT NULL DEFAULT 1;
