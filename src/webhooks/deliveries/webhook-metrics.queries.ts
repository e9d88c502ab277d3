import { sql } from '../../platform/database/sql';

/** Each returns one row for each value of its label. */

export const WAITING = {
  name: 'quiz_webhook_waiting',
  help: 'Events without deliveries yet, and deliveries that are not finished: due, scheduled for later, being sent, paused',
  label: 'state',
  // Uses the partial indexes: finished deliveries, which are most of them, are not read.
  statement: sql`
SELECT 'unrelayed' AS label, count(*) AS value FROM outbox_events WHERE relayed_at IS NULL
UNION ALL SELECT 'paused', count(*) FROM webhook_deliveries WHERE status = 'paused'
UNION ALL
SELECT label, count(d.state) FROM (VALUES ('due'), ('scheduled'), ('sending')) AS states (label) LEFT JOIN (
  SELECT CASE WHEN attempt_job IS NOT NULL THEN 'sending' WHEN next_attempt_at <= now() THEN 'due' ELSE 'scheduled' END AS state
  FROM webhook_deliveries WHERE status = 'pending'
) d ON d.state = label GROUP BY label`,
};

export const OLDEST_EVENT = {
  name: 'quiz_webhook_oldest_unrelayed_seconds',
  help: 'Age of the oldest event without deliveries; 0 when there is none',
  label: null,
  statement: sql`SELECT '' AS label, min(created_at) AS value FROM outbox_events WHERE relayed_at IS NULL`,
};

export const GAUGES = [
  WAITING,
  OLDEST_EVENT,
  {
    name: 'quiz_webhook_stuck_deliveries',
    help: 'Deliveries that are due for five minutes at endpoints to which nothing is being sent, except failing ones and those of an account with a slow endpoint: the queue or its workers lose jobs',
    label: null,
    statement: sql`
SELECT '' AS label, count(*) AS value FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
WHERE d.status = 'pending' AND d.next_attempt_at < now() - interval '5 minutes' AND d.attempt_job IS NULL
  AND e.failing_since IS NULL
  -- A long backlog of an endpoint moves as long as there are attempts. One that began long ago has lost its worker.
  AND NOT EXISTS (SELECT FROM webhook_deliveries b WHERE b.endpoint_id = e.id AND b.status = 'pending'
                  AND b.attempt_started_at > now() - interval '5 minutes')
  AND NOT EXISTS (SELECT FROM webhook_endpoints s WHERE s.account_id = e.account_id AND s.slow_until > now())`,
  },
  {
    // A failing or slow endpoint is its owner's problem, and delays the others of its account; a delay at others is ours.
    name: 'quiz_webhook_oldest_undelivered_seconds',
    help: 'Age of the oldest unfinished delivery that is not paused: at failing endpoints, at those of an account with a slow endpoint, at the others; 0 when there is none',
    label: 'endpoint',
    statement: sql`
SELECT label, min(d.created_at) AS value
FROM (VALUES ('healthy'), ('slow'), ('failing')) AS endpoints (label) LEFT JOIN (
  SELECT w.created_at,
         CASE WHEN e.failing_since IS NOT NULL THEN 'failing'
              WHEN EXISTS (SELECT FROM webhook_endpoints s WHERE s.account_id = e.account_id AND s.slow_until > now()) THEN 'slow'
              ELSE 'healthy' END AS endpoint
  FROM webhook_deliveries w JOIN webhook_endpoints e ON e.id = w.endpoint_id WHERE w.status = 'pending'
) d ON d.endpoint = label GROUP BY label`,
  },
];
