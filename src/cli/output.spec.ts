import { PassThrough } from 'node:stream';
import { Malformed } from '../platform/errors/domain-errors';
import { Output } from './output';

test('a table of quizctl shows control characters of titles as spaces', () => {
  const stdout = new PassThrough();
  const title = 'Rivers\n\x1b[2J\x9b2Jof Europe';
  new Output(false, stdout).list([{ title }], [{ title }], '');
  expect(String(stdout.read())).toBe('TITLE\nRivers  [2J 2Jof Europe\n');
});

test('an error of quizctl that quotes a file shows its control characters as spaces', () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  new Output(false, stdout, stderr).failure(
    new Malformed('a.csv:1: "\x1b[2J\x9b2JRome"\nDo this.'),
  );
  expect(String(stderr.read())).toBe('a.csv:1: " [2J 2JRome"\nDo this.\n');
});
