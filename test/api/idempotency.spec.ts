import { randomUUID } from 'node:crypto';
import { ApiKeysService } from '../../src/access/api-keys/api-keys.service';
import { IdempotencyRetention } from '../../src/platform/idempotency/idempotency-retention';
import { keepOpen, waitForLocks } from '../support/locks';
import { questionBodies, questionBody, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { createQuiz } from '../support/writing';

/** The header Idempotency-Key: a request that is repeated changes nothing more, and is answered as before. */

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await startService({ QUIZ_QUOTA_STARTER: '1' });
  account = await service.account('pro');
});
afterAll(() => service.close());

const HOUR = 3_600_000;
const send = (who: TestAccount, path: string, key: string | string[], body: string | object) =>
  // Two of them are sent as two headers.
  who.post(path, body).set('Idempotency-Key', key as string);

const count = async (sql: string, ...parameters: unknown[]) => {
  const [row] = await service.database.query<[{ n: number }]>(
    `SELECT count(*)::int AS n FROM ${sql}`,
    parameters,
  );
  return row.n;
};
const quizzesOf = (who: TestAccount) => count('quizzes WHERE owner_id = $1', who.accountId);
const eventsOf = (who: TestAccount) => count('outbox_events WHERE account_id = $1', who.accountId);

describe('a repeated POST /quizzes with the same Idempotency-Key', () => {
  it('a repeated creation returns the stored response, marked as replayed, and creates nothing', async () => {
    const who = await service.account('pro');
    const key = randomUUID();
    const first = await send(who, '/quizzes', key, quizBody()).expect(201);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    const events = await eventsOf(who);
    const again = await send(who, '/quizzes', key, quizBody()).expect(201);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.headers.location).toBe(first.headers.location);
    expect(again.headers.location).toMatch(/^\/api\/v1\/quizzes\/./);
    expect([await quizzesOf(who), await eventsOf(who)]).toEqual([1, events]);
  });

  it('a repeated creation counts once against the quota and is replayed when it is used up', async () => {
    const who = await service.account('starter');
    const key = randomUUID();
    const first = await send(who, '/quizzes', key, quizBody()).expect(201);
    await who.post('/quizzes', quizBody()).expect(403);
    expect((await send(who, '/quizzes', key, quizBody()).expect(201)).text).toBe(first.text);
  });

  it('a repeated creation may format its JSON differently', async () => {
    const key = randomUUID();
    const first = await send(account, '/quizzes', key, JSON.stringify(quizBody())).expect(201);
    const spaced = JSON.stringify(quizBody(), null, 2);
    expect((await send(account, '/quizzes', key, spaced).expect(201)).text).toBe(first.text);
  });

  it('a repeated creation may send its API key in another place, and counts against the rate limit', async () => {
    const key = randomUUID();
    const first = await send(account, '/quizzes', key, quizBody()).expect(201);
    const again = await service
      .post(`/quizzes?api_key=${account.key}`, quizBody())
      .set('Idempotency-Key', key)
      .expect(201);
    expect(again.text).toBe(first.text);
    expect(Number(again.headers['ratelimit-remaining'])).toBe(
      Number(first.headers['ratelimit-remaining']) - 1,
    );
  });
});

describe('a repeated batch with the same Idempotency-Key', () => {
  it('a repeated batch appends its questions once', async () => {
    const quizId = await createQuiz(account);
    const path = `/quizzes/${quizId}/questions/batch`;
    const key = randomUUID();
    const body = { questions: questionBodies(50) };
    const first = await send(account, path, key, body).expect(201);
    const again = await send(account, path, key, body).expect(201);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await count('questions WHERE quiz_id = $1', quizId)).toBe(50);
  });

  it('a repeated batch is replayed after its quiz was deleted', async () => {
    const quizId = await createQuiz(account);
    const path = `/quizzes/${quizId}/questions/batch`;
    const key = randomUUID();
    const body = { questions: [questionBody()] };
    const first = await send(account, path, key, body).expect(201);
    await service.database.query('DELETE FROM quizzes WHERE id = $1', [quizId]);
    await account.post(path, body).expect(404);
    expect((await send(account, path, key, body).expect(201)).text).toBe(first.text);
  });
});

