import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(__dirname, '../../scripts/lock.mjs');
const folder = mkdtempSync(join(tmpdir(), 'build-lock-'));
const file = join(folder, 'lock');
afterEach(() => rmSync(file, { recursive: true, force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

const program = (work: string) =>
  `import { withLock } from ${JSON.stringify(SCRIPT)}; await withLock(${JSON.stringify(file)}, () => { ${work} });`;
const run = (work: string, timeout: number) =>
  spawnSync(process.execPath, ['--input-type=module', '-e', program(work)], {
    encoding: 'utf8',
    timeout,
  });

it('the lock of a build that was interrupted or has failed is taken over at once', () => {
  expect(run('process.exit(1)', 20_000).status).toBe(1);
  expect(existsSync(file)).toBe(true);
  expect(run(`console.log('built')`, 20_000).stdout).toBe('built\n');
  expect(existsSync(file)).toBe(false);
});

it('the lock of an earlier version, a folder, is taken over', () => {
  mkdirSync(file);
  expect(run(`console.log('built')`, 20_000).stdout).toBe('built\n');
});

it('a build waits for the one that is in progress', async () => {
  writeFileSync(file, String(process.pid));
  const waiting = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    program(`console.log('built')`),
  ]);
  let said = '';
  waiting.stdout.on('data', (data: Buffer) => (said += String(data)));
  const ended = once(waiting, 'close');
  const first = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1_500))]);
  expect([first, said]).toEqual([undefined, '']);
  rmSync(file);
  await ended;
  expect(said).toBe('built\n');
});
