// The form of a commit message, as CONTRIBUTING.md describes it: `node scripts/check-commit-message.mjs FILE` (git's hook
// commit-msg passes the file), or one subject on each line of standard input.
import { readFileSync } from 'node:fs';

const TYPES = 'feat|fix|refactor|perf|test|docs|build|ci|chore|style|revert';
const file = process.argv[2];
// As Git stores it: without the diff of `git commit -v`, comments, spaces at the end of a line and empty lines before the
// subject.
const lines = readFileSync(file ?? 0, 'utf8')
  .split(/^# -+ >8 -+$/m, 1)[0]
  .split('\n')
  .map((line) => line.trimEnd())
  .filter((line) => !file || !line.startsWith('#'));
const first = lines.findIndex(Boolean);
const subjects = file ? lines.slice(first, first + 1) : lines.filter(Boolean);

const problems = subjects
  .filter((subject) => !/^(Merge|Revert|Reapply|fixup!|squash!|amend!) /.test(subject))
  .flatMap((subject) => [
    ...(subject.length > 72 ? [`has ${subject.length} characters, 72 at most: ${subject}`] : []),
    ...(new RegExp(`^(${TYPES})(\\([a-z0-9, -]+\\))?!?: [^A-Z]`).test(subject)
      ? []
      : [`is not "type(scope): change" in lower case: ${subject}`]),
    ...(subject.includes(';') ? [`joins several changes with ";": ${subject}`] : []),
    ...(subject.endsWith('.') ? [`ends with a full stop: ${subject}`] : []),
  ]);
if (file && lines[first + 1]) problems.push('needs an empty line between subject and body');

for (const problem of problems) console.error(`The commit message ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
