-- How often a director had confirmed the clock when the last entry was written: within one era time never goes back.
ALTER TABLE checkpoint ADD COLUMN era INTEGER NOT NULL DEFAULT 0;
-- The newest entry of all logs, for the time of the next one.
CREATE INDEX checkpoint_newest ON checkpoint (era, at_us);
