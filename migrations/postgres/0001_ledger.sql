-- The ledger: the one append-only table that everything else is derived from.
CREATE TABLE entry (
    log  TEXT    NOT NULL,
    seq  BIGINT  NOT NULL,
    kind TEXT    NOT NULL,
    slip TEXT,                      -- the slip it is about, from the leaf
    hash TEXT    NOT NULL,          -- the leaf hash, to name a changed entry
    leaf TEXT    NOT NULL,          -- canonical JSON; these bytes are hashed
    PRIMARY KEY (log, seq)
);
CREATE INDEX entry_of_slip ON entry (slip, seq) WHERE slip IS NOT NULL;

-- One signed statement of size and root for every committed batch of a log.
CREATE TABLE checkpoint (
    log      TEXT    NOT NULL,
    size     BIGINT  NOT NULL,
    at_us    BIGINT  NOT NULL,      -- time of the last entry; the next is never earlier
    frontier TEXT    NOT NULL,      -- roots of the complete subtrees, hex, largest first
    note     TEXT    NOT NULL,
    PRIMARY KEY (log, size)
);

-- Projections, written in the transaction of their entry and derived from it alone.

-- The order in which things were set up, across all logs.
CREATE TABLE setup (
    position BIGINT  NOT NULL PRIMARY KEY,
    log      TEXT    NOT NULL,
    seq      BIGINT  NOT NULL
);

CREATE TABLE slip (
    id     TEXT    NOT NULL PRIMARY KEY,
    log    TEXT    NOT NULL,
    number BIGINT  NOT NULL,
    UNIQUE (log, number)
);

-- Which entry answered a request with a key.
CREATE TABLE answer (
    actor TEXT    NOT NULL,
    key   TEXT    NOT NULL,
    log   TEXT    NOT NULL,
    seq   BIGINT  NOT NULL,
    PRIMARY KEY (actor, key)
);

-- Secrets are kept outside the ledger, and only as hashes.
CREATE TABLE token (
    id            TEXT    NOT NULL PRIMARY KEY,
    tournament    TEXT    NOT NULL,
    role          TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    secret_sha256 TEXT    NOT NULL UNIQUE,
    created_us    BIGINT  NOT NULL,
    revoked_us    BIGINT
);
CREATE UNIQUE INDEX token_name ON token (name) WHERE revoked_us IS NULL;

-- A fence against accidents; what detects tampering is the signed tree.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
CREATE TRIGGER entry_fixed BEFORE UPDATE OR DELETE ON entry FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER entry_kept BEFORE TRUNCATE ON entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER checkpoint_fixed BEFORE UPDATE OR DELETE ON checkpoint FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER checkpoint_kept BEFORE TRUNCATE ON checkpoint FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
