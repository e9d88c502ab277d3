import { statfs } from 'node:fs/promises';
import { good, failure, warning, type Finding } from './finding';

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
