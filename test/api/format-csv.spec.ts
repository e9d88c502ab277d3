import fc from 'fast-check';
import { openCsv } from '../../src/import-export/formats/csv/csv-records';
import { TextDecoding } from '../../src/import-export/formats/text/text-decoding';
import { textLines } from '../../src/import-export/formats/text/text-lines';
import { collect, questions, rowsOf } from '../support/rows';

const HEADER = 'question,answer_1,answer_2,answer_3,correct_numbers';
const read = (...lines: string[]) => rowsOf(lines.join('\n'), 'csv');

describe('CSV columns', () => {
  it.each([
    ['our own', HEADER, 'Where?,Paris,Lyon,,2'],
    ['letters', 'Question;Option A;Option B;Correct Letter', 'Where?;Paris;Lyon;b'],
    ['the text of the answer', 'QUESTION|a|b|Correct Answer', 'Where?|Paris|Lyon| LYON'],
    ['tabs', 'text\tchoice 1\tchoice 2\tkey', 'Where?\tParis\tLyon\t2'],
    ['a separator of its own', 'question^answer 1^answer 2^correct', 'Where?^Paris^Lyon^Lyon'],
    ['names in quotes', '"Question","Answer 1","Answer 2","Correct"', 'Where?,Paris,Lyon,Lyon'],
    ['another order', 'correct,answer_2,question,answer_1', 'Paris,Paris,Where?,Lyon'],
    ["Excel's line for the separator", 'sep=;\nquestion;a;b;correct', 'Where?;Paris;Lyon;Lyon'],
  ])('CSV columns are found: %s', async (_name, header, line) => {
    const [row] = questions(await rowsOf(`${header}\n${line}\n`));
    const { text, answers } = row?.question ?? { answers: [] };
    expect(text).toBe('Where?');
    expect(answers.filter(({ isCorrect }) => isCorrect).map((answer) => answer.text)).toEqual([
      header.startsWith('correct') ? 'Paris' : 'Lyon',
    ]);
    expect(answers).toHaveLength(2);
  });

  it('the correct answer of a column of its own is placed among the wrong ones', async () => {
    const rows = questions(
      await read(
        'question,correct_answer,wrong_1,wrong_2',
        'How many?,10,9,11',
        'Is it?,False,True,',
      ),
    );
    expect(rows.map(({ question }) => [question.type, question.answers])).toEqual([
      [
        'MULTIPLE_CHOICE',
        [
          { text: '9', isCorrect: false },
          { text: '10', isCorrect: true },
          { text: '11', isCorrect: false },
        ],
      ],
      [
        'TRUE_FALSE',
        [
          { text: 'True', isCorrect: false },
          { text: 'False', isCorrect: true },
        ],
      ],
    ]);
  });

  it('type, difficulty, explanation and quiz columns are read in common spellings', async () => {
    const [row] = questions(
      await read(
        'question,type,level,feedback,answer 1,answer 2,correct,category,tags',
        'Say it,short answer,Hard,"Because, really",one,uno,one,Words,"a, b\\, c"',
      ),
    );
    expect(row).toEqual({
      line: 2,
      question: {
        text: 'Say it',
        type: 'OPEN_ENDED',
        difficulty: 'HARD',
        explanation: 'Because, really',
        answers: [
          { text: 'one', isCorrect: true },
          { text: 'uno', isCorrect: false },
        ],
      },
      quiz: { key: 'category:Words', category: 'Words', tags: ['a', 'b, c'] },
    });
  });

  it('a CSV file in the column order of our export needs no header, and any other does', async () => {
    expect(questions(await rowsOf('Where?,MULTIPLE_CHOICE,EASY,,2,Paris,Lyon\n'))).toMatchObject([
      { line: 1, question: { text: 'Where?', difficulty: 'EASY' } },
    ]);
    expect(await read('Where,Paris,Lyon,2')).toEqual([
      { line: 1, error: expect.stringContaining('does not name the columns'), fatal: true },
    ]);
  });

  it('a CSV header has at most 500 named columns', async () => {
    const wide = (count: number) => [
      'question',
      'correct_numbers',
      ...Array.from({ length: count - 2 }, (_, i) => `answer_${i}`),
    ];
    const rows = await read([...wide(501), ',,'].join(','), 'Q,1,a,b');
    expect(rows).toEqual([
      {
        line: 1,
        error:
          'Line 1 has 501 columns, and a file of questions has at most 500: remove those that are not needed, or choose another separator.',
        fatal: true,
      },
    ]);
    const most = [wide(500).join(',') + ','.repeat(20_000), 'Q,1,a,b'].join('\n');
    expect(questions(await rowsOf(most, 'csv'))).toHaveLength(1);
  });

  it('a CSV file without a header may have a different number of answers in each row', async () => {
    const lines = ['A?,MULTIPLE_CHOICE,EASY,,2,x,y', 'B?,MULTIPLE_CHOICE,EASY,,4,x,y,z,last'];
    const [, row] = questions(await read(...lines));
    expect(row?.question.answers.at(-1)).toEqual({ text: 'last', isCorrect: true });
  });

  it.each([
    ['# my deck\n#separator:tab\n#html:true\n', '\t'],
    ['#separator:tab\n# my deck\n#if matches:keep both\n#html:true\n', '\t'],
    ['#separator:Pipe\n#html:true\n', '|'],
  ])('cards below the lines %j are read as those of Anki', async (above, separator) => {
    const lines = [`<b>Peru</b>${separator}Lima`, `Italy${separator}Rome`];
    const rows = await rowsOf(above + lines.join('\n'));
    const line = above.split('\n').length;
    expect(rows.filter((row) => !('note' in row))).toEqual([
      expect.objectContaining({ line, question: expect.objectContaining({ text: 'Peru' }) }),
      expect.objectContaining({
        line: line + 1,
        question: expect.objectContaining({ text: 'Italy' }),
      }),
    ]);
  });

  it('unused CSV columns are reported once', async () => {
    const rows = await read(
      'question,a,b,correct,Points,Image',
      'Q,x,y,x,3,z.png',
      'R,x,y,x,3,z.png',
    );
    expect(rows.filter((row) => 'note' in row)).toEqual([
      {
        line: 1,
        note: 'The column "Image" names files of pictures, and they are not in this file: upload the pictures in the editor, or import them in a folder with quizctl.',
      },
      { line: 1, note: 'The column "Points" cannot be kept and is ignored.' },
    ]);
  });

  it('a CSV column of addresses of pictures is named, and nothing is fetched', async () => {
    const rows = await read(
      'question,image,answer_1,answer_2,correct_numbers,Link,Points\n' +
        'Where?,,a,b,1,,3\n' +
        'What?,https://example.com/map,a,b,2,https://example.com/a.JPG?x=1,3\n',
    );
    expect(rows.filter((row) => 'note' in row)).toEqual([
      {
        line: 1,
        note: 'The columns "image" and "Link" have addresses of pictures, and nothing is fetched from elsewhere: upload the pictures in the editor, or import them in a folder with quizctl.',
      },
      { line: 1, note: 'The column "Points" cannot be kept and is ignored.' },
    ]);
    expect(rows.filter((row) => 'question' in row)).toHaveLength(2);
  });
});

