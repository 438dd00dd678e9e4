-- One word for what helps against an error. Within a text of JSON a quotation mark has a backslash before it.
UPDATE hexad.record SET data = replace(data, '"remedies":', '"fixes":') WHERE data LIKE '%"remedies":%';
