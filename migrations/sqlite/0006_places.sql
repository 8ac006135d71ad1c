-- Where a slip was filed, so that slips near each other are found: at which table of which round, and from which
-- seat; and which review an entry opens. All three are derived from the entry alone.
ALTER TABLE entry ADD COLUMN place TEXT;   -- tournament, division, round or -, table
ALTER TABLE entry ADD COLUMN seat TEXT;    -- tournament, division, round or -, @ and the actor's id, and - where no table was named
ALTER TABLE entry ADD COLUMN review TEXT;
DROP TRIGGER entry_fixed;
UPDATE entry SET
    place = (CASE WHEN INSTR(log, '+') > 0 THEN SUBSTR(log, 1, INSTR(log, '+') - 1) ELSE log END)
        || ' ' || (leaf ->> '$.payload.slip.division') || ' ' || COALESCE(leaf ->> '$.payload.slip.round', '-')
        || ' ' || (leaf ->> '$.payload.slip.table'),
    seat = (CASE WHEN INSTR(log, '+') > 0 THEN SUBSTR(log, 1, INSTR(log, '+') - 1) ELSE log END)
        || ' ' || (leaf ->> '$.payload.slip.division') || ' ' || COALESCE(leaf ->> '$.payload.slip.round', '-')
        || ' @' || (leaf ->> '$.actor.id') || CASE WHEN leaf ->> '$.payload.slip.table' IS NULL THEN ' -' ELSE '' END
    WHERE number IS NOT NULL;
CREATE TRIGGER entry_fixed  BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE INDEX entry_of_place ON entry (place) WHERE place IS NOT NULL;
CREATE INDEX entry_of_seat ON entry (seat) WHERE seat IS NOT NULL;
CREATE INDEX entry_of_review ON entry (review) WHERE review IS NOT NULL;
-- What stands in the queue, and incidents, are found by the kinds that open them.
CREATE INDEX entry_that_opens ON entry (log, kind, seq)
    WHERE kind IN ('slip-awaits-manual-lookup', 'slip-held', 'review-requested', 'called', 'incident-ruled');
