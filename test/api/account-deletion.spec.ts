import type { INestApplicationContext } from '@nestjs/common';
import request from 'supertest';
import { AccountsService } from '../../src/access/accounts/accounts.service';
import { DEMO_ACCOUNT } from '../../src/access/accounts/built-in-accounts';
import { ALL_SCOPES } from '../../src/access/accounts/scope.rules';
import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { AccountDeletionService } from '../../src/access/administration/account-deletion.service';
import { DeletedAccountsService } from '../../src/access/administration/deleted-accounts.service';
import { EmailChangesService } from '../../src/access/administration/email-changes.service';
import { PasswordLinksService } from '../../src/access/administration/password-links.service';
import { ApiKeysService } from '../../src/access/api-keys/api-keys.service';
import { OPERATOR } from '../../src/access/audit/actor';
import { PasswordsService } from '../../src/access/sessions/passwords.service';
import { SessionsService } from '../../src/access/sessions/sessions.service';
import { ReviewService } from '../../src/authoring/review/review.service';
import { ImportRunnerService } from '../../src/import-export/imports/running/import-runner.service';
import { eventually } from '../support/clock';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { play } from '../support/leaderboards';
import { keepOpen, waitForLocks } from '../support/locks';
import { png } from '../support/pictures';
import { type Receiver, startReceiver } from '../support/receiver';
import { questionBodies, questionBody, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { member, PASSWORD, Visitor, wordsOf } from '../support/visitor';
import { pauseImports, startWorkerBeside } from '../support/worker-beside';

let service: Service;
let worker: INestApplicationContext;
let receiver: Receiver;
let admin: TestAccount;
beforeAll(async () => {
  service = await startService({ UNLISTED_LINKS: 'on', TRUST_PROXY: '1' });
  worker = await startWorkerBeside(service);
  await pauseImports(worker);
  receiver = await startReceiver();
  admin = await member(service, 'free', { isAdmin: true, email: 'the.admin@example.com' });
});
afterAll(async () => {
  await worker.close();
  await receiver.close();
  await service.close();
});

const deletion = () => worker.get(DeletedAccountsService, { strict: false });

/** Lets the worker delete everything that belongs to deleted accounts. @returns how many transactions it took */
async function finishDeletions(): Promise<number> {
  service.clock.advance(11_000);
  return eventually(async () => {
    let transactions = 0;
    while (await deletion().deleteBatch()) transactions++;
    const [left] = await service.database.query<[{ count: number }]>(
      'SELECT count(*)::int FROM accounts WHERE deletion IS NOT NULL',
    );
    expect(left.count).toBe(0);
    return transactions;
  });
}

/** Every row of every table as text: what a dump of the database contains. */
function dump(): Promise<string[]> {
  return service.database.transaction(async (tx) => {
    // As text: in hexadecimal digits no search would find what uploaded files contain.
    await tx.query(`SET LOCAL bytea_output = 'escape'`);
    const tables = await tx.query<{ name: string }[]>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const rows: string[] = [];
    for (const { name } of tables)
      for (const { row } of await tx.query<{ row: string }[]>(
        `SELECT t::text AS row FROM ${name} AS t`,
      ))
        rows.push(`${name} ${row}`);
    return rows;
  });
}

const rowsWith = (rows: string[], datum: string) =>
  rows.filter((row) => row.toLowerCase().includes(datum.toLowerCase()));

/** What an account leaves in the database, and nobody else has. */
const PERSONAL = {
  email: 'zebedee.quartermaine@personal.example',
  keyName: 'Key of Zebedee',
  userAgent: 'Zebedeezilla/7.0',
  address: '198.51.100.77',
  webhook: '/hooks/zebedee-secret-path',
  player: 'Zebedee Pupil',
  visitor: 'Visiting Zebedee',
  pupil: 'Pupil Zebedeeson',
  className: 'Class of Zebedee',
  assistant: 'Zebedee’s assistant',
  importFile: 'zebedee-lessons.csv',
  importRow: 'Which row did Zebedee import',
  previewedFile: 'remark of Zebedee that no question has',
  wrongPasswordAt: '198.51.100.78',
  website: 'https://zebedee-site.example',
  idempotency: 'zebedee-once',
};

/** An account that uses every feature. */
async function busyAccount(): Promise<{ account: TestAccount; visitor: Visitor; quiz: MadeQuiz }> {
  const account = await member(service, 'pro', { email: PERSONAL.email });
  const visitor = new Visitor(service, PERSONAL.address);
  await new Visitor(service, PERSONAL.wrongPasswordAt).signIn(account.email, 'a wrong password');
  await request(service.url)
    .post('/dashboard/sign-in')
    .set({ 'Sec-Fetch-Site': 'same-origin', 'User-Agent': PERSONAL.userAgent })
    .type('form')
    .send({ email: account.email, password: 'correct horse battery' })
    .expect(303);
  await visitor.signIn(account.email);
  await visitor
    .post('/dashboard/keys', { name: PERSONAL.keyName, scopes: 'read', lifetime: 'never' })
    .expect(200);
  const quiz = await makeQuiz(account, { published: true, title: 'Kept' }, questionBodies(2));
  await makeQuiz(account, { published: false, title: 'A draft' }, questionBodies(1));
  await service.database.query('UPDATE quizzes SET written_by = $1 WHERE id = $2', [
    PERSONAL.assistant,
    quiz.id,
  ]);
  const review = `/dashboard/admin/review/${quiz.id}`;
  const reviewer = new Visitor(service);
  await reviewer.signIn(admin.email);
  await reviewer.post(`${review}/verdict`, { verdict: 'approve', seen: 'pending' }).expect(303);
  await account
    .post('/webhooks', {
      url: receiver.url(PERSONAL.webhook),
      events: ['quiz.created', 'attempt.submitted', 'quiz.completed', 'leaderboard.updated'],
    })
    .expect(201);
  await account
    .post('/quizzes', { title: 'Once', difficulty: 'EASY' })
    .set('Idempotency-Key', PERSONAL.idempotency)
    .expect(201);
  const link = await account
    .post(`/quizzes/${quiz.id}/links`, { name: PERSONAL.className, names: [PERSONAL.pupil] })
    .expect(201);
  await new Visitor(service)
    .post((link.body.data as { path: string }).path, {
      name: PERSONAL.visitor,
    })
    .expect(303);
  await play(account, quiz, PERSONAL.player);
  const importFile = async (query: string, file: string) => {
    const { body } = await account
      .post(`/imports?${query}`)
      .set('Content-Type', 'text/csv')
      .send(file)
      .expect(202);
    await service.app.get(ImportRunnerService).run(body.data.id as string);
  };
  await importFile(
    `filename=${PERSONAL.importFile}`,
    `question,correct_answer,wrong_answer_1\n${PERSONAL.importRow}?,a,b\nnone,,c`,
  );
  // A preview keeps its file.
  await importFile(
    'dry_run=true&filename=preview.csv',
    `question,correct_answer,wrong_answer_1,internal\nIs it so?,yes,no,${PERSONAL.previewedFile}`,
  );
  const rows = await service.database.query<{ state: string }[]>('SELECT state FROM imports');
  expect(rows.map(({ state }) => state)).toEqual(['completed', 'completed']);
  await visitor
    .post(`/dashboard/quizzes/${quiz.id}/embed`, { origins: PERSONAL.website })
    .expect(303);
  return { account, visitor, quiz };
}

describe('an account that has used everything', () => {
  let account: TestAccount;
  let visitor: Visitor;
  let quiz: MadeQuiz;
  let others: MadeQuiz;
  let before: string[];
  let after: string[];

  beforeAll(async () => {
    others = await makeQuiz(admin, { published: true, title: 'Of the admin' }, questionBodies(2));
    await admin.post('/webhooks', {
      url: receiver.url('/admin'),
      events: ['attempt.submitted', 'leaderboard.updated'],
      allAccounts: true,
    });
    ({ account, visitor, quiz } = await busyAccount());
    await play(account, others, PERSONAL.player);
    await play(await service.account('free'), others, 'Bystander');
    await eventually(() => expect(receiver.at('/admin').length).toBeGreaterThan(3), 20_000);
    before = await dump();
    await account.delete('/me').send({ quizzes: 'keep' }).expect(202);
    await account.get('/me').expect(401);
    await visitor.get('/dashboard').expect(303);
    await finishDeletions();
    after = await dump();
  }, 150_000);

  it('leaves nothing personal in a dump of the database, and its results stay without names', async () => {
    for (const [name, datum] of Object.entries(PERSONAL)) {
      expect([name, rowsWith(before, datum).length > 0]).toEqual([name, true]);
      expect([name, rowsWith(after, datum)]).toEqual([name, []]);
    }
    expect(rowsWith(after, 'Zebedee')).toEqual([]);
    // The results of the administrator's quiz are still there, and other players keep their names.
    const { body } = await admin.get(`/quizzes/${others.id}/attempts`).expect(200);
    const players = (body.data as { player: string; score: number }[]).map(({ player }) => player);
    expect(players.sort()).toEqual([
      'Bystander',
      expect.stringMatching(/^web:[a-z2-7]{20}:Deleted player$/),
    ]);
    const board = await admin.get(`/quizzes/${others.id}/leaderboard`).expect(200);
    expect(JSON.stringify(board.body)).toContain('Bystander');
    // The audit log keeps what was done to which id.
    const entries = await service.database.query<{ action: string; actor_email: string }[]>(
      'SELECT action, actor_email FROM audit_entries WHERE actor_id = $1',
      [account.accountId],
    );
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['key.issued', 'webhook.added', 'account.deleted']),
    );
    expect(new Set(entries.map((entry) => entry.actor_email))).toEqual(
      new Set(['deleted account']),
    );
  });

  it('keeps its published quiz for everybody, and deletes its drafts', async () => {
    const reader = await service.account('free');
    await reader.get(`/quizzes/${quiz.id}`).expect(200);
    const rows = await service.database.query<{ title: string }[]>(
      'SELECT title FROM quizzes WHERE owner_id = $1',
      [account.accountId],
    );
    expect(rows).toEqual([{ title: 'Kept' }]);
    const browser = new Visitor(service);
    await browser.signIn(admin.email);
    const at = `/dashboard/admin/accounts/${account.accountId}`;
    const page = await browser.get(at).expect(200);
    expect(wordsOf(page)).toContain('Deleted account');
    expect(wordsOf(page)).toMatch(/Quizzes 1 Active keys/);
    // Its plan, address and rights can no longer be changed.
    expect(page.text).not.toContain(`action="${at}/`);
  });

  it('has freed its address for another account', async () => {
    const again = await service.account('free', { email: PERSONAL.email });
    await again.get('/me').expect(200);
  });
});

