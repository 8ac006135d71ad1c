-- Entries get row ids. A table without them is one tree whose rows spill when they exceed a quarter of a
-- page, and most leaves do: each then took a page of its own, three times the room.
ALTER TABLE entry RENAME TO entry_before;
CREATE TABLE entry (
    log  TEXT    NOT NULL,
    seq  INTEGER NOT NULL,
    kind TEXT    NOT NULL,
    slip TEXT,
    hash TEXT    NOT NULL,
    leaf TEXT    NOT NULL,
    PRIMARY KEY (log, seq)
) STRICT;
INSERT INTO entry (log, seq, kind, slip, hash, leaf)
    SELECT log, seq, kind, slip, hash, leaf FROM entry_before ORDER BY log, seq;
-- Its index and its fences go with it.
DROP TABLE entry_before;
CREATE INDEX entry_of_slip ON entry (slip, seq) WHERE slip IS NOT NULL;
CREATE TRIGGER entry_kept   BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entry_fixed  BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entry_once   BEFORE INSERT ON entry
    WHEN EXISTS (SELECT 1 FROM entry WHERE log = NEW.log AND seq = NEW.seq)
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
