-- Every table is keyed by the tenant, a hash of the namespace, so that it can be partitioned or distributed by it.
-- Times are microseconds since 1970 in UTC.
CREATE TABLE hexad.note (name text PRIMARY KEY, value text NOT NULL);

-- One row for each namespace: its lock, the highest number, the end of the audit chain, and its facts as JSON.
-- `changed` counts its transactions, `stamp` its vectors. The arrays have a place for each layer: its indexed rows, the
-- sum of their lengths, the number up to which they were merged into leaves, and the changes since.
CREATE TABLE hexad.head (
    tenant bigint PRIMARY KEY, namespace text COLLATE "C" NOT NULL, number bigint NOT NULL DEFAULT 0,
    sequence bigint NOT NULL DEFAULT 0, hash text NOT NULL DEFAULT '', changed bigint NOT NULL DEFAULT 0,
    stamp bigint NOT NULL DEFAULT 0, facts text NOT NULL DEFAULT '{}', rows bigint[] NOT NULL DEFAULT '{0,0,0,0,0,0}',
    lengths bigint[] NOT NULL DEFAULT '{0,0,0,0,0,0}', merged bigint[] NOT NULL DEFAULT '{0,0,0,0,0,0}',
    waiting bigint[] NOT NULL DEFAULT '{0,0,0,0,0,0}'
) WITH (fillfactor = 60);
CREATE INDEX head_namespace ON hexad.head (namespace);

-- No two indexes of a table begin with the same two columns: a planner without statistics takes either of them.
-- The rows of all layers. A field that SQL reads, counts or orders by has a column; all others are in `data`, as JSON.
-- A skill's definition lies in `aside`: most statements do not read it. A learning is found by its `trigger`, a hash; `error`
-- is its pattern where that is not its template.
CREATE TABLE hexad.record (
    tenant bigint NOT NULL, layer smallint NOT NULL, number bigint NOT NULL, id text COLLATE "C" NOT NULL,
    data text NOT NULL, aside text, words text, origin text NOT NULL, updated bigint NOT NULL,
    use_count bigint NOT NULL, last_used bigint, relevance double precision NOT NULL, expires bigint,
    thread text COLLATE "C" NOT NULL, "position" bigint, asks boolean NOT NULL,
    trust double precision NOT NULL, standing smallint NOT NULL, subject text COLLATE "C" NOT NULL,
    folded text COLLATE "C", seen bigint NOT NULL, "trigger" bigint, template text, length bigint, error text,
    PRIMARY KEY (tenant, layer, number)
);
CREATE UNIQUE INDEX record_id ON hexad.record (tenant, id, layer);
CREATE INDEX record_folded ON hexad.record (tenant, folded) WHERE folded IS NOT NULL;
CREATE INDEX record_standing ON hexad.record (tenant, standing, updated) WHERE standing > 0 AND words IS NOT NULL;
CREATE INDEX record_expires ON hexad.record (tenant, expires) WHERE expires IS NOT NULL AND words IS NOT NULL;
CREATE INDEX record_thread ON hexad.record (tenant, thread, "position") WHERE thread <> '' AND words IS NOT NULL;
CREATE INDEX record_trigger ON hexad.record (tenant, "trigger", number) WHERE "trigger" IS NOT NULL;

CREATE TABLE hexad.version (
    tenant bigint NOT NULL, layer smallint NOT NULL, id text COLLATE "C" NOT NULL, version bigint NOT NULL,
    session text COLLATE "C" NOT NULL, subject text COLLATE "C" NOT NULL, data text NOT NULL,
    PRIMARY KEY (tenant, layer, id, version)
);

CREATE TABLE hexad.audit (
    tenant bigint NOT NULL, sequence bigint NOT NULL, at bigint NOT NULL, session text NOT NULL,
    action text NOT NULL, actor text NOT NULL, target text NOT NULL, details text NOT NULL,
    previous text NOT NULL, hash text NOT NULL, PRIMARY KEY (tenant, sequence)
);

CREATE FUNCTION hexad.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END $$;
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE ON hexad.audit
FOR EACH ROW EXECUTE FUNCTION hexad.refuse();

