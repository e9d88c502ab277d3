import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents; nothing if it is there. Not the option `recursive` of Node's mkdir, which never
 * returns in Node 20 where the parent exists and the system still answers ENOENT, as /proc does.
 * @param mode of the folders that are created
 */
export function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return;
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process was faster.
    if (code === 'EEXIST' && existsSync(path)) return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || existsSync(parent)) throw error;
    makeFolder(parent, mode);
    makeFolder(path, mode);
  }
}
