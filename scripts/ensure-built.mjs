// Runs before every `npm start…` and `npm run quizctl`: compiles src/ when dist/ is absent or older,
// so that a fresh clone needs no build command. Where there is no src/ (a production image) it does nothing.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'dist', '.tsbuildinfo');
const inputs = ['tsconfig.json', 'tsconfig.build.json', 'nest-cli.json', 'package-lock.json'];

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
  if (!existsSync(stamp)) return true;
  const built = statSync(stamp).mtimeMs;
  return [
    newest(join(root, 'src')),
    ...inputs.map((name) => statSync(join(root, name)).mtimeMs),
  ].some((changed) => changed > built);
}

if (stale()) {
  const nest = createRequire(import.meta.url).resolve('@nestjs/cli/bin/nest.js');
  // The compiler's words go to stderr: `quizctl --json` promises a stdout of one JSON value.
  execFileSync(process.execPath, [nest, 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
}
