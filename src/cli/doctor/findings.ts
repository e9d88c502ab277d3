import { statfs } from 'node:fs/promises';

/** One result of the doctor. */
export interface Finding {
  /** What was checked, one word: `database`. */
  check: string;
  /** `warning`: it works, but not as it should. `error`: something does not work. */
  state: 'good' | 'warning' | 'error';
  /** A plain sentence. Unless the state is good it ends with what to do. */
  message: string;
}

const finding = (state: Finding['state']) => (check: string, message: string) => {
  return { check, state, message } satisfies Finding;
};
export const good = finding('good');
export const warning = finding('warning');
export const failure = finding('error');

const GIB = 2 ** 30;

/** The disk under DATA_DIR, where the embedded database writes. */
export async function diskFinding(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir);
  return freeSpaceFinding(bavail * bsize, dataDir);
}

/** @param free bytes */
export function freeSpaceFinding(free: number, dataDir: string): Finding {
  const sentence = `${(free / GIB).toFixed(1)} GiB are free on the disk of ${dataDir}`;
  if (free < GIB / 10)
    return failure('disk', `${sentence}: the database is about to stop. Make room.`);
  if (free < GIB) return warning('disk', `${sentence}: make room before the database stops.`);
  return good('disk', `${sentence}.`);
}
