-- The ledger: the one append-only table that everything else is derived from.
CREATE TABLE entry (
    log  TEXT    NOT NULL,
    seq  INTEGER NOT NULL,
    kind TEXT    NOT NULL,
    slip TEXT,                      -- the slip it is about, from the leaf
    hash TEXT    NOT NULL,          -- the leaf hash, to name a changed entry
    leaf TEXT    NOT NULL,          -- canonical JSON; these bytes are hashed
    PRIMARY KEY (log, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_of_slip ON entry (slip, seq) WHERE slip IS NOT NULL;

-- One signed statement of size and root for every committed batch of a log.
CREATE TABLE checkpoint (
    log      TEXT    NOT NULL,
    size     INTEGER NOT NULL,
    at_us    INTEGER NOT NULL,      -- time of the last entry; the next is never earlier
    frontier TEXT    NOT NULL,      -- roots of the complete subtrees, hex, largest first
    note     TEXT    NOT NULL,
    PRIMARY KEY (log, size)
) STRICT, WITHOUT ROWID;

-- Projections, written in the transaction of their entry and derived from it alone.

-- The order in which things were set up, across all logs.
CREATE TABLE setup (
    position INTEGER NOT NULL PRIMARY KEY,
    log      TEXT    NOT NULL,
    seq      INTEGER NOT NULL
) STRICT;

CREATE TABLE slip (
    id     TEXT    NOT NULL PRIMARY KEY,
    log    TEXT    NOT NULL,
    number INTEGER NOT NULL,
    UNIQUE (log, number)
) STRICT, WITHOUT ROWID;

-- Which entry answered a request with a key.
CREATE TABLE answer (
    actor TEXT    NOT NULL,
    key   TEXT    NOT NULL,
    log   TEXT    NOT NULL,
    seq   INTEGER NOT NULL,
    PRIMARY KEY (actor, key)
) STRICT, WITHOUT ROWID;

-- Secrets are kept outside the ledger, and only as hashes.
CREATE TABLE token (
    id            TEXT    NOT NULL PRIMARY KEY,
    tournament    TEXT    NOT NULL,
    role          TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    secret_sha256 TEXT    NOT NULL UNIQUE,
    created_us    INTEGER NOT NULL,
    revoked_us    INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX token_name ON token (name) WHERE revoked_us IS NULL;

-- A fence against accidents; what detects tampering is the signed tree. REPLACE deletes without
-- firing a delete trigger where a program did not ask for it, hence the triggers on INSERT.
CREATE TRIGGER entry_kept   BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entry_fixed  BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entry_once   BEFORE INSERT ON entry
    WHEN EXISTS (SELECT 1 FROM entry WHERE log = NEW.log AND seq = NEW.seq)
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER checkpoint_kept  BEFORE DELETE ON checkpoint BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER checkpoint_fixed BEFORE UPDATE ON checkpoint BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER checkpoint_once  BEFORE INSERT ON checkpoint
    WHEN EXISTS (SELECT 1 FROM checkpoint WHERE log = NEW.log AND size = NEW.size)
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
