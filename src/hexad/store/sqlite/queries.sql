-- Statements by name. Those over a noun's own table are made from its columns in rows.py.

-- name: note
SELECT value FROM hexad_note WHERE name = :name

-- name: set_note
INSERT INTO hexad_note (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: scope
SELECT id, rows, length FROM hexad_scope WHERE namespace = ? AND layer = ?

-- name: add_scope
INSERT INTO hexad_scope (namespace, layer, rows, length) VALUES (?, ?, 0, 0)

-- name: grow_scope
UPDATE hexad_scope SET rows = rows + ?, length = length + ? WHERE id = ?

-- name: count_up
INSERT INTO hexad_term (scope, term, rows) VALUES (?, ?, 1) ON CONFLICT (scope, term) DO UPDATE SET rows = rows + 1

-- name: count_down
UPDATE hexad_term SET rows = rows - 1 WHERE scope = ? AND term = ?

-- name: remove_unused_term
DELETE FROM hexad_term WHERE scope = ? AND term = ? AND rows = 0

-- name: add_posting
INSERT INTO hexad_posting (term, number, weight, length)
SELECT id, ?, ?, ? FROM hexad_term WHERE scope = ? AND term = ?

-- name: remove_posting
DELETE FROM hexad_posting
WHERE term = (SELECT id FROM hexad_term WHERE scope = ? AND term = ?) AND number = ?

-- name: postings
SELECT p.number, p.weight, p.length
FROM hexad_scope s JOIN hexad_term t ON t.scope = s.id JOIN hexad_posting p ON p.term = t.id
WHERE s.namespace = ? AND s.layer = ? AND t.term = ?
ORDER BY p.number DESC LIMIT ?

-- name: pinned
SELECT number FROM hexad_knowledge INDEXED BY hexad_knowledge_pinned WHERE namespace = ? AND pinned AND words IS NOT NULL ORDER BY number

-- name: keys_in_session
SELECT DISTINCT key FROM hexad_knowledge_version WHERE namespace = ? AND session = ? ORDER BY key

-- name: learning_id
SELECT id FROM hexad_learning WHERE namespace = ? AND "trigger" = ? AND error_pattern = ? ORDER BY number LIMIT 1

-- name: audit
SELECT sequence, at, session, action, actor, target, details, previous, hash
FROM hexad_audit WHERE namespace = ? AND sequence > ? ORDER BY sequence LIMIT ?

-- name: audit_head
SELECT sequence, at, session, action, actor, target, details, previous, hash
FROM hexad_audit WHERE namespace = ? ORDER BY sequence DESC LIMIT 1

-- name: append_audit
INSERT INTO hexad_audit (sequence, at, session, action, actor, target, details, previous, hash, namespace)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: namespaces
SELECT namespace FROM hexad_knowledge UNION SELECT namespace FROM hexad_learning
UNION SELECT namespace FROM hexad_skill UNION SELECT namespace FROM hexad_reference
UNION SELECT namespace FROM hexad_audit ORDER BY 1
