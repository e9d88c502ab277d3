import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request } from 'express';
import type { Bytes } from '../../src/import-export/formats/row';
import { NotRunning } from '../../src/import-export/imports/import.queries';
import { receiveQuestions } from '../../src/import-export/imports/import-file';
import { ImportFailuresService } from '../../src/import-export/imports/running/import-failures.service';
import { ImportRunnerService } from '../../src/import-export/imports/running/import-runner.service';
import { ImportWriteService } from '../../src/import-export/imports/running/import-write.service';
import { eventually } from '../support/clock';
import { RawConnection } from '../support/raw-http';
import { type Service, startService, type TestAccount } from '../support/service';
import { createQuiz } from '../support/writing';

/** POST /imports and what happens to an import on its way: sent again, at one time, cancelled, broken off. */

let service: Service;
let runner: ImportRunnerService;
beforeAll(async () => {
  service = await startService();
  runner = service.app.get(ImportRunnerService);
});
afterAll(() => service.close());

const CSV = ['question,correct_answer,wrong_answer_1']
  .concat([...Array(500).keys()].map((i) => `Question ${i * 7919}?,yes ${i},no ${i}`))
  .join('\n');

const send = (account: TestAccount, key: string | undefined, file = CSV, query = '') => {
  const upload = account.post(`/imports?${query}`).set('Content-Type', 'text/csv');
  return (key === undefined ? upload : upload.set('Idempotency-Key', key)).send(file);
};

const count = async (sql: string, ...parameters: unknown[]) => {
  const [row] = await service.database.query<[{ n: number }]>(
    `SELECT count(*)::int AS n FROM ${sql}`,
    parameters,
  );
  return row.n;
};
const importsOf = (account: TestAccount) =>
  count('imports WHERE account_id = $1', account.accountId);
const chunksOf = (account: TestAccount) =>
  count(
    'import_chunks WHERE import_id IN (SELECT id FROM imports WHERE account_id = $1)',
    account.accountId,
  );

/** Imports under way, as if they had come before. */
const underWay = (account: TestAccount, number: number) =>
  service.database.query(
    `INSERT INTO imports (id, account_id, state, dry_run, file_name, options, stored, created_at)
     SELECT gen_random_uuid(), $1, 'waiting', false, 'x.csv', '{"difficulty":"EASY","published":false}', true, now()
     FROM generate_series(1, $2)`,
    [account.accountId, number],
  );

describe('an upload that is sent again with its Idempotency-Key', () => {
  it('an upload repeated with its Idempotency-Key returns the first import, marked as replayed, also after it has ended', async () => {
    const account = await service.account('pro');
    const key = randomUUID();
    const first = await send(account, key).expect(202);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    await runner.run(first.body.data.id);
    const again = await send(account, key).expect(202);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.headers.location).toBe(first.headers.location);
    expect([await importsOf(account), await chunksOf(account)]).toEqual([1, 0]);
    expect(await count('questions WHERE owner_id = $1', account.accountId)).toBe(500);
  });

  it('a repeated upload is replayed despite ten running imports and a deleted quiz', async () => {
    const account = await service.account('pro');
    const quizId = await createQuiz(account);
    const first = await send(account, 'k', CSV, `quiz_id=${quizId}`).expect(202);
    await underWay(account, 9);
    await service.database.query(`DELETE FROM quizzes WHERE id = $1`, [quizId]);
    const again = await send(account, 'k', CSV, `quiz_id=${quizId}`).expect(202);
    expect(again.text).toBe(first.text);
    await send(account, 'other').expect(409);
  });

  it('a repeated upload with another file or other parameters is refused', async () => {
    const account = await service.account('pro');
    const first = await send(account, 'k', CSV, 'filename=a.csv').expect(202);
    for (const [file, query] of [
      [`${CSV}\nNew?,Yes,No`, 'filename=a.csv'],
      [CSV, 'filename=b.csv'],
      [CSV, 'filename=a.csv&dry_run=true'],
    ])
      expect((await send(account, 'k', file, query).expect(422)).body).toEqual({
        success: false,
        error:
          'This Idempotency-Key was used for another request in the last 24 hours. Repeat that request unchanged, or use a new key.',
      });
    await send(account, 'k', CSV, 'quiz_id=nope').expect(404);
    // A key of the account with other scopes sends the same request.
    const { key: other } = await service.keyOf(account, { scopes: ['write'] });
    for (const key of [account.key, other]) {
      const again = await service
        .post(`/imports?filename=a.csv&api_key=${key}`)
        .set({ 'Content-Type': 'text/csv', 'Idempotency-Key': 'k' })
        .send(CSV)
        .expect(202);
      expect(again.text).toBe(first.text);
    }
    expect(await importsOf(account)).toBe(1);
  });

  it('an upload is a new import without the key, for another account, after a day and after a failure', async () => {
    const account = await service.account('pro');
    const other = await service.account('pro');
    await send(account, 'k', '').expect(400);
    await send(account, 'k y').expect(400);
    const ids = new Set<string>();
    for (const [who, key] of [
      [account, 'k'],
      [account, undefined],
      [other, 'k'],
    ] as const)
      ids.add((await send(who, key).expect(202)).body.data.id);
    service.clock.advance(24 * 3_600_000);
    ids.add((await send(account, 'k').expect(202)).body.data.id);
    expect(ids.size).toBe(4);
  });

  it('concurrent equal uploads make one import, and each gets it or 409 with Retry-After', async () => {
    const account = await service.account('pro');
    const responses = await Promise.all([...Array(8)].map(() => send(account, 'k')));
    const ids = new Set(responses.filter((a) => a.status === 202).map((a) => a.body.data.id));
    expect(ids.size).toBe(1);
    for (const response of responses.filter(({ status }) => status !== 202)) {
      expect(response.status).toBe(409);
      expect(response.headers['retry-after']).toBe('1');
    }
    expect(await importsOf(account)).toBe(1);
  });
});

