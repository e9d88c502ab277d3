import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { Redis } from 'ioredis';
import { freePort } from '#embedded-postgres';

/** A Redis of a test's own, which it may kill, hold up and start again. It keeps nothing. */
export class RedisServer {
  static readonly installed = spawnSync('redis-server', ['--version']).status === 0;

  private child?: ChildProcess;

  private constructor(private readonly port: number) {}

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    this.child = spawn('redis-server', ['--port', String(this.port), ...settings], {
      cwd: tmpdir(),
      stdio: 'ignore',
    });
    await withRedis(this.url, (redis) => redis.ping());
  }

  /** As by kill -9: nothing is said to anybody. */
  async kill(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Connections stay open, and nothing comes back over them. */
  holdUp(): void {
    this.child?.kill('SIGSTOP');
  }

  goOn(): void {
    this.child?.kill('SIGCONT');
  }
}

/** Does something with a connection of its own. */
export async function withRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  // For ten seconds: a server that has just been started takes longer to listen on a busy machine.
  const redis = new Redis(url, { retryStrategy: () => 25, maxRetriesPerRequest: 400 });
  redis.on('error', () => undefined);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}
