// Prints the size of the code base beside its budget: `npm run size`. Counts the files that git knows, without specs,
// generated files and images.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const GENERATED =
  /^docs\/(openapi\.yaml|schema\.sql|limits\.md|configuration\.md|performance\/|images\/|.*\.json$)/;

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
const folders = [...new Set(code.map(({ path }) => dirname(path)))];
const filesIn = (folder) => code.filter(({ path }) => dirname(path) === folder).length;
const crowded = folders.filter((folder) => filesIn(folder) > 15);
// Data and the schema are not split for their length: the baseline and the functions are each meant to be read as a whole.
const long = code.filter(({ path, lines }) => lines > 250 && !/\.(json|sql)$/.test(path));
const short = code.filter((file) => file.lines < 25);

const rows = [
  ['lines of TypeScript and SQL', lines(code), 33_000],
  ['files in src', matching(/^src\//).length, 380],
  ['lines of CSS', lines(matching(/^src\/.*\.css$/)), 1_900],
  ['lines of docs', lines(matching(/^docs\//)), 3_499],
  ['files over 250 lines', long.length, 0],
  ['files under 25 lines', short.length, 14],
  ['folders with more than 15 files', crowded.length, 0],
];
for (const [what, is, most] of rows)
  console.log(
    `${what.padEnd(34)}${String(is).padStart(7)}${`at most ${most}`.padStart(16)}${is > most ? '  over' : ''}`,
  );
if (process.argv.includes('--list')) {
  for (const { path, lines } of [...long, ...short]) console.log(String(lines).padStart(5), path);
  for (const folder of crowded) console.log(String(filesIn(folder)).padStart(5), `${folder}/`);
  for (const top of [
    ...new Set(code.map(({ path }) => dirname(path).split('/').slice(0, 2).join('/'))),
  ])
    console.log(
      String(lines(code.filter(({ path }) => path.startsWith(`${top}/`)))).padStart(7),
      top,
    );
}
