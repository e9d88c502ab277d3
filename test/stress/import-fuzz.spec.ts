import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { FORMAT_NAMES, type FormatName } from '../../src/import-export/formats/formats';
import type { ImportView } from '../../src/import-export/imports/imports.dto';
import { LocalImportsService } from '../../src/import-export/imports/local-imports.service';
import { ImportRunnerService } from '../../src/import-export/imports/running/import-runner.service';
import { Malformed } from '../../src/platform/errors/domain-errors';
import { type Service, startService, type TestAccount } from '../support/service';

/** Any file goes as far as the database: it ends imported, or in a sentence, and never in an unexpected error. */

const folder = mkdtempSync(join(tmpdir(), 'quiz-import-fuzz-'));
let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await startService();
  account = await service.account('free', { isAdmin: true });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Pieces of texts that a parser, JSON, Unicode or PostgreSQL treats in a way of its own. */
const sign = fc.constantFrom(
  ...['\0', '\ud800', '\udfff', '\ufffe', '\uffff', '\u{10ffff}', '😀', '👩‍👩‍👧', '\ufdfa', 'e\u0301'],
  ...[
    '\u0001',
    '\u001b[2J',
    '\u007f',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\u202e',
    '\u200b',
    '\t',
    '\r',
    '\n',
  ],
  ...[
    '"',
    "'",
    '\\',
    '\\u0000',
    '%',
    '_',
    '{',
    '}',
    ',',
    ';',
    '<',
    '&amp;',
    '=',
    '$1',
    'ß',
    'İ',
    'ς',
  ],
  ...[
    '1e999',
    '-0',
    '9007199254740993',
    '99999999999999999999',
    'NaN',
    'null',
    'true',
    'x',
    'word ',
  ],
);
const text = fc.oneof(
  { weight: 6, arbitrary: fc.array(sign, { maxLength: 6 }).map((signs) => signs.join('')) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(sign, fc.constantFrom(49, 101, 201, 2_001, 9_000))
      .map(([s, n]) => s.repeat(n)),
  },
);
/** What people write; a third of all texts, so that there are rows that can be imported. */
const plain = fc.nat(1e9).map((n) => `Say ${n}`);
const words = fc.oneof(
  plain,
  text,
  fc.tuple(plain, text).map(([a, b]) => `${a} ${b}`),
);

const question = fc.record({
  text: words,
  type: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('MULTIPLE_CHOICE', 'OPEN_ENDED', '') },
    { weight: 1, arbitrary: text },
  ),
  difficulty: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('EASY', '') },
    { weight: 1, arbitrary: text },
  ),
  explanation: words,
  answers: fc.array(fc.record({ text: words, isCorrect: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
  }),
});
const quiz = fc.record({
  title: words,
  description: words,
  category: words,
  tags: fc.array(words, { maxLength: 3 }),
  questions: fc.array(question, { minLength: 1, maxLength: 5 }),
});
type Quiz = typeof quiz extends fc.Arbitrary<infer T> ? T : never;

/** Packed files are fuzzed in test/stress/format-any-file.spec.ts. */
type TextFormat = Exclude<FormatName, 'xlsx' | 'qti' | 'archive'>;

/** Carelessly written, as other programs do: most signs are not escaped. */
const written: Record<TextFormat | 'json with numbers', (quiz: Quiz) => string> = {
  json: (quiz) => JSON.stringify(quiz),
  'json with numbers': (quiz) =>
    JSON.stringify(quiz).replace(/"(?:explanation|category)":"[^"\\]*"/g, (member) =>
      member.replace(/:.*/s, ':[1e999,-0,123456789012345678901234567890,1E-400,{"":null}]'),
    ),
  jsonl: ({ questions }) => questions.map((question) => JSON.stringify(question)).join('\n'),
  opentdb: ({ category, questions }) =>
    JSON.stringify({
      response_code: 0,
      results: questions.map(({ text, difficulty, answers: [right, ...wrong] }) => ({
        category,
        difficulty,
        type: 'multiple',
        question: text,
        correct_answer: right?.text,
        incorrect_answers: wrong.map((answer) => answer.text),
      })),
    }),
  csv: ({ title, category, tags, questions }) =>
    [
      'question,type,difficulty,explanation,quiz_title,quiz_category,quiz_tags,correct_numbers,a,b,c,d,e',
      ...questions.map(({ text, type, difficulty, explanation, answers }) =>
        [
          ...[text, type, difficulty, explanation, title, category, tags.join(',')],
          answers.flatMap(({ isCorrect }, i) => (isCorrect ? [i + 1] : [])).join(' '),
          ...answers.map((answer) => answer.text),
        ]
          .map((cell) => `"${cell.replaceAll('"', '""')}"`)
          .join(','),
      ),
    ].join('\n'),
  gift: ({ category, questions }) =>
    `$CATEGORY: ${category}\n\n` +
    questions
      .map(
        ({ text, answers }) =>
          `${text}{${answers.map(({ text, isCorrect }) => `${isCorrect ? '=' : '~'}${text}`).join(' ')}}`,
      )
      .join('\n\n'),
  aiken: ({ questions }) =>
    questions
      .map(
        ({ text, answers }) =>
          `${text}\n${answers.map(({ text }, i) => `${'ABCDE'[i]}. ${text}`).join('\n')}\nANSWER: A\n`,
      )
      .join('\n'),
  quizlet: ({ questions }) =>
    questions.map(({ text, answers }) => `${text}\t${answers[0]?.text}`).join('\n'),
  markdown: ({ title, questions }) =>
    `# ${title}\n\n${questions
      .map(
        ({ text, answers }, i) =>
          `${i + 1}. ${text}\n${answers.map((it) => `- [${it.isCorrect ? 'x' : ' '}] ${it.text}`).join('\n')}`,
      )
      .join('\n\n')}`,
  opentriviaqa: ({ questions }) =>
    questions
      .map(
        ({ text, answers }) =>
          `#Q ${text}\n^ ${answers[0]?.text}\n${answers.map(({ text }, i) => `${'ABCDE'[i]} ${text}`).join('\n')}\n`,
      )
      .join('\n'),
  'moodle-xml': ({ category, questions }) =>
    `<quiz><question type="category"><category><text>${category}</text></category></question>${questions
      .map(
        ({ text, answers }) =>
          `<question type="multichoice"><questiontext><text><![CDATA[${text}]]></text></questiontext>${answers
            .map(
              (a) => `<answer fraction="${a.isCorrect ? 100 : 0}"><text>${a.text}</text></answer>`,
            )
            .join('')}</question>`,
      )
      .join('')}</quiz>`,
};
const file = fc
  .tuple(quiz, fc.constantFrom(...(Object.keys(written) as (keyof typeof written)[])))
  .map(([quiz, format]) => ({ format, content: written[format](quiz) }));

