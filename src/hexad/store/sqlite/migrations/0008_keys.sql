-- Keys that differ in case alone are one. The program folds letters beyond ASCII when a namespace is first used.
ALTER TABLE hexad_knowledge ADD COLUMN folded TEXT NOT NULL DEFAULT '';
UPDATE hexad_knowledge SET folded = lower(key);
CREATE INDEX hexad_knowledge_folded ON hexad_knowledge (namespace, folded);
