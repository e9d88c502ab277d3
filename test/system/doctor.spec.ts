import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { examine } from '../../src/cli/doctor/examine';
import { workerFindings } from '../../src/cli/doctor/worker.findings';
import { loadConfig } from '../../src/platform/config/config';
import { migrate } from '../../src/platform/database/migrate';
import { SealedSecretsService } from '../../src/webhooks/endpoints/sealed-secrets.service';
import { Heartbeat } from '../../src/webhooks/relay/liveness';
import { eventually } from '../support/clock';
import { cloneDatabase, emptyDatabase } from '../support/database';
import { ensureBuilt } from '../support/ensure-built';
import { quizctlIn } from '../support/quizctl';
import { RedisServer, withRedis } from '../support/redis-server';
import { TEST_ENCRYPTION_KEY } from '../support/service';
import { createFixture, type WebhookFixture } from '../support/worker';

/** What the doctor finds; and `quizctl doctor`, `config` and `migrate` as processes of their own. */

const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'quiz-doctor-'));
let fixture: WebhookFixture;

beforeAll(async () => {
  ensureBuilt();
  fixture = await createFixture();
  await fixture.get(Heartbeat).beat();
  await fixture.endpoint(await fixture.account(), 'http://127.0.0.1:9/hook');
}, 120_000);
afterAll(async () => {
  await fixture.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: string[], env: Record<string, string>) =>
  spawnSync('node', args, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: fixture.databaseUrl,
      DATA_DIR: folder,
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
      ...env,
    },
    encoding: 'utf8',
  });

function quizctl(args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = run(['dist/bin/quizctl.js', ...args], env);
  return { code: status, out: stdout, err: stderr };
}

/**
 * @param beats the worker's heart beats faster than its once a second: every examination waits until it is seen to beat.
 * It writes down that the worker runs, and that its queue responds.
 */
async function doctor(env: Record<string, string> = {}, beats = true) {
  const beat = () =>
    void fixture
      .get(Heartbeat)
      .beat()
      .catch(() => undefined);
  const beating = beats ? setInterval(beat, 50) : undefined;
  const findings = await examine({
    DATABASE_URL: fixture.databaseUrl,
    DATA_DIR: folder,
    ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
    ...env,
  }).finally(() => clearInterval(beating));
  const of = (name: string) => {
    const found = findings.find(({ check }) => check === name);
    return found && `${found.state}: ${found.message}`;
  };
  return { findings, of };
}

