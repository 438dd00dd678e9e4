-- Facts that are many or long, such as prompts in the timeline: every turn reads the head, and every save rewrites it.
CREATE TABLE hexad.fact (
    tenant bigint NOT NULL, name text COLLATE "C" NOT NULL, value text NOT NULL, PRIMARY KEY (tenant, name)
);
ALTER TABLE hexad.fact ALTER COLUMN value SET STATISTICS 0;
INSERT INTO hexad.fact SELECT tenant, f.key, f.value FROM hexad.head CROSS JOIN json_each_text(facts::json) AS f
WHERE f.key LIKE '%:%';
UPDATE hexad.head SET facts = (SELECT coalesce(json_object_agg(f.key, f.value), '{}')::text
    FROM json_each_text(facts::json) AS f WHERE f.key NOT LIKE '%:%') WHERE facts LIKE '%"timeline:%';
