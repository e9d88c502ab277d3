import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  chooseRunAs,
  findBinaries,
  launchServer,
  layoutOf,
  readPostmaster,
  startEmbeddedPostgres,
} from '#embedded-postgres';
import { atTheEnd } from './cleanup';
import { until } from './until';

const SETTINGS = {
  // Every process of ours and PostgreSQL itself may be killed here, but the power stays on. Commits stay
  // synchronous: an immediate stop of the server must not lose any.
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  // What the service needs of a server to which it cannot say goodbye is tested, not what a busy disc costs.
  max_wal_size: '2GB',
};

/** A PostgreSQL of the harness's own: out of node_modules, in a folder of its own. */
export class PostgresServer {
  private constructor(
    private readonly dataDir: string,
    readonly url: string,
    private readonly end: () => Promise<void>,
  ) {}

  static async start(folder: string): Promise<PostgresServer> {
    const dataDir = await mkdtemp(join(folder, 'postgres-'));
    const { url } = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
    const server: PostgresServer = new PostgresServer(dataDir, url, async () => {
      await server.stopAtOnce().catch(() => undefined);
      rmSync(dataDir, { recursive: true, force: true });
    });
    server.forget = atTheEnd(server.end);
    return server;
  }

  private forget: () => void = () => undefined;

  /** An immediate shutdown: connections are cut, nothing is finished, the next start recovers. */
  async stopAtOnce(): Promise<void> {
    const postmaster = await readPostmaster(layoutOf(this.dataDir));
    if (!postmaster) return;
    process.kill(postmaster.pid, 'SIGQUIT');
    await until('the end of PostgreSQL', () => !isAlive(postmaster.pid));
  }

  /** The same server again, on the same port. */
  async startAgain(): Promise<void> {
    const layout = layoutOf(this.dataDir);
    const binaries = await findBinaries();
    const runAs = await chooseRunAs(binaries.postgres, layout.cluster);
    const [until, port] = [Date.now() + 60_000, Number(new URL(this.url).port)];
    await launchServer(layout, binaries, runAs, { until, settings: SETTINGS, port });
  }

  /** A statement on the server's own database. */
  async query(statement: string): Promise<void> {
    const client = new Client({ connectionString: this.url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(statement);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  urlOf(database: string): string {
    const url = new URL(this.url);
    url.pathname = `/${database}`;
    return url.href;
  }

  async close(): Promise<void> {
    this.forget();
    await this.end();
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
