-- What a skill does lies in a table of its own: with its files it may be megabytes, which only a run needs.
CREATE TABLE hexad_skill_definition (
    number INTEGER PRIMARY KEY,
    definition TEXT NOT NULL
);
INSERT INTO hexad_skill_definition (number, definition) SELECT number, definition FROM hexad_skill;
ALTER TABLE hexad_skill DROP COLUMN definition;
