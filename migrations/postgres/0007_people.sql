-- What lets people and devices in. Who they are and what they may do is in the log `server`; here are hashes and
-- counters, which are of use to nobody once the event is over.

-- Of a staff member the argon2 hash of PIN or passphrase; of a device the SHA-256 of its secret.
CREATE TABLE credential (
    subject TEXT    NOT NULL PRIMARY KEY,
    hash    TEXT    NOT NULL,
    fails   BIGINT  NOT NULL
);

-- A code that a device is paired by. The beginning finds the row, the hash is of the whole code. Codes on a printed
-- sheet have no end.
CREATE TABLE pairing (
    device    TEXT    NOT NULL PRIMARY KEY,
    beginning TEXT    NOT NULL UNIQUE,
    hash      TEXT    NOT NULL,
    fails     BIGINT  NOT NULL,
    until_us  BIGINT
);

CREATE TABLE session (
    secret_sha256 TEXT    NOT NULL PRIMARY KEY,
    staff         TEXT    NOT NULL,
    device        TEXT,
    began_us      BIGINT  NOT NULL,
    seen_us       BIGINT  NOT NULL,
    ended         BIGINT  NOT NULL
);
CREATE INDEX session_staff ON session (staff);
