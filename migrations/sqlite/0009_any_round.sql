-- The place and the seat of a slip in any round of its division: before the first round is opened, and where a slip has
-- none, slips near each other may name different rounds. Both follow from the columns that have the round: what stands
-- before its second blank, and what stands after its third.
ALTER TABLE entry ADD COLUMN place_of_any_round TEXT GENERATED ALWAYS AS (
    SUBSTR(place, 1, INSTR(place, ' ') + INSTR(SUBSTR(place, INSTR(place, ' ') + 1), ' '))
    || SUBSTR(SUBSTR(SUBSTR(place, INSTR(place, ' ') + 1), INSTR(SUBSTR(place, INSTR(place, ' ') + 1), ' ') + 1), INSTR(SUBSTR(SUBSTR(place, INSTR(place, ' ') + 1), INSTR(SUBSTR(place, INSTR(place, ' ') + 1), ' ') + 1), ' ') + 1)
) VIRTUAL;
ALTER TABLE entry ADD COLUMN seat_of_any_round TEXT GENERATED ALWAYS AS (
    SUBSTR(seat, 1, INSTR(seat, ' ') + INSTR(SUBSTR(seat, INSTR(seat, ' ') + 1), ' '))
    || SUBSTR(SUBSTR(SUBSTR(seat, INSTR(seat, ' ') + 1), INSTR(SUBSTR(seat, INSTR(seat, ' ') + 1), ' ') + 1), INSTR(SUBSTR(SUBSTR(seat, INSTR(seat, ' ') + 1), INSTR(SUBSTR(seat, INSTR(seat, ' ') + 1), ' ') + 1), ' ') + 1)
) VIRTUAL;
CREATE INDEX entry_of_place_of_any_round ON entry (place_of_any_round) WHERE place_of_any_round IS NOT NULL;
CREATE INDEX entry_of_seat_of_any_round ON entry (seat_of_any_round) WHERE seat_of_any_round IS NOT NULL;
