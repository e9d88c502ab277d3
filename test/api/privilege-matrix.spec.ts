import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { AccountsService } from '../../src/access/accounts/accounts.service';
import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { ApiKeysService } from '../../src/access/api-keys/api-keys.service';
import { OPERATOR } from '../../src/access/audit/actor';
import { SESSION_IDLE } from '../../src/access/sessions/sessions.service';
import { QuizAuthoringService } from '../../src/authoring/quizzes/quiz-authoring.service';
import { ReviewService } from '../../src/authoring/review/review.service';
import { ImportRunnerService } from '../../src/import-export/imports/running/import-runner.service';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { questionBodies, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { PASSWORD, signedIn, Visitor } from '../support/visitor';

/**
 * Every privilege and each way to withdraw it: a real request before, some that race the withdrawal, and one after.
 * What is delivered by webhooks, and what the public sees of an account, is in withdrawn-privileges.spec.ts.
 */

let service: Service;
let accounts: AccountAdministrationService;
beforeAll(async () => {
  service = await startService();
  accounts = service.app.get(AccountAdministrationService);
});
afterAll(() => service.close());

interface Case {
  /** Uses the privilege. @returns the status of the response */
  use(): PromiseLike<{ status: number }>;
  withdraw(): unknown;
}
type Row = [
  privilege: string,
  withdrawal: string,
  before: number,
  after: number,
  make: () => Promise<Case>,
];

const NEW_PASSWORD = 'an entirely new one';
const accountOf = (plan: 'starter' | 'pro', isAdmin = false) => service.account(plan, { isAdmin });
const setPlan = ({ accountId }: TestAccount, plan: 'free' | 'starter') =>
  accounts.setPlan(OPERATOR, accountId, plan);
const demote = ({ accountId }: TestAccount) =>
  accounts.setAdministrator(OPERATOR, accountId, false);
const disable = ({ accountId }: TestAccount) => accounts.setDisabled(OPERATOR, accountId, true);

/** A key of its own beside the account's first one. */
async function key(lifetime: number | null = null) {
  const account = await accountOf('pro');
  const own = service.app.get(ApiKeysService);
  const issued = await own.issueOwn(account.accountId, 'withdrawn', lifetime);
  const use = () => service.get('/quizzes').set('Authorization', `Bearer ${issued.key}`);
  return { account, own, id: issued.stored.id, use };
}

async function session(path: string, isAdmin = false) {
  const { account, visitor } = await signedIn(service, 'pro', { isAdmin });
  return { account, visitor, use: () => visitor.get(path) };
}

const withKey =
  (withdraw: (it: Awaited<ReturnType<typeof key>>) => unknown, lifetime: number | null = null) =>
  async (): Promise<Case> => {
    const it = await key(lifetime);
    return { use: it.use, withdraw: () => withdraw(it) };
  };
const withAccount =
  (
    use: (account: TestAccount) => ReturnType<TestAccount['get']>,
    withdraw: (account: TestAccount) => unknown,
    ...of: Parameters<typeof accountOf>
  ) =>
  async (): Promise<Case> => {
    const account = await accountOf(...of);
    return { use: () => use(account), withdraw: () => withdraw(account) };
  };
const withSession =
  (path: string, withdraw: (it: Awaited<ReturnType<typeof session>>) => unknown, isAdmin = false) =>
  async (): Promise<Case> => {
    const it = await session(path, isAdmin);
    return { use: it.use, withdraw: () => withdraw(it) };
  };
const asReader =
  (path: (id: string) => string, withdraw: (id: string, owner: TestAccount) => unknown) =>
  async (): Promise<Case> => {
    const [owner, reader] = [await accountOf('pro'), await accountOf('pro')];
    const quiz = await makeQuiz(owner, { title: 'Seen by others' }, questionBodies(2));
    await service.app.get(ReviewService).approve(quiz.id);
    return {
      use: () => reader.get(path(quiz.id)),
      withdraw: () => withdraw(quiz.id, owner),
    };
  };

/** Another browser of the same account does something. */
async function elsewhere({ account }: { account: TestAccount }, path: string, fields = {}) {
  const other = new Visitor(service);
  await other.signIn(account.email);
  await other.post(path, fields).expect(303);
}
const changePassword = (it: { account: TestAccount }) =>
  elsewhere(it, '/dashboard/account/password', { current: PASSWORD, password: NEW_PASSWORD });

const write = (account: TestAccount) => account.post('/quizzes', quizBody({ published: false }));
const importFile = (account: TestAccount) =>
  account
    .post('/imports?dry_run=true&filename=a.csv')
    .set('Content-Type', 'text/csv')
    .send('question,answer\na,b');

const ROWS: Row[] = [
  [
    'an API key',
    'its revocation by the owner',
    200,
    401,
    withKey(({ own, id, account }) => own.revokeOwn(account.accountId, id)),
  ],
  [
    'an API key',
    'its revocation by the operator',
    200,
    401,
    withKey(({ id }) => service.app.get(ApiKeysService).revoke(id)),
  ],
  [
    'an API key',
    'its rotation without overlap',
    200,
    401,
    withKey(({ own, id, account }) => own.rotate(account.accountId, id, 0)),
  ],
  [
    'an API key',
    'the end of the overlap of its rotation',
    200,
    401,
    withKey(async ({ own, id, account }) => {
      await own.rotate(account.accountId, id, 3_600_000);
      service.clock.advance(3_600_001);
    }),
  ],
  ['an API key', 'its expiry', 200, 401, withKey(() => service.clock.advance(60_001), 60_000)],
  [
    'an API key',
    'the disabling of its account',
    200,
    401,
    withKey(({ account }) => disable(account)),
  ],
  [
    'writing quizzes',
    'a change to the Free plan',
    201,
    403,
    withAccount(write, (account) => setPlan(account, 'free'), 'starter'),
  ],
  [
    'importing files',
    'a change to the Free plan',
    202,
    403,
    withAccount(importFile, (account) => setPlan(account, 'free'), 'pro'),
  ],
  [
    "writing by an administrator's exemption",
    'demotion',
    201,
    403,
    withAccount(
      write,
      async (account) => {
        await setPlan(account, 'free');
        await demote(account);
      },
      'pro',
      true,
    ),
  ],
  [
    'the list of accounts',
    'demotion',
    200,
    404,
    withSession('/dashboard/admin/accounts', ({ account }) => demote(account), true),
  ],
  [
    'the export of the audit log',
    'demotion',
    200,
    404,
    withSession('/dashboard/admin/audit/export', ({ account }) => demote(account), true),
  ],
  [
    'the review queue',
    'the disabling of the account',
    200,
    303,
    withSession('/dashboard/admin/review', ({ account }) => disable(account), true),
  ],
  [
    'a session',
    'the disabling of the account',
    200,
    303,
    withSession('/dashboard', ({ account }) => disable(account)),
  ],
  ['a session', 'a password change elsewhere', 200, 303, withSession('/dashboard', changePassword)],
  [
    'a session',
    'a password set by an administrator',
    200,
    303,
    withSession('/dashboard', async ({ account }) => {
      const of = await service.app.get(AccountsService).get(account.accountId);
      await accounts.setPassword(OPERATOR, of, NEW_PASSWORD);
    }),
  ],
  [
    'a session',
    'the end of all others elsewhere',
    200,
    303,
    withSession('/dashboard', (it) => elsewhere(it, '/dashboard/account/sessions/end-others')),
  ],
  [
    'a session',
    'signing out',
    200,
    303,
    withSession('/dashboard', ({ visitor }) => visitor.post('/dashboard/sign-out').expect(303)),
  ],
  [
    'a session',
    'a day without use',
    200,
    303,
    withSession('/dashboard', () => service.clock.advance(SESSION_IDLE + 1_000)),
  ],
  [
    'the old password',
    'its change',
    303,
    422,
    async () => {
      const it = await session('/dashboard');
      return {
        use: () => new Visitor(service).signIn(it.account.email),
        withdraw: () =>
          it.visitor
            .post('/dashboard/account/password', { current: PASSWORD, password: NEW_PASSWORD })
            .expect(303),
      };
    },
  ],
  [
    'the right password',
    'the disabling of the account',
    303,
    422,
    async () => {
      const { account } = await session('/dashboard');
      return {
        use: () => new Visitor(service).signIn(account.email),
        withdraw: () => disable(account),
      };
    },
  ],
  [
    "reading another account's quiz",
    'its rejection',
    200,
    404,
    asReader(
      (id) => `/quizzes/${id}`,
      (id) => service.app.get(ReviewService).reject(id, 'Not this one'),
    ),
  ],
  [
    "exporting another account's quiz",
    'its unpublishing',
    200,
    404,
    asReader(
      (id) => `/quizzes/${id}/export?format=json`,
      (id, owner) => service.app.get(QuizAuthoringService).unpublish(owner, id),
    ),
  ],
  [
    "the leaderboard of another account's quiz",
    'the disabling of its owner',
    200,
    404,
    asReader(
      (id) => `/quizzes/${id}/leaderboard`,
      (_, owner) => disable(owner),
    ),
  ],
];

it.each(ROWS)('%s ends with %s: %i, then %i', async (_, __, before, after, make) => {
  const privilege = await make();
  const use = () => privilege.use();
  expect((await use()).status).toBe(before);
  // Some run before the withdrawal, some after it; none may leave anything behind that outlives it, such as a cached key.
  const racing = Promise.all(Array.from({ length: 3 }, async () => (await use()).status));
  await privilege.withdraw();
  for (const status of await racing) expect([before, after]).toContain(status);
  expect((await use()).status).toBe(after);
});

it('a file that is uploaded while its account is disabled is not imported', async () => {
  const account = await accountOf('pro');
  const upload = httpRequest(`${service.url}/api/v1/imports?filename=a.csv`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${account.key}`, 'Content-Type': 'text/csv' },
  });
  const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
  upload.write('question,correct_answer,wrong_answer_1\n');
  // Its row exists as soon as the file begins to arrive.
  const imports = () =>
    service.database.query<{ id: string; state: string; error: string | null }[]>(
      `SELECT id, state, error FROM imports WHERE account_id = $1`,
      [account.accountId],
    );
  await eventually(async () => expect(await imports()).toHaveLength(1));
  await disable(account);
  upload.end('Which is blue?,Sky,Grass\n');
  const [response] = await answered;
  response.resume();
  const [stored] = await imports();
  await service.app.get(ImportRunnerService).run(stored!.id);
  expect(await imports()).toMatchObject([
    { state: 'stopped', error: expect.stringContaining('account is disabled') },
  ]);
});
