/** A version of the service that violates guarantees on purpose: the simulator must notice. */
interface Broken {
  name: string;
  /** The guarantees of which one must be seen violated. */
  violates: number[];
  /** Files below src; `from` occurs once. */
  edits: { file: string; from: string; to: string }[];
}

const one = (name: string, violates: number[], file: string, from: string, to: string): Broken => ({
  name,
  violates,
  edits: [{ file, from, to }],
});

export const BROKEN: Broken[] = [
  one(
    'the event is stored outside the transaction of its change',
    [1],
    'events/outbox.ts',
    'await queryPrepared(tx, RECORD',
    'await queryPrepared(tx.connection.manager, RECORD',
  ),
  one(
    'the relay commits that events are relayed before it writes their deliveries',
    [2],
    'webhooks/worker/relay.ts',
    `      const events = await queryPrepared<OutboxEvent[]>(tx, WAITING_EVENTS, [ENDPOINT_EVENTS]);`,
    `      const events = await queryPrepared<OutboxEvent[]>(tx, WAITING_EVENTS, [ENDPOINT_EVENTS]);
      await tx.query('UPDATE outbox_events SET relayed_at = now() WHERE id = ANY($1::uuid[])', [events.map(({ id }) => id)]);
      await tx.query('COMMIT');
      await tx.query('START TRANSACTION');`,
  ),
  one(
    'the sweep does not look for the attempts of dead workers',
    [2],
    'webhooks/worker/sweep.ts',
    'await this.recorder.record(tx, interrupted, endpoints, now);',
    '',
  ),
  one(
    'a lost job is added again with the same id, which the queue knows already',
    [2],
    'webhooks/worker/delivery-queues.ts',
    'jobId: `${id}-${attempts + 1}-${requeued}`',
    'jobId: `${id}-${attempts + 1}`',
  ),
  one(
    'a delivery that failed may be attempted a fifth time',
    [2],
    'webhooks/deliveries/next-state.ts',
    'const step = attempt.retryDelaysMs[automaticAttempts - 1];',
    'const step = attempt.retryDelaysMs[automaticAttempts - 1] ?? (automaticAttempts === 4 ? 1_000 : undefined);',
  ),
  one(
    'attempts are not counted',
    [2, 5],
    'webhooks/deliveries/next-state.ts',
    '? attempt.automaticAttempts + 1',
    '? attempt.automaticAttempts',
  ),
  one(
    'the retry delay is ignored',
    [3],
    'webhooks/deliveries/next-state.ts',
    'now.getTime() + delay',
    'now.getTime()',
  ),
  one(
    'the stored body is rendered again for each attempt',
    [4],
    'webhooks/sending/leases.ts',
    'd.event, o.body,',
    'd.event, o.body::jsonb::text AS body,',
  ),
  one(
    'an attempt that a dead worker leaves is counted',
    [5],
    'webhooks/deliveries/next-state.ts',
    "kind: 'interrupted', status, automaticAttempts, health",
    "kind: 'interrupted', status, automaticAttempts: automaticAttempts + 1, health",
  ),
  one(
    'a delivery that is leased can be leased again',
    [5],
    'webhooks/sending/leases.ts',
    'AND state = $4 ORDER BY',
    "AND state IN ($4, 'leased') ORDER BY",
  ),
  one(
    'a living worker loses its leases',
    [5],
    'webhooks/sending/leases.ts',
    "w.seen_at > now() - interval '6 seconds'",
    "w.seen_at > now() - interval '0.2 seconds'",
  ),
  {
    name: 'an outcome is written without a look at its lease',
    violates: [2, 5],
    edits: [
      {
        file: 'webhooks/sending/attempt-recorder.ts',
        from: ' AND d.lease_token = r.token',
        to: '',
      },
      {
        file: 'webhooks/sending/attempt-recorder.ts',
        from: 'FROM ended r JOIN written USING (id)',
        to: 'FROM ended r JOIN written USING (id) ON CONFLICT DO NOTHING',
      },
    ],
  },
  one(
    'a success does not end the delivery',
    [5],
    'webhooks/deliveries/next-state.ts',
    "return { ...ended, status: 'delivered', health: 'good' };",
    "return { ...ended, status: 'pending', state: 'waiting', nextAttemptAt: now, health: 'good' };",
  ),
  one(
    'accounts have no share of the sending capacity',
    [6],
    'webhooks/worker/release.queries.ts',
    'WHERE p.place <= s.share',
    '',
  ),
  one(
    'the relay locks the events against the API',
    [7],
    'webhooks/worker/relay.ts',
    'const events = await queryPrepared<OutboxEvent[]>',
    "await tx.query('LOCK TABLE outbox_events IN SHARE MODE');\n      const events = await queryPrepared<OutboxEvent[]>",
  ),
  one(
    'the sweep does not look for lost jobs',
    [2, 7],
    'webhooks/worker/sweep.ts',
    "AND state = 'queued' AND next_check_at <= $2 ORDER",
    "AND state = 'queued' AND false ORDER",
  ),
  {
    name: "a job returns the receiver's text to the queue",
    violates: [8],
    edits: [
      {
        file: 'webhooks/sending/attempts.ts',
        from: 'const outcome = await this.send(delivery, headers);',
        to: 'const outcome = await this.send(delivery, headers); (this as any).last = (outcome as any).responseSnippet;',
      },
      {
        file: 'webhooks/sending/attempts.ts',
        from: 'const made = this.makeAll(leased).finally(',
        to: 'const made: Promise<any> = this.makeAll(leased).then(() => (this as any).last).finally(',
      },
    ],
  },
  one(
    'an endpoint that is disabled is still sent what waits for it',
    [9],
    'webhooks/endpoints/endpoint.queries.ts',
    'WHERE endpoint_id = ANY($1::uuid[]) AND state IN (',
    'WHERE false AND endpoint_id = ANY($1::uuid[]) AND state IN (',
  ),
];
