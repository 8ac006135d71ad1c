-- What is derived from an entry alone, its slip's number and the key that it answered, goes into the entry's own
-- row: one insert in place of three.
ALTER TABLE entry ADD COLUMN
    number    BIGINT;                   -- the slip's number, where the entry files it
ALTER TABLE entry ADD COLUMN
    asked_by  TEXT;                     -- the actor whose request it answered, where that had a key
ALTER TABLE entry ADD COLUMN
    asked_key TEXT;
ALTER TABLE entry DISABLE TRIGGER entry_fixed;
UPDATE entry e SET number = s.number FROM slip s WHERE s.id = e.slip AND s.log = e.log;
UPDATE entry e SET asked_by = a.actor, asked_key = a.key FROM answer a WHERE a.log = e.log AND a.seq = e.seq;
ALTER TABLE entry ENABLE TRIGGER entry_fixed;
DROP TABLE slip;
DROP TABLE answer;
CREATE UNIQUE INDEX entry_of_number ON entry (log, number) WHERE number IS NOT NULL;
CREATE UNIQUE INDEX entry_of_key ON entry (asked_by, asked_key) WHERE asked_key IS NOT NULL;
