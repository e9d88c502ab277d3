import { csvHead } from './csv-head';

it.each([
  ['#separator:Semicolon\n', ';'],
  ['#separator: comma\n', ','],
  ['#separator:Pipe\r\n#html:false\r\n', '|'],
  ['#html:true\n#separator:tab\n', '\t'],
  ['#html:true\n#separator:;\n', ';'],
  ['# my deck\n#separator:tab\n', '\t'],
  ['#separator:tab\n# my deck, for Peru\n#if matches:keep both\n', '\t'],
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

test('lines that begin with # and of which none is a header of Anki are rows', () => {
  const head = csvHead('#,Question,Answer\n1,What is 1 + 1?,2\n');
  expect(head).toMatchObject({
    skipped: 0,
    rows: [['#', 'Question', 'Answer'], expect.anything()],
  });
});

test.each([
  ['Pipe', '|'],
  ['Colon', ':'],
  ['Space', ' '],
])(
  'cards of Anki without a header are found where it names the separator %s',
  (name, separator) => {
    const head = csvHead(`#separator:${name}\nPeru${separator}Lima\nItaly${separator}Rome\n`);
    expect(head).toMatchObject({ separator, found: { rows: 0, areCards: true } });
  },
);

test('a separator with an unknown name is found by the columns that it gives', () => {
  const head = csvHead('#separator:Dash\nQuestion;Answer\nWhat is 1 + 1?;2\n');
  expect(head).toMatchObject({ separator: ';', skipped: 1, found: { rows: 1 } });
});

test.each(['?', '？', '؟'])('a column of questions that end with %s is found', (mark) => {
  const row = (key: string) => `Which one${mark},one,two,three,${key}`;
  const head = csvHead(`first,second,third,fourth,fifth\n${['B', 'C', 'D'].map(row).join('\n')}\n`);
  expect(head.found?.columns.at.get('text')).toEqual([0]);
});
