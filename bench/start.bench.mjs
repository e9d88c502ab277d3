// How long a start takes, what an installation for production holds, and the memory of the processes at rest.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '#embedded-postgres';
import { canReadProc } from './support/cpu.mjs';
import { median } from './support/statistics.mjs';

export const about = 'time to the first response, size of an installation, memory at rest';

const NO_OTHER = '–';
const target = (atMost, unit) => ({ against: NO_OTHER, target: { atMost, unit } });
export const rows = {
  'S1.1': { what: 'npm ci && npm start to the first response, cold', ...target(60, 's') },
  'S1.2': { what: 'start (dist/bin/dev.js) to the first response, warm', ...target(5, 's') },
  'S2.1': { what: 'node_modules after npm ci --omit=dev', ...target(180, 'MiB') },
  'S2.2': { what: 'PSS of API, worker and supervisor at rest', ...target(200, 'MiB') },
};

export const options = {
  rounds: { default: 3, about: 'warm starts' },
  install: { default: true, brief: false, about: 'run npm ci for the rows S1.1 and S2.1' },
  rest: { default: 10, brief: 3, about: 'seconds after which processes are at rest' },
};

const root = fileURLToPath(new URL('..', import.meta.url));
/** Seconds after which a start has failed: the cold one compiles the service. */
const PATIENCE = 300;
const NOT_COPIED = new Set(['node_modules', '.git', 'data', 'dist', 'test']);
/** Skips the node_modules of the typed client and of the peers. */
const isInstalled = (path) => basename(path) === 'node_modules';

export async function run({ rounds, install, rest }, defer, wanted) {
  const folder = mkdtempSync(join(tmpdir(), 'quiz-start-'));
  defer(() => rmSync(folder, { recursive: true, force: true }));
  const measured = {};
  const processes = [];
  const asks = (id) => wanted.includes(id);
  if (asks('S1.1') && install) {
    const clone = copyTo(join(folder, 'clone'));
    const begun = performance.now();
    npm(clone, ['ci']);
    const { stop } = await start(clone, ['npm', 'start'], defer);
    measured['S1.1'] = (performance.now() - begun) / 1_000;
    await stop();
    rmSync(clone, { recursive: true });
  }
  if (asks('S2.1') && install) {
    const clone = copyTo(join(folder, 'production'));
    npm(clone, ['ci', '--omit=dev']);
    measured['S2.1'] = bytesIn(join(clone, 'node_modules')) / 1_048_576;
  }
  if (asks('S1.2') || asks('S2.2')) {
    const dataDir = join(folder, 'data');
    const times = [];
    // The first start creates the database.
    for (let round = 0; round <= rounds; round++) {
      const begun = performance.now();
      const { pid, stop } = await start(root, ['node', 'dist/bin/dev.js'], defer, {
        DATA_DIR: dataDir,
      });
      if (round > 0) times.push((performance.now() - begun) / 1_000);
      if (round === rounds && canReadProc) {
        await sleep(rest * 1_000);
        processes.push(
          ...treeOf(pid)
            .map(memoryOf)
            .filter(({ name }) => name.endsWith('.js')),
        );
      }
      await stop();
    }
    measured['S1.2'] = median(times);
    measured['S2.2'] = canReadProc
      ? processes.filter(({ name }) => SHOWN.includes(name)).reduce((sum, { pss }) => sum + pss, 0)
      : 'not measured: needs Linux';
  }
  for (const id of wanted) measured[id] ??= 'not measured: needs --install';
  return {
    title: 'Start and size',
    notes: [
      'S1: to the first 200 of /api/v1/metadata, with the embedded database. Cold: an empty folder without node_modules and dist, npm with its cache; warm: everything is installed, built and filled.',
      'S2.1: the bytes of all files, the binaries of the embedded PostgreSQL among them. S2.2: those of PostgreSQL are not in the sum.',
    ],
    tables: [
      {
        columns: ['process at rest', 'PSS MiB'],
        rows: processes.map(({ name, pss }) => [name, pss.toFixed(0)]),
      },
    ],
    data: processes,
    measured,
  };
}

const SHOWN = ['dev.js', 'api.js', 'worker.js'];

function copyTo(folder) {
  for (const name of readdirSync(root))
    if (!NOT_COPIED.has(name))
      cpSync(join(root, name), join(folder, name), {
        recursive: true,
        filter: (path) => !isInstalled(path),
      });
  return folder;
}

function npm(cwd, args) {
  const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
}

/** Starts the service with its defaults and resolves at its first response. `defer` gets what stops it. */
async function start(cwd, [command, ...args], defer, settings = {}) {
  const port = await freePort();
  // Settings of the shell, such as DATABASE_URL, would make it another service.
  const { PATH, HOME } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { PATH, HOME, PORT: String(port), LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  const ended = once(child, 'exit');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    if (!isRunning()) return;
    process.kill(-child.pid, 'SIGTERM');
    await ended;
  };
  defer(stop);
  const until = performance.now() + PATIENCE * 1_000;
  while (isRunning()) {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/metadata`, {
      signal: AbortSignal.timeout(10_000),
    }).catch(() => null);
    if (response?.ok) return { pid: child.pid, stop };
    if (performance.now() > until)
      throw new Error(`${command} ${args.join(' ')} did not respond within ${PATIENCE} s`);
    await sleep(20);
  }
  throw new Error(`${command} ${args.join(' ')} exited with ${child.exitCode ?? child.signalCode}`);
}

function treeOf(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(children ? children.split(' ').flatMap((it) => treeOf(Number(it))) : [])];
}

function memoryOf(pid) {
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  const [, kib] = /^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  const script = command.find((part) => part.endsWith('.js')) ?? command[0];
  return { name: script.split('/').at(-1), pss: kib / 1_024 };
}

function bytesIn(path) {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}
