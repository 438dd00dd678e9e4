-- A learning keeps what happened instead of sentences about it. Within a text of JSON a quotation mark has a backslash
-- before it, so only names of fields are replaced; those of other records, such as the parameters of a skill, stay.
UPDATE hexad.record SET data = replace(replace(data, ',"fixes":', ',"evidence":'), ',"support":', ',"unaided":')
WHERE layer = 4 AND data LIKE '%,"fixes":%' AND data LIKE '%,"support":%';
