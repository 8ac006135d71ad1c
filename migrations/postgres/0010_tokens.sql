-- How many requests a minute a client's token may make, where that is not the default. And names are unique within their
-- tournament: another one may have a token of the same name.
ALTER TABLE token ADD COLUMN per_minute BIGINT;
DROP INDEX token_name;
CREATE UNIQUE INDEX token_name ON token (tournament, name) WHERE revoked_us IS NULL;
