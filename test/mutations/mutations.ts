/** One guarantee, broken on purpose, and the tests that must notice. */
interface Mutation {
  name: string;
  /** Below src; `from` occurs once. */
  file: string;
  from: string;
  to: string;
  /** Patterns for Jest. */
  tests: string[];
}

const mutation = (
  name: string,
  file: string,
  from: string,
  to: string,
  tests: string,
): Mutation => ({
  name,
  file,
  from,
  to,
  tests: tests.split(' '),
});

export const MUTATIONS = [
  mutation(
    "lists show others' drafts",
    'catalog/visibility.queries.ts',
    'sql`NOT is_public AND owner_id = ${accountId}`',
    'sql`NOT is_public AND ${accountId}::uuid IS NOT NULL`',
    'test/api/visibility',
  ),
  mutation(
    "a quiz by its id shows others' drafts",
    'catalog/visibility.queries.ts',
    'sql`(is_public OR owner_id = ${accountId})`',
    'sql`(is_public OR ${accountId}::uuid IS NOT NULL)`',
    'test/api/visibility',
  ),
  mutation(
    'webhooks are not signed',
    'webhooks/deliveries/signature.ts',
    "'X-Service-Signature': serviceSignature(body, secret),",
    "'X-Service-Signature': 'sha256=',",
    'src/webhooks/deliveries/signature',
  ),
  mutation(
    'an expired key is accepted',
    'access/api-keys/api-key.queries.ts',
    'k.expires_at > ${now}',
    '${now}::timestamptz IS NOT NULL',
    'test/api/api-keys',
  ),
  mutation(
    'deliveries are queued before their commit',
    'webhooks/relay/relay.service.ts',
    'return { count: events.length, deliveries: await this.fanOut(tx, events, now) };',
    `const deliveries = await this.fanOut(tx, events, now);
      await this.queue.add(deliveries, now);
      return { count: events.length, deliveries: [] };`,
    'test/api/webhook-delivery',
  ),
  mutation(
    'the scopes of a key are not checked',
    'access/accounts/scope.rules.ts',
    'if (!needed.some(',
    'if (needed.length > 9 && !needed.some(',
    'test/api/key-scopes',
  ),
  mutation(
    'there is no rate limit',
    'access/rate-limit/memory-throttler-storage.ts',
    'const isBlocked = hits >= limit;',
    'const isBlocked = hits >= limit && limit < 0;',
    'test/api/rate-limit',
  ),
  mutation(
    'retries come after half of their delay',
    'webhooks/deliveries/delivery.rules.ts',
    'step + Math.floor(',
    'step / 2 + Math.floor(',
    'src/webhooks/deliveries/delivery.rules',
  ),
  mutation(
    'If-Match is ignored',
    'platform/http/request/if-match.decorator.ts',
    'if (tags && !tags.some(',
    'if (tags && tags.length > 9 && !tags.some(',
    'test/api/quiz-editing',
  ),
  mutation(
    'the leaderboard takes attempts without an answer',
    'play/submission/submission.service.ts',
    'answers.length > 0 && quizId !== null',
    'quizId !== null',
    'test/api/play.spec',
  ),
  mutation(
    'Idempotency-Key is ignored',
    'platform/idempotency/idempotency.service.ts',
    'if (!request) return work(tx);',
    'if (request !== undefined) return work(tx);',
    'test/api/idempotency',
  ),
  mutation(
    'the quota of a plan has room for one more quiz',
    'access/accounts/accounts.service.ts',
    '(await countOwned()) >= limit',
    '(await countOwned()) > limit',
    'test/api/plans-and-quotas',
  ),
  mutation(
    'an import takes its rows outside the transaction that writes them',
    'import-export/imports/running/import-write.service.ts',
    'await takeStaged(tx,',
    'await takeStaged(this.database.manager,',
    'test/api/imports-in-parallel',
  ),
];