/** @returns the id of a new picture */
async function upload(account: TestAccount, shade: number): Promise<string> {
  const { body } = await account
    .post('/media')
    .set('Content-Type', 'image/png')
    .send(png({ shade }))
    .expect(201);
  return (body.data as { id: string }).id;
}

it('pictures that kept quizzes show stay, also those uploaded a moment ago, and others are deleted', async () => {
  const account = await service.account('pro', { isAdmin: true });
  const [shown, unused] = [await upload(account, 1), await upload(account, 2)];
  const text = `Which country is this? ![A map](media:${shown})`;
  await makeQuiz(account, { published: true }, [questionBody({ text, format: 'markdown' })]);
  await account.delete('/me').send({ quizzes: 'keep' }).expect(202);
  await finishDeletions();
  await request(service.url).get(`/media/${shown}`).expect(200);
  await request(service.url).get(`/media/${unused}`).expect(404);
});

it('pictures that an edit of a kept quiz replaced stay for earlier results and the review', async () => {
  const account = await service.account('pro');
  const [played, approved] = [await upload(account, 3), await upload(account, 4)];
  const shows = (id: string) =>
    questionBody({ text: `Which country? ![A map](media:${id})`, format: 'markdown' });
  const quizOf = async (id: string) => {
    const quiz = await makeQuiz(account, { published: true }, [shows(id)]);
    await service.app.get(ReviewService).decide(admin, quiz.id, 'pending', { approved: true });
    return quiz;
  };
  const replace = (quiz: MadeQuiz) =>
    account.patch(`/questions/${quiz.questions[0]?.id}`, { text: 'Which river?' }).expect(200);

  // Results show the first, and the review compares with the second.
  const playedQuiz = await quizOf(played);
  await admin.post(`/quizzes/${playedQuiz.id}/attempts`, { player: 'Ada' }).expect(201);
  await replace(playedQuiz);
  await service.app.get(ReviewService).decide(admin, playedQuiz.id, 'approved', { approved: true });
  await replace(await quizOf(approved));

  await account.delete('/me').send({ quizzes: 'keep' }).expect(202);
  await finishDeletions();
  for (const id of [played, approved]) await request(service.url).get(`/media/${id}`).expect(200);
});

