import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { migrate, readMigrations } from '../../../src/platform/database/migrate';
import { quizBody } from '../../support/samples';
import { audit } from '../harness/audit';
import type { Suite } from '../harness/case';
import type { Fixture, Subscriber } from '../harness/fixture';
import type { ServiceProcess } from '../harness/service-process';
import { hold, until } from '../harness/until';

const CLIENTS = 20;

/** What a next release could bring. */
const NEXT = {
  name: '9999_audience.sql',
  sql: 'LOCK TABLE quizzes IN ACCESS EXCLUSIVE MODE; ALTER TABLE quizzes ADD COLUMN audience text',
};

/** @returns the status of a creation; 503 only with Retry-After */
async function create(api: ServiceProcess, { key }: Subscriber): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${api.port}/api/v1/quizzes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(quizBody({})),
  });
  await response.text();
  const { status, headers } = response;
  hold(status !== 503 || headers.has('Retry-After'), 'a 503 has no Retry-After');
  return status;
}

/** @returns the status of a page of quizzes */
async function list(api: ServiceProcess, { key }: Subscriber): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`http://127.0.0.1:${api.port}/api/v1/quizzes`, { headers });
  await response.text();
  return response.status;
}

/** Clients that create quizzes until they are told to stop. @returns stops them, and says how many creations got 503 */
function writing(api: ServiceProcess, it: Subscriber): () => Promise<number> {
  let isOver = false;
  let refused = 0;
  const client = async () => {
    while (!isOver) {
      const status = await create(api, it);
      hold(status === 201 || status === 503, `a creation got ${status}`);
      if (status === 503) refused++;
      await sleep(500);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  clients.catch(() => undefined);
  return async () => {
    isOver = true;
    await clients;
    return refused;
  };
}

const ready = async (api: ServiceProcess) => {
  const response = await fetch(`http://127.0.0.1:${api.port}/health/ready`);
  return { status: response.status, text: await response.text() };
};

async function connect(fixture: Fixture): Promise<Client> {
  const client = new Client({ connectionString: fixture.env.DATABASE_URL });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Sets the database read-only, or undoes it, for every connection. */
async function setReadOnly(fixture: Fixture, value: 'on' | 'off'): Promise<void> {
  const client = await connect(fixture);
  const [row] = (await client.query<{ name: string }>('SELECT current_database() AS name')).rows;
  await fixture.server.query(
    `ALTER DATABASE ${row?.name} SET default_transaction_read_only = ${value}`,
  );
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await client.end();
}

/** The database is there, and does not do what it is asked for. */
export const operations: Suite = {
  queues: 'both',
  ownServer: true,
  settings: { WEBHOOK_TIMEOUT: '5s' },
  cases: [
    {
      broken: 'PostgreSQL takes no further connections',
      when: `${CLIENTS} clients create quizzes`,
      async run(fixture) {
        await fixture.worker();
        const api = await fixture.start('api.js');
        const it = await fixture.subscriber();
        hold((await create(api, it)) === 201, 'the API does not serve');
        // As a load balancer does all the time: readiness has a connection of its own.
        await ready(api);
        const taken: Client[] = [];
        try {
          for (;;) taken.push(await connect(fixture));
        } catch (error) {
          hold(/too many clients|connection slots/.test(String(error)), String(error));
        }
        const stop = writing(api, it);
        await sleep(3_000);
        hold((await ready(api)).status === 200, 'the API is not ready');
        await Promise.all(taken.map((client) => client.end()));
        const refused = await stop();
        // Otherwise it had connections enough, and nothing was broken.
        hold(refused > 0, 'no creation was refused');
        hold((await create(api, it)) === 201, 'the API does not serve afterwards');
        await fixture.settled([it]);
        const note = `ready; ${refused} creations got 503 with Retry-After, none another error`;
        return { ...(await audit(fixture, [it])), note };
      },
    },
    {
      broken: 'PostgreSQL becomes read-only',
      when: `${CLIENTS} clients create quizzes`,
      async run(fixture) {
        await fixture.worker();
        const api = await fixture.api();
        const it = await fixture.subscriber();
        const stop = writing(api, it);
        await setReadOnly(fixture, 'on');
        const says = async () => /read-only/.test((await ready(api)).text);
        await until('readiness that says so', says, 10_000);
        hold((await create(api, it)) === 503, 'a creation is not refused for now');
        hold((await ready(api)).status === 200, 'the API is not ready');
        hold((await list(api, it)) === 200, 'reads are not served');
        await setReadOnly(fixture, 'off');
        await until('the API', async () => (await create(api, it)) === 201);
        const refused = await stop();
        await fixture.settled([it]);
        const note = `readiness says so; ${refused} creations got 503 with Retry-After`;
        return { ...(await audit(fixture, [it], { duplicates: { atMost: 32 } })), note };
      },
    },
    {
      broken: 'a table is locked',
      when: `${CLIENTS} clients create quizzes`,
      async run(fixture) {
        await fixture.worker();
        const api = await fixture.api();
        const [it, other] = [await fixture.subscriber(), await fixture.subscriber()];
        const client = await connect(fixture);
        const stop = writing(api, it);
        await client.query('BEGIN; LOCK TABLE quizzes IN ACCESS EXCLUSIVE MODE');
        await sleep(1_000);
        hold((await ready(api)).status === 200, 'the API is not ready');
        await fixture.emit(other, CLIENTS);
        await fixture.settled([other], 15_000);
        await client.end();
        const refused = await stop();
        await fixture.settled([it]);
        const note = `ready, and other events delivered, meanwhile; ${refused} creations refused`;
        return { ...(await audit(fixture, [it, other])), note };
      },
    },
    {
      broken: 'PostgreSQL stopped at once, started again',
      when: 'logs of API and worker are read afterwards',
      async run(fixture) {
        const [api, worker] = [await fixture.api(), await fixture.worker()];
        const it = await fixture.subscriber();
        const before = [api, worker].map(({ script }) => linesOf(fixture, script).length);
        await fixture.server.stopAtOnce();
        let failed = 0;
        for (; failed < CLIENTS; failed++) hold((await create(api, it)) === 503, 'no 503');
        await fixture.server.startAgain();
        await until('the API', async () => (await create(api, it)) === 201);
        await fixture.settled([it]);
        const lines = [api, worker].flatMap(({ script, pid }, at) => {
          const added = linesOf(fixture, script).slice(before[at]);
          // A worker's log has the lines of its import process.
          const processes = [
            script.replace('.js', ''),
            ...(script === 'worker.js' ? ['imports'] : []),
          ];
          for (const line of added) {
            const said = JSON.parse(line) as Record<string, unknown>;
            const isNamed =
              processes.includes(said.process as string) && said.host && said.version && said.pid;
            hold(isNamed, `a line does not name its process: ${line}`);
          }
          hold(
            added.some((line) => line.includes(`"pid":${pid}`)),
            `${script} wrote nothing`,
          );
          return added;
        });
        const ofRequests = lines.filter((line) => line.includes('requestId'));
        hold(!ofRequests.some((line) => line.includes('"stack"')), 'a request logs a stack');
        hold(ofRequests.length < 2 * failed + CLIENTS, `${ofRequests.length} lines of requests`);
        const note = `${lines.length} lines for ${failed} requests that failed, each with process, pid, host and version`;
        return { ...(await audit(fixture, [it])), note };
      },
    },
    {
      broken: 'the next release migrates',
      when: `${CLIENTS} clients create quizzes, a backup runs`,
      async run(fixture) {
        await fixture.worker();
        const api = await fixture.api();
        const it = await fixture.subscriber();
        const backup = await connect(fixture);
        const stop = writing(api, it);
        await backup.query('BEGIN; SELECT count(*) FROM quizzes');
        const waits: string[] = [];
        const migrations = [...readMigrations(), NEXT];
        const migrated = migrate(fixture.env.DATABASE_URL ?? '', {
          onWait: (reason) => waits.push(reason),
          migrations,
        });
        await until('the migration', () => waits.length > 0);
        hold((await create(api, it)) === 201, 'the migration lets nobody pass while it waits');
        await backup.end();
        hold((await migrated).includes(NEXT.name), 'nothing was migrated');
        hold((await create(api, it)) === 201, 'the API does not serve afterwards');
        const refused = await stop();
        await fixture.settled([it]);
        const note = `waited, said so, and let others pass; ${refused} creations refused`;
        return { ...(await audit(fixture, [it])), note };
      },
    },
  ],
};

const linesOf = (fixture: Fixture, script: string) =>
  readFileSync(fixture.logOf(script), 'utf8').split('\n').filter(Boolean);