-- The index. Rows numbered above `merged` have no postings: their words are read whole. A row at or below it whose
-- words changed or went has its indexed words in `stale`; its postings are ignored until the next merge.
CREATE TABLE hexad.stale (
    tenant bigint NOT NULL, layer smallint NOT NULL, number bigint NOT NULL, words text NOT NULL,
    PRIMARY KEY (tenant, layer, number)
);

-- A term is a hash over its layer and itself. A leaf holds the terms from `low` up to the next leaf, each with its newest
-- postings and how many its blocks hold; a block holds some older ones, with numbers up to `newest`.
-- A merge changes many leaves at once: there is room for their new versions beside the old ones.
CREATE TABLE hexad.leaf (
    tenant bigint NOT NULL, low bigint NOT NULL, terms bytea NOT NULL, PRIMARY KEY (tenant, low)
) WITH (fillfactor = 50);

CREATE TABLE hexad.block (
    tenant bigint NOT NULL, term bigint NOT NULL, newest bigint NOT NULL, postings bytea NOT NULL,
    PRIMARY KEY (tenant, term, newest)
);

CREATE TABLE hexad.vector (
    tenant bigint NOT NULL, layer smallint NOT NULL, embedder bigint NOT NULL, number bigint NOT NULL,
    stamp bigint NOT NULL, vector bytea NOT NULL, PRIMARY KEY (tenant, number, embedder)
);
CREATE INDEX vector_stamp ON hexad.vector (tenant, layer, embedder, stamp);

CREATE TABLE hexad.embedder (
    tenant bigint NOT NULL, layer smallint NOT NULL, embedder bigint NOT NULL, rows bigint NOT NULL,
    stamp bigint NOT NULL, PRIMARY KEY (tenant, layer, embedder)
);

CREATE TABLE hexad.association (
    tenant bigint NOT NULL, layer smallint NOT NULL, term text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL, weight double precision NOT NULL, session text NOT NULL,
    used bigint NOT NULL, PRIMARY KEY (tenant, layer, term, id)
);
CREATE INDEX association_id ON hexad.association (tenant, layer, id);

CREATE TABLE hexad.call (
    tenant bigint NOT NULL, session text COLLATE "C" NOT NULL, number bigint NOT NULL, tool text NOT NULL,
    ok boolean NOT NULL, learning text NOT NULL, arguments text NOT NULL, at bigint NOT NULL,
    PRIMARY KEY (tenant, session, number)
);

CREATE TABLE hexad.offer (
    tenant bigint NOT NULL, session text COLLATE "C" NOT NULL, learning text COLLATE "C" NOT NULL,
    "trigger" text NOT NULL, state text NOT NULL, at bigint NOT NULL, PRIMARY KEY (tenant, session, learning)
);
CREATE INDEX offer_at ON hexad.offer (tenant, at);

-- Changes to entries that wait for a person's decision.
CREATE TABLE hexad.proposal (
    tenant bigint NOT NULL, id text COLLATE "C" NOT NULL, number bigint GENERATED ALWAYS AS IDENTITY,
    data text NOT NULL, PRIMARY KEY (tenant, id)
);

-- How often each session has saved: the limits hold for every process. `most` is the limit of the latest save.
CREATE TABLE hexad.slot (
    tenant bigint NOT NULL, session text COLLATE "C" NOT NULL, kind text NOT NULL, taken bigint NOT NULL,
    most bigint NOT NULL CHECK (taken <= most), at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, session, kind)
);

-- ANALYZE would copy texts into pg_statistic, where forgetting does not reach.
ALTER TABLE hexad.record ALTER COLUMN data SET STATISTICS 0, ALTER COLUMN words SET STATISTICS 0,
    ALTER COLUMN aside SET STATISTICS 0, ALTER COLUMN template SET STATISTICS 0, ALTER COLUMN error SET STATISTICS 0;
ALTER TABLE hexad.stale ALTER COLUMN words SET STATISTICS 0;
ALTER TABLE hexad.version ALTER COLUMN data SET STATISTICS 0;
