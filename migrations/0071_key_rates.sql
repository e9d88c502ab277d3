-- The key's own rate limit, in requests a minute; null: its requests are counted by client address.
ALTER TABLE api_keys ADD COLUMN requests_per_minute integer
  CONSTRAINT api_keys_requests_per_minute_range CHECK (requests_per_minute BETWEEN 1 AND 6000);
CREATE INDEX api_keys_rated_idx ON api_keys (id) WHERE requests_per_minute IS NOT NULL;
