-- Short facts that agents noted are told beside the block of a small memory.
UPDATE hexad.record SET standing = -1
WHERE layer = 3 AND origin = 'agent' AND standing = 0 AND data::jsonb ->> 'category' IN ('fact', 'definition')
AND length(data::jsonb ->> 'content') <= 300;
CREATE INDEX IF NOT EXISTS record_noted ON hexad.record (tenant, updated) WHERE standing = -1 AND words IS NOT NULL;
