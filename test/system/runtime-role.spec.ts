import { join } from 'node:path';
import { Client } from 'pg';
import { AuditRetention } from '../../src/access/audit/audit-retention.service';
import { ReviewService } from '../../src/authoring/review/review.service';
import { loadConfig } from '../../src/platform/config/config';
import { migrate, MIGRATION_NAMES } from '../../src/platform/database/migrate';
import { openDatabase } from '../../src/platform/database/open-database';
import { IdempotencyRetention } from '../../src/platform/idempotency/idempotency-retention';
import { explain } from '../../src/platform/process/explain';
import { migrateQueue } from '../../src/platform/queue/migrate-queue';
import { AttemptRetention } from '../../src/play/submission/attempt-retention.service';
import { EndpointsService } from '../../src/webhooks/endpoints/endpoints.service';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { countersEqualCounts } from '../support/counters';
import { InstalledPostgres } from '../support/installed-postgres';
import { type Receiver, startReceiver } from '../support/receiver';
import { questionBodies } from '../support/samples';
import { type Service, startService } from '../support/service';
import { signedIn } from '../support/visitor';
import { startWorkerBeside } from '../support/worker-beside';

/** The API and a worker under the role of ops/runtime-role.sql, on a database that another role owns. */

(InstalledPostgres.programs ? describe : describe.skip)(
  'under the runtime role (needs PostgreSQL)',
  () => {
    let server: InstalledPostgres;
    let receiver: Receiver;
    let service: Service;
    let worker: { close(): Promise<void> };
    let runtime: Client;
    let runtimeUrl: string;
    let ownerUrl: string;

    beforeAll(async () => {
      server = await InstalledPostgres.start();
      receiver = await startReceiver();
      server.run('psql --command="CREATE ROLE owner LOGIN CREATEROLE" postgres');
      server.run('createdb --owner=owner service');
      const urlOf = (role: string) => server.urlOf('service').replace('quiz@', `${role}@`);
      ownerUrl = urlOf('owner');
      await migrate(ownerUrl);
      await migrateQueue(ownerUrl);
      const file = join(__dirname, '../../ops/runtime-role.sql');
      for (let times = 0; times < 2; times++)
        server.run(`psql --set=ON_ERROR_STOP=1 --file=${file} ${ownerUrl}`);

      runtimeUrl = urlOf('quiz_service');
      const database = { url: runtimeUrl, drop: () => Promise.resolve() };
      service = await startService({ WEBHOOK_ALLOW_INSECURE: 'true' }, database);
      worker = await startWorkerBeside(service);
      runtime = new Client({ connectionString: runtimeUrl });
      await runtime.connect();
    }, 60_000);
    afterAll(async () => {
      await runtime.end();
      await worker.close();
      await service.close();
      await receiver.close();
      await server.stop();
    });
    afterEach(() => expect(service.log.join('')).not.toContain('permission denied'));

    it('under the runtime role a process starts on an up-to-date schema, with its queue in PostgreSQL', async () => {
      const config = loadConfig({ DATABASE_URL: runtimeUrl });
      expect(await openDatabase(config)).toMatchObject({ kind: 'server', migrations: [] });
      await migrateQueue(runtimeUrl);
    });

    it('under the runtime role a start with pending migrations names them and the command, without a stack', async () => {
      const owner = new Client({ connectionString: ownerUrl });
      await owner.connect();
      const functions = MIGRATION_NAMES.at(-1) ?? '';
      await owner.query('DELETE FROM schema_migrations WHERE name = $1', [functions]);
      const config = loadConfig({ DATABASE_URL: runtimeUrl });
      const error: unknown = await openDatabase(config).catch((it: unknown) => it);
      expect(explain(error)).toBe(
        `1 migration is pending (${functions}), and the role "quiz_service" may not change the schema: run npm run -s quizctl -- migrate as the role that owns the database, then start again.`,
      );
      expect(await migrate(ownerUrl)).toEqual([functions]);
      await owner.end();
    });

    it('under the runtime role a worker without the schema of the queue says what to run, without a stack', async () => {
      server.run('createdb --owner=owner queueless');
      const urlOf = (role: string) => server.urlOf('queueless').replace('quiz@', `${role}@`);
      await migrate(urlOf('owner'));
      const file = join(__dirname, '../../ops/runtime-role.sql');
      server.run(`psql --set=ON_ERROR_STOP=1 --file=${file} ${urlOf('owner')}`);
      const reason = () => migrateQueue(urlOf('quiz_service')).then(() => 'it started', explain);
      const advice =
        /^The schema bullmq of the queue is missing or older .+ run npm run -s quizctl -- migrate without REDIS_URL, then ops\/runtime-role\.sql, as the role that owns the database, then start again\.$/;
      expect(await reason()).toMatch(advice);
      await migrateQueue(urlOf('owner'));
      expect(await reason()).toMatch(advice);
      server.run(`psql --set=ON_ERROR_STOP=1 --file=${file} ${urlOf('owner')}`);
      expect(await reason()).toBe('it started');
    });

    it('where the owner may not revoke CREATE, as on PostgreSQL 14, the script fails and says what to run first', async () => {
      server.run('createdb --owner=owner fourteen');
      const urlOf = (role: string) => server.urlOf('fourteen').replace('quiz@', `${role}@`);
      const asSuperuser = (statement: string) =>
        server.run(`psql --command="${statement}" fourteen`);
      asSuperuser('ALTER SCHEMA public OWNER TO quiz');
      asSuperuser('GRANT CREATE, USAGE ON SCHEMA public TO PUBLIC');
      await migrate(urlOf('owner'));
      const file = join(__dirname, '../../ops/runtime-role.sql');
      const run = () => server.run(`psql --set=ON_ERROR_STOP=1 --file=${file} ${urlOf('owner')}`);
      expect(run).toThrow(
        'quiz_service may still create tables: in this database, run ALTER SCHEMA public OWNER TO owner as a superuser',
      );
      asSuperuser('ALTER SCHEMA public OWNER TO owner');
      run();
      const client = new Client({ connectionString: urlOf('quiz_service') });
      await client.connect();
      try {
        await client.query('SELECT FROM accounts');
        await expect(client.query('CREATE TABLE extra (id integer)')).rejects.toThrow(
          'permission denied for schema public',
        );
      } finally {
        await client.end();
      }
    });

    it('under the runtime role the service writes, reviews, plays and imports quizzes and delivers events', async () => {
      const { account } = await signedIn(service, 'pro');
      const url = receiver.url('/role');
      const endpoints = service.app.get(EndpointsService, { strict: false });
      await endpoints.add(account.accountId, { url, events: ['quiz.created', 'quiz.completed'] });

      const quiz = await makeQuiz(account, { title: 'Under the role' }, questionBodies(1));
      await service.app.get(ReviewService).approve(quiz.id);
      await eventually(() => expect(receiver.at('/role')).toHaveLength(1));

      const started = await account.post(`/quizzes/${quiz.id}/attempts`, { player: 'ada' });
      expect(started.status).toBe(201);
      await account.post(`/attempts/${started.body.data.id}/submit`).expect(200);
      await account.get(`/quizzes/${quiz.id}/leaderboard`).expect(200);
      await account.get('/questions?random=true').expect(200);

      const csv = 'question,correct_answer,wrong_answer_1\nWhich is blue?,Sky,Grass';
      const upload = account.post('/imports?filename=a.csv').set('Content-Type', 'text/csv');
      const { id } = (await upload.send(csv).expect(202)).body.data as { id: string };
      await eventually(async () => {
        const { body } = await account.get(`/imports/${id}`).expect(200);
        expect(body).toMatchObject({ data: { state: 'completed', totals: { imported: 1 } } });
      }, 20_000);
      await countersEqualCounts(service.database);
    });

    it.each([
      `UPDATE audit_entries SET detail = 'nothing'`,
      `DELETE FROM audit_entries`,
      `TRUNCATE audit_entries`,
      `ALTER TABLE audit_entries DISABLE TRIGGER ALL`,
      `DROP TABLE quizzes`,
      `ALTER TABLE accounts ADD COLUMN extra text`,
      `CREATE TABLE extra (id integer)`,
      `CREATE SCHEMA extra`,
      `CREATE OR REPLACE FUNCTION audit_entries_keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'`,
      `DELETE FROM schema_migrations`,
    ])('PostgreSQL refuses the runtime role: %s', async (statement) => {
      await signedIn(service);
      await expect(runtime.query(statement)).rejects.toThrow(/permission denied|must be owner/);
    });

    it('under the runtime role retention deletes old rows, audit entries after a year', async () => {
      const count = async () =>
        (await runtime.query<{ count: number }>('SELECT count(*)::int FROM audit_entries')).rows[0]
          ?.count ?? 0;
      await runtime.query(
        `INSERT INTO audit_entries (id, at, actor_id, actor_email, action, object_kind, object_id, object_name, detail)
         SELECT id, now() - interval '366 days', id, '', 'aged', '', '', '', ''
         FROM (SELECT '00000000-0000-7000-8000-000000000000'::uuid AS id) AS aged`,
      );
      const before = await count();
      for (const retention of [AuditRetention, IdempotencyRetention, AttemptRetention])
        await service.app.get(retention, { strict: false }).prune();
      expect(await count()).toBe(before - 1);
    });
  },
);
