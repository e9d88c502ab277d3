import { questions, rowsOf } from '../support/rows';

const read = (...lines: string[]) =>
  rowsOf(`<?xml version="1.0"?>\n<quiz>\n${lines.join('\n')}\n</quiz>\n`);

const choice = (
  inner: string,
  answers = '<answer fraction="100"><text>a</text></answer><answer fraction="0"><text>b</text></answer>',
) => `<question type="multichoice">${inner}${answers}</question>`;
const TEXT = '<questiontext format="html"><text>Q</text></questiontext>';

it('Moodle XML: the three supported types are read, HTML as text', async () => {
  const rows = questions(
    await read(
      `<question type="multichoice"><name><text>Which</text></name>
       <questiontext format="html"><text><![CDATA[<p>Which&nbsp;is&nbsp;&lt;red&gt;?<br>  Say&nbsp;it.</p>]]></text></questiontext>
       <generalfeedback format="html"><text>&lt;p&gt;Rust &amp;amp; dust.&lt;/p&gt;</text></generalfeedback>
       <defaultgrade>1.0000000</defaultgrade><single>true</single>
       <correctfeedback format="html"><text><![CDATA[<p>Your answer is correct.</p>]]></text></correctfeedback>
       <answer fraction="100" format="html"><text><![CDATA[<p>Mars</p>]]></text><feedback><text></text></feedback></answer>
       <answer fraction="0" format="html"><text>Venus</text></answer></question>`,
      '<question type="truefalse"><questiontext><text>Sky is up</text></questiontext><answer fraction="0"><text>true</text></answer><answer fraction="100"><text>false</text></answer></question>',
      '<question type="shortanswer"><questiontext><text>Capital?</text></questiontext><answer fraction="100"><text>Paris</text></answer><answer fraction="100"><text>\\*Paris\\*</text></answer></question>',
    ),
  );
  expect(rows.map(({ notes }) => notes)).toEqual([undefined, undefined, undefined]);
  expect(rows.map(({ line }) => line)).toEqual([3, 10, 11]);
  expect(rows.map(({ question }) => question)).toEqual([
    {
      text: 'Which is <red>?\nSay it.',
      type: 'MULTIPLE_CHOICE',
      explanation: 'Rust & dust.',
      answers: [
        { text: 'Mars', isCorrect: true },
        { text: 'Venus', isCorrect: false },
      ],
    },
    {
      text: 'Sky is up',
      type: 'TRUE_FALSE',
      answers: [
        { text: 'True', isCorrect: false },
        { text: 'False', isCorrect: true },
      ],
    },
    {
      text: 'Capital?',
      type: 'OPEN_ENDED',
      answers: [
        { text: 'Paris', isCorrect: true },
        { text: '*Paris*', isCorrect: true },
      ],
    },
  ]);
});

it.each(['matching', 'essay', 'description', 'cloze', 'ddwtos'])(
  'Moodle XML: a question of the type %s is an error of its row, and the next is read',
  async (type) => {
    expect(await read(`<question type="${type}">${TEXT}</question>`, choice(TEXT))).toEqual([
      { line: 3, path: 'question 1', error: expect.stringMatching(/: \S.*\.$/) },
      { line: 4, path: 'question 2', question: expect.anything() },
    ]);
  },
);

it.each([
  ['shortanswer', '<answer fraction="100"><text>Lima</text></answer>', 'Lima'],
  [
    'numerical',
    '<answer fraction="100"><text>42</text><tolerance>0</tolerance></answer><answer fraction="0"><text>*</text></answer>',
    '42',
  ],
])('Moodle XML: a single accepted answer is enough for %s', async (type, answers, text) => {
  const [row] = questions(await read(`<question type="${type}">${TEXT}${answers}</question>`));
  expect(row?.question).toMatchObject({
    type: 'OPEN_ENDED',
    answers: [{ text, isCorrect: true }],
  });
  expect(row?.notes).toBeUndefined();
});

