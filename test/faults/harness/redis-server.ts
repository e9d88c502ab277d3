import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { freePort } from '#embedded-postgres';
import { atTheEnd } from './cleanup';
import { until } from './until';

/** Whether this machine has a Redis to start. */
export function redisIsInstalled(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** A Redis of a fixture's own, that keeps nothing when it is killed. */
export class RedisServer {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
  ) {}

  static async start(folder: string): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), folder);
    await server.startAgain();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** On the same port, empty. */
  async startAgain(): Promise<void> {
    const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const child = spawn('redis-server', ['--port', String(this.port), ...options], {
      stdio: 'ignore',
      cwd: this.folder,
    });
    this.child = child;
    child.once(
      'exit',
      atTheEnd(() => child.kill('SIGKILL')),
    );
    await until('Redis', () => this.command((redis) => redis.ping()));
  }

  async kill(): Promise<void> {
    const ended = this.child && once(this.child, 'exit');
    this.child?.kill('SIGKILL');
    await ended;
  }

  /** FLUSHALL. */
  async empty(): Promise<void> {
    await this.command((redis) => redis.flushall());
  }

  private async command<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }
}
