-- Changes to entries that wait for a person's decision.
CREATE TABLE hexad_proposal (
    number INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    key TEXT NOT NULL,
    change TEXT NOT NULL,
    content TEXT NOT NULL,
    category TEXT NOT NULL,
    subject TEXT NOT NULL,
    tags TEXT NOT NULL,
    sentence TEXT NOT NULL,
    against TEXT NOT NULL,
    origin TEXT NOT NULL,
    session TEXT NOT NULL,
    verbatim INTEGER NOT NULL,
    redactions TEXT NOT NULL,
    created INTEGER NOT NULL,
    UNIQUE (namespace, id)
);
