// Packs the typed client (clients/typescript) into dist/clients/typescript.tgz, which the service serves at
// /clients/typescript.tgz. A step of `npm run build`. npm makes the same bytes of the same files, so every process and
// replica serves the same file.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'clients', 'typescript');
const target = join(root, 'dist', 'clients');

function run(command, args, options) {
  const { status, error } = spawnSync(command, args, {
    stdio: ['ignore', 'ignore', 2],
    ...options,
  });
  if (status !== 0) throw error ?? new Error(`The typed client was not packed: ${command} failed.`);
}

mkdirSync(target, { recursive: true });
const folder = mkdtempSync(join(target, 'pack-'));
try {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  run(process.execPath, [compiler, '-p', source, '--outDir', join(folder, 'dist')]);
  for (const file of ['package.json', 'README.md', 'LICENSE'])
    cpSync(join(source, file), join(folder, file));
  run('npm', ['pack', '--ignore-scripts', '--loglevel=error', '--logs-max=0'], {
    cwd: folder,
    shell: process.platform === 'win32',
  });
  const [packed] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  renameSync(join(folder, packed), join(target, 'typescript.tgz'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
