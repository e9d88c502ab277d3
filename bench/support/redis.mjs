import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { Redis } from 'ioredis';
import { freePort } from '#embedded-postgres';

/** A Redis of this bench's own, which keeps nothing on disk; null where redis-server is not installed. */
export async function startRedis(defer) {
  if (spawnSync('redis-server', ['--version']).status !== 0) return null;
  const port = await freePort();
  const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', ['--port', String(port), ...settings], {
    cwd: tmpdir(),
    stdio: 'ignore',
  });
  const ended = once(server, 'exit');
  defer(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { retryStrategy: () => 25, maxRetriesPerRequest: 1_000 });
  client.on('error', () => undefined);
  await client.ping().finally(() => client.disconnect());
  return { pid: server.pid, url };
}
