import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FaultCase, Suite } from '../harness/case';
import { ROOT } from '../harness/service-process';
import { hold } from '../harness/until';

/** A row whose procedure is executed, word by word from the documentation, by a file of the system tier. */
const procedure = (broken: string, when: string, spec: string, note: string): FaultCase => ({
  broken,
  when,
  async run() {
    const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
    const child = spawn(process.execPath, [jest, spec], { cwd: ROOT });
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => output.push(bytes));
    const [code] = (await once(child, 'close')) as [number | null];
    const text = Buffer.concat(output).toString();
    hold(code === 0, text.slice(-2_000));
    // One test of PgBouncer depends on its version, and is skipped on the others.
    const [, skipped = '0'] = /^Tests: .*?(\d+) skipped/m.exec(text) ?? [];
    const isSkipped = Number(skipped) > 1 || !/^Tests: .*\bpassed/m.test(text);
    return isSkipped ? { skipped: `${spec} says what is not installed` } : { note };
  },
});

/** What operators do after a fault or before one: rollback, restore, PgBouncer. Needs PostgreSQL's programs and PgBouncer. */
export const procedures: Suite = {
  queues: 'once',
  // The gate has run these files with the system tier.
  nightly: true,
  cases: [
    procedure(
      'an upgrade fails',
      'rolled back from the backup of before, upgraded again, moved to a newer server',
      'test/system/backup.spec.ts',
      'the documented commands restore every row',
    ),
    procedure(
      'PgBouncer pools transactions',
      'start, migration, kill',
      'test/system/pgbouncer.spec.ts',
      'refused with the setting to change, or leaves no lock',
    ),
  ],
};
