-- Whom the owner of a quiz expects to hand in an attempt by an unlisted link; empty: nobody in particular.
ALTER TABLE quiz_links
  ADD COLUMN names text[] NOT NULL DEFAULT '{}' CONSTRAINT quiz_links_names_count CHECK (cardinality(names) <= 200);
