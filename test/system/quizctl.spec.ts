import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CACHE_TTL_MS } from '../../src/access/api-keys/api-key-cache';
import { AuditLog } from '../../src/access/audit/audit-log';
import { loadConfig } from '../../src/platform/config/config';
import { emptyDatabase } from '../support/database';
import { quizBody } from '../support/samples';
import { type Service, startService } from '../support/service';
import { Visitor } from '../support/visitor';

/** The operator's tool beside a running service, as a process of its own. */

const folder = mkdtempSync(join(tmpdir(), 'quizctl-'));
let service: Service;
beforeAll(async () => {
  service = await startService();
  // As in the README: it may have to compile the tool. The other runs leave npm out, which takes a fifth of their time.
  const { status } = spawnSync('npm', ['run', '-s', 'quizctl', '--', '--version'], {
    cwd: join(__dirname, '../..'),
  });
  expect(status).toBe(0);
}, 180_000);
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  code: number | null;
  out: string;
  err: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever the tool prints
  json: any;
}

const quizctl = (...args: string[]): Run => quizctlWith('', ...args);

/** @param input what is piped into it */
function quizctlWith(input: string, ...args: string[]): Run {
  return quizctlOn(service.databaseUrl, input, ...args);
}

function quizctlOn(databaseUrl: string, input: string, ...args: string[]): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/bin/quizctl.js', ...args], {
    cwd: join(__dirname, '../..'),
    env: { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: folder },
    input,
    encoding: 'utf8',
  });
  let json: unknown;
  try {
    json = JSON.parse(stdout);
  } catch {
    json = undefined;
  }
  return { code: status, out: stdout, err: stderr, json };
}

