-- Every imported lexicon, so that further servers and backups have it. Verified like a file before use.
CREATE TABLE lexicon (
    id           TEXT    NOT NULL,
    fingerprint  TEXT    NOT NULL,
    manifest     TEXT    NOT NULL,  -- JSON, as beside the index file
    index_base64 TEXT    NOT NULL,
    PRIMARY KEY (id, fingerprint)
);
