import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { termOf, wordsOf } from './search';

const script = readFileSync(join(__dirname, '../assets/docs-search.js'), 'utf8');
const inPage = runInNewContext(
  `${script.replace(/^export /gm, '')}; ({ termOf, wordsOf })`,
) as Record<'termOf', typeof termOf> & Record<'wordsOf', typeof wordsOf>;

it('the page makes the same terms of the words of a query as the index of the documentation', () => {
  const words = ['Quizzes', 'keys', 'CORS', 'status', 'analysis', 'class', 'as', 'URLs', 'Éxitos'];
  expect(words.map(inPage.termOf)).toEqual(words.map(termOf));
  expect(words.map(termOf)).toEqual([
    'quizze',
    'key',
    'cors',
    'status',
    'analysis',
    'class',
    'as',
    'url',
    'éxito',
  ]);
});

it('the page separates the words of a query as the index of the documentation does', () => {
  const text = '`popular`: most_played, x<y | "Éxitos" $set ^2 a+b';
  expect([...inPage.wordsOf(text)]).toEqual(wordsOf(text));
  expect(wordsOf(text).join(' ')).toBe(' popular most played x y Éxitos set 2 a b');
});