it('the audit log links to a quiz only until it is deleted with its account', async () => {
  const account = await service.account('pro');
  const quiz = await makeQuiz(account, { published: true }, questionBodies(1));
  await service.app.get(ReviewService).decide(admin, quiz.id, 'pending', { approved: true });
  const browser = new Visitor(service);
  await browser.signIn(admin.email);
  const log = async () => (await browser.get('/dashboard/admin/audit').expect(200)).text;
  const page = `/dashboard/admin/review/${quiz.id}`;
  expect(await log()).toContain(page);
  await account.delete('/me').send({ quizzes: 'delete' }).expect(202);
  await finishDeletions();
  await browser.get(page).expect(404);
  expect(await log()).not.toContain(page);
});

it('a deletion with quizzes deletes them in batches of 20, each in a transaction of its own', async () => {
  // Those of other tests.
  await finishDeletions();
  const account = await service.account('pro');
  for (let n = 0; n < 45; n++)
    await service.database.query(
      `INSERT INTO quizzes (id, owner_id, title, title_sort, category_key, difficulty, tags, tag_keys, slug, published, approval, is_public, featured, created_at, updated_at)
       VALUES (gen_random_uuid(), $1, 'Many', 'many', '', 'EASY', '{}', '{}', 'many-' || $2, false, 'pending', false, false, now(), now())`,
      [account.accountId, n],
    );
  await account.delete('/me').send({ quizzes: 'delete' }).expect(202);
  const count = async () => {
    const [row] = await service.database.query<[{ count: number }]>(
      'SELECT count(*)::int FROM quizzes WHERE owner_id = $1',
      [account.accountId],
    );
    return row.count;
  };
  const deleteBatch = deletion().deleteBatch.bind(deletion());
  // The worker itself runs no batch meanwhile.
  const scheduled = jest.spyOn(deletion(), 'deleteBatch').mockResolvedValue(false);
  try {
    // Keys that other processes still remember may write for some seconds: until then nothing is deleted.
    expect(await deleteBatch()).toBe(false);
    service.clock.advance(11_000);
    for (const left of [25, 5, 0]) {
      expect(await deleteBatch()).toBe(true);
      expect(await count()).toBe(left);
    }
    expect(await deleteBatch()).toBe(false);
  } finally {
    scheduled.mockRestore();
  }
});

