import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '#embedded-postgres';
import { atTheEnd } from '../faults/harness/cleanup';
import { ROOT } from '../faults/harness/service-process';
import { until } from '../faults/harness/until';

const OPS = join(ROOT, 'ops/takeover');
const PASSWORD = 'takeover';

/** The programs that a takeover needs and this machine lacks. */
export function missingPrograms(): string[] {
  const needed = ['patroni', 'etcd', 'haproxy', 'redis-server', 'redis-sentinel'];
  return needed.filter((name) => spawnSync('which', [name]).status !== 0);
}

function run(
  folder: string,
  name: string,
  command: string,
  args: string[],
  env: Record<string, string> = {},
): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), 'a');
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.once(
    'exit',
    atTheEnd(() => child.kill('SIGKILL')),
  );
  return child;
}

interface PostgresNode {
  name: string;
  port: number;
  api: number;
  dataDir: string;
  patroni: ChildProcess;
}

/** Three PostgreSQL nodes under Patroni with one etcd, and HAProxy in front of them. */
export class PostgresCluster {
  private constructor(
    private readonly nodes: PostgresNode[],
    private readonly proxy: number,
  ) {}

  static async start(folder: string): Promise<PostgresCluster> {
    // PostgreSQL and Patroni run as the user postgres.
    chmodSync(folder, 0o755);
    const [client, peer, proxy] = [await freePort(), await freePort(), await freePort()];
    const etcd = `http://127.0.0.1:${client}`;
    run(folder, 'etcd', 'etcd', [
      ...['--data-dir', join(folder, 'etcd'), '--listen-client-urls', etcd],
      ...['--advertise-client-urls', etcd, '--listen-peer-urls', `http://127.0.0.1:${peer}`],
      ...['--initial-advertise-peer-urls', `http://127.0.0.1:${peer}`],
      ...['--initial-cluster', `default=http://127.0.0.1:${peer}`, '--unsafe-no-fsync'],
    ]);
    const nodes: PostgresNode[] = [];
    for (const number of [1, 2, 3]) {
      nodes.push(await startNode(folder, `node${number}`, `127.0.0.1:${client}`));
      // The first one initialises the cluster; the others copy it.
      const [first] = nodes;
      if (number === 1) await until('the first primary', () => isPrimary(first!), 90_000, 250);
    }
    run(folder, 'haproxy', 'haproxy', ['-db', '-f', join(OPS, 'haproxy.cfg')], {
      LISTEN: `127.0.0.1:${proxy}`,
      ...Object.fromEntries(nodes.map(({ port }, at) => [`NODE${at + 1}`, `127.0.0.1:${port}`])),
      ...Object.fromEntries(nodes.map(({ api }, at) => [`API${at + 1}`, String(api)])),
    });
    const cluster = new PostgresCluster(nodes, proxy);
    await until('a synchronous standby', () => cluster.hasSynchronousStandby(), 90_000, 500);
    return cluster;
  }

  /** Through HAProxy: the primary, whichever node that is. */
  get url(): string {
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${this.proxy}/postgres`;
  }

  async query<Row>(statement: string): Promise<Row[]> {
    const client = new Client({ connectionString: this.url, connectionTimeoutMillis: 3_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row & object>(statement)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private async hasSynchronousStandby(): Promise<boolean> {
    const rows = await this.query<{ sync_state: string }>('SELECT * FROM pg_stat_replication');
    return rows.length === 2 && rows.some(({ sync_state }) => sync_state === 'sync');
  }

  /** As if the primary's machine lost its power. @returns the node's name */
  async killPrimary(): Promise<string> {
    for (const node of this.nodes) {
      if (node.patroni.exitCode !== null || !(await isPrimary(node))) continue;
      node.patroni.kill('SIGKILL');
      spawnSync('pkill', ['-KILL', '-f', `postgres.* -D ${node.dataDir}`]);
      const pid = readFileSync(join(node.dataDir, 'postmaster.pid'), 'utf8').split('\n')[0];
      spawnSync('pkill', ['-KILL', '-P', pid ?? '']);
      return node.name;
    }
    throw new Error('no node is the primary');
  }
}

async function startNode(folder: string, name: string, etcd: string): Promise<PostgresNode> {
  const [port, api] = [await freePort(), await freePort()];
  const dataDir = join(folder, name, 'data');
  mkdirSync(join(folder, name));
  spawnSync('chown', ['postgres', join(folder, name)]);
  const as = ['--reuid=postgres', '--regid=postgres', '--init-groups', '--no-new-privs'];
  const patroni = run(folder, name, 'setpriv', [...as, 'patroni', join(OPS, 'patroni.yml')], {
    PATRONI_NAME: name,
    PATRONI_ETCD3_HOSTS: etcd,
    PATRONI_RESTAPI_LISTEN: `127.0.0.1:${api}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${api}`,
    PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${port}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${port}`,
    PATRONI_POSTGRESQL_DATA_DIR: dataDir,
    PATRONI_POSTGRESQL_PGPASS: join(folder, name, 'pgpass'),
    PATRONI_SUPERUSER_PASSWORD: PASSWORD,
    PATRONI_REPLICATION_PASSWORD: PASSWORD,
  });
  atTheEnd(() => spawnSync('pkill', ['-KILL', '-f', dataDir]));
  return { name, port, api, dataDir, patroni };
}

