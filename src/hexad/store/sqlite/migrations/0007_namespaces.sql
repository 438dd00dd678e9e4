-- Everything belongs to one namespace, facts too, and what is searched for is a column that the program writes.
CREATE TABLE hexad_fact (
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (namespace, name)
) WITHOUT ROWID;
-- Names of facts hold a hash of their namespace, or its name after a slash; the others are of all namespaces.
INSERT INTO hexad_fact (namespace, name, value)
SELECT spaces.namespace, CASE WHEN note.name LIKE 'skills by agents/%' THEN 'skills by agents' ELSE note.name END, note.value
FROM hexad_note AS note CROSS JOIN (
    SELECT namespace FROM hexad_knowledge UNION SELECT namespace FROM hexad_learning
    UNION SELECT namespace FROM hexad_skill UNION SELECT namespace FROM hexad_reference
    UNION SELECT namespace FROM hexad_association UNION SELECT namespace FROM hexad_audit
) AS spaces
WHERE note.name <> 'schema'
AND (note.name NOT LIKE 'skills by agents/%' OR note.name = 'skills by agents/' || spaces.namespace);
DELETE FROM hexad_note WHERE name <> 'schema';

ALTER TABLE hexad_knowledge ADD COLUMN standing INTEGER NOT NULL DEFAULT 0;
UPDATE hexad_knowledge SET standing = CASE WHEN pinned THEN 2 + (origin = 'user')
    ELSE origin = 'user' AND category IN ('rule', 'preference') AND length(content) <= 1600 END;
DROP INDEX hexad_knowledge_pinned;
CREATE INDEX hexad_knowledge_standing ON hexad_knowledge (namespace, standing, updated)
WHERE standing > 0 AND words IS NOT NULL;

ALTER TABLE hexad_learning ADD COLUMN skeleton TEXT NOT NULL DEFAULT '';
ALTER TABLE hexad_learning ADD COLUMN wildcard INTEGER NOT NULL DEFAULT 0;
DROP INDEX hexad_learning_skeleton;
DROP INDEX hexad_learning_open;
UPDATE hexad_learning SET wildcard = instr(template, '<*>') > 0, skeleton =
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(template, '<url>', '<*>'), '<email>', '<*>'), '<uuid>', '<*>'), '<time>', '<*>'), '<ip>', '<*>'), '<host>', '<*>'), '<path>', '<*>'), '<value>', '<*>'), '<num>', '<*>'), '<id>', '<*>');
CREATE INDEX hexad_learning_skeleton ON hexad_learning (namespace, "trigger", skeleton, length);
CREATE INDEX hexad_learning_wildcard ON hexad_learning (namespace, "trigger", length) WHERE wildcard;