describe('CSV rows', () => {
  it('CSV rows have the line they begin in, after blank lines and texts of several lines', async () => {
    const rows = await read(
      '',
      HEADER,
      '',
      '"One',
      '',
      'two?",x,y,,1',
      '',
      '',
      'Two?,x,y,,1',
      ' ',
      'Three?,x,y,,4',
    );
    expect(rows).toEqual([
      { line: 4, question: expect.objectContaining({ text: 'One\n\ntwo?' }) },
      { line: 9, question: expect.objectContaining({ text: 'Two?' }) },
      { line: 11, error: expect.any(String) },
    ]);
  });

  it.each([
    ['no text', ',x,y,,1', 'The question has no text: write it.'],
    ['one answer', 'Q,x,,,1', 'Give the question at least 2 answers.'],
    ['no mark', 'Q,x,y,,', /^No correct answer is given: /],
    ['a number too high', 'Q,x,y,,3', /^"3" does not number an answer: write/],
    ['twins', 'Q,x, x,,1', 'Two of the answers are both "x": change or remove one.'],
    ['too many cells', 'Q,x,y,,1,more', /^The row has 6 cells, but there are 5 columns: /],
  ])('an invalid CSV row is reported with how to fix it: %s', async (_name, line, error) => {
    const rows = await read(HEADER, line, 'Next?,x,y,,1');
    expect(rows).toEqual([
      { line: 2, error: expect.stringMatching(error) },
      { line: 3, question: expect.objectContaining({ text: 'Next?' }) },
    ]);
  });

  it('a CSV row may have answers that differ only in case, and the equal one is correct', async () => {
    expect(await read('question,answer 1,answer 2,correct', 'Carbon monoxide?,Co,CO,CO')).toEqual([
      {
        line: 2,
        question: expect.objectContaining({
          answers: [
            { text: 'Co', isCorrect: false },
            { text: 'CO', isCorrect: true },
          ],
        }),
      },
    ]);
  });

  it('a CSV row is refused when its correct answer equals several answers only ignoring case', async () => {
    expect(await read('question,answer 1,answer 2,correct', 'Carbon monoxide?,Co,CO,co')).toEqual([
      {
        line: 2,
        error: expect.stringMatching(/^The correct answer "co" is not one of the answers/),
      },
    ]);
  });

  it('a CSV row with an ambiguous correct answer is refused', async () => {
    const header = 'question,answer 1,answer 2,answer 3,correct';
    expect(await read(header, 'Twice one?,2,4,6,2')).toEqual([
      {
        line: 2,
        error: expect.stringContaining('may mean the answer with this text or answer 2 ("4")'),
      },
    ]);
    expect(questions(await read(header, 'Twice one?,1,2,3,2'))).toHaveLength(1);
    expect(questions(await read(header, 'Odd?,1,4,3,"1, 3"'))).toHaveLength(1);
    expect(await read(header, 'Odd?,1,3,2,"1, 3"')).toEqual([
      {
        line: 2,
        error: expect.stringContaining('may be the texts of answers or their numbers'),
      },
    ]);
  });

  it.each([
    ['B', 'write 4 for this text, or 2 for the other answer.'],
    ['"A, B"', 'write 1, 4 for these texts, or 1, 2 for these places.'],
  ])(
    'the key %s is refused where answers are letters, and the error says what to write',
    async (key, what) => {
      const header = 'question,answer 1,answer 2,answer 3,answer 4,correct';
      expect(await read(header, `Which?,A,C,D,B,${key}`)).toEqual([
        { line: 2, error: expect.stringContaining(what) },
      ]);
      expect(questions(await read(header, 'Which?,A,C,D,B,"1, 4"'))).toHaveLength(1);
    },
  );

  it('each row of a CSV file with an unclosed quote is an error of its line, and the lines below are read', async () => {
    const rows = await read(
      HEADER,
      'One?,x,y,,1',
      'Two?,"x,y,,1',
      'Three?,x,y,,1',
      '"Four?,x,y,,1',
      '"Five?,x,y,,1',
      '"Six, ""the',
      'sixth""?",x,"y',
      'z",,1',
      'Seven?,x,"y,,1',
    );
    const unclosed = (line: number) => ({
      line,
      error: expect.stringMatching(/^A quotation mark is missing here/),
    });
    const asked = (line: number, text: string) => ({
      line,
      question: expect.objectContaining({ text }),
    });
    expect(rows).toEqual([
      asked(2, 'One?'),
      unclosed(3),
      asked(4, 'Three?'),
      unclosed(5),
      unclosed(6),
      asked(7, 'Six, "the\nsixth"?'),
      unclosed(10),
    ]);
  });

  it('the rest of a CSV text with a single quotation mark within quotes is an error, not a question', async () => {
    const rows = await read('question,answer', '"Who said', '"to be"?",Hamlet', 'Next?,x');
    expect(
      rows.map((row) => ('error' in row ? row.line : 'question' in row && row.question.text)),
    ).toEqual([2, 3, 'Next?']);
  });

  it('a CSV file with 40,000 unclosed quotes is read, each as the error of its row', async () => {
    // Each of these lines leaves quotes open, whether it begins within quotes or not.
    const lines = Array.from({ length: 40_000 }, () => 'x",",');
    const file = Buffer.from([HEADER, ...lines].join('\n'));
    const opened = await openCsv(textLines([file], new TextDecoding()));
    const rows = (await collect(opened!.records)).flat().slice(1);
    expect(rows).toHaveLength(lines.length);
    expect(rows.every(({ error }) => error?.startsWith('A quotation mark is missing'))).toBe(true);
  });

  it('quoted CSV cells are read as they were written, with any separators, quotation marks and line breaks in them', async () => {
    const cell = fc.stringMatching(/^[a",; \n]{0,6}$/);
    const row = fc.array(cell, { minLength: 2, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
        const file = rows
          .map((cells) => cells.map((it) => `"${it.replaceAll('"', '""')}"`).join(','))
          .join('\n');
        const opened = await openCsv(
          textLines([Buffer.from(`h,i,j\n${file}`)], new TextDecoding()),
        );
        const found = (await collect(opened!.records)).flat().slice(1);
        expect(found.map(({ cells }) => cells)).toEqual(
          rows.filter((cells) => cells.some((it) => it.trim())),
        );
      }),
      { numRuns: 200 },
    );
  });
});

describe('CSV encodings', () => {
  it('CSV files as Excel saves them are read: UTF-8 with a byte order mark, UTF-16, and Windows-1252 with a note', async () => {
    const file = 'question,a,b,correct\r\nCafé – 5 €?,x,y,a\r\n';
    const utf16 = Buffer.from(`\uFEFF${file}`, 'utf16le');
    const windows = Buffer.from(file.replace('–', '\x96').replace('€', '\x80'), 'latin1');
    for (const bytes of [
      Buffer.from(`\uFEFF${file}`),
      utf16,
      Buffer.from(utf16).swap16(),
      windows,
    ]) {
      const rows = await rowsOf(bytes);
      expect(rows[0]).toMatchObject({ line: 2, question: { text: 'Café – 5 €?' } });
      expect(rows.slice(1)).toEqual(
        bytes === windows ? [{ line: 2, note: expect.stringContaining('Windows-1252') }] : [],
      );
    }
  });

  it('a CSV file in mixed encodings is refused with both lines', async () => {
    const file = Buffer.from(
      'question,a,b,correct\nCaf\xC3\xA9?,x,y,a\n\xC9t\xE9?,x,y,a\n',
      'latin1',
    );
    expect((await rowsOf(file)).at(-1)).toEqual({
      line: 3,
      error:
        'The file mixes encodings: line 3 is not UTF-8, though line 2 is. Save it again as UTF-8.',
      fatal: true,
    });
  });

  it.each([
    ['two encodings', 'Caf\xC3\xA9 and K\xF6ln?'],
    ['a damaged byte', '\xE2\x80\x9CCaf\xC3\xA9\xE2\x80\xFF?'],
  ])('a CSV file with %s in one line is refused with the line', async (_name, text) => {
    const file = Buffer.from(`question,a,b,correct\n${text},x,y,a\n`, 'latin1');
    expect((await rowsOf(file)).at(-1)).toEqual({
      line: 2,
      error: 'The file mixes encodings: line 2 is UTF-8 only in part. Save it again as UTF-8.',
      fatal: true,
    });
  });

  it.each([
    ['„Spaß“ – MANHÃ”', '\x84Spa\xDF\x93 \x96 MANH\xC3\x94'],
    ['«\u00A0café\u00A0»', '\xAB\xA0caf\xE9\xA0\xBB'],
    ['Voilà…” CAFÉ™', 'Voil\xE0\x85\x94 CAF\xC9\x99'],
  ])('a CSV file with %s in Windows-1252 is read', async (text, bytes) => {
    const file = Buffer.from(`question,a,b,correct\n\xFCber ${bytes}?,x,y,a\n`, 'latin1');
    expect((await rowsOf(file))[0]).toMatchObject({ question: { text: `über ${text}?` } });
  });
});