it('a repeated start of an attempt with the same Idempotency-Key starts one attempt', async () => {
  const quizId = await createQuiz(account);
  await account
    .post(`/quizzes/${quizId}/questions/batch`, { questions: [questionBody()] })
    .expect(201);
  const path = `/quizzes/${quizId}/attempts`;
  const key = randomUUID();
  const body = { player: 'ada', shuffle: true };
  const first = await send(account, path, key, body).expect(201);
  expect((await send(account, path, key, body).expect(201)).text).toBe(first.text);
  // Also when the quiz has changed since, and has gone; and nothing of it was copied.
  await account
    .post(`/quizzes/${quizId}/questions/batch`, { questions: [questionBody({ text: 'New?' })] })
    .expect(201);
  expect((await send(account, path, key, body).expect(201)).text).toBe(first.text);
  await service.database.query('DELETE FROM quizzes WHERE id = $1', [quizId]);
  expect((await send(account, path, key, body).expect(201)).text).toBe(first.text);
  expect(await count(`idempotent_responses WHERE key = $1 AND bytes = 36`, key)).toBe(1);
  expect(await count('quiz_attempts WHERE quiz_id = $1', quizId)).toBe(1);
});

it('stored responses take at most 16 MiB per account, and a key whose response was dropped still blocks a second creation', async () => {
  const who = await service.account('pro');
  const path = `/quizzes/${await createQuiz(who)}/questions/batch`;
  const import_ = (key: string) =>
    send(who, path, key, { questions: questionBodies(50, { explanation: key.repeat(400) }) });
  for (const key of ['first', 'second']) {
    await import_(key).expect(201);
    service.clock.advance(1_000);
  }
  await service.database.query(
    `UPDATE idempotent_responses SET body = repeat('x', 16 * 1048576 - 200000) WHERE key = 'first' AND account_id = $1`,
    [who.accountId],
  );
  const third = await import_('third').expect(201);
  const refused = await import_('first').expect(409);
  expect(refused.body.error).toContain('This request was already carried out and is not repeated.');
  expect((await import_('third').expect(201)).text).toBe(third.text);
  await import_('second').expect(201);
  const kept = `idempotent_responses WHERE account_id = $1 AND body IS NOT NULL`;
  expect(await count(kept, who.accountId)).toBe(2);
  expect(await count('questions WHERE owner_id = $1', who.accountId)).toBe(150);
});

it('without Idempotency-Key every request creates again', async () => {
  const who = await service.account('pro');
  for (let round = 0; round < 2; round++) {
    const { headers } = await who.post('/quizzes', quizBody()).expect(201);
    expect(headers).not.toHaveProperty('idempotency-replayed');
  }
  expect(await quizzesOf(who)).toBe(2);
  expect(await count('idempotent_responses WHERE account_id = $1', who.accountId)).toBe(0);
});

