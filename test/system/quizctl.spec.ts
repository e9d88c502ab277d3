import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { CACHE_TTL_MS } from '../../src/access/api-keys/api-key-cache';
import { ApiKeysService } from '../../src/access/api-keys/api-keys.service';
import { OPERATOR } from '../../src/access/audit/actor';
import { AuditLog } from '../../src/access/audit/audit-log';
import { at, Output } from '../../src/cli/output';
import { COMMANDS } from '../../src/cli/quizctl';
import { ExportsService } from '../../src/import-export/exports/exports.service';
import { loadConfig } from '../../src/platform/config/config';
import { LIMITS } from '../../src/platform/limits/limits';
import { DeliveriesService } from '../../src/webhooks/deliveries/deliveries.service';
import { makeQuiz } from '../support/content';
import { emptyDatabase } from '../support/database';
import { quizctlIn, quizctlReading } from '../support/quizctl';
import { questionBodies, quizBody } from '../support/samples';
import { type Service, startService } from '../support/service';
import { Visitor } from '../support/visitor';

/** The operator's tool beside a running service: some commands as a process of its own. */

const folder = mkdtempSync(join(tmpdir(), 'quizctl-'));
let service: Service;
beforeAll(async () => {
  service = await startService();
  // As in the README: it may have to compile the tool. Other runs start the tool without npm, which would take a fifth of
  // their time.
  const { status } = spawnSync('npm', ['run', '-s', 'quizctl', '--', '--version'], {
    cwd: join(__dirname, '../..'),
  });
  expect(status).toBe(0);
}, 180_000);
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As a process of its own, as operators run it: 4 s of CPU time. @param input what is piped into it */
function processOf(input: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/bin/quizctl.js', ...args], {
    cwd: join(__dirname, '../..'),
    env: { ...process.env, DATABASE_URL: service.databaseUrl, DATA_DIR: folder },
    input,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

const quizctl = (...args: string[]) => quizctlOn(service.databaseUrl, ...args);

const quizctlOn = (databaseUrl: string, ...args: string[]) =>
  quizctlIn({ DATABASE_URL: databaseUrl, DATA_DIR: folder }, ...args);

const setPassword = (databaseUrl: string, email: string, input: string) =>
  quizctlReading(
    input,
    { DATABASE_URL: databaseUrl, DATA_DIR: folder },
    ...['accounts', 'set-password', email, '--password-stdin'],
  );

test('quizctl ends without an error when the program that reads its output ends first', () => {
  const piped = '{ npm run -s quizctl -- config print; echo $? >&2; } | true';
  const { stderr } = spawnSync('sh', ['-c', piped], {
    cwd: join(__dirname, '../..'),
    env: { ...process.env, DATA_DIR: folder },
    encoding: 'utf8',
  });
  expect(stderr).toBe('0\n');
});

test.each([
  [
    'whose output is on a full disk',
    '> /dev/full',
    ['accounts', 'list'],
    /^The disk is full .+\n1\n$/,
  ],
  ['whose messages nobody reads', '2>&1 >/dev/null | true', ['accounts', 'create'], /^2\n$/],
])('quizctl %s ends with its exit code and at most a sentence', (_what, to, args, said) => {
  const command = `{ { node dist/bin/quizctl.js ${args.join(' ')}; echo $? >&3; } ${to}; } 3>&2`;
  const { stderr } = spawnSync('sh', ['-c', command], {
    cwd: join(__dirname, '../..'),
    env: { ...process.env, DATABASE_URL: service.databaseUrl, DATA_DIR: folder },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(said);
});

/** What the audit log says was done to something, the newest first. */
const audited = async (id: string) =>
  (await service.app.get(AuditLog).about(id, 10)).map(
    ({ actorEmail, action, detail }) => `${actorEmail}: ${action} ${detail}`,
  );

const ID = expect.stringMatching(/^[0-9a-f-]{36}$/);

test('quizctl creates an account, issues and revokes a key and changes the plan, which a running API sees within the cache lifetime', async () => {
  const create = ['accounts', 'create', '--email', 'Ada@Example.com', '--plan', 'free', '--json'];
  const created = processOf('', ...create);
  expect(created).toMatchObject({ code: 0, err: '' });
  const account = JSON.parse(created.out) as { id: string };
  expect(account).toMatchObject({ id: ID, plan: 'free', isAdmin: false });

  const { json: key } = await quizctl(
    'keys',
    'issue',
    '--account',
    'ada@example.com',
    '--name',
    'app',
    '--scopes',
    'write, publish',
    '--origins',
    'https://school.example',
    '--json',
  );
  expect(key).toMatchObject({
    scopes: ['write', 'publish'],
    origins: ['https://school.example'],
    id: ID,
    key: expect.stringMatching(/^svc_test_\w{38}$/),
    name: 'app',
  });
  const post = () => service.post('/quizzes', quizBody()).set('Authorization', `Bearer ${key.key}`);
  expect((await post()).status).toBe(403);
  // A running API notices what another process changed within this time.
  const meanwhile = () => service.clock.advance(CACHE_TTL_MS);

  expect(
    (await quizctl('accounts', 'set-plan', 'ada@example.com', 'pro', '--json')).json.plan,
  ).toBe('pro');
  meanwhile();
  expect((await post()).status).toBe(201);

  const rate = (value: string) => quizctl('keys', 'set-rate', key.id, value, '--json');
  expect(await rate('600')).toMatchObject({
    code: 0,
    json: { id: key.id, requestsPerMinute: 600 },
  });
  expect(await rate('often')).toMatchObject({
    code: 1,
    json: { error: expect.stringContaining('from 1 to 6,000') },
  });
  expect(await rate('default')).toMatchObject({ code: 0, json: { requestsPerMinute: null } });

  expect(await quizctl('keys', 'revoke', key.id, '--json')).toMatchObject({
    code: 0,
    json: { id: key.id },
  });
  meanwhile();
  expect((await post()).status).toBe(401);
  const { json: listed } = await quizctl('accounts', 'list', '--json');
  expect(listed.filter((it: { id: string }) => it.id === account.id)).toEqual([
    expect.objectContaining({ email: 'Ada@Example.com', plan: 'pro' }),
  ]);
  expect(await audited(account.id)).toEqual([
    'quizctl: account.plan-changed Free to Pro',
    'quizctl: account.created Free',
  ]);
}, 60_000);

test('quizctl keys list shows when a rotated key stops working, and keys revoke how long an API may accept it', async () => {
  const keys = service.app.get(ApiKeysService);
  const { accountId } = await service.account();
  const { stored } = await keys.issueOwn(accountId, 'rotated', null);
  const { old, stored: next } = await keys.rotate(accountId, stored.id, 3_600_000);
  const { out } = await quizctl('keys', 'list', '--account', accountId);
  const [titles = '', ...rows] = out.split('\n');
  const expiryOf = (id: string) => {
    const row = rows.find((it) => it.startsWith(id)) ?? '';
    return row.slice(titles.indexOf('EXPIRES')).split('  ')[0];
  };
  expect(titles).toMatch(/ EXPIRES .*REVOKED$/);
  expect([expiryOf(old.id), expiryOf(next.id)]).toEqual([at(old.expiresAt), '–']);
  expect((await quizctl('keys', 'revoke', old.id)).out).toMatch(
    /^Key \S+ is revoked\. A running API accepts it for up to five more seconds\.$/m,
  );
});

test('a password set by quizctl signs in and ends other sessions; a refused one changes nothing', async () => {
  const account = await service.account('free');
  const visitor = new Visitor(service);
  const command = ['accounts', 'set-password', account.email, '--password-stdin'];
  const set = processOf('correct horse battery\r\n', ...command);
  expect(set).toMatchObject({ code: 0, err: '' });
  expect(set.out).toContain(`${account.email} can sign in to the dashboard`);
  expect(set.out).not.toContain('correct horse');
  await visitor.signIn(account.email, 'correct horse battery');
  await visitor.get('/dashboard').expect(200);

  const setTo = (input: string) => setPassword(service.databaseUrl, account.email, input);
  expect(await setTo('short\n')).toMatchObject({ code: 1 });
  const nothing = await setTo('');
  expect(nothing).toMatchObject({ code: 1, out: '' });
  expect(nothing.err).toMatch(/^No password was given on the standard input\. Pipe it in/);
  await visitor.get('/dashboard').expect(200);

  expect(await setTo('another horse battery')).toMatchObject({ code: 0 });
  await visitor.get('/dashboard').expect(303);
  expect((await visitor.signIn(account.email, 'correct horse battery')).status).toBe(422);
  expect((await visitor.signIn(account.email, 'another horse battery')).status).toBe(303);
  expect(await audited(account.accountId)).toEqual([
    `${account.email}: sign-in from 127.0.0.1`,
    'anonymous: sign-in.refused from 127.0.0.1',
    'quizctl: account.password-set ',
    `${account.email}: sign-in from 127.0.0.1`,
    'quizctl: account.password-set ',
  ]);
}, 90_000);

test('quizctl lists a hundred waiting quizzes, and says how many more wait', async () => {
  await service.database.query('DELETE FROM quizzes'); // Those of other tests wait, too.
  const owner = await service.account('starter');
  const { body } = await owner.post('/quizzes', quizBody()).expect(201);
  await service.database.query(
    `INSERT INTO quizzes SELECT (jsonb_populate_record(q, jsonb_build_object('id', gen_random_uuid(), 'slug', 'copy-' || n))).*
     FROM quizzes q, generate_series(1, 101) AS n WHERE q.id = $1`,
    [body.data.id],
  );
  const { code, out, err } = await quizctl('quizzes', 'waiting');
  expect({ code, err }).toEqual({
    code: 0,
    err: '2 more quizzes; they are listed once these are reviewed.\n',
  });
  expect(out.trim().split('\n')).toHaveLength(1 + 100);
  await service.database.query('DELETE FROM quizzes WHERE owner_id = $1', [owner.accountId]);
});

test("quizctl retries an account's failed deliveries without its limit, and uses none of it up", async () => {
  const owner = await service.account('pro');
  const failedAt = async (url: string, ofAccount = owner) => {
    const added = await ofAccount.post('/webhooks', { url, events: ['quiz.updated'] }).expect(201);
    const { id } = added.body.data as { id: string };
    await service.database.query(
      `WITH event AS (
         INSERT INTO outbox_events (id, name, account_id, body, created_at, relayed_at)
         SELECT gen_random_uuid(), 'quiz.updated', $1, '{}', now(), now() RETURNING id)
       INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, status, created_at, finished_at)
       SELECT gen_random_uuid(), id, $2, 'quiz.updated', 'failed', now(), now() FROM event`,
      [ofAccount.accountId, id],
    );
    return id;
  };
  const one = await failedAt('https://example.com/one');
  await failedAt('https://example.com/two');
  const disabled = await failedAt('https://example.com/disabled');
  await owner.patch(`/webhooks/${disabled}`, { disabled: true }).expect(200);
  const neighbours = await failedAt('https://example.com/three', await service.account('pro'));
  const retry = async (...of: string[]) => {
    const since = ['--since', '2026-01-31T12:00Z', '--json'];
    const { code, json } = await quizctl('deliveries', 'retry', '--failed', ...since, ...of);
    return { code, ...(json as object) };
  };
  const ofOwner = ['--account', owner.accountId];
  expect(await retry(...ofOwner, '--endpoint', neighbours)).toMatchObject({
    code: 1,
    error: expect.stringContaining(`This account has no endpoint ${neighbours}.`),
  });
  expect(await retry(...ofOwner, '--endpoint', one.toUpperCase())).toEqual({ code: 0, retried: 1 });
  expect(await retry(...ofOwner, '--endpoint', disabled)).toMatchObject({
    code: 1,
    error: 'The endpoint is disabled: enable it, then retry.',
  });
  const deliveries = service.app.get(DeliveriesService);
  const retryFailed = () => deliveries.retryFailed({ accountId: owner.accountId }, new Date(), one);
  for (let i = 0; i < LIMITS.actions.bulkRetryByAccount.value; i++) await retryFailed();
  await expect(retryFailed()).rejects.toThrow('Too many retries.');
  expect(await retry(...ofOwner)).toEqual({ code: 0, retried: 1 });
  expect(await retry()).toEqual({ code: 0, retried: 1 });
}, 90_000);

test('quizctl approves a pending quiz, which becomes public, and rejects one with a reason', async () => {
  const owner = await service.account('starter');
  const other = await service.account('free');
  const create = async () => (await owner.post('/quizzes', quizBody())).body.data.id as string;
  const [good, bad] = [await create(), await create()];
  expect((await other.get(`/quizzes/${good}`)).status).toBe(404);

  expect((await quizctl('quizzes', 'approve', good, '--json')).json).toMatchObject({
    id: good,
    isPublic: true,
  });
  expect((await other.get(`/quizzes/${good}`)).status).toBe(200);
  expect((await quizctl('quizzes', 'approve', good)).out).toMatch(/is already live\./);
  expect((await quizctl('quizzes', 'changed', '--json')).json).toEqual([]);
  await owner.patch(`/quizzes/${good}`, { title: 'Edited after the review' });
  expect((await quizctl('quizzes', 'changed')).out).toContain('Edited after the review');
  const [changed] = (await quizctl('quizzes', 'changed', '--json')).json as [object];
  expect(changed).toHaveProperty('changedSinceApprovalAt', expect.any(String));
  expect((await quizctl('quizzes', 'approve', good)).out).toMatch(/is now live\.\n$/);

  const rejected = await quizctl('quizzes', 'reject', bad, '--reason', 'Too short.', '--json');
  expect(rejected.json).toMatchObject({ approval: 'rejected', rejectionReason: 'Too short.' });
  expect((await other.get(`/quizzes/${bad}`)).status).toBe(404);
  expect(await audited(good)).toEqual(['quizctl: quiz.approved ', 'quizctl: quiz.approved ']);
  expect(await audited(bad)).toEqual(['quizctl: quiz.rejected Too short.']);
}, 60_000);

test('quizctl says what each decision about a quiz changed, also for a disabled account', async () => {
  const owner = await service.account('starter');
  const { id } = await makeQuiz(owner, { title: 'Rivers', published: true }, questionBodies(1));
  const said = async (...args: string[]) => (await quizctl('quizzes', ...args)).out;
  const reject = (reason: string) => said('reject', id, '--reason', reason);

  expect(await reject('Too short.')).toBe(
    '"Rivers" is now published, but rejected ("Too short.").\n',
  );
  expect(await reject('Too short.')).toContain(
    'is already published, but rejected ("Too short.").',
  );
  expect(await reject('Too long.')).toContain('is now published, but rejected ("Too long.").');
  expect(await said('unpublish', id)).toContain('is now a draft, but rejected ("Too long.").');
  expect(await said('approve', id)).toContain('is now approved, and live as soon as its owner');
  await service.app.get(AccountAdministrationService).setDisabled(OPERATOR, owner.accountId, true);
  const withheld = 'published and approved, but its account is disabled';
  expect(await said('publish', id)).toContain(`is now ${withheld}.`);
  expect(await said('publish', id)).toContain(`is already ${withheld}.`);
}, 60_000);

const ISSUE = ['keys', 'issue', '--account', 'ada@example.com', '--name', 'x'];

describe('what quizctl loads', () => {
  /** The packages that a run has loaded. */
  const packagesOf = (...args: string[]): string[] => {
    const list = join(folder, 'packages.cjs');
    writeFileSync(
      list,
      `process.on('exit', () => {
         const names = Object.keys(require.cache).map((it) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(it)?.[1]);
         process.stderr.write('loaded ' + JSON.stringify([...new Set(names)]) + '\\n');
       });`,
    );
    const { stderr } = spawnSync(process.execPath, ['-r', list, 'dist/bin/quizctl.js', ...args], {
      cwd: join(__dirname, '../..'),
      env: { ...process.env, DATABASE_URL: service.databaseUrl, DATA_DIR: folder },
      encoding: 'utf8',
    });
    return JSON.parse(/^loaded (.+)$/m.exec(stderr)![1]!) as string[];
  };
  const HEAVY = ['@nestjs/common', '@nestjs/core', 'typeorm', 'class-validator', 'pg'];

  test.each([
    '--help',
    '--version',
    'config print',
    'import --help',
    'accounts create',
    'keys issue --scopes none',
  ])('quizctl %s loads neither Nest nor TypeORM', (command) => {
    const loaded = packagesOf(...command.split(' '));
    expect(loaded).toContain('commander');
    expect(HEAVY.filter((name) => loaded.includes(name))).toEqual([]);
  });

  test('a command that calls a service loads Nest and TypeORM, and no queue', () => {
    const loaded = packagesOf('accounts', 'list');
    expect(HEAVY.filter((name) => !loaded.includes(name))).toEqual([]);
    expect(loaded).not.toContain('bullmq');
  });
});

test('quizctl exits with 2 for invalid usage and with 1 for a failure, and --json prints one JSON value', async () => {
  const failure = { success: false, error: expect.any(String) };
  for (const args of [
    ['nope'],
    ['accounts', 'create', '--email', 'x@y.z'],
    ['accounts', 'set-plan', 'a', 'gold'],
    ['keys'],
    [],
    [...ISSUE, '--scopes', 'read,admin'],
    [...ISSUE, '--origins', 'school.example'],
    [...ISSUE, '--origins', 'https://*.school.example'],
    ['config', 'env', 'quiz.example.com'],
  ])
    expect([args, await quizctl(...args, '--json')]).toMatchObject([
      args,
      { code: 2, json: failure, err: '' },
    ]);
  expect(processOf('', 'nope')).toEqual({
    code: 2,
    out: '',
    err: expect.stringContaining("error: unknown command 'nope'"),
  });
  expect(processOf('', 'keys', 'revoke', 'nope', '--json')).toEqual({
    code: 1,
    out: `${JSON.stringify({ success: false, error: 'API key not found.' })}\n`,
    err: '',
  });
  for (const args of [[], ['keys']])
    expect((await quizctl(...args, '--json')).json.error).toBe(
      'The command is missing: --help lists them.',
    );
  expect((await quizctl(...ISSUE, '--scopes', 'read,admin')).err).toContain(
    '“admin” is not a scope.',
  );
  for (const args of [
    ['quizzes', 'approve', 'nope'],
    ['keys', 'revoke', 'nope'],
    ['keys', 'set-rate', 'nope', '5'],
    ['keys', 'issue', '--account', 'nobody@example.com', '--name', 'x'],
    ['accounts', 'create', '--email', 'no address', '--plan', 'free'],
  ])
    expect([args, await quizctl(...args, '--json')]).toMatchObject([
      args,
      { code: 1, json: failure },
    ]);
}, 90_000);

test('every command that takes an id answers a malformed one with "not found"', async () => {
  const { email } = await service.account();
  /** What such a command needs besides the id. */
  const others: Record<string, string[]> = {
    'keys set-rate': ['default'],
    'quizzes reject': ['--reason', 'x'],
    'undo-import': ['--account', email],
    export: ['--format', 'json'],
  };
  const pathsOf = (command: Command, before: string[] = []): string[][] => {
    const path = [...before, command.name()];
    const takesId = command.registeredArguments.some((it) => /id$/.test(it.name()));
    return [...(takesId ? [path] : []), ...command.commands.flatMap((it) => pathsOf(it, path))];
  };
  const paths = COMMANDS.flatMap((command) => pathsOf(command(new Output(false))));
  expect(paths.length).toBeGreaterThan(10);
  for (const path of paths) {
    const args = [...path, 'nonsense', ...(others[path.join(' ')] ?? [])];
    const { code, json } = await quizctl(...args, '--json');
    const error = expect.stringMatching(/^[\w ]+ not found\.$/);
    expect([args, code, json]).toEqual([args, 1, { success: false, error }]);
  }
  const imported = join(folder, 'questions.csv');
  writeFileSync(imported, 'question,answer\na,b\n');
  const { json } = await quizctl('import', imported, '--account', email, '--quiz', 'x', '--json');
  expect(json.error).toBe('Quiz not found.');
});

test('audit export --json prints one value a line, and a failure as the last, as the help says', async () => {
  jest.spyOn(AuditLog.prototype, 'lines').mockImplementationOnce(async function* () {
    yield '{"action":"quiz.approved"}\n';
    await Promise.reject(new Error('Connection terminated'));
  });
  const { code, out } = await quizctl('audit', 'export', '--json');
  const lines = out.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    { action: 'quiz.approved' },
    { success: false, error: expect.any(String) },
  ]);
  expect(code).toBe(1);
  expect((await quizctl('--help')).out).toContain('webhooks listen print one a line');
});

test('quizctl deliveries list says how to go on where there may be older ones, and --before does so', async () => {
  const owner = await service.account('pro');
  for (let quiz = 0; quiz < 3; quiz++) await owner.post('/quizzes', quizBody()).expect(201);
  const endpoint = { url: 'https://hooks.example.com/quiz', events: ['quiz.created'] };
  const { body } = await owner.post('/webhooks', endpoint).expect(201);
  const made = await service.database.query<{ id: string }[]>(
    `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, status, created_at, finished_at)
     SELECT ('0199000' || row_number() OVER (ORDER BY id) || '-0000-7000-8000-000000000000')::uuid, id, $1, name,
       'failed', now(), now()
     FROM (SELECT id, name FROM outbox_events ORDER BY id DESC LIMIT 3) latest RETURNING id`,
    [body.data.id],
  );
  const [oldest = '', middle = '', newest = ''] = made.map(({ id }) => id).sort();
  const list = (...args: string[]) =>
    quizctl('deliveries', 'list', '--endpoint', body.data.id, ...args);
  const first = await list('--limit', '2');
  expect(first.out).toMatch(new RegExp(`${newest}[^]*${middle}`));
  expect(first.err).toBe(`There may be older ones: list them with --before ${middle}\n`);
  const second = await list('--limit', '2', '--before', middle);
  expect([second.out, second.err]).toEqual([expect.stringContaining(oldest), '']);
  expect(second.out).not.toContain(middle);
});

test('quizctl export leaves the file of an earlier export as it was if the new one fails', async () => {
  const { accountId } = await service.account('pro');
  const file = join(folder, 'archive.zip');
  writeFileSync(file, 'an earlier archive');
  jest.spyOn(ExportsService.prototype, 'account').mockImplementationOnce(() =>
    Readable.from(
      (async function* () {
        yield 'half';
        await Promise.reject(new Error('Connection terminated'));
      })(),
    ),
  );
  const run = () => quizctl('export', '--account', accountId, '--output', file);
  expect((await run()).code).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe('an earlier archive');
  expect((await run()).code).toBe(0);
  expect(readFileSync(file).subarray(0, 2).toString()).toBe('PK');
  expect(readdirSync(folder).filter((name) => name.startsWith('archive'))).toEqual(['archive.zip']);
});

test('quizctl import reports invalid rows with their lines, and a second import adds nothing', async () => {
  const file = join(folder, 'brain-teasers');
  const good = Array.from(
    { length: 60 },
    (_, i) => `#Q What is ${i} plus ${i}?\n^ ${2 * i}\nA ${2 * i}\nB ${2 * i + 1}\n`,
  );
  writeFileSync(file, `${good.join('\n')}\n#Q Broken?\n^ Yes\nA No\nB Never\n`);
  const admin = await service.account('free', { isAdmin: true, email: 'importer@example.com' });
  const run = (...options: string[]) =>
    quizctl(
      'import',
      file,
      '--format',
      'opentriviaqa',
      '--account',
      'importer@example.com',
      ...options,
    );

  const before = await countPublicQuizzes();
  const tried = await run('--dry-run', '--json');
  expect(tried.json).toMatchObject({ dryRun: true, imported: 60, quizzes: 2 });
  expect(await countPublicQuizzes()).toBe(before);

  const first = await run('--json');
  expect(first).toMatchObject({
    code: 0,
    json: {
      dryRun: false,
      imported: 60,
      quizzes: 2,
      duplicates: 0,
      skipped: [{ file, line: 301, reason: expect.stringContaining('correct') }],
      files: [{ file, category: 'Brain Teasers', rows: 60, imported: 60 }],
    },
  });
  const { body } = await admin.get('/quizzes?category=brain%20teasers&sort=title');
  expect(
    body.data.map((quiz: { title: string; questionCount: number }) => [
      quiz.title,
      quiz.questionCount,
    ]),
  ).toEqual([
    ['Brain Teasers (1)', 50],
    ['Brain Teasers (2)', 10],
  ]);

  const second = await run();
  expect(second.code).toBe(0);
  expect(second.out).toContain('Imported nothing from 1 file.');
  expect(second.out).toContain('60 duplicates: not imported');
  expect((await admin.get('/quizzes?category=brain%20teasers')).body.meta.total).toBe(2);
}, 60_000);

test('quizctl import on the Free plan is refused and creates no quiz', async () => {
  const file = join(folder, 'world');
  writeFileSync(file, '#Q One?\n^ 1\nA 1\nB 2\n');
  const free = await service.account('free', { email: 'free@example.com' });
  const run = await quizctl(
    'import',
    file,
    '--format',
    'opentriviaqa',
    '--account',
    'free@example.com',
    '--json',
  );
  expect(run).toMatchObject({
    code: 1,
    json: {
      success: false,
      error: expect.stringContaining('Your Free plan does not include imports'),
    },
  });
  const owned = 'SELECT count(*)::int AS n FROM quizzes WHERE owner_id = $1';
  expect(await service.database.query(owned, [free.accountId])).toEqual([{ n: 0 }]);
}, 60_000);

test('quizctl import names a missing file', async () => {
  const file = join(folder, 'missing');
  await service.account('free', { email: 'no-file@example.com' });
  const missing = await quizctl(
    'import',
    file,
    '--format',
    'opentriviaqa',
    '--account',
    'no-file@example.com',
  );
  expect(missing.code).toBe(1);
  expect(missing.err).toContain(`${file}: file not found.`);
  expect(missing.err).not.toContain('is not valid');
}, 60_000);

/** Includes those that other tests of this file have made. */
async function countPublicQuizzes(): Promise<number> {
  const [row] = await service.database.query(
    'SELECT count(*)::int AS n FROM quizzes WHERE is_public',
  );
  return row.n;
}

test('quizctl refuses an older or newer schema without changing it, and creates one in an empty database', async () => {
  const countMigrations = async () =>
    (await service.database.query<{ name: string }[]>('SELECT name FROM schema_migrations')).length;
  const before = await countMigrations();
  const list = () => quizctl('accounts', 'list', '--json');
  const [last] = await service.database.query<[{ name: string }]>(
    'SELECT name FROM schema_migrations ORDER BY run_at DESC LIMIT 1',
  );
  const add = (name: string) =>
    service.database.query('INSERT INTO schema_migrations (name) VALUES ($1)', [name]);
  const remove = (name: string) =>
    service.database.query('DELETE FROM schema_migrations WHERE name = $1', [name]);
  await remove(last.name);
  try {
    expect(await list()).toMatchObject({
      code: 1,
      json: {
        error: expect.stringMatching(
          /^The database has the schema of an older version: 1 of \d+ migrations are missing\. Make a backup and run npm run -s quizctl -- migrate/,
        ),
      },
    });
    expect(await countMigrations()).toBe(before - 1);
  } finally {
    await add(last.name);
  }
  await add('9999_of_tomorrow.sql');
  try {
    expect(await list()).toMatchObject({
      code: 1,
      json: { error: expect.stringMatching(/^The database has the schema of a newer version\./) },
    });
  } finally {
    await remove('9999_of_tomorrow.sql');
  }
  expect(await list()).toMatchObject({ code: 0 });

  const empty = await emptyDatabase();
  try {
    const create = [
      'accounts',
      'create',
      '--email',
      'first@example.com',
      '--plan',
      'pro',
      '--json',
    ];
    expect(await quizctlOn(empty.url, ...create)).toMatchObject({ code: 0, json: { id: ID } });
  } finally {
    await empty.drop();
  }
}, 60_000);

test('quizctl migrate runs in production without ENCRYPTION_KEY and PUBLIC_URL; a command that opens services asks for ENCRYPTION_KEY', async () => {
  const empty = await emptyDatabase();
  const production = (...args: string[]) =>
    quizctlIn(
      { NODE_ENV: 'production', DATABASE_URL: empty.url, ENCRYPTION_KEY: '', PUBLIC_URL: '' },
      ...args,
    );
  try {
    expect(await production('migrate')).toMatchObject({ code: 0, err: '' });
    expect((await production('migrate')).out).toBe('The schema is already up to date.\n');
    expect((await production('accounts', 'list')).err).toContain('ENCRYPTION_KEY is needed');
  } finally {
    await empty.drop();
  }
}, 60_000);

test('quizctl seed fills an empty service once, and set-up-link prints a link until there is an administrator', async () => {
  const empty = await emptyDatabase();
  const run = (...args: string[]) => quizctlOn(empty.url, ...args);
  try {
    expect(await run('seed', '--json')).toMatchObject({
      code: 0,
      json: { quizzes: 48, questions: expect.any(Number) },
    });
    expect(await run('seed')).toMatchObject({
      code: 0,
      out: 'There are topics already, so nothing was added.\n',
    });
    expect((await run('set-up-link')).out).toMatch(
      /^http:\/\/localhost:3000\/dashboard\/set-up\?token=\d+\.[\w-]{43}\n$/,
    );
    await run('accounts', 'create', '--email', 'a@example.com', '--plan', 'pro', '--admin');
    const set = await setPassword(empty.url, 'a@example.com', 'correct horse battery');
    expect(set.code).toBe(0);
    const refused = await run('set-up-link', '--json');
    expect(refused).toMatchObject({
      code: 1,
      json: { error: expect.stringMatching(/^There is an administrator already\. .+set-password/) },
    });
  } finally {
    await empty.drop();
  }
}, 60_000);

test('quizctl --version prints the version of package.json', async () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
    version: string;
  };
  expect(await quizctl('--version')).toMatchObject({ code: 0, out: `${version}\n`, err: '' });
  expect(await quizctl('--version', '--json')).toMatchObject({ code: 0, json: version });
});

