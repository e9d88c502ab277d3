import cluster from 'node:cluster';
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Config } from '../platform/config/config';
import { createLogger } from '../platform/observability/logger';
import { startApiProcesses } from './api-processes';

/** An API process that ends at once when it is told to. */
class Child extends EventEmitter {
  readonly pid = 1;
  exitCode: number | null = null;
  readonly signalCode = null;

  kill(): void {
    this.exitCode = 0;
    this.emit('exit', 0, null);
  }
}

test('what is told to stop when the first API process serves starts no others', async () => {
  const children: Child[] = [];
  const fork = jest.spyOn(cluster, 'fork').mockImplementation(() => {
    const process = new Child();
    children.push(process);
    return { process } as unknown as ReturnType<typeof cluster.fork>;
  });
  const stopRequest = new AbortController();
  const config = { apiProcesses: 3, metrics: null } as Config;
  const starting = startApiProcesses(config, createLogger('silent'), stopRequest.signal);
  children[0]?.emit('message', { port: 3_000 });
  stopRequest.abort();
  await setImmediate();
  fork.mockRestore();
  expect(children.map(({ exitCode }) => exitCode)).toEqual([0]);
  await (await starting).stop();
});
