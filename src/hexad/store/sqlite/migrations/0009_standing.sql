-- All entries of the user stand while they are few, so that they have a rank of their own, below the others.
UPDATE hexad_knowledge SET standing = standing + 1 WHERE standing > 0 OR origin = 'user';
