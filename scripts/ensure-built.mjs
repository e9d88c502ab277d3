// Runs before every `npm start…` and `npm run quizctl`: compiles src/ and packages/ when dist/ is absent or older,
// so that a fresh clone needs no build command. Where there is no src/ (a production image) it does nothing.
import './check-node.cjs';
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'dist', '.tsbuildinfo');
const lock = join(root, '.build-lock');
const client = join(root, 'dist', 'clients', 'typescript.tgz');
const sources = ['src', 'packages', 'clients/typescript/src'].map((name) => join(root, name));
const inputs = [
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
  'package-lock.json',
  'clients/typescript/package.json',
  'clients/typescript/README.md',
];

function newest(folder) {
  return Math.max(
    ...readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? newest(path) : statSync(path).mtimeMs;
    }),
  );
}

function stale() {
  if (!existsSync(join(root, 'src'))) return false;
  if (!existsSync(stamp) || !existsSync(client)) return true;
  const built = statSync(stamp).mtimeMs;
  return [...sources.map(newest), ...inputs.map((name) => statSync(join(root, name)).mtimeMs)].some(
    (changed) => changed > built,
  );
}

function build() {
  const { resolve } = createRequire(import.meta.url);
  const steps = [
    [resolve('typescript/bin/tsc'), '-p', 'packages/embedded-postgres'],
    [resolve('@nestjs/cli/bin/nest.js'), 'build'],
    ['scripts/pack-client.mjs'],
  ];
  process.stderr.write('Building what is newer than the last build; this takes a moment.\n');
  const begun = new Date();
  // The compiler's output goes to stderr: `quizctl --json` promises a stdout of one JSON value.
  for (const step of steps) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: ['ignore', 2, 2] });
    if (status === 0) continue;
    // The compiler writes its stamp also when it has found errors: the next start builds again.
    if (existsSync(stamp)) utimesSync(stamp, 0, 0);
    process.exit(1);
  }
  // An incremental build writes its stamp only when something has changed. A file that was saved meanwhile may have been
  // compiled as it was before: the next start builds again.
  utimesSync(stamp, begun, begun);
}

if (stale()) {
  try {
    for (const folder of [root, join(root, 'dist')])
      if (existsSync(folder)) accessSync(folder, constants.W_OK);
  } catch {
    process.stderr.write(
      `The service has to be built, and ${join(root, 'dist')} may not be written by this user. ` +
        'Run npm run build as the owner of the folder.\n',
    );
    process.exit(1);
  }
  // One build at a time: the API and the worker may well be started in the same moment.
  await withLock(lock, () => stale() && build());
}
