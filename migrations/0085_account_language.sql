-- E-mails that no request causes are in the language that the user of the account last asked for. NULL: none yet.
ALTER TABLE accounts ADD COLUMN language text COLLATE "C"
  CONSTRAINT accounts_language_form CHECK (language ~ '^[a-z]{2}$');
