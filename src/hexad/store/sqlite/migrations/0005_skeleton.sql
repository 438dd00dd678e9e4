-- Finding the one learning about an error however many there are: by its template without the kinds of its values, and
-- among those that have a wildcard.
CREATE INDEX hexad_learning_skeleton ON hexad_learning (namespace, "trigger",
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(template, '<url>', '<*>'), '<email>', '<*>'), '<uuid>', '<*>'), '<time>', '<*>'), '<ip>', '<*>'), '<host>', '<*>'), '<path>', '<*>'), '<value>', '<*>'), '<num>', '<*>'), '<id>', '<*>'));
CREATE INDEX hexad_learning_open ON hexad_learning (namespace, "trigger", length) WHERE instr(template, '<*>') > 0;
