-- A name for an unlisted link, and a short code for people who type. Links from before get their code when it is first
-- shown. The code of a public quiz is a row with opens_public: its token opens nothing.
ALTER TABLE quiz_links
  ADD COLUMN name text CONSTRAINT quiz_links_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
  ADD COLUMN code text COLLATE "C" CONSTRAINT quiz_links_code_key UNIQUE,
  ADD COLUMN opens_public boolean NOT NULL DEFAULT false;
