-- When a key was replaced: it cannot be rotated again while both work, because its lifetime was shortened.
ALTER TABLE api_keys ADD COLUMN rotated_at timestamptz;
