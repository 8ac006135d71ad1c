-- Where a slip was filed, so that slips near each other are found: at which table of which round, and from which
-- seat; and which review an entry opens. All three are derived from the entry alone.
ALTER TABLE entry ADD COLUMN
    place  TEXT;                        -- tournament, division, round or -, table
ALTER TABLE entry ADD COLUMN
    seat   TEXT;                        -- tournament, division, round or -, @ and the actor's id, and - where no table was named
ALTER TABLE entry ADD COLUMN
    review TEXT;
ALTER TABLE entry DISABLE TRIGGER entry_fixed;
UPDATE entry SET
    place = SPLIT_PART(log, '+', 1)
        || ' ' || (leaf::json #>> '{payload,slip,division}') || ' ' || COALESCE(leaf::json #>> '{payload,slip,round}', '-')
        || ' ' || (leaf::json #>> '{payload,slip,table}'),
    seat = SPLIT_PART(log, '+', 1)
        || ' ' || (leaf::json #>> '{payload,slip,division}') || ' ' || COALESCE(leaf::json #>> '{payload,slip,round}', '-')
        || ' @' || (leaf::json #>> '{actor,id}') || CASE WHEN leaf::json #>> '{payload,slip,table}' IS NULL THEN ' -' ELSE '' END
    WHERE number IS NOT NULL;
ALTER TABLE entry ENABLE TRIGGER entry_fixed;
CREATE INDEX entry_of_place ON entry (place) WHERE place IS NOT NULL;
CREATE INDEX entry_of_seat ON entry (seat) WHERE seat IS NOT NULL;
CREATE INDEX entry_of_review ON entry (review) WHERE review IS NOT NULL;
-- What stands in the queue, and incidents, are found by the kinds that open them.
CREATE INDEX entry_that_opens ON entry (log, kind, seq)
    WHERE kind IN ('slip-awaits-manual-lookup', 'slip-held', 'review-requested', 'called', 'incident-ruled');
