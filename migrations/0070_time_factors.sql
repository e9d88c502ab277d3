-- How many times the time limit the players of a link have.
ALTER TABLE quiz_links ADD COLUMN time_factor double precision NOT NULL DEFAULT 1
  CONSTRAINT quiz_links_time_factor_range CHECK (time_factor BETWEEN 1 AND 4);
