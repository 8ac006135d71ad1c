-- What is derived from an entry alone, its slip's number and the key that it answered, goes into the entry's own
-- row: one insert in place of three. And entries get row ids: a table without them is one tree whose rows
-- spill when they exceed a quarter of a page, and most leaves do; each then took a page of its own.
ALTER TABLE entry RENAME TO entry_before;
CREATE TABLE entry (
    log       TEXT    NOT NULL,
    seq       INTEGER NOT NULL,
    kind      TEXT    NOT NULL,
    slip      TEXT,                     -- the slip it is about
    number    INTEGER,                  -- and the slip's number, where the entry files it
    asked_by  TEXT,                     -- the actor whose request it answered, where that had a key
    asked_key TEXT,
    hash      TEXT    NOT NULL,
    leaf      TEXT    NOT NULL,
    PRIMARY KEY (log, seq)
) STRICT;
INSERT INTO entry (log, seq, kind, slip, number, asked_by, asked_key, hash, leaf)
    SELECT e.log, e.seq, e.kind, e.slip, s.number, a.actor, a.key, e.hash, e.leaf FROM entry_before e
    LEFT JOIN slip s ON s.id = e.slip AND s.log = e.log
    LEFT JOIN answer a ON a.log = e.log AND a.seq = e.seq
    ORDER BY e.log, e.seq;
-- Index and fences go with their table.
DROP TABLE entry_before;
DROP TABLE slip;
DROP TABLE answer;
CREATE INDEX entry_of_slip ON entry (slip, seq) WHERE slip IS NOT NULL;
CREATE UNIQUE INDEX entry_of_number ON entry (log, number) WHERE number IS NOT NULL;
CREATE UNIQUE INDEX entry_of_key ON entry (asked_by, asked_key) WHERE asked_key IS NOT NULL;
CREATE TRIGGER entry_kept   BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entry_fixed  BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entry_once   BEFORE INSERT ON entry
    WHEN EXISTS (SELECT 1 FROM entry WHERE log = NEW.log AND seq = NEW.seq)
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
