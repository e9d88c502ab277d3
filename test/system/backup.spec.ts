import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { migrate, readMigrations } from '../../src/platform/database/migrate';
import { newId } from '../../src/platform/text/ids';
import { InstalledPostgres } from '../support/installed-postgres';

/** Backup, restore and the way back to an older version, by the lines of docs/operations.md as they stand there. */
const PAGE = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
const linesWith = (beginning: string) =>
  PAGE.split('\n').flatMap((line) =>
    line.startsWith(beginning) ? [line.slice(beginning.length).replace(/ #.*/, '')] : [],
  );

(InstalledPostgres.programs ? describe : describe.skip)('PostgreSQL backups', () => {
  let server: InstalledPostgres;

  beforeAll(async () => {
    server = await InstalledPostgres.start();
  }, 60_000);
  beforeEach(async () => {
    server.run('dropdb --force quiz; createdb quiz');
    await migrate(server.urlOf('quiz'));
  });
  afterAll(() => server.stop());

  const on = async <T>(name: string, work: (database: DataSource) => Promise<T>): Promise<T> => {
    const database = new DataSource({
      type: 'postgres',
      url: server.urlOf(name),
    });
    await database.initialize();
    try {
      return await work(database);
    } finally {
      await database.destroy();
    }
  };
  const addAccount = (email: string) =>
    on('quiz', (database) =>
      database.query(
        `INSERT INTO accounts (id, email, email_key, plan, is_admin, created_at) VALUES ($1, $2, $2, 'pro', false, now())`,
        [newId(), email],
      ),
    );
  const emails = (name: string) =>
    on(name, async (database) => {
      const rows = await database.query<{ email: string }[]>('SELECT email FROM accounts');
      return rows.map(({ email }) => email);
    });

  const newerMigrations = [
    ...readMigrations(),
    { name: '9999_note.sql', sql: 'ALTER TABLE accounts ADD COLUMN note text' },
  ];

  it('the compose commands restore a backup of the older version, which can be upgraded again', async () => {
    await addAccount('before@example.com');
    const [dump, ...restore] = linesWith('docker compose exec -T postgres ');
    expect(restore.map((line) => line.split(' ', 1)[0])).toEqual([
      'dropdb',
      'createdb',
      'pg_restore',
    ]);
    server.run(dump ?? '');
    expect(await migrate(server.urlOf('quiz'), { migrations: newerMigrations })).toEqual([
      '9999_note.sql',
    ]);
    await addAccount('after@example.com');

    for (const line of restore) server.run(line);
    expect(await emails('quiz')).toEqual(['before@example.com']);
    expect(await migrate(server.urlOf('quiz'))).toEqual([]);
    expect(await migrate(server.urlOf('quiz'), { migrations: newerMigrations })).toEqual([
      '9999_note.sql',
    ]);
  });

  it('the commands of docs/operations.md move embedded data to another PostgreSQL server', async () => {
    await addAccount('moved@example.com');
    const other = await InstalledPostgres.start();
    try {
      for (const [name, { folder }] of Object.entries({ 'old-data': server, data: other })) {
        mkdirSync(join(server.folder, name));
        symlinkSync(join(folder, 'cluster'), join(server.folder, name, 'postgres'));
        writeFileSync(join(server.folder, name, 'postgres-password'), 'any');
      }
      const [section = ''] = /(?<=## Embedded data of an older PostgreSQL\n)[^#]+/.exec(PAGE) ?? [];
      const blocks = [...section.matchAll(/```\n([^`]+)```/g)].map(([, block]) => block);
      expect(blocks).toHaveLength(2);
      server.run(blocks.join('\n'));
      const rows = other.run(
        'psql --tuples-only --no-align --command="SELECT email FROM accounts" quiz',
      );
      expect(rows.trim()).toBe('moved@example.com');
      expect(await migrate(other.urlOf('quiz'))).toEqual([]);
    } finally {
      await other.stop();
    }
  }, 60_000);

  it('a member of the owner with CREATEDB restores a backup, without a superuser', async () => {
    server.run('createuser owner; createuser --createdb postgres');
    server.run('psql --command="GRANT owner TO postgres" postgres');
    server.run('dropdb quiz; createdb --owner=owner quiz');
    await migrate(server.urlOf('quiz', 'owner'));
    await addAccount('kept@example.com');
    const lines = ['pg_dump ', 'createdb ', 'pg_restore '].flatMap((program) =>
      linesWith(program).map((line) => program + line),
    );
    expect(lines).toHaveLength(3);
    for (const line of lines)
      server.run(
        line
          .replace('--host=db', '--host=127.0.0.1')
          .replace('--owner=quiz', '--owner=owner')
          .replace('postgres://quiz:…@db/quiz', server.urlOf('quiz', 'owner'))
          .replace('postgres://quiz:…@db/restored', server.urlOf('restored', 'owner')),
      );
    expect(await emails('restored')).toEqual(['kept@example.com']);
    expect(await migrate(server.urlOf('restored', 'owner'))).toEqual([]);
  });
});
