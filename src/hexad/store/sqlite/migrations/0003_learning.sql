-- What learning keeps: patterns to match errors with, fixes as data, and the calls and offers of each session.
ALTER TABLE hexad_learning ADD COLUMN template TEXT NOT NULL DEFAULT '';
ALTER TABLE hexad_learning ADD COLUMN length INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hexad_learning ADD COLUMN support INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hexad_learning ADD COLUMN trust REAL NOT NULL DEFAULT 0;
ALTER TABLE hexad_learning ADD COLUMN remedies TEXT NOT NULL DEFAULT '{}';
CREATE INDEX hexad_learning_template ON hexad_learning (namespace, "trigger", template);
CREATE INDEX hexad_learning_length ON hexad_learning (namespace, "trigger", length);

CREATE TABLE hexad_call (
    namespace TEXT NOT NULL,
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    tool TEXT NOT NULL,
    ok INTEGER NOT NULL,
    learning TEXT NOT NULL,
    arguments TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (namespace, session, number)
) WITHOUT ROWID;

CREATE TABLE hexad_offer (
    namespace TEXT NOT NULL,
    session TEXT NOT NULL,
    learning TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    state TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (namespace, session, learning)
) WITHOUT ROWID;
CREATE INDEX hexad_offer_at ON hexad_offer (namespace, at);