it.each([
  [
    'a tolerance',
    `<question type="numerical">${TEXT}<answer fraction="100"><text>42</text><tolerance>0.5</tolerance></answer></question>`,
    /tolerance of 0.5/,
  ],
  ['a name of its own', choice(`${TEXT}<name><text>Planets</text></name>`), /^Names are not kept/],
  ['a weight', choice(`${TEXT}<defaultgrade>2.5</defaultgrade>`), /weight of 2.5/],
  [
    'a picture',
    choice('<questiontext format="html"><text>Q&lt;img src="a"&gt;</text></questiontext>'),
    /Pictures/,
  ],
  ...['What is \\(x^2\\)?', '\\[x\\]', 'a $$x$$'].map((text): [string, string, RegExp] => [
    `the formula ${text}`,
    choice(`<questiontext format="html"><text>&lt;p&gt;${text}&lt;/p&gt;</text></questiontext>`),
    /^Formulas in TeX are kept as they are written/,
  ]),
  [
    'a file',
    choice(
      '<questiontext><text>Q</text><file name="a.png" encoding="base64">AAAA</file></questiontext>',
    ),
    /Files/,
  ],
  ['tags', choice(`${TEXT}<tags><tag><text>moon</text></tag></tags>`), /^Tags are/],
  ['hints', choice(`${TEXT}<hint><text>Think</text></hint>`), /Hints/],
  [
    'feedback of its own',
    choice(`${TEXT}<correctfeedback><text>Wow</text></correctfeedback>`),
    /correct and wrong attempts/,
  ],
  [
    'feedback for an answer',
    choice(
      TEXT,
      '<answer fraction="100"><text>a</text><feedback><text>Yes</text></feedback></answer><answer fraction="0"><text>b</text></answer>',
    ),
    /single answers/,
  ],
  [
    'partial credit',
    choice(
      `${TEXT}<single>false</single>`,
      '<answer fraction="70"><text>a</text></answer><answer fraction="30"><text>b</text></answer>',
    ),
    /Partial credit/,
  ],
  [
    'partial credit for a number',
    `<question type="numerical">${TEXT}<answer fraction="100"><text>42</text></answer><answer fraction="50"><text>41</text></answer></question>`,
    /^Partial credit is not kept.* partly correct ones are ignored/,
  ],
  [
    'a pattern',
    `<question type="shortanswer">${TEXT}<answer fraction="100"><text>a*</text></answer><answer fraction="100"><text>b</text></answer></question>`,
    /"\*"/,
  ],
])('Moodle XML: %s is a note of its row', async (_name, xml, note) => {
  expect(questions(await read(xml))[0]?.notes).toEqual([expect.stringMatching(note)]);
});

it('Moodle XML: signs of formulas that are not paired, or in plain text, are not noted', async () => {
  for (const [format, text] of [
    ['html', '$$ and \\( and \\]'],
    ['plain_text', '$$x$$'],
  ]) {
    const xml = choice(`<questiontext format="${format}"><text>${text}</text></questiontext>`);
    expect(questions(await read(xml))[0]?.notes).toBeUndefined();
  }
});

it('Moodle XML: a weight that is no number is ignored', async () => {
  const [row] = questions(await read(choice(`${TEXT}<defaultgrade>one</defaultgrade>`)));
  expect(row?.notes).toBeUndefined();
});

it('Moodle XML: a category applies to the questions after it', async () => {
  const category = (path: string) =>
    `<question type="category"><category><text>${path}</text></category></question>`;
  const rows = questions(
    await read(category('$course$/top/Art'), choice(TEXT), category('$course$'), choice(TEXT)),
  );
  expect(rows.map(({ path, quiz }) => [path, quiz?.category])).toEqual([
    ['question 1', 'Art'],
    ['question 2', undefined],
  ]);
});

