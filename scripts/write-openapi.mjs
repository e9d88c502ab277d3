// `npm run openapi`: writes docs/openapi.json from the code, and what JSDoc contributes to it. A test compares the
// document with the code, and `npm run lint:openapi` the rest.
import { spawnSync } from 'node:child_process';
import './openapi-metadata.mjs';

const { status } = spawnSync(
  'npx',
  ['jest', 'test/api/openapi.spec.ts', '-t', 'docs/openapi.json'],
  {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, WRITE_OPENAPI: '1' },
  },
);
process.exit(status ?? 1);
