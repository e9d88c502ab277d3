import { csvHead } from './csv-head';

it.each([
  ['#separator:Semicolon\n', ';'],
  ['#separator: comma\n', ','],
  ['#separator:Pipe\r\n#html:false\r\n', '|'],
  ['#html:true\n#separator:tab\n', '\t'],
  ['#html:true\n#separator:;\n', ';'],
  ['sep=:\n', ':'],
])('the lines for programs %j name the separator %j', (above, separator) => {
  const head = csvHead(`${above}Question${separator}Answer\nWhat is 1 + 1?${separator}2\n`);
  expect(head).toMatchObject({
    separator,
    skipped: above.split('\n').length - 1,
    rows: [
      ['Question', 'Answer'],
      ['What is 1 + 1?', '2'],
    ],
    found: { rows: 1 },
  });
});

test('a separator with an unknown name is found by the columns that it gives', () => {
  const head = csvHead('#separator:Dash\nQuestion;Answer\nWhat is 1 + 1?;2\n');
  expect(head).toMatchObject({ separator: ';', skipped: 1, found: { rows: 1 } });
});

test.each(['?', '？', '؟'])('a column of questions that end with %s is found', (mark) => {
  const row = (key: string) => `Which one${mark},one,two,three,${key}`;
  const head = csvHead(`first,second,third,fourth,fifth\n${['B', 'C', 'D'].map(row).join('\n')}\n`);
  expect(head.found?.columns.at.get('text')).toEqual([0]);
});
