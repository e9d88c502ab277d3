import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Endpoints, deliveries, attempts and the workers' signs of life.
 *
 * `status` of a delivery is what became of it, for people. `state` is where it stands in the work, and
 * `wake_at` is when the sweep looks at it next, so that nothing waits on the memory of a queue:
 *
 * | state   | meaning                                          | wake_at                             |
 * |---------|--------------------------------------------------|-------------------------------------|
 * | waiting | for its time: a retry, a manual retry            | that time                           |
 * | ready   | its time has come, its endpoint has no free slot | none: a freed slot takes it         |
 * | queued  | has a slot and a job in the queue                | when the job is taken to be lost    |
 * | leased  | has a slot, a worker sends it                    | when the worker is taken to be dead |
 * | held    | its endpoint is disabled                         | none: enabling wakes it             |
 * | idle    | nothing is to be done                            | none                                |
 */
export class Webhooks1790000002000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
CREATE TABLE webhook_endpoints (
  id uuid CONSTRAINT webhook_endpoints_pkey PRIMARY KEY,
  account_id uuid NOT NULL CONSTRAINT webhook_endpoints_account_fkey REFERENCES accounts ON DELETE CASCADE,
  url text NOT NULL,
  events text[] NOT NULL CONSTRAINT webhook_endpoints_events_some CHECK (cardinality(events) > 0),
  -- an administrator's endpoint may receive the events of every account
  all_accounts boolean NOT NULL,
  -- secrets are sealed by ENCRYPTION_KEY; the main one signs X-Service-Signature
  secret bytea NOT NULL,
  -- the other secret of a rotation, and whether it comes (staged) or goes (retiring)
  other_secret bytea,
  rotation text CONSTRAINT webhook_endpoints_rotation_known CHECK (rotation IN ('staged', 'retiring')),
  created_at timestamptz NOT NULL,
  disabled_at timestamptz,
  -- for the owner to read
  disabled_reason text,
  -- the first failure since the last success
  failing_since timestamptz,
  deleted_at timestamptz,
  CONSTRAINT webhook_endpoints_rotation_whole CHECK ((rotation IS NULL) = (other_secret IS NULL))
);
CREATE INDEX webhook_endpoints_account_idx ON webhook_endpoints (account_id) WHERE deleted_at IS NULL;
CREATE INDEX webhook_endpoints_all_accounts_idx ON webhook_endpoints (id) WHERE all_accounts AND deleted_at IS NULL;

CREATE TABLE webhook_deliveries (
  id uuid CONSTRAINT webhook_deliveries_pkey PRIMARY KEY,
  event_id uuid NOT NULL CONSTRAINT webhook_deliveries_event_fkey REFERENCES outbox_events,
  endpoint_id uuid NOT NULL CONSTRAINT webhook_deliveries_endpoint_fkey REFERENCES webhook_endpoints ON DELETE CASCADE,
  event text NOT NULL,
  -- a ping that its owner asked for: sent to a disabled endpoint too, never retried
  is_test boolean NOT NULL DEFAULT false,
  status text NOT NULL DEFAULT 'pending'
    CONSTRAINT webhook_deliveries_status_known CHECK (status IN ('pending', 'delivered', 'failed', 'cancelled')),
  state text NOT NULL
    CONSTRAINT webhook_deliveries_state_known CHECK (state IN ('waiting', 'ready', 'queued', 'leased', 'held', 'idle')),
  wake_at timestamptz,
  -- when the next attempt is due
  next_attempt_at timestamptz,
  -- the next attempt is a manual retry
  is_manual boolean NOT NULL DEFAULT false,
  -- attempts made, of every kind; the number of the last one
  attempts integer NOT NULL DEFAULT 0,
  -- automatic attempts whose outcome is known: what the retry schedule counts
  spent integer NOT NULL DEFAULT 0,
  -- who may write the outcome of the attempt under way
  lease_token uuid,
  leased_at timestamptz,
  created_at timestamptz NOT NULL,
  finished_at timestamptz,
  -- two relays never make two deliveries
  CONSTRAINT webhook_deliveries_event_endpoint_key UNIQUE (event_id, endpoint_id),
  CONSTRAINT webhook_deliveries_wake_at_whole CHECK ((wake_at IS NULL) = (state IN ('ready', 'held', 'idle'))),
  CONSTRAINT webhook_deliveries_lease_whole CHECK ((lease_token IS NULL) = (state <> 'leased'))
);
-- The sweep.
CREATE INDEX webhook_deliveries_wake_idx ON webhook_deliveries (wake_at) WHERE wake_at IS NOT NULL;
-- The slots of an endpoint: those that are taken, and those who wait for one.
CREATE INDEX webhook_deliveries_slots_idx ON webhook_deliveries (endpoint_id) WHERE state IN ('queued', 'leased');
CREATE INDEX webhook_deliveries_ready_idx ON webhook_deliveries (endpoint_id, is_manual DESC, next_attempt_at, id)
  WHERE state = 'ready';
-- Listing, newest first; retrying what failed since; retention.
CREATE INDEX webhook_deliveries_endpoint_idx ON webhook_deliveries (endpoint_id, id DESC);
CREATE INDEX webhook_deliveries_failed_idx ON webhook_deliveries (endpoint_id, finished_at) WHERE status = 'failed';
CREATE INDEX webhook_deliveries_finished_idx ON webhook_deliveries (finished_at) WHERE state = 'idle';
CREATE INDEX webhook_deliveries_tests_idx ON webhook_deliveries (endpoint_id, created_at) WHERE is_test;
CREATE INDEX outbox_events_relayed_idx ON outbox_events (relayed_at) WHERE relayed_at IS NOT NULL;

CREATE TABLE webhook_attempts (
  delivery_id uuid NOT NULL CONSTRAINT webhook_attempts_delivery_fkey REFERENCES webhook_deliveries ON DELETE CASCADE,
  -- 1, 2, 3, … without a gap
  number integer NOT NULL,
  kind text NOT NULL CONSTRAINT webhook_attempts_kind_known CHECK (kind IN ('automatic', 'manual', 'test', 'interrupted')),
  started_at timestamptz NOT NULL,
  -- null of an interrupted attempt, whose end nobody saw
  duration_ms integer,
  status integer,
  -- an AttemptErrorCode
  error text,
  -- the start of the receiver's answer, at most 4096 characters: untrusted text
  response text,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, number)
);

CREATE TABLE webhook_workers (
  id uuid CONSTRAINT webhook_workers_pkey PRIMARY KEY,
  host text NOT NULL,
  pid integer NOT NULL,
  queue text NOT NULL,
  -- whether the queue took the worker's last message
  queue_answers boolean NOT NULL,
  started_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL
);
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
DROP TABLE webhook_workers, webhook_attempts, webhook_deliveries, webhook_endpoints;
DROP INDEX outbox_events_relayed_idx;
`);
  }
}
