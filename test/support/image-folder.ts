import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '../..');

/** What the last stage of the Dockerfile copies: paths in the repository, and where they go below /app. */
function copies(): { from: string; to: string }[] {
  const [, stage = ''] = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split(
    /^FROM .+ AS service$/m,
  );
  return [...stage.matchAll(/^COPY (?:--from=\w+ )?(.+)$/gm)].flatMap(([, args = '']) => {
    const paths = args.split(' ');
    const to = paths.pop() ?? '';
    return paths.map((path) => {
      const from = path.replace(/^\/app\//, '');
      return { from, to: to.endsWith('/') ? join(to, from.split('/').pop() ?? '') : to };
    });
  });
}

/** A folder with the files that the image has in /app, and its PATH. */
export class ImageFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'quiz-image-'));
  readonly env = { PATH: `${this.path}/.bin:${process.env.PATH}`, HOME: process.env.HOME ?? '' };

  constructor() {
    for (const { from, to } of copies()) {
      const target = join(this.path, to);
      mkdirSync(dirname(target), { recursive: true });
      // The packages for development, which the image does not have, are in there too.
      if (from === 'node_modules') symlinkSync(join(ROOT, from), target);
      else cpSync(join(ROOT, from), target, { recursive: true });
    }
    mkdirSync(join(this.path, '.bin'));
    chmodSync(join(this.path, 'dist/bin/quizctl.js'), 0o755);
    symlinkSync('../dist/bin/quizctl.js', join(this.path, '.bin/quizctl'));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
