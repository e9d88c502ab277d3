import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A project with compilers that do nothing but what a test needs. */
const folder = mkdtempSync(join(tmpdir(), 'ensure-built-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

const INPUTS = [
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
  'package-lock.json',
  'src/a.ts',
  'packages/b.ts',
  'clients/typescript/src/c.ts',
  'clients/typescript/package.json',
  'clients/typescript/README.md',
];

beforeAll(() => {
  for (const script of ['ensure-built.mjs', 'lock.mjs', 'check-node.cjs'])
    cpSync(join(__dirname, '../../scripts', script), join(folder, 'scripts', script));
  for (const input of INPUTS) write(input, '{}');
  write('node_modules/@nestjs/cli/bin/nest.js', '');
  write('scripts/pack-client.mjs', '');
});

const COMPILES = `
  const { mkdirSync, writeFileSync } = require('node:fs');
  mkdirSync('dist/clients', { recursive: true });
  for (const file of ['dist/.tsbuildinfo', 'dist/clients/typescript.tgz']) writeFileSync(file, '');`;

function start(compiler: string) {
  write('node_modules/typescript/bin/tsc', compiler);
  return spawnSync(process.execPath, ['scripts/ensure-built.mjs'], {
    cwd: folder,
    encoding: 'utf8',
  });
}

/** @returns whether something was built */
function ensureBuilt(compiler: string): boolean {
  const { status, stderr } = start(compiler);
  expect([status, stderr.replace(/^Building .*\n$/, '')]).toEqual([0, '']);
  return stderr !== '';
}

it('a start builds only if a file has changed since the last build, or during it', () => {
  expect(ensureBuilt(COMPILES)).toBe(true);
  expect(ensureBuilt(COMPILES)).toBe(false);
  for (const input of INPUTS) {
    write(input, '{ }');
    expect([input, ensureBuilt(COMPILES)]).toEqual([input, true]);
  }
  write('src/a.ts', 'edited');
  expect(ensureBuilt(`${COMPILES} writeFileSync('src/a.ts', 'edited again');`)).toBe(true);
  expect(ensureBuilt(COMPILES)).toBe(true);
  expect(ensureBuilt(COMPILES)).toBe(false);
});

it('sources with an error are compiled again by the next start, which fails as well', () => {
  write('src/a.ts', 'wrong');
  const fails = `${COMPILES} process.exitCode = 1;`;
  expect([start(fails).status, start(fails).status]).toEqual([1, 1]);
  expect(ensureBuilt(COMPILES)).toBe(true);
  expect(ensureBuilt(COMPILES)).toBe(false);
});
