import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `bench/run.mjs` with benches that only print what is started and stopped. */

const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'quiz-bench-run-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FIRST = `
import { setTimeout as pause } from 'node:timers/promises';
export const about = 'fails once its service stops';
export const rows = { B1: { what: '', against: '', target: { equal: 0 } } };
export const options = {};
export async function run(_, defer) {
  defer(() => console.log('database stopped'));
  const ended = new Promise((_, reject) =>
    defer(async () => {
      console.log('service stopping');
      reject(new Error('The service has ended.'));
      await pause(200);
      console.log('service stopped');
    }),
  );
  if (process.env.BREAKS) setImmediate(() => { throw new Error('The connection broke.'); });
  else process.kill(process.pid, 'SIGINT');
  await Promise.all([ended, pause(10_000)]);
}
`;
const SECOND = `
export const about = 'must not run';
export const rows = { B2: { what: '', against: '', target: { equal: 0 } } };
export const options = {};
export function run() {
  console.log('second bench started');
  return { title: '', notes: [], tables: [], measured: {} };
}
`;

beforeAll(() => {
  cpSync(join(root, 'bench/run.mjs'), join(folder, 'run.mjs'));
  cpSync(join(root, 'bench/support'), join(folder, 'support'), { recursive: true });
  writeFileSync(join(folder, 'first.bench.mjs'), FIRST);
  writeFileSync(join(folder, 'second.bench.mjs'), SECOND);
});

it.each([
  ['Ctrl-C', '', 130],
  ['an uncaught error', '1', 1],
])('after %s, benches stop what they started in reverse order, and none is started', (...args) => {
  const [, breaks, code] = args;
  const { status, stdout } = spawnSync('node', ['run.mjs'], {
    cwd: folder,
    env: { PATH: process.env.PATH, BREAKS: breaks },
    encoding: 'utf8',
  });
  expect(stdout.trim().split('\n')).toEqual([
    'service stopping',
    'service stopped',
    'database stopped',
  ]);
  expect(status).toBe(code);
  expect(existsSync(join(folder, 'results'))).toBe(false);
});
