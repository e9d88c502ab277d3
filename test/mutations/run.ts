import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { MUTATIONS } from './mutations';

/**
 * Breaks guarantees on purpose, one at a time and in a copy of the repository, and runs the tests that must notice:
 * `npm run test:mutations`, or with a word of a name after `--`.
 */
const ROOT = join(__dirname, '../..');
const copy = mkdtempSync(join(tmpdir(), 'quiz-mutations-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

/** @returns the tests that failed, each as its file and title */
function failures(tests: string[]): string[] {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const jest = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--json', '--outputFile', report];
  spawnSync(process.execPath, [...jest, ...tests], { cwd: copy, stdio: 'ignore' });
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { name: string; assertionResults: { status: string; title: string }[] }[];
  };
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ title }) => `${relative(copy, name)}: ${title}`),
  );
}

function tierOf(test: string): string {
  const tier = /^test\/(\w+)/.exec(test)?.[1] ?? 'unit';
  return tier === 'api' || tier === 'unit' ? 'npm test' : `npm run test:${tier}`;
}

const files = spawnSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).stdout;
for (const file of files.split('\0').filter(Boolean))
  cpSync(join(ROOT, file), join(copy, file), { recursive: true });
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));

const wanted = MUTATIONS.filter(({ name }) => name.includes(process.argv[2] ?? ''));
if (wanted.length === 0) throw new Error('No mutation has this name.');
const before = failures([...new Set(wanted.flatMap(({ tests }) => tests))]);
if (before.length > 0) throw new Error(`Without a mutation these fail:\n${before.join('\n')}`);
let failed = 0;
for (const { name, file, from, to, tests } of wanted) {
  const path = join(copy, 'src', file);
  const source = readFileSync(path, 'utf8');
  const isCurrent = source.split(from).length === 2;
  if (isCurrent)
    writeFileSync(
      path,
      source.replace(from, () => to),
    );
  const caught = isCurrent ? failures(tests) : [];
  writeFileSync(path, source);
  const [first = ''] = caught;
  if (!first) failed++;
  const verdict = first
    ? `caught by ${tierOf(first)} (${caught.length}): ${first}`
    : isCurrent
      ? 'NOT CAUGHT'
      : `FAILED: \`from\` does not occur once in src/${file}`;
  process.stdout.write(`${name}: ${verdict}\n`);
}
process.stdout.write(`${wanted.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
