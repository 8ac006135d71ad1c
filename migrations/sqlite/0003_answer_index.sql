-- From an entry to the key that it answered: the check of the ledger goes this way.
CREATE INDEX answer_of_entry ON answer (log, seq);
CREATE INDEX setup_of_entry ON setup (log, seq);
