-- The pictures that stored versions of questions show; null: none. They stay for results and reviews when an edit
-- replaces them.
LOCK TABLE approved_versions, quiz_snapshots IN ACCESS EXCLUSIVE MODE;
ALTER TABLE quiz_snapshots ADD COLUMN IF NOT EXISTS media uuid[];
ALTER TABLE approved_versions ADD COLUMN IF NOT EXISTS media uuid[];
