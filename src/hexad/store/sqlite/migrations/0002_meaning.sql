-- Vectors of an embedder, and words that led to an item before.
CREATE TABLE hexad_meaning (
    id INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    layer TEXT NOT NULL,
    embedder TEXT NOT NULL,
    rows INTEGER NOT NULL,
    stamp INTEGER NOT NULL,
    UNIQUE (namespace, layer, embedder)
);
CREATE TABLE hexad_vector (
    meaning INTEGER NOT NULL,
    stamp INTEGER NOT NULL,
    number INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (meaning, stamp)
) WITHOUT ROWID;
CREATE UNIQUE INDEX hexad_vector_number ON hexad_vector (meaning, number);

CREATE TABLE hexad_association (
    namespace TEXT NOT NULL,
    layer TEXT NOT NULL,
    term TEXT NOT NULL,
    id TEXT NOT NULL,
    weight REAL NOT NULL,
    session TEXT NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (namespace, layer, term, id)
) WITHOUT ROWID;
CREATE INDEX hexad_association_id ON hexad_association (namespace, layer, id);
