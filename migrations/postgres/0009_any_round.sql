-- The place and the seat of a slip in any round of its division: before the first round is opened, and where a slip has
-- none, slips near each other may name different rounds. Both follow from the columns that have the round.
ALTER TABLE entry ADD COLUMN place_of_any_round TEXT GENERATED ALWAYS AS (REGEXP_REPLACE(place, '^([^ ]+ [^ ]+) [^ ]+ ', '\1 ')) STORED;
ALTER TABLE entry ADD COLUMN seat_of_any_round TEXT GENERATED ALWAYS AS (REGEXP_REPLACE(seat, '^([^ ]+ [^ ]+) [^ ]+ ', '\1 ')) STORED;
CREATE INDEX entry_of_place_of_any_round ON entry (place_of_any_round) WHERE place_of_any_round IS NOT NULL;
CREATE INDEX entry_of_seat_of_any_round ON entry (seat_of_any_round) WHERE seat_of_any_round IS NOT NULL;
