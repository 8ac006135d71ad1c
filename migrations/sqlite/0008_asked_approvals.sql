-- Acts that wait for another person are found like all else that waits. An index that leaves out one of the kinds that a
-- statement may ask for serves none of them.
DROP INDEX entry_that_opens;
CREATE INDEX entry_that_opens ON entry (log, kind, seq)
    WHERE kind IN ('slip-awaits-manual-lookup', 'slip-held', 'review-requested', 'called', 'incident-ruled', 'approval-asked');
