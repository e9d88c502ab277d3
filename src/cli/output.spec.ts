import { PassThrough } from 'node:stream';
import { Output } from './output';

test('a table of quizctl shows control characters of titles as spaces', () => {
  const stdout = new PassThrough();
  const title = 'Rivers\n\x1b[2J\x9b2Jof Europe';
  new Output(false, stdout).list([{ title }], [{ title }], '');
  expect(String(stdout.read())).toBe('TITLE\nRivers  [2J 2Jof Europe\n');
});