test('quizctl ends without an error when the program that reads its output ends first', () => {
  const { status, stderr } = spawnSync('sh', ['-c', 'npm run -s quizctl -- config print | true'], {
    cwd: join(__dirname, '../..'),
    env: { ...process.env, DATA_DIR: folder },
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

/** What the audit log says was done to something, the newest first. */
const audited = async (id: string) =>
  (await service.app.get(AuditLog).about(id, 10)).map(
    ({ actorEmail, action, detail }) => `${actorEmail}: ${action} ${detail}`,
  );

const ID = expect.stringMatching(/^[0-9a-f-]{36}$/);

test('quizctl creates an account, issues and revokes a key and changes the plan, as the API sees at once', async () => {
  const account = quizctl(
    'accounts',
    'create',
    '--email',
    'Ada@Example.com',
    '--plan',
    'free',
    '--json',
  );
  expect(account).toMatchObject({ code: 0, json: { id: ID, plan: 'free', isAdmin: false } });

  const { json: key } = quizctl(
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

  expect(quizctl('accounts', 'set-plan', 'ada@example.com', 'pro', '--json').json.plan).toBe('pro');
  meanwhile();
  expect((await post()).status).toBe(201);

  const rate = (value: string) => quizctl('keys', 'set-rate', key.id, value, '--json');
  expect(rate('600')).toMatchObject({ code: 0, json: { id: key.id, requestsPerMinute: 600 } });
  expect(rate('often')).toMatchObject({
    code: 1,
    json: { error: expect.stringContaining('from 1 to 6,000') },
  });
  expect(rate('default')).toMatchObject({ code: 0, json: { requestsPerMinute: null } });

  expect(quizctl('keys', 'revoke', key.id, '--json')).toMatchObject({
    code: 0,
    json: { id: key.id },
  });
  meanwhile();
  expect((await post()).status).toBe(401);
  const { json: listed } = quizctl('accounts', 'list', '--json');
  expect(listed).toEqual([expect.objectContaining({ email: 'Ada@Example.com', plan: 'pro' })]);
  expect(await audited(account.json.id)).toEqual([
    'quizctl: account.plan-changed Free to Pro',
    'quizctl: account.created Free',
  ]);
}, 60_000);

test('a password set by quizctl signs in and ends other sessions; a refused one changes nothing', async () => {
  const account = await service.account('free');
  const visitor = new Visitor(service);
  const setPassword = (input: string) =>
    quizctlWith(input, 'accounts', 'set-password', account.email, '--password-stdin');

  const set = setPassword('correct horse battery\r\n');
  expect(set).toMatchObject({ code: 0, err: '' });
  expect(set.out).toContain(`${account.email} can sign in to the dashboard`);
  expect(set.out).not.toContain('correct horse');
  await visitor.signIn(account.email, 'correct horse battery');
  await visitor.get('/dashboard').expect(200);

  expect(setPassword('short\n')).toMatchObject({ code: 1 });
  const nothing = setPassword('');
  expect(nothing).toMatchObject({ code: 1, out: '' });
  expect(nothing.err).toMatch(/^No password was given on the standard input\. Pipe it in/);
  await visitor.get('/dashboard').expect(200);

  expect(setPassword('another horse battery')).toMatchObject({ code: 0 });
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

test('quizctl approves a pending quiz, which becomes public, and rejects one with a reason', async () => {
  const owner = await service.account('starter');
  const other = await service.account('free');
  const create = async () => (await owner.post('/quizzes', quizBody())).body.data.id as string;
  const [good, bad] = [await create(), await create()];
  expect((await other.get(`/quizzes/${good}`)).status).toBe(404);

  expect(quizctl('quizzes', 'approve', good, '--json').json).toMatchObject({
    id: good,
    isPublic: true,
  });
  expect((await other.get(`/quizzes/${good}`)).status).toBe(200);
  expect(quizctl('quizzes', 'approve', good).out).toMatch(/is live already\./);
  expect(quizctl('quizzes', 'changed', '--json').json).toEqual([]);
  await owner.patch(`/quizzes/${good}`, { title: 'Edited after the review' });
  expect(quizctl('quizzes', 'changed').out).toContain('Edited after the review');

  const rejected = quizctl('quizzes', 'reject', bad, '--reason', 'Too short.', '--json');
  expect(rejected.json).toMatchObject({ approval: 'rejected', rejectionReason: 'Too short.' });
  expect((await other.get(`/quizzes/${bad}`)).status).toBe(404);
  expect(await audited(good)).toEqual(['quizctl: quiz.approved ']);
  expect(await audited(bad)).toEqual(['quizctl: quiz.rejected Too short.']);
}, 60_000);

const ISSUE = ['keys', 'issue', '--account', 'ada@example.com', '--name', 'x'];

test('quizctl exits with 2 for invalid usage and with 1 for a failure, and --json prints one JSON value', () => {
  const failure = { success: false, error: expect.any(String) };
  for (const args of [
    ['nope'],
    ['accounts', 'create', '--email', 'x@y.z'],
    ['accounts', 'set-plan', 'a', 'gold'],
    ['keys'],
    [],
    [...ISSUE, '--scopes', 'read,admin'],
    [...ISSUE, '--origins', 'school.example'],
    ['config', 'env', 'quiz.example.com'],
  ])
    expect([args, quizctl(...args, '--json')]).toMatchObject([
      args,
      { code: 2, json: failure, err: '' },
    ]);
  for (const args of [[], ['keys']])
    expect(quizctl(...args, '--json').json.error).toBe(
      'The command is missing: --help lists them.',
    );
  expect(quizctl(...ISSUE, '--scopes', 'read,admin').err).toContain('“admin” is not a scope.');
  for (const args of [
    ['quizzes', 'approve', 'nope'],
    ['keys', 'revoke', 'nope'],
    ['keys', 'set-rate', 'nope', '5'],
    ['keys', 'issue', '--account', 'nobody@example.com', '--name', 'x'],
    ['accounts', 'create', '--email', 'no address', '--plan', 'free'],
  ])
    expect([args, quizctl(...args, '--json')]).toMatchObject([args, { code: 1, json: failure }]);
}, 90_000);

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

  const tried = run('--dry-run', '--json');
  expect(tried.json).toMatchObject({ dryRun: true, imported: 60, quizzes: 2 });
  expect((await admin.get('/quizzes')).body.meta.total).toBe(0 + (await everybodys()));

  const first = run('--json');
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
    ['Brain Teasers, part 1', 50],
    ['Brain Teasers, part 2', 10],
  ]);

  const second = run();
  expect(second.code).toBe(0);
  expect(second.out).toContain('Imported nothing from 1 file.');
  expect(second.out).toContain('60 duplicates: not imported');
  expect((await admin.get('/quizzes?category=brain%20teasers')).body.meta.total).toBe(2);
}, 60_000);

test('quizctl import refuses a file that the plan has no room for, and writes nothing', async () => {
  const file = join(folder, 'world');
  writeFileSync(file, '#Q One?\n^ 1\nA 1\nB 2\n');
  await service.account('free', { email: 'free@example.com' });
  const run = quizctl(
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

  const missing = quizctl(
    'import',
    `${file}-not`,
    '--format',
    'opentriviaqa',
    '--account',
    'free@example.com',
  );
  expect(missing.code).toBe(1);
  expect(missing.err).toContain(`${file}-not: file not found.`);
  expect(missing.err).not.toContain('is not valid');
}, 60_000);

/** Public quizzes that other tests of this file have made. */
async function everybodys(): Promise<number> {
  const [row] = await service.database.query(
    'SELECT count(*)::int AS n FROM quizzes WHERE is_public',
  );
  return row.n;
}

test('quizctl refuses an older or newer schema without changing it, and creates one in an empty database', async () => {
  const names = async () =>
    (await service.database.query<{ name: string }[]>('SELECT name FROM schema_migrations')).length;
  const before = await names();
  const list = () => quizctl('accounts', 'list', '--json');
  const [last] = await service.database.query<[{ name: string }]>(
    'SELECT name FROM schema_migrations ORDER BY run_at DESC LIMIT 1',
  );
  await service.database.query('DELETE FROM schema_migrations WHERE name = $1', [last.name]);
  expect(list()).toMatchObject({
    code: 1,
    json: {
      error: expect.stringMatching(
        /^The database has the schema of an older version: 1 of \d+ migrations are missing\. Make a backup and run npm run -s quizctl -- migrate/,
      ),
    },
  });
  expect(await names()).toBe(before - 1);
  const add = (name: string) =>
    service.database.query('INSERT INTO schema_migrations (name) VALUES ($1)', [name]);
  await add(last.name);
  await add('9999_of_tomorrow.sql');
  expect(list()).toMatchObject({
    code: 1,
    json: { error: expect.stringMatching(/^The database has the schema of a newer version\./) },
  });
  await service.database.query(`DELETE FROM schema_migrations WHERE name = '9999_of_tomorrow.sql'`);
  expect(list()).toMatchObject({ code: 0 });

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
    expect(quizctlOn(empty.url, '', ...create)).toMatchObject({ code: 0, json: { id: ID } });
  } finally {
    await empty.drop();
  }
}, 60_000);

test('quizctl migrate in production needs no ENCRYPTION_KEY and no PUBLIC_URL, which the service does', async () => {
  const empty = await emptyDatabase();
  const production = (...args: string[]) =>
    spawnSync('node', ['dist/bin/quizctl.js', ...args], {
      cwd: join(__dirname, '../..'),
      env: { PATH: process.env.PATH, NODE_ENV: 'production', DATABASE_URL: empty.url },
      encoding: 'utf8',
    });
  try {
    expect(production('migrate')).toMatchObject({ status: 0, stderr: '' });
    expect(production('migrate').stdout).toBe('The schema is already up to date.\n');
    expect(production('accounts', 'list').stderr).toContain('ENCRYPTION_KEY is needed');
  } finally {
    await empty.drop();
  }
}, 60_000);

test('quizctl seed fills an empty service once, and set-up-link prints a link until there is an administrator', async () => {
  const empty = await emptyDatabase();
  const run = (...args: string[]) => quizctlOn(empty.url, '', ...args);
  try {
    expect(run('seed', '--json')).toMatchObject({
      code: 0,
      json: { quizzes: 48, questions: expect.any(Number) },
    });
    expect(run('seed')).toMatchObject({
      code: 0,
      out: 'There are topics already, so nothing was added.\n',
    });
    expect(run('set-up-link').out).toMatch(
      /^http:\/\/localhost:3000\/dashboard\/set-up\?token=\d+\.[\w-]{43}\n$/,
    );
    run('accounts', 'create', '--email', 'a@example.com', '--plan', 'pro', '--admin');
    const setPassword = ['accounts', 'set-password', 'a@example.com', '--password-stdin'];
    expect(quizctlOn(empty.url, 'correct horse battery', ...setPassword).code).toBe(0);
    const refused = run('set-up-link', '--json');
    expect(refused).toMatchObject({
      code: 1,
      json: { error: expect.stringMatching(/^There is an administrator already\. .+set-password/) },
    });
  } finally {
    await empty.drop();
  }
}, 60_000);

test('quizctl --version prints the version of package.json', () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
    version: string;
  };
  expect(quizctl('--version')).toMatchObject({ code: 0, out: `${version}\n`, err: '' });
  expect(quizctl('--version', '--json')).toMatchObject({ code: 0, json: version });
});

test('quizctl config env --image names the image that docker compose pulls', () => {
  const image = 'ghcr.io/ada/quiz-question-service:1.2.3';
  const named = quizctl('config', 'env', 'https://quiz.example.com', '--image', image).out;
  expect(named).toMatch(new RegExp(`^QUIZ_IMAGE=${image}$`, 'm'));
  expect(quizctl('config', 'env', 'https://quiz.example.com').out).toMatch(/^#QUIZ_IMAGE=/m);
});

test('quizctl config env prints a valid .env file with new secrets at each call', () => {
  const values = () =>
    Object.fromEntries(
      quizctl('config', 'env', 'https://quiz.example.com/')
        .out.split('\n')
        .filter((line) => /^\w/.test(line))
        .map((line) => line.split(/=(.*)/).slice(0, 2)),
    ) as Record<string, string>;
  const [first, second] = [values(), values()];
  expect(Object.keys(first)).toEqual([
    'COMPOSE_FILE',
    'POSTGRES_PASSWORD',
    'POSTGRES_SERVICE_PASSWORD',
    'REDIS_PASSWORD',
    'ENCRYPTION_KEY',
    'PUBLIC_URL',
  ]);
  expect(first.PUBLIC_URL).toBe('https://quiz.example.com');
  const secrets = Object.entries(first).filter(([name]) => /PASSWORD|KEY/.test(name));
  for (const [name, value] of secrets) expect(second[name]).not.toBe(value);
  expect(new Set(secrets.map(([, value]) => value)).size).toBe(4);
  expect(loadConfig({ ...first, NODE_ENV: 'production' }).encryptionKeys).toHaveLength(1);
  for (const name of ['POSTGRES_PASSWORD', 'POSTGRES_SERVICE_PASSWORD', 'REDIS_PASSWORD'])
    expect(first[name]).toMatch(/^[0-9a-f]{48}$/);
});
