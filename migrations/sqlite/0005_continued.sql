-- Which log takes the entries of a name since an earlier one was closed: from its entry 0, which is signed and says
-- why. A name has a row for every continuation; the last one is open.
CREATE TABLE continued (
    name   TEXT NOT NULL,
    by_log TEXT NOT NULL,
    PRIMARY KEY (name, by_log)
) STRICT;
