-- What the user said, where an agent put it into other words.
ALTER TABLE hexad_knowledge ADD COLUMN said TEXT NOT NULL DEFAULT '';
ALTER TABLE hexad_knowledge_version ADD COLUMN said TEXT NOT NULL DEFAULT '';
-- Short facts that agents noted are told beside the block of a small memory.
UPDATE hexad_knowledge SET standing = -1
WHERE origin = 'agent' AND NOT pinned AND category IN ('fact', 'definition') AND length(content) <= 300;
CREATE INDEX hexad_knowledge_noted ON hexad_knowledge (namespace, updated) WHERE standing = -1 AND words IS NOT NULL;
