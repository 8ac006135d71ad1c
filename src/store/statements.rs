//! Every SQL statement of the program, by name. Both engines take the same text, and a test plans each of them.
//! Statements that write many rows at once are in [`multi_row`].

pub mod multi_row;

/// A statement known at compile time.
#[derive(Clone, Copy, Debug)]
pub struct Statement(pub &'static str);

macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $sql:expr;)*) => {
        $($(#[$doc])* pub const $name: Statement = Statement($sql);)*
        const NARROW: &[Statement] = &[$($name),*];
    };
}

/// The last continuation of a name, if it has one. A row alone continues nothing: the first entry of the continuation
/// must exist.
macro_rules! open_log {
    () => {
        "SELECT c.by_log FROM continued c WHERE c.name = CAST($1 AS TEXT) \
        AND SUBSTR(c.by_log, 1, LENGTH(CAST($1 AS TEXT)) + 1) IN (CAST($1 AS TEXT) || '~', CAST($1 AS TEXT) || '+') \
        AND EXISTS (SELECT 1 FROM entry e WHERE e.log = c.by_log AND e.seq = 0 AND e.kind = 'restored') \
        ORDER BY LENGTH(c.by_log) DESC, c.by_log DESC LIMIT 1"
    };
}

/// All statements, for the test that plans each.
pub fn all() -> impl Iterator<Item = Statement> {
    let wide = multi_row::ALL.into_iter().flat_map(|wide| wide.widths).map(|(_, statement)| *statement);
    NARROW.iter().copied().chain(wide)
}

statements! {
    /// Always one row: the open log of a name, and its newest checkpoint if it has one.
    HEAD = concat!(
        "WITH o AS MATERIALIZED (SELECT COALESCE((",
        open_log!(),
        "), CAST($1 AS TEXT)) AS log) SELECT o.log, c.size, c.at_us, c.frontier, c.note, (SELECT MAX(e.number) \
        FROM entry e WHERE e.log = o.log AND e.number IS NOT NULL) AS number \
        FROM o LEFT JOIN checkpoint c ON c.log = o.log AND c.size = (SELECT MAX(m.size) \
        FROM checkpoint m WHERE m.log = o.log)"
    );
    /// The entries of the open log of a name from number $2 on, at most the last 2,000.
    NEWEST_ENTRIES = concat!(
        "WITH o AS MATERIALIZED (SELECT COALESCE((",
        open_log!(),
        "), CAST($1 AS TEXT)) AS log) SELECT e.log, e.seq, e.hash, e.leaf \
        FROM o JOIN entry e ON e.log = o.log AND e.seq >= (SELECT CASE WHEN MAX(m.seq) - 1999 > CAST($2 AS BIGINT) \
        THEN MAX(m.seq) - 1999 ELSE CAST($2 AS BIGINT) END \
        FROM entry m WHERE m.log = o.log) ORDER BY e.seq"
    );
    /// Records that the log $2 continues the name $1.
    ADD_CONTINUED = "INSERT INTO continued (name, by_log) VALUES ($1, $2)";
    /// The log that is open under a name, where it is a continuation; no row otherwise.
    OPEN_LOG = open_log!();
    /// The checkpoints of a log that are larger than $2, the smallest first.
    CHECKPOINTS = "\
        SELECT size, at_us, era, frontier, note FROM checkpoint \
        WHERE log = $1 AND size > $2 ORDER BY size LIMIT $3";
    /// The newest checkpoint of a log.
    LAST_CHECKPOINT = "SELECT size, note FROM checkpoint WHERE log = $1 ORDER BY size DESC LIMIT 1";
    /// The checkpoint of a log at one size.
    CHECKPOINT_AT = "SELECT note FROM checkpoint WHERE log = $1 AND size = $2";
    /// Adds a checkpoint with the frontier of the tree at its size.
    ADD_CHECKPOINT = "INSERT INTO checkpoint (log, size, at_us, frontier, note, era) VALUES ($1, $2, $3, $4, $5, $6)";
    /// The time of the newest entry since the clock was last confirmed.
    NEWEST = "SELECT era, at_us FROM checkpoint WHERE era >= 0 ORDER BY era DESC, at_us DESC LIMIT 1";
    /// The position of the newest set-up entry; 0 where there is none.
    LAST_SETUP = "SELECT COALESCE(MAX(position), 0) AS position FROM setup";
    /// The rows of a log from $2 on, with all columns that verification compares.
    ENTRIES = "\
        SELECT e.seq, e.kind, e.slip, e.number, e.asked_by, e.asked_key, e.place, e.seat, e.review, e.hash, e.leaf, \
        p.position \
        FROM (SELECT log, seq, kind, slip, number, asked_by, asked_key, place, seat, review, hash, leaf \
        FROM entry WHERE log = $1 AND seq >= $2 ORDER BY seq LIMIT $3) e LEFT \
        JOIN setup p ON p.log = e.log AND p.seq = e.seq \
        ORDER BY e.seq";
    /// How many set-up positions name a log.
    PLACES = "SELECT COUNT(*) AS places FROM setup WHERE log = $1";
    /// The leaves of a log from $2 on.
    LEAVES = "SELECT log, seq, hash, leaf FROM entry WHERE log = $1 AND seq >= $2 ORDER BY seq LIMIT $3";
    /// The leaf hashes of a log from $2 on.
    LEAF_HASHES = "SELECT hash FROM entry WHERE log = $1 AND seq >= $2 ORDER BY seq LIMIT $3";
    /// Every token, revoked ones too.
    ALL_TOKENS = "\
        SELECT id, tournament, role, name, per_minute, CAST(CASE WHEN revoked_us IS NULL THEN 0 \
        ELSE 1 END AS BIGINT) AS revoked FROM token";
    /// One entry of a log.
    ENTRY = "SELECT log, seq, hash, leaf FROM entry WHERE log = $1 AND seq = $2";
    /// All entries about a slip, in the order of its logs.
    ENTRIES_OF_SLIP = "SELECT log, seq, hash, leaf FROM entry WHERE slip = $1 ORDER BY LENGTH(log), log, seq";
    /// The slip that a review is about.
    SLIP_OF_REVIEW = "SELECT slip FROM entry WHERE review = $1";
    /// All entries of the slips of a log with numbers below $2, the newest slips first.
    SLIPS_BEFORE = "\
        SELECT e.log, e.seq, e.hash, e.leaf FROM (SELECT slip, number \
        FROM entry WHERE log = $1 AND number IS NOT NULL AND number < $2 \
        ORDER BY number DESC LIMIT $3) f JOIN entry e ON e.slip = f.slip \
        ORDER BY f.number DESC, LENGTH(e.log), e.log, e.seq";
    /// All entries of the items that entries of a kind opened in a log and that no later entry settled.
    OPENED_BY = "\
        SELECT e.log, e.seq, e.hash, e.leaf FROM entry o \
        JOIN entry e ON e.slip = o.slip WHERE o.log = $1 AND o.kind = $2 AND o.kind \
        IN ('slip-awaits-manual-lookup', 'slip-held', 'review-requested', 'called', 'incident-ruled', \
        'approval-asked') \
        AND NOT EXISTS (SELECT 1 FROM entry l WHERE l.slip = o.slip \
        AND (LENGTH(l.log) > LENGTH(o.log) OR (LENGTH(l.log) = LENGTH(o.log) AND (l.log > o.log OR (l.log = o.log \
        AND l.seq > o.seq)))) AND l.kind NOT \
        IN ('item-claimed', 'item-given-back', 'incident-reviewed', 'slip-settled')) \
        ORDER BY o.seq, LENGTH(e.log), e.log, e.seq";
    /// Every continuation, with its first entry.
    CONTINUATIONS = "SELECT c.by_log, e.leaf FROM continued c LEFT JOIN entry e ON e.log = c.by_log AND e.seq = 0";
    /// The continuations of a name.
    LOGS_OF = "SELECT by_log FROM continued WHERE name = $1";
    /// Log and sequence number of the newest entry about a slip.
    LAST_OF_SLIP = "SELECT log, seq FROM entry WHERE slip = $1 ORDER BY LENGTH(log) DESC, log DESC, seq DESC LIMIT 1";
    /// Gives a set-up entry the next position.
    ADD_SETUP = "\
        INSERT INTO setup (position, log, seq) SELECT COALESCE(MAX(position), 0) + 1, CAST($1 AS TEXT), CAST($2 AS \
        BIGINT) \
        FROM setup";
    /// The set-up entries after a position.
    SETUP_AFTER = "\
        SELECT s.position, s.log, s.seq, e.hash, e.leaf \
        FROM setup s JOIN entry e ON e.log = s.log AND e.seq = s.seq \
        WHERE s.position > $1 ORDER BY s.position";
    /// Includes logs that have entries and no opening: their entries may name a slip.
    LOGS = "\
        SELECT DISTINCT log FROM checkpoint UNION SELECT log \
        FROM setup UNION SELECT log FROM entry UNION SELECT by_log \
        FROM continued";
    /// The entries of the server log that opened a log.
    OPENED_LOGS = "\
        SELECT e.log, e.seq, e.hash, e.leaf FROM (SELECT 'server' AS log \
        UNION SELECT by_log FROM continued WHERE name = 'server') s LEFT \
        JOIN entry e ON e.log = s.log WHERE COALESCE(e.kind, '') = 'log-opened'";
    /// The entry that answered a request key of an actor.
    ANSWER = "SELECT log, seq, hash, leaf FROM entry WHERE asked_by = $1 AND asked_key = $2";
    /// Stores the files of an imported lexicon.
    ADD_LEXICON = "INSERT INTO lexicon (id, fingerprint, manifest, index_base64) VALUES ($1, $2, $3, $4)";
    /// The files of a lexicon by its id and fingerprint.
    LEXICON = "SELECT manifest, index_base64 FROM lexicon WHERE id = $1 AND fingerprint = $2";
    /// Adds a token by the hash of its secret.
    ADD_TOKEN = "\
        INSERT INTO token (id, tournament, role, name, secret_sha256, created_us, per_minute, revoked_us) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, NULL)";
    /// Sets the hash of a passphrase or PIN, and forgets its failed attempts.
    SET_CREDENTIAL = "\
        INSERT INTO credential (subject, hash, fails) \
        VALUES ($1, $2, 0) ON CONFLICT (subject) DO UPDATE SET hash = excluded.hash, fails = 0";
    /// The hash of a passphrase or PIN, and its failed attempts.
    CREDENTIAL = "SELECT hash, fails FROM credential WHERE subject = $1";
    /// Every hash of a passphrase or PIN.
    CREDENTIALS = "SELECT subject, hash FROM credential";
    /// Sets the number of failed attempts.
    SET_FAILS = "UPDATE credential SET fails = $1 WHERE subject = $2";
    /// No secret has the empty text as its hash.
    VOID_CREDENTIAL = "UPDATE credential SET hash = '' WHERE subject = $1";
    /// Gives a device a pairing code in place of the one before.
    SET_PAIRING = "\
        INSERT INTO pairing (device, beginning, hash, fails, until_us) \
        VALUES ($1, $2, $3, 0, $4) ON CONFLICT (device) \
        DO UPDATE SET beginning = excluded.beginning, hash = excluded.hash, fails = 0, until_us = excluded.until_us";
    /// The pairing code that begins with a prefix.
    PAIRING = "SELECT device, hash, fails, until_us FROM pairing WHERE beginning = $1";
    /// Counts a failed attempt at a pairing code.
    FAIL_PAIRING = "UPDATE pairing SET fails = fails + 1 WHERE device = $1";
    /// Consumes the code and frees its prefix for another one.
    CONSUME_PAIRING = "UPDATE pairing SET beginning = device, hash = '' WHERE device = $1";
    /// Adds a session by the hash of its secret.
    ADD_SESSION = "\
        INSERT INTO session (secret_sha256, staff, device, began_us, seen_us, ended) \
        VALUES ($1, $2, $3, $4, $4, 0)";
    /// A session that has not ended.
    SESSION = "SELECT staff, device, began_us, seen_us FROM session WHERE secret_sha256 = $1 AND ended = 0";
    /// Notes when a session was last used.
    SEE_SESSION = "UPDATE session SET seen_us = $1, began_us = $2 WHERE secret_sha256 = $3";
    /// Ends one session.
    END_SESSION = "UPDATE session SET ended = 1 WHERE secret_sha256 = $1";
    /// Ends the sessions on a device.
    END_SESSIONS_AT = "UPDATE session SET ended = 1 WHERE device = $1";
    /// Ends the other sessions of a staff member.
    END_OTHER_SESSIONS = "UPDATE session SET ended = 1 WHERE staff = $1 AND secret_sha256 <> $2";
    /// Ends the sessions of a staff member.
    END_SESSIONS = "UPDATE session SET ended = 1 WHERE staff = $1";
    /// Revokes a token once.
    REVOKE_TOKEN = "UPDATE token SET revoked_us = $1 WHERE id = $2 AND revoked_us IS NULL";
    /// The tokens that are not revoked.
    TOKENS = "\
        SELECT id, tournament, role, name, secret_sha256, created_us, per_minute \
        FROM token WHERE revoked_us IS NULL ORDER BY name";
}
