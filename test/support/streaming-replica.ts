import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  chooseRunAs,
  findBinaries,
  launchServer,
  layoutOf,
  startEmbeddedPostgres,
} from '#embedded-postgres';
import { migrate } from '../../src/platform/database/migrate';
import { eventually } from './clock';

const SETTINGS = { fsync: 'off', max_wal_senders: '4', wal_level: 'replica' };

/** A migrated primary and a real streaming replica of it, each a server of its own. */
export class ReplicatedPostgres {
  private constructor(
    private readonly folder: string,
    readonly primaryUrl: string,
    readonly replicaUrl: string,
    private readonly replica: ChildProcess,
    private readonly stopPrimary: () => Promise<void>,
  ) {}

  static async start(): Promise<ReplicatedPostgres> {
    const folder = await mkdtemp(join(tmpdir(), 'quiz-replica-'));
    const [primary, standby] = [
      layoutOf(join(folder, 'primary')),
      layoutOf(join(folder, 'standby')),
    ];
    const first = await startEmbeddedPostgres({ dataDir: primary.dataDir, settings: SETTINGS });
    await migrate(first.url);
    await first.stop();
    // A copy of a stopped server's files is a base backup.
    await cp(primary.dataDir, standby.dataDir, { recursive: true });

    const running = await startEmbeddedPostgres({ dataDir: primary.dataDir, settings: SETTINGS });
    const { hostname, port, username, password } = new URL(running.url);
    await writeFile(join(standby.cluster, 'standby.signal'), '');
    await appendFile(
      join(standby.cluster, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'\n`,
    );
    const binaries = await findBinaries();
    const runAs = await chooseRunAs(binaries.postgres, standby.cluster);
    const replica = await launchServer(standby, binaries, runAs, {
      until: Date.now() + 60_000,
      settings: SETTINGS,
    });
    const replicaUrl = new URL(running.url);
    replicaUrl.port = String(replica.port);
    const pair = new ReplicatedPostgres(folder, running.url, replicaUrl.href, replica.child, () =>
      running.stop(),
    );
    await eventually(async () =>
      expect(await pair.onReplica('SELECT status FROM pg_stat_wal_receiver')).toEqual([
        { status: 'streaming' },
      ]),
    );
    return pair;
  }

  /** From now on the replica receives, and shows nothing of it. */
  async holdReplicaBack(): Promise<void> {
    await this.onReplica('SELECT pg_wal_replay_pause()');
    // The server takes its time to do so.
    const paused = [{ state: 'paused' }];
    await eventually(async () =>
      expect(await this.onReplica('SELECT pg_get_wal_replay_pause_state() AS state')).toEqual(
        paused,
      ),
    );
  }

  letReplicaGoOn(): Promise<unknown> {
    return this.onReplica('SELECT pg_wal_replay_resume()');
  }

  private async onReplica(statement: string): Promise<unknown[]> {
    const client = new Client({ connectionString: this.replicaUrl });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  /** As by kill -9, with all its connections. */
  async killReplica(): Promise<void> {
    if (this.replica.exitCode !== null || this.replica.signalCode !== null) return;
    this.replica.kill('SIGQUIT');
    await once(this.replica, 'exit');
  }

  async stop(): Promise<void> {
    await this.killReplica();
    await this.stopPrimary();
    await rm(this.folder, { recursive: true, force: true });
  }
}