test('concurrent uploads cannot pass the limit of ten imports', async () => {
  const account = await service.account('pro');
  await underWay(account, 8);
  const responses = await Promise.all([...Array(6)].map(() => send(account, undefined)));
  expect(responses.map(({ status }) => status).sort()).toEqual([202, 202, 409, 409, 409, 409]);
  expect(await importsOf(account)).toBe(10);
});

describe('a cancelled import', () => {
  const cancel = (account: TestAccount, id: string) =>
    account.post(`/imports/${id}/cancel`).expect(200);
  const stateOf = async (account: TestAccount, id: string) => {
    const { state, totals } = (await account.get(`/imports/${id}`).expect(200)).body.data;
    return [state, totals.imported];
  };
  const leftOf = (id: string) => count('import_questions WHERE import_id = $1', id);

  const begin = async (account: TestAccount) => {
    const { id } = (await send(account, undefined).expect(202)).body.data;
    const job = await runner.take(id as string);
    if (!job) throw new Error('somebody has it');
    return job;
  };

  it('a cancelled import stops reading', async () => {
    const account = await service.account('pro');
    const job = await begin(account);
    const { id } = job;
    const [header, ...rows] = CSV.split('\n');
    let taken = 0;
    const bytes: Bytes = {
      async *[Symbol.asyncIterator]() {
        yield Buffer.from(`${header}\n`);
        for (taken = 0; taken < 100; taken++) {
          if (taken === 10) await cancel(account, id);
          yield Buffer.from(rows.map((row) => `Part ${taken}: ${row}\n`).join(''));
        }
      },
    };
    await expect(runner.check(job, [{ name: 'x.csv', bytes }])).rejects.toThrow(NotRunning);
    expect(taken).toBeLessThan(15);
    expect(await stateOf(account, id)).toEqual(['cancelled', 0]);
    expect([await leftOf(id), await chunksOf(account)]).toEqual([0, 0]);
    expect(await runner.take(id)).toBeNull();
  });

  it('a cancelled import stops after the chunk that is being written', async () => {
    const account = await service.account('pro');
    const job = await begin(account);
    const { id } = job;
    expect(await runner.check(job, [{ name: 'x.csv', bytes: [Buffer.from(CSV)] }])).toBe(500);
    const chunk = await service.app.get(ImportWriteService).writeChunk(job);
    expect(chunk).toBe(200);
    await cancel(account, id);
    await expect(runner.write(job)).rejects.toThrow(NotRunning);
    expect(await stateOf(account, id)).toEqual(['cancelled', chunk]);
    expect(await count('questions WHERE owner_id = $1', account.accountId)).toBe(chunk);
    expect(await leftOf(id)).toBe(0);
  });

  it('an import cancelled while it uploads is read to its end and stores nothing', async () => {
    const account = await service.account('pro');
    const half = Buffer.alloc(1_100_000, 'a,b\n');
    const connection = RawConnection.open(service.url).send(
      'POST /api/v1/imports HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\n' +
        `Authorization: Bearer ${account.key}\r\nContent-Length: ${2 * half.length}\r\n\r\n`,
    );
    await connection.sent(half);
    const id = await eventually(async () => {
      const [found] = (await account.get('/imports')).body.data;
      if (!found || (await chunksOf(account)) === 0) throw new Error('not yet');
      return found.id as string;
    });
    await cancel(account, id);
    await connection.sent(half);
    const { status, body } = await connection.answer();
    connection.close();
    expect([status, JSON.parse(body).data.state]).toEqual([202, 'cancelled']);
    expect(await chunksOf(account)).toBe(0);
  });

  it('an import cancelled while it uploads stays cancelled, without its file, if the connection then breaks', async () => {
    const account = await service.account('pro');
    const part = Buffer.alloc(1_100_000, 'a,b\n');
    const connection = RawConnection.open(service.url).send(
      'POST /api/v1/imports HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\n' +
        `Authorization: Bearer ${account.key}\r\nContent-Length: ${3 * part.length}\r\n\r\n`,
    );
    const id = await eventually(async () => {
      const [found] = (await account.get('/imports')).body.data;
      if (!found) throw new Error('not yet');
      return found.id as string;
    });
    await cancel(account, id);
    await connection.sent(part);
    await eventually(async () => expect(await chunksOf(account)).toBe(1));
    connection.close();
    await eventually(async () => expect(await chunksOf(account)).toBe(0));
    expect(await stateOf(account, id)).toEqual(['cancelled', 0]);
  });
});