describe('quizctl doctor findings', () => {
  it('every check of a healthy service is good', async () => {
    const { findings, of } = await doctor({}, false);
    expect(findings.map(({ check, state }) => `${check} ${state}`)).toEqual([
      'settings good',
      'database good',
      'connections good',
      'clock good',
      'queue good',
      'migrations good',
      'worker good',
      'imports good',
      'encryption good',
    ]);
    expect(of('database')).toMatch(/PostgreSQL \d+\.\d+ responds in [\d.]+ ms/);
    expect(of('worker')).toMatch(/A worker delivers \(.+, process \d+\)\.$/);
  });

  it('under a plain role the doctor also counts the connections of other roles', async () => {
    const url = new URL(fixture.databaseUrl);
    [url.username, url.password] = ['doctor_of_a_plain_role', 'plain'];
    await fixture.database.query(`CREATE ROLE ${url.username} LOGIN PASSWORD 'plain'`);
    const others = Array.from(
      { length: 10 },
      () => new Client({ connectionString: fixture.databaseUrl }),
    );
    try {
      await Promise.all(others.map((it) => it.connect()));
      const message = (await doctor({ DATABASE_URL: url.href })).of('connections') ?? '';
      expect(Number(/^good: (\d+) of \d+ /.exec(message)?.[1])).toBeGreaterThan(10);
    } finally {
      await Promise.all(others.map((it) => it.end()));
      await fixture.database.query(`DROP ROLE ${url.username}`);
    }
  });

  it('an ENCRYPTION_KEY that opens no stored secret is an error', async () => {
    expect((await doctor()).of('encryption')).toMatch(/^good: ENCRYPTION_KEY decrypts/);
    const { of } = await doctor({ ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') });
    expect(of('encryption')).toMatch(/^error: No webhook secret can be decrypted .+ secrets\.$/);
  });

  it('without ENCRYPTION_KEY no key is made: stored secrets are an error, and without any it is good', async () => {
    const { of } = await doctor({ ENCRYPTION_KEY: '' });
    expect(of('encryption')).toMatch(
      /^error: ENCRYPTION_KEY is not set, and .+ as the service has it\.$/,
    );
    const empty = await emptyDatabase();
    await migrate(empty.url);
    const fresh = await doctor({ ENCRYPTION_KEY: '', DATABASE_URL: empty.url });
    expect(fresh.of('encryption')).toMatch(/^good: There is no key yet: the first start makes one/);
    expect(fresh.of('queue')).toMatch(/^warning: .+Run .*migrate as the role that owns/);
    await empty.drop();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a rotation of ENCRYPTION_KEY is a warning until the secrets are resealed, then good', async () => {
    const next = Buffer.alloc(32, 'next').toString('base64');
    const both = { ENCRYPTION_KEY: `${next},${TEST_ENCRYPTION_KEY}` };
    expect((await doctor(both)).of('encryption')).toMatch(
      /^warning: 1 of 1 webhook secrets can only be decrypted with the second ENCRYPTION_KEY\. Run: npm run -s quizctl -- webhooks reseal$/,
    );
    const secrets = (ENCRYPTION_KEY: string) =>
      SealedSecretsService.on(fixture.database, loadConfig({ ENCRYPTION_KEY }));
    expect(await secrets(both.ENCRYPTION_KEY).reseal()).toEqual({ resealed: 1, unreadable: 0 });
    expect((await doctor(both)).of('encryption')).toMatch(/^good: .+ remove the second one\.$/);
    expect((await doctor({ ENCRYPTION_KEY: next })).of('encryption')).toMatch(
      /^good: ENCRYPTION_KEY decrypts/,
    );
    expect(await secrets(`${TEST_ENCRYPTION_KEY},${next}`).reseal()).toMatchObject({ resealed: 1 });
  });

  it('a queue that responds to no worker is an error, and to some of them a warning that names the others', async () => {
    const { url, drop } = await cloneDatabase();
    const database = await new DataSource({ type: 'postgres', url }).initialize();
    const add = (host: string, age: string) =>
      database.query(
        `INSERT INTO webhook_workers (id, host, pid, queue, queue_answers, started_at, seen_at)
         VALUES (gen_random_uuid(), $1, 1, 'redis', true, now() - $2::interval, now())`,
        [host, age],
      );
    /** The queue responds to workers on these hosts from the heartbeats on that come after the first look. */
    const finding = async (...hosts: string[]) => {
      let isOver = false;
      const beat = async () => {
        for (await sleep(100); !isOver; await sleep(50))
          await database.query(
            'UPDATE webhook_workers SET queue_answers = host = ANY($1), seen_at = now()',
            [hosts],
          );
      };
      const [[worker]] = await Promise.all([
        workerFindings(database).finally(() => (isOver = true)),
        // No heartbeat of this look is left for the next one.
        beat(),
      ]);
      return `${worker?.state}: ${worker?.message}`;
    };
    try {
      await add('host-a', '2 minutes');
      expect(await finding()).toBe(
        'error: The queue does not respond to the worker (host-a, process 1). If the finding about the queue is good, check the connection from that host.',
      );
      await add('host-b', '1 minute');
      expect(await finding('host-a', 'host-b')).toBe(
        'good: 2 workers deliver (host-a, process 1; host-b, process 1).',
      );
      expect(await finding('host-a')).toBe(
        'warning: The queue does not respond to 1 of 2 workers (host-b, process 1): check the connection from that host.',
      );
      expect(await finding()).toBe(
        'error: The queue does not respond to any worker (host-a, process 1; host-b, process 1). If the finding about the queue is good, check the connection from those hosts.',
      );
    } finally {
      await database.destroy();
      await drop();
    }
  });

  it('imports without progress are a warning, and without imports all is good', async () => {
    expect((await doctor()).of('imports')).toBe('good: Imports that run: 0; that wait: 0.');
    const accountId = await fixture.account();
    const insert = (state: string, id: string) =>
      fixture.database.query(
        `INSERT INTO imports (id, account_id, state, dry_run, file_name, options, stored, created_at, progress_at, next_check_at)
         VALUES ($1, $2, $3, false, 'x.csv', '{}', true, now() - interval '2 minutes', now() - interval '2 minutes',
                 now() + interval '1 hour')`,
        [id, accountId, state],
      );
    await insert('waiting', '01990000-0000-7000-8000-000000000001');
    expect((await doctor()).of('imports')).toMatch(
      /^warning: An import waits for 12\d s, and none runs\. Read the lines/,
    );
    await insert('running', '01990000-0000-7000-8000-000000000002');
    expect((await doctor()).of('imports')).toMatch(
      /^warning: 1 of the 1 running imports has made no progress for a minute\. Read the lines/,
    );
    await fixture.database.query('DELETE FROM imports');
  });

  it('a worker of a restored backup, whose heartbeat does not move, does not count', async () => {
    const restored = await emptyDatabase();
    await migrate(restored.url);
    const client = new Client({ connectionString: restored.url });
    await client.connect();
    await client.query(
      `INSERT INTO webhook_workers (id, host, pid, queue, queue_answers, started_at, seen_at)
       VALUES ('01990000-0000-7000-8000-000000000001', 'old', 1, 'redis', true, now() - interval '1 day', now())`,
    );
    await client.end();
    const { of } = await doctor({ DATABASE_URL: restored.url });
    expect(of('worker')).toMatch(/^warning: No worker runs/);
    await restored.drop();
  });

  it('a read-only database is an error', async () => {
    const name = new URL(fixture.databaseUrl).pathname.slice(1);
    try {
      await fixture.database.query(
        `ALTER DATABASE "${name}" SET default_transaction_read_only = on`,
      );
      expect((await doctor()).of('database')).toMatch(
        /^error: The database is read-only: .+ free some space, then reset it\.$/,
      );
    } finally {
      // A connection that was opened meanwhile is read-only.
      await fixture.database.query(
        `BEGIN READ WRITE; ALTER DATABASE "${name}" RESET default_transaction_read_only; COMMIT;
         SET default_transaction_read_only = off`,
      );
    }
  });

  it('a read-only database, which stores no heartbeats, does not report a missing worker', async () => {
    const { url, drop } = await emptyDatabase();
    await migrate(url);
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(
      `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET default_transaction_read_only = on`,
    );
    await client.end();
    const { of } = await doctor({ DATABASE_URL: url });
    expect(of('database')).toMatch(/^error: The database is read-only/);
    expect(of('worker')).toMatch(
      /^warning: .+ not known whether a worker runs\. Run the doctor again/,
    );
    await drop();
  });

  it('a worker whose METRICS_PORT is taken ends before it begins its work, and leaves no heartbeat', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { pid, status, stderr } = run(['dist/bin/worker.js'], { METRICS_PORT: String(port) });
    other.close();
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^METRICS_PORT=\d+ cannot be opened \(.+EADDRINUSE.+\)\. Choose another/,
    );
    expect(
      await fixture.database.query('SELECT id FROM webhook_workers WHERE pid = $1', [pid]),
    ).toEqual([]);
  });

  it('a missing worker is a warning', async () => {
    // The worker's heartbeat may come between the two.
    await eventually(async () => {
      await fixture.database.query('DELETE FROM webhook_workers');
      expect((await doctor({}, false)).of('worker')).toMatch(/^warning: No worker runs/);
    }, 25_000);
  });

  it('an empty, an unreachable and a missing database are errors, and nothing is created', async () => {
    const empty = await emptyDatabase();
    const { of } = await doctor({ DATABASE_URL: empty.url });
    expect(of('migrations')).toMatch(
      /^error: \d+ of \d+ .+quizctl -- migrate as the role that owns the database, or start/,
    );
    await empty.drop();
    const away = await doctor({ DATABASE_URL: 'postgres://quiz@127.0.0.1:9/quiz' });
    expect(away.of('database')).toMatch(/^error: The database at 127.0.0.1:9/);
    const none = await doctor({ DATABASE_URL: '' });
    expect(none.of('database')).toMatch(/^error: There is no database yet/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('clocks that differ by 3 seconds are a warning, by a minute an error', async () => {
    const name = new URL(fixture.databaseUrl).pathname.slice(1);
    // Before PostgreSQL's own function, for new connections.
    const ahead = (by: string) => `
      CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql
        AS $$ SELECT pg_catalog.clock_timestamp() + interval '${by}' $$;
      ALTER DATABASE "${name}" SET search_path = public, pg_catalog`;
    try {
      await fixture.database.query(ahead('3 seconds'));
      expect((await doctor()).of('clock')).toMatch(/^warning: .+ \d{4} ms apart: .+NTP/);
      await fixture.database.query(ahead('1 minute'));
      expect((await doctor()).of('clock')).toMatch(/^error: .+ \d\d seconds apart: .+NTP/);
    } finally {
      await fixture.database.query(
        `ALTER DATABASE "${name}" RESET search_path; DROP FUNCTION public.clock_timestamp()`,
      );
    }
  });

  it('a schema of a newer version is a warning', async () => {
    await fixture.database.query(
      `INSERT INTO schema_migrations (name) VALUES ('9999_of_tomorrow.sql')`,
    );
    expect((await doctor()).of('migrations')).toMatch(/^warning: .+newer version.+backup/);
    await fixture.database.query(
      `DELETE FROM schema_migrations WHERE name = '9999_of_tomorrow.sql'`,
    );
  });

  (RedisServer.installed ? it : it.skip)(
    'a REDIS_URL with the number of a database that Redis does not have is an error',
    async () => {
      const redis = await RedisServer.start();
      const [last, missing] = [
        await doctor({ REDIS_URL: `${redis.url}/15` }),
        await doctor({ REDIS_URL: `${redis.url}/99` }),
      ];
      await redis.kill();
      expect(last.of('queue')).toMatch(/^good: Redis \d/);
      expect(missing.of('queue')).toMatch(/^error: Redis at .+ has no database 99, so the queue/);
    },
  );

  (RedisServer.installed ? it : it.skip)(
    'Redis without an append-only file or nearly full is a warning, evicting, full or unreachable Redis an error',
    async () => {
      const redis = await RedisServer.start();
      const up = await doctor({ REDIS_URL: redis.url });
      await withRedis(redis.url, (it) => it.config('SET', 'maxmemory-policy', 'allkeys-lru'));
      const evicting = await doctor({ REDIS_URL: redis.url });
      const used = await withRedis(redis.url, async (it) => {
        await it.config('SET', 'maxmemory-policy', 'noeviction');
        return Number(/^used_memory:(\d+)/m.exec(await it.info('memory'))?.[1]);
      });
      const withLimit = async (bytes: number) => {
        await withRedis(redis.url, (it) => it.config('SET', 'maxmemory', bytes));
        return doctor({ REDIS_URL: redis.url });
      };
      const full = await withLimit(1);
      const nearlyFull = await withLimit(Math.round(1.1 * used));
      await redis.kill();
      expect(up.of('memory')).toBeUndefined();
      expect(full.of('memory')).toMatch(/^error: Redis uses .+ is full: .+ Raise maxmemory/);
      expect(nearlyFull.of('memory')).toMatch(/^warning: Redis uses .+ Raise maxmemory/);
      expect(up.of('queue')).toMatch(/^good: Redis \d/);
      expect(up.of('eviction')).toBe('good: Redis evicts nothing.');
      expect(evicting.of('eviction')).toMatch(/^error: .+allkeys-lru.+noeviction\.$/);
      expect(up.of('persistence')).toMatch(/^warning: .+appendonly yes\.$/);
      const away = await doctor({ REDIS_URL: redis.url });
      expect(away.of('queue')).toMatch(/^error: Redis at .+ECONNREFUSED/);
    },
  );
});

describe('quizctl without a service', () => {
  it('quizctl doctor prints one line per error and exits with 2', () => {
    const { code, out } = quizctl(['doctor'], { PORT: 'x', NODE_ENV: 'prod' });
    expect(code).toBe(2);
    expect(out).toMatch(
      /^ERROR +settings +NODE_ENV must be .+\nERROR +settings +PORT must be .+$/m,
    );
  });

  it('quizctl migrate creates the schema once, and config print hides secrets', async () => {
    const empty = await emptyDatabase();
    const first = quizctl(['migrate', '--json'], { DATABASE_URL: empty.url });
    expect(JSON.parse(first.out).migrations).toContain('0001_baseline.sql');
    expect(quizctl(['migrate'], { DATABASE_URL: empty.url }).out).toMatch(/already up to date/);
    await empty.drop();
    const { out } = quizctl(['config', 'print']);
    expect(out).toMatch(/^ENCRYPTION_KEY +\(hidden\) +environment$/m);
    expect(out).not.toContain(TEST_ENCRYPTION_KEY);
  });

  it('quizctl creates no database and reports an unreachable one within seconds', async () => {
    const list = (DATABASE_URL: string) =>
      quizctlIn({ DATABASE_URL, DATA_DIR: folder }, 'accounts', 'list');
    const none = await list('');
    expect([none.code, none.err]).toEqual([1, expect.stringMatching(/^There is no database yet/)]);
    expect(readdirSync(folder)).toEqual([]);
    const begun = Date.now();
    const away = await list('postgres://quiz@127.0.0.1:9/quiz');
    expect(Date.now() - begun).toBeLessThan(10_000);
    expect([away.code, away.err]).toEqual([
      1,
      expect.stringMatching(/^The database at 127\.0\.0\.1:9\/quiz cannot be used/m),
    ]);
    expect(away.err.trim().split('\n')).toHaveLength(2);
  });
});
