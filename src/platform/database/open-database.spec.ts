import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyUnusable } from './open-database';

it('a program that may not be run is not taken for a data directory that cannot be written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quiz-programs-'));
  try {
    const program = join(folder, 'initdb');
    writeFileSync(program, '', { mode: 0o600 });
    const [refused] = (await once(spawn(program), 'error')) as [NodeJS.ErrnoException];
    expect(whyUnusable(refused, folder)).toMatch(
      /^The embedded PostgreSQL cannot be run \(spawn .*initdb EACCES\)\. .* or set DATABASE_URL/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
