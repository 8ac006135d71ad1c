-- Which log goes on where another was closed: from the latter's entry 0, which is signed and says why.
-- A log may be named twice, when its continuation was closed as well; the last one is open.
CREATE TABLE continued (
    log    TEXT NOT NULL,
    by_log TEXT NOT NULL,
    PRIMARY KEY (log, by_log)
) STRICT;
