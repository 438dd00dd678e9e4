-- A learning keeps what happened instead of sentences about it: examples, and what came of sessions that met the error.
ALTER TABLE hexad_learning RENAME COLUMN fixes TO evidence;
ALTER TABLE hexad_learning RENAME COLUMN support TO unaided;
ALTER TABLE hexad_learning ADD COLUMN stuck INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hexad_learning ADD COLUMN sessions INTEGER NOT NULL DEFAULT 0;
