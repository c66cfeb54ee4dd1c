-- What a pair said in words counts apart from the work that one gives the other.
ALTER TABLE pairs ADD COLUMN words INTEGER NOT NULL DEFAULT 0;
UPDATE pairs SET words = count;