it.each([
  [
    'a billion laughs',
    `<?xml version="1.0"?>\n<!DOCTYPE lolz [\n<!ENTITY a "lol">\n${'<!ENTITY b "&a;&a;">\n'.repeat(9)}]>\n<quiz>&b;</quiz>`,
    2,
    /declares a document type/,
  ],
  [
    'a file of the machine',
    '<!DOCTYPE quiz [<!ENTITY x SYSTEM "file:///etc/passwd">]><quiz>&x;</quiz>',
    1,
    /document type/,
  ],
  [
    'an unknown entity',
    `<quiz>\n<question type="multichoice">&nbsp;</question></quiz>`,
    2,
    /undefined entity/,
  ],
  [
    'another root',
    '<?xml version="1.0"?>\n<assessment/>',
    2,
    /its root is <assessment> and not <quiz>/,
  ],
  [
    'another encoding',
    '<?xml version="1.0" encoding="Shift_JIS"?><quiz/>',
    1,
    /encoding Shift_JIS/,
  ],
  [
    'a missing end',
    '<quiz>\n<question type="multichoice">\n<questiontext>',
    3,
    /ends in the middle, in line 3/,
  ],
  ['a wrong end', '<quiz>\n<question></quiz>', 2, /not readable XML: unexpected close tag/],
  ['elements without an end', `<quiz>\n<question>${'<a/>'.repeat(60_000)}`, 2, /too many elements/],
  [
    'attributes without an end',
    `<quiz>\n<a ${Array.from({ length: 60_000 }, (_, i) => `a${i}=""`).join(' ')}/>`,
    2,
    /too many elements/,
  ],
  ['too many levels', `<quiz>${'<a>'.repeat(40)}`, 1, /nested more than 32 levels deep/],
])(
  'Moodle XML: %s ends the reading with an error and its line',
  async (_name, xml, line, error) => {
    expect(await rowsOf(xml, 'moodle-xml')).toEqual([
      { line, error: expect.stringMatching(error), fatal: true },
    ]);
  },
);

it('Moodle XML: a question about a document type is read as it is written', async () => {
  const about = 'What does <!DOCTYPE html> declare? And <!ENTITY a "b">?';
  const text = `<questiontext format="plain_text"><text><![CDATA[${about}]]></text></questiontext>`;
  // In one piece, as a small file arrives.
  const rows = questions(await rowsOf([Buffer.from(`<quiz>${choice(text)}</quiz>`)]));
  expect(rows.map(({ question }) => question.text)).toEqual([about]);
});

it.each([
  [
    'behind a comment that looks like the root',
    '<!-- <quiz --><!DOCTYPE x><quiz/>',
    /document type/,
  ],
  [
    'that is larger than 1 MiB',
    `<!-- <quiz --><!DOCTYPE x [${'<!ENTITY a "b">'.repeat(100_000)}]><quiz/>`,
    /more than 1 MiB of it is outside of <quiz>/,
  ],
])('Moodle XML: a document type %s is refused', async (_case, xml, error) => {
  expect(await rowsOf([Buffer.from(xml)], 'moodle-xml')).toEqual([
    { line: 1, error: expect.stringMatching(error), fatal: true },
  ]);
});

it.each([
  ['comments', `<!-- ${'x'.repeat(1_200_000)} -->`],
  ['blanks', ' '.repeat(1_200_000)],
])(
  'Moodle XML: a file with more than 1 MiB of %s after the last question is read',
  async (_, end) => {
    // In one piece, as an upload arrives.
    const file = Buffer.from(`<quiz>${choice(TEXT)}${end}</quiz>`);
    expect(await rowsOf([file], 'moodle-xml')).toEqual([
      { line: 1, path: 'question 1', question: expect.anything() },
    ]);
  },
);

it('Moodle XML: the questions before a truncation are read', async () => {
  const whole = `<quiz>\n${choice(TEXT)}\n${choice(TEXT)}\n</quiz>`;
  expect(await rowsOf(whole.slice(0, -50))).toEqual([
    { line: 2, path: 'question 1', question: expect.anything() },
    { line: 3, error: expect.stringContaining('ends in the middle'), fatal: true },
  ]);
});