it('an account whose deletion fails does not delay another', async () => {
  const [failing, other] = [await service.account(), await service.account()];
  await service.database.query(`
    CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'Account % stays.', OLD.account_id; END $$;
    CREATE TRIGGER refuse_deletion BEFORE DELETE ON api_keys
      FOR EACH ROW WHEN (OLD.account_id = '${failing.accountId}') EXECUTE FUNCTION refuse_deletion()`);
  try {
    await failing.delete('/me').send({ quizzes: 'delete' }).expect(202);
    service.clock.advance(1_000);
    await other.delete('/me').send({ quizzes: 'delete' }).expect(202);
    service.clock.advance(11_000);
    await eventually(async () => {
      await deletion()
        .deleteBatch()
        .catch((error: Error) => expect(error.message).toContain(failing.accountId));
      const left = await service.database.query<{ id: string }[]>(
        'SELECT id FROM accounts WHERE deletion IS NOT NULL',
      );
      expect(left).toEqual([{ id: failing.accountId }]);
    });
  } finally {
    await service.database.query('DROP FUNCTION refuse_deletion CASCADE');
  }
  await finishDeletions();
});

describe('who may delete an account', () => {
  it('a key needs every scope but play', async () => {
    const account = await service.account('pro');
    const needed = ALL_SCOPES.filter((scope) => scope !== 'play');
    for (const missing of needed) {
      const scopes = needed.filter((scope) => scope !== missing);
      const { body } = await (
        await service.keyOf(account, { scopes })
      )
        .delete('/me')
        .send({ quizzes: 'delete' })
        .expect(403);
      expect(body.error).toContain(`\`${missing}\``);
    }
    const key = await service.keyOf(account, { scopes: needed });
    await key.delete('/me').send({ quizzes: 'delete' }).expect(202);
  });

  it('the body of a deletion says what becomes of the quizzes', async () => {
    const account = await service.account('pro');
    await account.delete('/me').send({}).expect(422);
    await account.delete('/me').send({ quizzes: 'all' }).expect(422);
    await account.delete('/me').send('delete').expect(400);
    await account.get('/me').expect(200);
  });

  it('an administrator deletes another account, and nobody else does', async () => {
    const [account, stranger] = [await service.account('pro'), await service.account('pro')];
    const at = `/accounts/${account.accountId}`;
    await stranger.delete(at).send({ quizzes: 'delete' }).expect(403);
    await admin.delete('/accounts/none').send({ quizzes: 'delete' }).expect(404);
    await admin.delete(at).send({ quizzes: 'delete' }).expect(202);
    await account.get('/me').expect(401);
    await admin.delete(at).send({ quizzes: 'delete' }).expect(404);
  });

  it('an account is deleted by its owner under its id', async () => {
    const account = await service.account('pro');
    const at = `/accounts/${account.accountId}`;
    await account.delete(at).send({ quizzes: 'delete' }).expect(202);
    await account.get('/me').expect(401);
  });

  it('nobody deletes the account of the demo key, by its id or with its own key', async () => {
    const demo = await service.account('pro', { email: DEMO_ACCOUNT });
    for (const response of [
      await demo.delete('/me').send({ quizzes: 'delete' }),
      await admin.delete(`/accounts/${demo.accountId}`).send({ quizzes: 'delete' }),
    ]) {
      expect(response.status).toBe(409);
      expect(response.headers['x-error-code']).toBe('account-not-deletable');
    }
    await demo.get('/me').expect(200);
  });

  it('a deleted account is not listed', async () => {
    const [account, other] = [await service.account('pro'), await service.account('pro')];
    await account.delete('/me').send({ quizzes: 'delete' }).expect(202);
    const ids = (await service.app.get(AccountsService).list()).map(({ id }) => id);
    expect(ids).toContain(other.accountId);
    expect(ids).not.toContain(account.accountId);
  });

  it('nobody gives a deleted account rights, a key, a session, an address or a password', async () => {
    const account = await service.account('pro');
    const row = await service.app.get(AccountsService).get(account.accountId);
    await account.delete('/me').send({ quizzes: 'keep' }).expect(202);
    const administration = service.app.get(AccountAdministrationService);
    for (const change of [
      administration.setAdministrator(OPERATOR, row.id, true),
      administration.setPlan(OPERATOR, row.id, 'pro'),
      administration.requestPlan(row.id, 'pro'),
      administration.setDisabled(OPERATOR, row.id, true),
      administration.setPassword(OPERATOR, row, 'a new password'),
      service.app.get(PasswordLinksService).issue(OPERATOR, row),
      service.app.get(ApiKeysService).issue(row.id, 'By the operator'),
      service.app.get(ApiKeysService).issueOwn(row.id, 'By a request under way', null),
    ])
      await expect(change).rejects.toThrow('Account not found.');
    // As with a one-time link that was used a moment before.
    const browser = { userAgent: 'late', address: '127.0.0.1' };
    expect(await service.app.get(SessionsService).start(row.id, browser)).toBeNull();
    await expect(
      service.app.get(EmailChangesService).set(OPERATOR, row.id, 'again@example.com'),
    ).rejects.toThrow('This account was deleted.');
    // Nor takes its address, by which the service would know a deleted account.
    await expect(
      administration.create(OPERATOR, { email: 'Me@QUIZ.invalid', plan: 'free', isAdmin: false }),
    ).rejects.toThrow('email is an address of the service itself: type your own');
  });

  it('a key that is created while its account is deleted is revoked', async () => {
    const account = await service.account('pro');
    const keys = service.app.get(ApiKeysService);
    let deleted: Promise<unknown> = Promise.resolve();
    await service.database.transaction(async (tx) => {
      await keepOpen(tx);
      await service.app.get(AccountsService).lock(tx, account.accountId);
      deleted = account.delete('/me').send({ quizzes: 'delete' }).expect(202);
      void deleted.catch(() => undefined);
      await waitForLocks(service.database, 1);
      await tx.query(
        `INSERT INTO api_keys (id, account_id, name, hash, prefix, last_four, created_at, scopes, origins)
         SELECT gen_random_uuid(), account_id, name, sha256('late'), prefix, last_four, created_at, scopes, origins
         FROM api_keys WHERE account_id = $1`,
        [account.accountId],
      );
    });
    await deleted;
    expect(await keys.countWorking(account.accountId)).toBe(0);
  });

  it('a draft that is deleted while its account is deleted leaves its title in no event', async () => {
    const account = await service.account('pro');
    const { body } = await account.post('/quizzes', quizBody({ title: 'Private draft' }));
    let late: Promise<unknown> = Promise.resolve();
    await service.database.transaction(async (tx) => {
      await keepOpen(tx);
      await service.app.get(AccountsService).lock(tx, account.accountId);
      late = account.delete(`/quizzes/${body.data.id}`).expect(404);
      void late.catch(() => undefined);
      await waitForLocks(service.database, 1);
      await tx.query('UPDATE accounts SET deleted_at = now() WHERE id = $1', [account.accountId]);
    });
    await late;
    const [events] = await service.database.query<[{ count: number }]>(
      `SELECT count(*)::int FROM outbox_events WHERE account_id = $1 AND name = 'quiz.deleted'`,
      [account.accountId],
    );
    expect(events.count).toBe(0);
  });

  it.each([
    ['other accounts', () => service.account('pro')],
    ['administrators', () => service.account('pro', { isAdmin: true })],
  ])('a deletion does not wait for what %s write', async (_, makeOther) => {
    const other = await makeOther();
    const account = await service.account('pro');
    await service.database.transaction(async (tx) => {
      await keepOpen(tx);
      // As an import does, for seconds.
      await tx.query('UPDATE accounts SET content_bytes = 1 WHERE id = $1', [other.accountId]);
      await account.delete('/me').send({ quizzes: 'delete' }).expect(202);
    });
  });

  it('a password that is changed after it was checked prevents the deletion', async () => {
    const account = await member(service);
    const passwords = service.app.get(PasswordsService);
    const passwordHash = await passwords.verify(account.accountId, PASSWORD);
    await passwords.set(account.accountId, `another ${PASSWORD}`);
    const { email, accountId } = account;
    const deleting = service.app
      .get(AccountDeletionService)
      .delete({ email, accountId }, accountId, 'delete', { passwordHash });
    await expect(deleting).rejects.toThrow('The account has changed. Try again.');
    await account.get('/me').expect(200);
  });

  it('the last administrator stays, also if two delete each other at the same moment', async () => {
    const last = await startService();
    try {
      const one = await last.account('free', { isAdmin: true });
      const other = await last.account('free', { isAdmin: true });
      const statuses = await Promise.all([
        one.delete(`/accounts/${other.accountId}`).send({ quizzes: 'keep' }),
        other.delete(`/accounts/${one.accountId}`).send({ quizzes: 'keep' }),
      ]);
      expect(statuses.filter(({ status }) => status === 202)).toHaveLength(1);
      const left = statuses[0].status === 202 ? one : other;
      const { body } = await left.delete('/me').send({ quizzes: 'keep' }).expect(409);
      expect(body.error).toContain('last administrator');
      await expect(
        last.app.get(AccountDeletionService).delete(OPERATOR, left.accountId, 'keep'),
      ).rejects.toThrow('last administrator');
    } finally {
      await last.close();
    }
  });
});