const isPrimary = ({ api }: PostgresNode) =>
  fetch(`http://127.0.0.1:${api}/primary`).then(
    ({ status }) => status === 200,
    () => false,
  );

/** A Redis with two replicas, and three Sentinels that watch it. */
export class RedisGroup {
  private constructor(
    private readonly servers: { port: number; process: ChildProcess }[],
    private readonly sentinels: number[],
  ) {}

  static async start(folder: string): Promise<RedisGroup> {
    const servers: { port: number; process: ChildProcess }[] = [];
    for (const number of [1, 2, 3]) {
      const port = await freePort();
      const dir = join(folder, `redis${number}`);
      mkdirSync(dir);
      const primary = servers[0]?.port;
      // A failover rewrites it.
      copyFileSync(join(OPS, 'redis.conf'), join(dir, 'redis.conf'));
      const args = [join(dir, 'redis.conf'), '--port', `${port}`, '--bind', '127.0.0.1'];
      args.push('--dir', dir, '--requirepass', PASSWORD, '--masterauth', PASSWORD);
      if (primary) args.push('--replicaof', `127.0.0.1 ${primary}`);
      servers.push({ port, process: run(folder, `redis${number}`, 'redis-server', args) });
      await until('Redis', () => redisCli(port, 'PING') === 'PONG');
    }
    const [primary] = servers;
    const sentinels: number[] = [];
    const settings = readFileSync(join(OPS, 'sentinel.conf'), 'utf8')
      .replace('127.0.0.1 6379', `127.0.0.1 ${primary?.port}`)
      .replace('<password>\nsentinel', `${PASSWORD}\nsentinel`);
    for (const number of [1, 2, 3]) {
      const port = await freePort();
      const file = join(folder, `sentinel${number}.conf`);
      writeFileSync(file, `port ${port}\nbind 127.0.0.1\n${settings}`);
      run(folder, `sentinel${number}`, 'redis-sentinel', [file]);
      sentinels.push(port);
    }
    const group = new RedisGroup(servers, sentinels);
    await until('three Sentinels that know two replicas', () => group.isWatched(), 60_000, 250);
    return group;
  }

  get settings(): Record<string, string> {
    return {
      REDIS_URL: `redis://:${PASSWORD}@quiz`,
      REDIS_SENTINELS: this.sentinels.map((port) => `127.0.0.1:${port}`).join(','),
    };
  }

  private isWatched(): boolean {
    return this.sentinels.every((port) => {
      const state = redisCli(port, 'SENTINEL', 'MASTER', 'quiz').split('\n');
      const field = (name: string) => state[state.indexOf(name) + 1];
      return field('num-other-sentinels') === '2' && field('num-slaves') === '2';
    });
  }

  /** @returns the port of the server that was killed */
  killPrimary(): number {
    for (const { port, process: server } of this.servers)
      if (redisCli(port, 'ROLE').startsWith('master')) {
        server.kill('SIGKILL');
        return port;
      }
    throw new Error('no Redis is the primary');
  }
}

function redisCli(port: number, ...command: string[]): string {
  const args = ['-p', `${port}`, '--no-auth-warning', ...command];
  const env = { PATH: process.env.PATH, REDISCLI_AUTH: PASSWORD };
  return spawnSync('redis-cli', args, { encoding: 'utf8', env }).stdout.trim();
}
