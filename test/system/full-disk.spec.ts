import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examine } from '../../src/cli/doctor/examine';
import { loadConfig } from '../../src/platform/config/config';
import { openDatabase } from '../../src/platform/database/open-database';
import { TEST_ENCRYPTION_KEY } from '../support/service';

/** A full disk under DATA_DIR, on a file system in memory that only root may mount. */

const MIB = 1_048_576;
const folder = mkdtempSync(join(tmpdir(), 'quiz-full-disk-'));
const mount = (size: number) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m`, 'tmpfs', folder]).status === 0;
const unmount = () => spawnSync('umount', [folder]);

const mayMount = mount(1);
if (mayMount) unmount();
else
  process.stderr.write(
    'This user may not mount a file system, so the tests of a full disk are skipped. Run them as root.\n',
  );
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { DATA_DIR: folder, ENCRYPTION_KEY: TEST_ENCRYPTION_KEY };
const reasonOf = (opening: Promise<unknown>) =>
  opening.then(
    () => 'it opened',
    (error: Error) => error.message,
  );

(mayMount ? describe : describe.skip)('on a full disk (needs the right to mount)', () => {
  afterEach(() => {
    unmount();
  });

  it.each([
    // Too little for initdb, which fails with another message each time.
    [1, /^What to do: free some space/m],
    [20, /^What to do: free some space/m],
    // Enough for initdb, too little for the database.
    [40, /disk of .+ is full\. Free some space/],
  ])(
    'a first start whose disk has %i MiB says that it is full, and never to move data away',
    async (size, words) => {
      mount(size);
      const reason = await reasonOf(openDatabase(loadConfig(env)));
      expect(reason).toMatch(words);
      expect(reason).not.toContain('Move');
    },
    60_000,
  );

  it('a start and the doctor on a disk that has become full say so, and the data is there again afterwards', async () => {
    mount(200);
    const first = await openDatabase(loadConfig(env));
    expect(first.migrations).toContain('0001_baseline.sql');
    await first.close();
    const { bavail, bsize } = statfsSync(folder);
    const filler = join(folder, 'filler');
    // Everything that is left, and more.
    expect(() => writeFileSync(filler, Buffer.alloc(bavail * bsize + MIB))).toThrow('ENOSPC');

    const reason = await reasonOf(openDatabase(loadConfig(env)));
    expect(reason).toMatch(/^The disk of DATA_DIR=.+ is full \(ENOSPC.+\)\. Free some space/);
    const findings = await examine(env);
    const of = (check: string) => findings.find((it) => it.check === check);
    expect(of('database')).toMatchObject({ state: 'error', message: reason });
    expect(of('disk')).toMatchObject({ state: 'error' });
    expect(JSON.stringify(findings)).not.toContain('Choose a folder');

    rmSync(filler);
    const again = await openDatabase(loadConfig(env));
    expect(again.migrations).toEqual([]);
    await again.close();
  }, 60_000);
});