test('an import that fails repeatedly is given up with a message and its id', async () => {
  const account = await service.account('pro');
  const { id } = (await send(account, undefined).expect(202)).body.data;
  // Only the database can fail here: as if a constraint had refused a row each time.
  await service.database.query(
    `ALTER TABLE import_questions ADD CONSTRAINT broken CHECK (number < 0) NOT VALID`,
  );
  for (let tries = 0; tries < 5; tries += 1) {
    await expect(runner.runJob(id)).rejects.toThrow('broken');
  }
  await service.database.query(`ALTER TABLE import_questions DROP CONSTRAINT broken`);
  expect(await runner.runJob(id)).toBe('ended');
  const { state, error } = (await account.get(`/imports/${id}`).expect(200)).body.data;
  expect([state, error]).toEqual([
    'failed',
    `The service failed 5 times at one place of the import, because of an error of its own, and the import was stopped. Import the file again: the questions that you have stay, and are skipped. If that happens again, report the import's id to the operator: ${id}.`,
  ]);
  expect(service.log.filter((line) => line.includes(id) && line.includes('given up'))).toHaveLength(
    1,
  );
});

describe('an import whose process dies', () => {
  const dies = async (signal: string, deaths: number) => {
    const account = await service.account('pro');
    const { id } = (await send(account, undefined).expect(202)).body.data;
    for (let death = 0; death < deaths; death += 1) {
      expect(await runner.take(id)).not.toBeNull();
      await service.app.get(ImportFailuresService, { strict: false }).note(id, { signal });
    }
    const { state, error } = (await account.get(`/imports/${id}`).expect(200)).body.data;
    // It is the file's fault: nobody is alarmed.
    expect(service.log.filter((line) => line.includes(id) && /given up/.test(line))).toEqual([]);
    return { id: id as string, state, error };
  };

  it('a file whose reading was interrupted once is read again', async () => {
    const { id, state } = await dies('SIGKILL', 1);
    expect(state).toBe('running');
    expect(await runner.runJob(id)).toBe('ended');
    const [after] = await service.database.query<object[]>(
      `SELECT state, imported FROM imports WHERE id = $1`,
      [id],
    );
    expect(after).toEqual({ state: 'completed', imported: 500 });
  });

  it('a file whose reading was interrupted twice fails as too expensive to read', async () => {
    expect(await dies('SIGKILL', 2)).toMatchObject({
      state: 'failed',
      error:
        'Reading the file was interrupted twice, so it is too expensive to read: it takes too much computing time or memory for its size. Choose another format, or split the file into smaller ones.',
    });
  });

  it('a file that takes too much CPU time fails at once', async () => {
    expect(await dies('SIGXCPU', 1)).toMatchObject({
      state: 'failed',
      error:
        'Reading the file takes too much computing time for its size, so it was stopped. Choose another format, or split the file into smaller ones.',
    });
  });
});

describe('interrupted uploads', () => {
  const server = createServer();
  afterAll(() => server.close());

  it('an interrupted upload leaves no import, and a connected client gets the reason', async () => {
    const account = await service.account('pro');
    const connection = RawConnection.open(service.url).send(
      'POST /api/v1/imports HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\n' +
        `Authorization: Bearer ${account.key}\r\nContent-Length: 100000\r\n\r\nquestion,a,b,correct\n`,
    );
    await eventually(async () => {
      if ((await importsOf(account)) === 0) throw new Error('not yet');
    });
    const { status, body } = await connection.finish().answer();
    expect([status, JSON.parse(body)]).toEqual([
      400,
      { success: false, error: 'The request ended before its body did. Send it again.' },
    ]);
    await eventually(async () => {
      if ((await importsOf(account)) > 0) throw new Error('not yet');
    });
    expect(await importsOf(account)).toBe(0);
  });

  it('an upload whose client is gone ends as incomplete', async () => {
    let outcome: Promise<unknown> = Promise.resolve();
    const begun = new Promise<void>((resolve) => {
      const take = async (bytes: AsyncIterable<Uint8Array>) => {
        for await (const chunk of bytes) if (chunk.length > 0) resolve();
      };
      server.on('request', (request: Request, response: ServerResponse) => {
        outcome = receiveQuestions(request, response as never, 1_000, take).catch(
          (error: unknown) => error,
        );
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = httpRequest({ port, method: 'POST', headers: { 'Content-Length': 100 } });
    client.on('error', () => undefined);
    client.write('half');
    await begun;
    client.destroy();
    expect(await outcome).toMatchObject({
      kind: 'malformed',
      message: 'The upload was incomplete. Send the file again.',
    });
  });
});