test('quizctl config env --image names the image that docker compose pulls', async () => {
  const image = 'ghcr.io/ada/quiz-question-service:1.2.3';
  const named = (await quizctl('config', 'env', 'https://quiz.example.com', '--image', image)).out;
  expect(named).toMatch(new RegExp(`^QUIZ_IMAGE=${image}$`, 'm'));
  expect((await quizctl('config', 'env', 'https://quiz.example.com')).out).toMatch(
    /^#QUIZ_IMAGE=/m,
  );
});

test('quizctl config env prints a valid .env file with new secrets at each call', async () => {
  const values = async () =>
    Object.fromEntries(
      (await quizctl('config', 'env', 'https://quiz.example.com/')).out
        .split('\n')
        .filter((line) => /^\w/.test(line))
        .map((line) => line.split(/=(.*)/).slice(0, 2)),
    ) as Record<string, string>;
  const [first, second] = [await values(), await values()];
  expect(Object.keys(first)).toEqual([
    'COMPOSE_FILE',
    'POSTGRES_PASSWORD',
    'POSTGRES_SERVICE_PASSWORD',
    'REDIS_PASSWORD',
    'PUBLIC_URL',
    'ENCRYPTION_KEY',
  ]);
  expect(first.PUBLIC_URL).toBe('https://quiz.example.com');
  const secrets = Object.entries(first).filter(([name]) => /PASSWORD|KEY/.test(name));
  for (const [name, value] of secrets) expect(second[name]).not.toBe(value);
  expect(new Set(secrets.map(([, value]) => value)).size).toBe(4);
  expect(loadConfig({ ...first, NODE_ENV: 'production' }).encryptionKeys).toHaveLength(1);
  for (const name of ['POSTGRES_PASSWORD', 'POSTGRES_SERVICE_PASSWORD', 'REDIS_PASSWORD'])
    expect(first[name]).toMatch(/^[0-9a-f]{48}$/);
});
