import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version in package.json, which lies two folders above both src/platform and dist/platform. */
export const VERSION = (
  JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as { version: string }
).version;
