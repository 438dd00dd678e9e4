-- What skills keep: approval of what they do, how their latest runs went, and what they were before.
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
