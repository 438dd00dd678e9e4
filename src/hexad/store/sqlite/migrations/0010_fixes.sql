-- One word for what helps against an error.
ALTER TABLE hexad_learning RENAME COLUMN remedies TO fixes;
