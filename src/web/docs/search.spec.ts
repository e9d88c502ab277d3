import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { termOf } from './search';

it('the page makes the same terms of the words of a query as the index of the documentation', () => {
  const script = readFileSync(join(__dirname, '../assets/docs-search.js'), 'utf8');
  const inPage = runInNewContext(`${script.replace(/^export /gm, '')}; termOf`) as typeof termOf;
  const words = ['Quizzes', 'keys', 'CORS', 'status', 'analysis', 'class', 'as', 'URLs', 'Éxitos'];
  expect(words.map(inPage)).toEqual(words.map(termOf));
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
