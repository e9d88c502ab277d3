// Counts the concepts of the code base beside their budget, and its lines: `npm run size` (`-- --list` names the circles and
// the lines of each module). Looks at the files that git knows, without specs, generated files and images.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

// The functions that test/architecture.spec.ts checks with; package.json starts this script so that it can load TypeScript.
const { folderCycles, readSources } = createRequire(import.meta.url)(
  '../test/support/architecture.ts',
);

const GENERATED =
  /^docs\/(schema\.sql|limits\.md|configuration\.md|performance\/|images\/|.*\.json$)/;

const files = execFileSync('git', ['ls-files', 'src', 'migrations', 'packages', 'docs'], {
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((path) => !/\.spec\.tsx?$/.test(path) && !GENERATED.test(path))
  .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').length - 1 }));

const matching = (pattern) => files.filter(({ path }) => pattern.test(path));
const lines = (some) => some.reduce((sum, file) => sum + file.lines, 0);
// The table of limits is data that was code: it counts.
const code = matching(/^(src|migrations|packages)\/.*(\.tsx?|\.sql|limit-table\.json)$/);
const read = (path) => readFileSync(path, 'utf8');
const count = (text, pattern) => text.match(pattern)?.length ?? 0;

const settings = read('docs/configuration.md').match(/^\| `[A-Z_]+` \| .*/gm);
const circles = folderCycles(readSources('src'));

// Concepts have a budget: a new one is paid for by removing one.
const concepts = [
  ['tables', count(read('docs/schema.sql'), /^CREATE TABLE /gm), 40],
  ['settings', settings.length, 28],
  [
    'settings with two behaviours',
    settings.filter((row) => /\| `(on|off|true|false|manual|auto)` \|$/.test(row)).length,
  ],
  ['decision records in force', matching(/^docs\/adr\/\d+-[^/]*\.md$/).length, 24],
  ['circles of folders', circles.length, 0],
];
// Lines are reported, not limited: a file ends where its subject ends.
const sizes = [
  ['lines of TypeScript and SQL', lines(code)],
  ['files in src', matching(/^src\//).length],
  ['lines of CSS', lines(matching(/^src\/.*\.css$/))],
  ['lines of docs', lines(matching(/^docs\//))],
];
for (const [what, is, most] of [...concepts, ...sizes]) {
  const budget = most === undefined ? '' : `at most ${most}`;
  console.log(
    `${what.padEnd(34)}${String(is).padStart(7)}${budget.padStart(16)}${is > most ? '  over' : ''}`,
  );
}
if (process.argv.includes('--list')) {
  for (const circle of circles) console.log(circle);
  const parts = new Set(code.map(({ path }) => dirname(path).split('/').slice(0, 2).join('/')));
  for (const part of parts)
    console.log(
      String(lines(code.filter(({ path }) => path.startsWith(`${part}/`)))).padStart(7),
      part,
    );
}