describe('the scope of an Idempotency-Key', () => {
  it('the same Idempotency-Key of another account is another key', async () => {
    const [one, other] = [await service.account('pro'), await service.account('pro')];
    const first = await send(one, '/quizzes', 'shared', quizBody()).expect(201);
    const second = await send(other, '/quizzes', 'shared', quizBody()).expect(201);
    expect(second.headers).not.toHaveProperty('idempotency-replayed');
    expect(second.body.data.id).not.toBe(first.body.data.id);
  });

  it('an Idempotency-Key is shared by all API keys of its account', async () => {
    const who = await service.account('pro');
    const first = await send(who, '/quizzes', 'either', quizBody()).expect(201);
    const { key } = await service.app.get(ApiKeysService).issue(who.accountId, 'another');
    const again = await service
      .post('/quizzes', quizBody())
      .set('Authorization', `Bearer ${key}`)
      .set('Idempotency-Key', 'either')
      .expect(201);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('an Idempotency-Key with another body is refused and creates nothing', async () => {
    const who = await service.account('pro');
    await send(who, '/quizzes', 'used', quizBody()).expect(201);
    const response = await send(who, '/quizzes', 'used', quizBody({ title: 'Lakes' })).expect(422);
    expect(response.body).toEqual({
      success: false,
      error:
        'This Idempotency-Key was used for another request in the last 24 hours. Repeat that request unchanged, or use a new key.',
    });
    expect(await quizzesOf(who)).toBe(1);
  });

  it('an Idempotency-Key at another path is refused', async () => {
    const who = await service.account('pro');
    const [one, other] = [await createQuiz(who), await createQuiz(who)];
    const body = { questions: [questionBody()] };
    await send(who, `/quizzes/${one}/questions/batch`, 'one', body).expect(201);
    await send(who, `/quizzes/${other}/questions/batch`, 'one', body).expect(422);
    await send(who, '/quizzes', 'another', quizBody()).expect(201);
    await send(who, `/quizzes/${other}/questions/batch`, 'another', body).expect(422);
    expect(await count('questions WHERE owner_id = $1', who.accountId)).toBe(1);
  });

  it('an Idempotency-Key expires after a day', async () => {
    const who = await service.account('pro');
    await send(who, '/quizzes', 'daily', quizBody()).expect(201);
    service.clock.advance(24 * HOUR - 60_000);
    const late = await send(who, '/quizzes', 'daily', quizBody()).expect(201);
    expect(late.headers['idempotency-replayed']).toBe('true');
    service.clock.advance(60_000);
    const next = await send(who, '/quizzes', 'daily', quizBody({ title: 'Lakes' })).expect(201);
    expect(next.headers).not.toHaveProperty('idempotency-replayed');
    expect(await quizzesOf(who)).toBe(2);
    const retention = service.app.get(IdempotencyRetention, { strict: false });
    service.clock.advance(24 * HOUR - 60_000);
    await retention.prune();
    expect(await count('idempotent_responses WHERE account_id = $1', who.accountId)).toBe(1);
    service.clock.advance(60_000);
    expect(await retention.prune()).toBeGreaterThan(0);
    expect(await count('idempotent_responses')).toBe(0);
  });
});

describe('a failed request with an Idempotency-Key', () => {
  it.each([
    ['malformed', '{', 400],
    ['invalid', quizBody({ title: '' }), 422],
    ['too large', quizBody({ description: 'x'.repeat(1024 * 1024) }), 413],
  ])('a request that was %s does not use up its Idempotency-Key', async (_, body, status) => {
    const key = randomUUID();
    await send(account, '/quizzes', key, body).expect(status);
    const response = await send(account, '/quizzes', key, quizBody()).expect(201);
    expect(response.headers).not.toHaveProperty('idempotency-replayed');
  });

  it('a request refused by the quota does not use up its Idempotency-Key', async () => {
    const who = await service.account('starter');
    const quizId = await createQuiz(who);
    await send(who, '/quizzes', 'later', quizBody()).expect(403);
    await service.database.query('DELETE FROM quizzes WHERE id = $1', [quizId]);
    await send(who, '/quizzes', 'later', quizBody()).expect(201);
  });

  it('a request that fails in the database stores neither a quiz nor a response', async () => {
    const who = await service.account('pro');
    await service.database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON idempotent_responses FOR EACH ROW EXECUTE FUNCTION refuse();`);
    try {
      await send(who, '/quizzes', 'unlucky', quizBody()).expect(500);
    } finally {
      await service.database.query('DROP FUNCTION refuse CASCADE');
    }
    expect([await quizzesOf(who), await eventsOf(who)]).toEqual([0, 0]);
    await send(who, '/quizzes', 'unlucky', quizBody()).expect(201);
  });
});

describe('concurrent requests with the same Idempotency-Key', () => {
  it('twenty concurrent equal requests create one quiz, and each gets it or 409 with Retry-After', async () => {
    const who = await service.account('pro');
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => send(who, '/quizzes', 'rush', quizBody())),
    );
    expect(await quizzesOf(who)).toBe(1);
    const made = responses.filter(({ status }) => status === 201);
    const busy = responses.filter(({ status }) => status === 409);
    expect(made.length + busy.length).toBe(20);
    for (const { headers } of busy) expect(headers['retry-after']).toBe('1');
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    expect(made.filter(({ headers }) => !headers['idempotency-replayed'])).toHaveLength(1);
    const again = await send(who, '/quizzes', 'rush', quizBody()).expect(201);
    expect(again.text).toBe(made[0]?.text);
  });

  it('a repeat while the first request is running gets 409 with Retry-After', async () => {
    const who = await service.account('pro');
    // Holds every creation of the account before its commit.
    const blocker = service.database.createQueryRunner();
    await blocker.startTransaction();
    await keepOpen(blocker);
    await blocker.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [who.accountId]);
    const first = send(who, '/quizzes', 'slow', quizBody()).then((response) => response);
    try {
      await waitForLocks(service.database, 1);
      for (const body of [quizBody(), quizBody({ title: 'Lakes' })]) {
        const response = await send(who, '/quizzes', 'slow', body).expect(409);
        expect(response.headers['retry-after']).toBe('1');
        expect(response.body).toEqual({
          success: false,
          error:
            'The first request with this Idempotency-Key is still in progress. Repeat it in a second to get its response.',
        });
      }
    } finally {
      await blocker.rollbackTransaction();
      await blocker.release();
    }
    const { text } = await first;
    expect((await send(who, '/quizzes', 'slow', quizBody()).expect(201)).text).toBe(text);
  });
});

describe('the order of checks with an Idempotency-Key', () => {
  const used = 'in-order';
  beforeAll(() => send(account, '/quizzes', used, quizBody()).expect(201));

  it('an Idempotency-Key does not bypass the API key and the plan', async () => {
    await service.post('/quizzes', quizBody()).set('Idempotency-Key', used).expect(401);
    const who = await service.account('starter');
    await send(who, '/quizzes', used, quizBody()).expect(201);
    await service.database.query(`UPDATE accounts SET plan = 'free' WHERE id = $1`, [
      who.accountId,
    ]);
    service.clock.advance(HOUR);
    await send(who, '/quizzes', used, quizBody()).expect(403);
  });

  it.each([
    ['empty', ''],
    ['too long', 'a'.repeat(256)],
    ['two words', 'two words'],
    ['not ASCII', 'clé'],
    ['sent twice', ['one', 'two']],
  ])(
    'an Idempotency-Key that is %s gets 400, after the plan and before the quiz',
    async (_, key) => {
      const path = '/quizzes/no-such-quiz/questions/batch';
      await send(await service.account('free'), path, key, {}).expect(403);
      const { body } = await send(account, path, key, {}).expect(400);
      expect(body).toEqual({
        success: false,
        error:
          'Idempotency-Key must be 1 to 255 visible ASCII characters without spaces, and be sent once. Use a random UUID, for example.',
      });
    },
  );

  it('the longest Idempotency-Key and every visible ASCII character are accepted', async () => {
    const visible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join('');
    for (const key of ['a'.repeat(255), visible]) {
      await send(account, '/quizzes', key, quizBody()).expect(201);
      const { headers } = await send(account, '/quizzes', key, quizBody()).expect(201);
      expect(headers['idempotency-replayed']).toBe('true');
    }
  });

  it('a used Idempotency-Key is reported only after the quiz and its owner were checked', async () => {
    const theirs = await createQuiz(await service.account('pro'));
    const body = { questions: [questionBody()] };
    await send(account, '/quizzes/no-such-quiz/questions/batch', used, body).expect(404);
    await send(account, `/quizzes/${theirs}/questions/batch`, used, body).expect(403);
  });
});
