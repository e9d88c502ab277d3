import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyUnusable } from './open-database';
import { DatabaseUnreachable, reachDatabase } from './reach';

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

it('a DATABASE_URL whose certificate cannot be read is refused at once, without its password', async () => {
  const url =
    'postgres://quiz:hunter2@127.0.0.1:9/quiz?sslmode=verify-full&sslrootcert=/none/ca.pem';
  await expect(reachDatabase(url)).rejects.toThrow(
    new DatabaseUnreachable(
      "The database at 127.0.0.1:9/quiz cannot be used (ENOENT: no such file or directory, open '/none/ca.pem'). " +
        'Check the parameters of DATABASE_URL.',
    ),
  );
});
