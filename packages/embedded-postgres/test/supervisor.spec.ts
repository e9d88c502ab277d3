import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Supervisor } from '../src/supervisor';

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

function running(): ChildProcess {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  children.push(child);
  return child;
}

/** @param signal by which it was killed; absent: it ended by itself */
async function exited(signal?: NodeJS.Signals): Promise<ChildProcess> {
  const child = signal ? running() : spawn('true', { stdio: 'ignore' });
  if (signal) child.kill(signal);
  await once(child, 'exit');
  return child;
}

/** Supervises a server until it is restarted or given up. @param launched the servers that are launched, in order */
async function supervise(server: ChildProcess, launched: readonly ChildProcess[]) {
  const log: string[] = [];
  let launches = 0;
  let settle = () => {};
  const settled = new Promise<void>((resolve) => (settle = resolve));
  const supervisor = new Supervisor(
    server,
    () => {
      const next = launched[launches++];
      return next ? Promise.resolve(next) : Promise.reject(new Error('no server is left'));
    },
    {
      onRestart: () => {
        log.push('restarted');
        if (launches === launched.length) settle();
      },
      onGivenUp: (reason) => {
        log.push(`given up: ${reason}`);
        settle();
      },
    },
  );
  await settled;
  await supervisor.stop();
  return log;
}

it.each([undefined, 'SIGKILL'] as const)(
  'a server that exited before it was supervised is restarted (signal: %s)',
  async (signal) => {
    expect(await supervise(await exited(signal), [running()])).toEqual(['restarted']);
  },
);

it('a server that exits each time before it is supervised is given up after three restarts', async () => {
  const log = await supervise(await exited(), [
    ...[await exited(), await exited(), await exited('SIGKILL')],
    running(),
  ]);
  expect(log).toEqual([
    ...['restarted', 'restarted', 'restarted'],
    'given up: it ended again each time',
  ]);
});

it('an error of the callback about a restart is reported, and does not count as a failed launch', async () => {
  const server = running();
  let launches = 0;
  const failed = new Promise<unknown>((resolve) => {
    const supervisor = new Supervisor(
      server,
      () => {
        launches++;
        return Promise.resolve(running());
      },
      {
        onRestart: () => {
          // What waits for the restart gets the error.
          supervisor.stop().catch(resolve);
          throw new Error('no log');
        },
        onGivenUp: () => {},
      },
    );
  });
  server.kill('SIGKILL');
  expect(await failed).toEqual(new Error('no log'));
  expect(launches).toBe(1);
});
