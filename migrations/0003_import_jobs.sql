-- Imports are jobs of BullMQ now: a worker's lease is gone. next_check_at is when an import is given to the queue (again),
-- token is of the process that runs it, and tries counts failures only.
ALTER TABLE imports
  DROP COLUMN leased_until,
  -- of the process that runs it
  ADD COLUMN progress_at timestamptz,
  -- how often a process died that ran it
  ADD COLUMN deaths integer NOT NULL DEFAULT 0;

UPDATE imports SET progress_at = now() WHERE state = 'running';

-- A worker has no process for imports while there are none.
ALTER TABLE webhook_workers DROP COLUMN imports_run;
