import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chooseRunAs, commandFor, freePort } from '#embedded-postgres';
import { eventually } from './clock';

const run = promisify(execFile);
const PACKAGES = '/usr/lib/postgresql';

/** The newest first: 16 before 9.6. */
const byNumber = (one: string, other: string) => Number(other) - Number(one);

/** Where the machine's newest PostgreSQL has its programs, pg_dump among them (Debian's packages). */
function programs(): string | undefined {
  const versions = existsSync(PACKAGES) ? readdirSync(PACKAGES).sort(byNumber) : [];
  return versions.map((it) => join(PACKAGES, it, 'bin')).find((it) => existsSync(`${it}/pg_dump`));
}

/** A server of the PostgreSQL that is installed on this machine, unlike the embedded one with all its programs. */
export class InstalledPostgres {
  static readonly programs = programs();

  private constructor(
    readonly folder: string,
    readonly port: number,
    private readonly server: ChildProcess,
  ) {}

  /** Its superuser is `quiz`, as in docker-compose.yml. */
  static async start(): Promise<InstalledPostgres> {
    const bin = InstalledPostgres.programs ?? '';
    const folder = await mkdtemp(join(tmpdir(), 'quiz-postgres-'));
    const cluster = join(folder, 'cluster');
    const runAs = await chooseRunAs(`${bin}/postgres`, folder);
    const initdb = commandFor(runAs, `${bin}/initdb`, [
      ...['-D', cluster, '-U', 'quiz', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    ]);
    await run(initdb.command, initdb.args, { ...initdb, cwd: folder });
    const port = await freePort();
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
    const { command, args, ...user } = commandFor(runAs, `${bin}/postgres`, [
      ...['-D', cluster, '-p', String(port)],
      ...settings.flatMap((setting) => ['-c', setting]),
    ]);
    const server = spawn(command, args, { ...user, cwd: folder, stdio: 'ignore' });
    const postgres = new InstalledPostgres(folder, port, server);
    await eventually(() => Promise.resolve(postgres.run('psql --command="SELECT 1" postgres')));
    postgres.run('createdb quiz');
    return postgres;
  }

  urlOf(database: string, role = 'quiz'): string {
    return `postgres://${role}@127.0.0.1:${this.port}/${database}`;
  }

  /** A line of shell with the programs of PostgreSQL at hand, in the server's folder. @returns what it printed */
  run(line: string): string {
    return execFileSync('bash', ['-ec', line], {
      cwd: this.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: `${InstalledPostgres.programs}:${process.env.PATH}`,
        PGHOST: '127.0.0.1',
        PGPORT: String(this.port),
        PGUSER: 'quiz',
      },
    });
  }

  async stop(): Promise<void> {
    if (this.server.exitCode === null && this.server.signalCode === null) {
      this.server.kill('SIGQUIT');
      await once(this.server, 'exit');
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}
