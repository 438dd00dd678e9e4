-- The schema as it stands: the sum of the migrations (a test compares the two).
-- Times are microseconds since 1970 in UTC; lists and objects are JSON; every row belongs to a namespace.

CREATE TABLE hexad_note (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE hexad_fact (
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (namespace, name)
) WITHOUT ROWID;

CREATE TABLE hexad_knowledge (
    number INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    content TEXT NOT NULL,
    category TEXT NOT NULL,
    tags TEXT NOT NULL,
    source TEXT NOT NULL,
    origin TEXT NOT NULL,
    session TEXT NOT NULL,
    subject TEXT NOT NULL,
    thread TEXT NOT NULL,
    position INTEGER,
    pinned INTEGER NOT NULL,
    expires INTEGER,
    relevance REAL NOT NULL,
    verbatim INTEGER NOT NULL,
    redactions TEXT NOT NULL,
    version INTEGER NOT NULL,
    first_version INTEGER NOT NULL,
    given_by TEXT NOT NULL,
    deleted INTEGER,
    use_count INTEGER NOT NULL,
    last_used INTEGER,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    words TEXT,
    UNIQUE (namespace, key)
);
ALTER TABLE hexad_knowledge ADD COLUMN standing INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hexad_knowledge ADD COLUMN folded TEXT NOT NULL DEFAULT '';
ALTER TABLE hexad_knowledge ADD COLUMN said TEXT NOT NULL DEFAULT '';
CREATE INDEX hexad_knowledge_folded ON hexad_knowledge (namespace, folded);
CREATE INDEX hexad_knowledge_standing ON hexad_knowledge (namespace, standing, updated)
WHERE standing > 0 AND words IS NOT NULL;
CREATE INDEX hexad_knowledge_noted ON hexad_knowledge (namespace, updated) WHERE standing = -1 AND words IS NOT NULL;
CREATE INDEX hexad_knowledge_expires ON hexad_knowledge (namespace, expires)
WHERE expires IS NOT NULL AND words IS NOT NULL;
CREATE INDEX hexad_knowledge_thread ON hexad_knowledge (namespace, thread, position)
WHERE thread <> '' AND words IS NOT NULL;

CREATE TABLE hexad_knowledge_version (
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    content TEXT NOT NULL,
    category TEXT NOT NULL,
    origin TEXT NOT NULL,
    source TEXT NOT NULL,
    session TEXT NOT NULL,
    subject TEXT NOT NULL,
    verbatim INTEGER NOT NULL,
    redactions TEXT NOT NULL,
    created INTEGER NOT NULL,
    PRIMARY KEY (namespace, key, version)
) WITHOUT ROWID;
ALTER TABLE hexad_knowledge_version ADD COLUMN said TEXT NOT NULL DEFAULT '';

CREATE TABLE hexad_learning (
    number INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    error_pattern TEXT NOT NULL,
    diagnosis TEXT NOT NULL,
    fix TEXT NOT NULL,
    category TEXT NOT NULL,
    tags TEXT NOT NULL,
    origin TEXT NOT NULL,
    session TEXT NOT NULL,
    verbatim INTEGER NOT NULL,
    redactions TEXT NOT NULL,
    seen INTEGER NOT NULL,
    worked INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    use_count INTEGER NOT NULL,
    last_used INTEGER,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    words TEXT,
    UNIQUE (namespace, id)
);
CREATE INDEX hexad_learning_error ON hexad_learning (namespace, "trigger", error_pattern);

CREATE TABLE hexad_skill (
    number INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    kind TEXT NOT NULL,
    definition TEXT NOT NULL,
    parameters TEXT NOT NULL,
    tags TEXT NOT NULL,
    status TEXT NOT NULL,
    author TEXT NOT NULL,
    requires_approval INTEGER NOT NULL,
    origin TEXT NOT NULL,
    session TEXT NOT NULL,
    verbatim INTEGER NOT NULL,
    redactions TEXT NOT NULL,
    use_count INTEGER NOT NULL,
    success_count INTEGER NOT NULL,
    last_used INTEGER,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    words TEXT,
    UNIQUE (namespace, name)
);

CREATE TABLE hexad_reference (
    number INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    location TEXT NOT NULL,
    summary TEXT NOT NULL,
    kind TEXT NOT NULL,
    metadata TEXT NOT NULL,
    tags TEXT NOT NULL,
    origin TEXT NOT NULL,
    session TEXT NOT NULL,
    verbatim INTEGER NOT NULL,
    redactions TEXT NOT NULL,
    use_count INTEGER NOT NULL,
    last_used INTEGER,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    words TEXT,
    UNIQUE (namespace, name)
);

CREATE TABLE hexad_audit (
    namespace TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    session TEXT NOT NULL,
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    target TEXT NOT NULL,
    details TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (namespace, sequence)
) WITHOUT ROWID;
CREATE TRIGGER hexad_audit_is_not_changed BEFORE UPDATE ON hexad_audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER hexad_audit_is_not_cut BEFORE DELETE ON hexad_audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

-- The index. A scope is a namespace and a layer; a term is known by a hash over its scope and itself, so that no
-- namespace is counted in another, and no dictionary of words has to be kept. After a term's rows, which are in the
-- order of their numbers, one more says in its weight how many they are: it lies where the next row will be added.
-- The latest rows of a scope wait in hexad_fresh, where a search reads them as they are: postings are written for
-- some dozens of rows at once, for each lies on another page.
CREATE TABLE hexad_scope (
    id INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    layer TEXT NOT NULL,
    rows INTEGER NOT NULL,
    length INTEGER NOT NULL,
    fresh INTEGER NOT NULL,
    UNIQUE (namespace, layer)
);
CREATE TABLE hexad_fresh (
    scope INTEGER NOT NULL,
    number INTEGER NOT NULL,
    words TEXT NOT NULL,
    PRIMARY KEY (scope, number)
) WITHOUT ROWID;
CREATE TABLE hexad_posting (
    term INTEGER NOT NULL,
    number INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    length INTEGER NOT NULL,
    PRIMARY KEY (term, number)
) WITHOUT ROWID;

-- Vectors. What is known of a scope under one embedder is a line of hexad_meaning; a vector lies where its stamp
-- puts it, so that who has read up to a stamp finds what came since on the next pages.
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

-- Words that led to an item before. The item need not be a row: a tool is not.
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

-- Learning. Patterns to match errors with, what happened as data, and the calls and offers of each session.
ALTER TABLE hexad_learning ADD COLUMN template TEXT NOT NULL DEFAULT '';
ALTER TABLE hexad_learning ADD COLUMN length INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hexad_learning ADD COLUMN unaided INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hexad_learning ADD COLUMN trust REAL NOT NULL DEFAULT 0;
ALTER TABLE hexad_learning ADD COLUMN evidence TEXT NOT NULL DEFAULT '{}';
CREATE INDEX hexad_learning_template ON hexad_learning (namespace, "trigger", template);
CREATE INDEX hexad_learning_length ON hexad_learning (namespace, "trigger", length);
ALTER TABLE hexad_learning ADD COLUMN skeleton TEXT NOT NULL DEFAULT '';
ALTER TABLE hexad_learning ADD COLUMN wildcard INTEGER NOT NULL DEFAULT 0;
CREATE INDEX hexad_learning_skeleton ON hexad_learning (namespace, "trigger", skeleton, length);
CREATE INDEX hexad_learning_wildcard ON hexad_learning (namespace, "trigger", length) WHERE wildcard;
ALTER TABLE hexad_learning ADD COLUMN stuck INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hexad_learning ADD COLUMN sessions INTEGER NOT NULL DEFAULT 0;

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

-- Skills. Approval of what they do, how their latest runs went, and what they were before.
ALTER TABLE hexad_skill ADD COLUMN "when" TEXT NOT NULL DEFAULT '';
ALTER TABLE hexad_skill ADD COLUMN approved TEXT NOT NULL DEFAULT '';
ALTER TABLE hexad_skill ADD COLUMN approved_by TEXT NOT NULL DEFAULT '';
ALTER TABLE hexad_skill ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE hexad_skill ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE hexad_skill ADD COLUMN recent TEXT NOT NULL DEFAULT '';
ALTER TABLE hexad_skill ADD COLUMN run_count INTEGER NOT NULL DEFAULT 0;

CREATE TABLE hexad_skill_version (
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    description TEXT NOT NULL,
    kind TEXT NOT NULL,
    definition TEXT NOT NULL,
    parameters TEXT NOT NULL,
    "when" TEXT NOT NULL,
    author TEXT NOT NULL,
    origin TEXT NOT NULL,
    session TEXT NOT NULL,
    verbatim INTEGER NOT NULL,
    redactions TEXT NOT NULL,
    created INTEGER NOT NULL,
    PRIMARY KEY (namespace, name, version)
) WITHOUT ROWID;

CREATE TABLE hexad_skill_definition (
    number INTEGER PRIMARY KEY,
    definition TEXT NOT NULL
);
INSERT INTO hexad_skill_definition (number, definition) SELECT number, definition FROM hexad_skill;
ALTER TABLE hexad_skill DROP COLUMN definition;

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