test('importing random text in any format never fails, and counts every row as imported, duplicate or error', async () => {
  const imports = service.app.get(LocalImportsService);
  const path = join(folder, 'fuzz');
  const run = async (dryRun: boolean, format?: FormatName): Promise<ImportView | null> => {
    try {
      return await imports.import(account.accountId, [path], {
        dryRun,
        difficulty: 'EASY',
        published: true,
        ...(format && { format }),
      });
    } catch (error) {
      // Anything else is an internal error.
      if (!(error instanceof Malformed)) throw error;
      expect(error.message).toMatch(/^\S.*:\d+: [^a-z].*[.)]$/s);
      return null;
    }
  };
  const stored = async () => {
    const [row] = await service.database.query<[{ n: number }]>(
      `SELECT count(*)::int AS n FROM questions`,
    );
    return row.n;
  };
  const before = await stored();
  const sums = { imported: 0, duplicates: 0, errors: 0, failed: 0 };
  await fc.assert(
    fc.asyncProperty(file, fc.boolean(), async ({ format, content }, named) => {
      writeFileSync(path, content);
      const name = FORMAT_NAMES.find((each) => named && each === format);
      const [tried, done] = [await run(true, name), await run(false, name)];
      if (!tried || !done) {
        expect([tried, done]).toEqual([null, null]);
        sums.failed += 1;
        return;
      }
      const { state, totals } = done;
      const { rows, importable, imported, duplicates, errors } = totals;
      expect([state, rows, imported]).toEqual([
        'completed',
        imported + duplicates + errors,
        importable,
      ]);
      expect(tried).toMatchObject({
        state,
        totals: { rows, importable, duplicates, errors, imported: 0 },
      });
      await account.get(`/imports/${done.id}?limit=50`).expect(200);
      sums.imported += imported;
      sums.duplicates += duplicates;
      sums.errors += errors;
    }),
    // Finding a smaller file that fails, too, takes longer than the time of the test, which would then show none.
    { numRuns: 80, endOnFailure: true },
  );
  // Each outcome was reached.
  for (const sum of [sums.imported, sums.errors, sums.failed]) expect(sum).toBeGreaterThan(0);
  expect(await stored()).toBe(before + sums.imported);
}, 240_000);

test.each([
  ['a category', '\u202e\ufeff', 'plain.json', 'Plain'],
  ['a category and a file name', '\u202e', '\u200b.json', 'Questions'],
])('%s without a visible character names no quiz', async (_, category, name, title) => {
  const path = join(folder, name);
  const question = {
    category,
    type: 'multiple',
    difficulty: 'easy',
    question: `Of ${title}?`,
    correct_answer: 'yes',
    incorrect_answers: ['no'],
  };
  writeFileSync(path, JSON.stringify({ response_code: 0, results: [question] }));
  const options = { dryRun: false, difficulty: 'EASY', published: true } as const;
  const done = await service.app
    .get(LocalImportsService)
    .import(account.accountId, [path], options);
  expect(done).toMatchObject({ state: 'completed', error: null });
  const { body } = await account.get(`/imports/${done.id}/quizzes`).expect(200);
  expect(body.data).toMatchObject([{ title }]);
});

test('random names, sources and licences of an upload are accepted or refused with a message', async () => {
  const runner = service.app.get(ImportRunnerService);
  const value = text.map((each) => encodeURIComponent(each.toWellFormed()));
  const parameters = fc.record({ filename: value, source: value, licence: value });
  await fc.assert(
    fc.asyncProperty(parameters, async (given) => {
      const query = Object.entries(given).map(
        ([name, value]) => `${name}=${value.slice(0, 3_000)}`,
      );
      const response = await account
        .post(`/imports?${query.join('&')}`)
        .set('Content-Type', 'text/csv')
        .send('question,a,b,correct\nQ?,x,y,x');
      if (response.status === 400) expect(response.body.error).toMatch(/\.$/);
      else {
        expect(response.status).toBe(202);
        await runner.run(response.body.data.id);
        const { body } = await account.get(`/imports/${response.body.data.id}`).expect(200);
        expect(body.data.state).toBe('completed');
      }
    }),
    { numRuns: 40 },
  );
}, 30_000);
