-- Changes to entries that wait for a person's decision.
CREATE TABLE hexad.proposal (
    tenant bigint NOT NULL, id text COLLATE "C" NOT NULL, number bigint GENERATED ALWAYS AS IDENTITY,
    data text NOT NULL, PRIMARY KEY (tenant, id)
);
