import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents; nothing if it is there. Not the option `recursive` of Node's mkdir, which never
 * returns in Node 20 where the parent exists and the system still answers ENOENT, as /proc does.
 * @param mode of the folders that are created
 */
export function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && existsSync(path)) return;
    throw error;
  }
}
