-- Statements by name. Those over a noun's own table are made from its columns in rows.py.

-- name: note
SELECT value FROM hexad_note WHERE name = :name

-- name: set_note
INSERT INTO hexad_note (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: fact
SELECT value FROM hexad_fact WHERE namespace = ? AND name = ?

-- name: set_fact
INSERT INTO hexad_fact (namespace, name, value) VALUES (?, ?, ?)
ON CONFLICT (namespace, name) DO UPDATE SET value = excluded.value

-- name: scopes
SELECT layer, id, rows, length, fresh FROM hexad_scope WHERE namespace = ?

-- name: scope
SELECT id FROM hexad_scope WHERE namespace = ? AND layer = ?

-- name: add_scope
INSERT INTO hexad_scope (namespace, layer, rows, length, fresh) VALUES (?, ?, 0, 0, 0)

-- name: grow_scope
UPDATE hexad_scope SET rows = rows + ?, length = length + ?, fresh = fresh + ? WHERE id = ? RETURNING fresh

-- name: fresh
SELECT number, words FROM hexad_fresh WHERE scope = ? ORDER BY number DESC

-- name: add_fresh
INSERT INTO hexad_fresh (scope, number, words) VALUES (?, ?, ?)

-- name: remove_fresh
DELETE FROM hexad_fresh WHERE scope = ? AND number = ?

-- name: clear_fresh
DELETE FROM hexad_fresh WHERE scope = ?

-- name: no_more_fresh
UPDATE hexad_scope SET fresh = 0 WHERE id = ?

-- name: count_up
INSERT INTO hexad_posting (term, number, weight, length) VALUES (?, 4611686018427387904, ?, 0)
ON CONFLICT (term, number) DO UPDATE SET weight = weight + excluded.weight

-- name: count_down
UPDATE hexad_posting SET weight = weight - 1 WHERE term = ? AND number = 4611686018427387904

-- name: remove_unused_term
DELETE FROM hexad_posting WHERE term = ? AND number = 4611686018427387904 AND weight = 0

-- name: add_posting
INSERT INTO hexad_posting (term, number, weight, length) VALUES (?, ?, ?, ?)

-- name: remove_posting
DELETE FROM hexad_posting WHERE term = ? AND number = ?

-- name: remove_postings
DELETE FROM hexad_posting WHERE term = ?

-- name: new_home
UPDATE hexad_scope SET id = (SELECT max(id) + 1 FROM hexad_scope), rows = 0, length = 0, fresh = 0 WHERE id = ?

-- name: clear_vectors
DELETE FROM hexad_vector WHERE meaning IN (SELECT id FROM hexad_meaning WHERE namespace = ?)

-- name: clear_meanings
UPDATE hexad_meaning SET rows = 0 WHERE namespace = ?

-- name: flags
SELECT EXISTS (SELECT 1 FROM hexad_association WHERE namespace = ?1), (
    SELECT min(expires) FROM hexad_knowledge INDEXED BY hexad_knowledge_expires
    WHERE namespace = ?1 AND expires IS NOT NULL AND words IS NOT NULL), (
    SELECT coalesce(max(standing), 0) FROM hexad_knowledge INDEXED BY hexad_knowledge_standing
    WHERE namespace = ?1 AND standing > 0 AND words IS NOT NULL), EXISTS (
    SELECT 1 FROM hexad_knowledge INDEXED BY hexad_knowledge_thread
    WHERE namespace = ?1 AND thread <> '' AND words IS NOT NULL)

-- name: stand_beyond
SELECT 1 FROM hexad_knowledge INDEXED BY hexad_knowledge_standing
WHERE namespace = ? AND standing > 0 AND words IS NOT NULL LIMIT 1 OFFSET ?

-- name: keys_of_session
SELECT key FROM hexad_knowledge_version WHERE namespace = ?1 AND session = ?2
UNION SELECT key FROM hexad_knowledge WHERE namespace = ?1 AND given_by <> '{}'
AND EXISTS (SELECT 1 FROM json_each(given_by) WHERE value = ?2) ORDER BY key

-- name: keys_of_subject
SELECT key FROM hexad_knowledge_version WHERE namespace = ?1 AND (?2 IS NULL OR subject = ?2)
UNION SELECT key FROM hexad_knowledge WHERE namespace = ?1 AND (?2 IS NULL OR subject = ?2) ORDER BY key

-- name: postings
SELECT number, weight, length FROM hexad_posting
WHERE term = ? AND number < ? ORDER BY number DESC LIMIT ?

-- name: audit
SELECT sequence, at, session, action, actor, target, details, previous, hash
FROM hexad_audit WHERE namespace = ? AND sequence > ? ORDER BY sequence LIMIT ?

-- name: append_audit
INSERT INTO hexad_audit (sequence, at, session, action, actor, target, details, previous, hash, namespace)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: meaning
SELECT id, stamp FROM hexad_meaning WHERE namespace = ? AND layer = ? AND embedder = ?

-- name: vector_states
SELECT layer, rows, stamp FROM hexad_meaning WHERE namespace = ? AND embedder = ?

-- name: meanings
SELECT id FROM hexad_meaning WHERE namespace = ? AND layer = ?

-- name: add_meaning
INSERT INTO hexad_meaning (namespace, layer, embedder, rows, stamp) VALUES (?, ?, ?, 0, 0)

-- name: grow_meaning
UPDATE hexad_meaning SET rows = rows + ?, stamp = stamp + ? WHERE id = ?

-- name: vector
SELECT vector FROM hexad_vector INDEXED BY hexad_vector_number WHERE meaning = ? AND number = ?

-- name: add_vector
INSERT INTO hexad_vector (meaning, stamp, number, vector) VALUES (?, ?, ?, ?)

-- name: remove_vector
DELETE FROM hexad_vector WHERE meaning = ? AND number = ?

-- name: vectors
SELECT number, stamp, vector FROM hexad_vector WHERE meaning = ? AND stamp > ? ORDER BY stamp LIMIT ?

-- name: vector_numbers
SELECT number FROM hexad_vector INDEXED BY hexad_vector_number WHERE meaning = ?

-- name: associations
SELECT layer, id, term, weight, session, used FROM hexad_association
WHERE namespace = ?1 AND (?2 IS NULL OR layer = ?2) AND (?3 IS NULL OR id = ?3) ORDER BY layer, id, term

-- name: associations_of
SELECT layer, id, term, weight, session, used FROM hexad_association INDEXED BY hexad_association_id
WHERE namespace = ? AND layer = ? AND id = ? ORDER BY term

-- name: add_association
INSERT INTO hexad_association (layer, id, term, weight, session, used, namespace) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: remove_associations
DELETE FROM hexad_association WHERE namespace = ? AND layer = ? AND id = ?

-- name: see
UPDATE hexad_learning SET seen = seen + 1, updated = ?
WHERE number = (SELECT number FROM hexad_learning WHERE namespace = ? AND id = ?)

-- name: chain_end
SELECT sequence, hash FROM hexad_audit WHERE namespace = ? ORDER BY sequence DESC LIMIT 1

-- name: add_call
INSERT INTO hexad_call (namespace, session, number, tool, ok, learning, arguments, at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: drop_calls_but
DELETE FROM hexad_call WHERE namespace = ? AND session = ? AND number <= (
    SELECT number FROM hexad_call WHERE namespace = ? AND session = ? ORDER BY number DESC LIMIT 1 OFFSET ?)

-- name: drop_old_calls
DELETE FROM hexad_call WHERE namespace = ? AND number < ?

-- name: activity
SELECT learning, "trigger", state, at FROM hexad_offer WHERE namespace = ?1 AND session = ?2
UNION ALL SELECT * FROM (SELECT NULL, NULL, ok, NULL FROM hexad_call
    WHERE namespace = ?1 AND session = ?2 AND tool = ?3 ORDER BY number DESC LIMIT 4)

-- name: put_offer
INSERT INTO hexad_offer (namespace, session, learning, "trigger", state, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (namespace, session, learning) DO UPDATE
SET "trigger" = excluded."trigger", state = excluded.state, at = excluded.at

-- name: drop_offers
DELETE FROM hexad_offer WHERE namespace = ? AND at < ?

-- name: relink_calls
UPDATE hexad_call SET learning = ? WHERE namespace = ? AND learning = ?

-- name: relink_offers
UPDATE OR IGNORE hexad_offer SET learning = ? WHERE namespace = ? AND learning = ?

-- name: drop_offers_of
DELETE FROM hexad_offer WHERE namespace = ? AND learning = ?

-- name: forget_calls
DELETE FROM hexad_call WHERE namespace = ?

-- name: forget_offers
DELETE FROM hexad_offer WHERE namespace = ?

-- name: forget_calls_of
DELETE FROM hexad_call WHERE namespace = ? AND session = ?

-- name: forget_offers_of
DELETE FROM hexad_offer WHERE namespace = ? AND session = ?
