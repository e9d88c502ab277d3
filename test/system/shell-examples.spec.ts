import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { guides } from '../../src/web/docs/guides';
import { makeQuiz } from '../support/content';
import { questionBodies } from '../support/samples';
import {
  type Service,
  startService,
  TEST_ENCRYPTION_KEY,
  type TestAccount,
} from '../support/service';
import { isPrinted, runExamples, shellExamples } from '../support/shell-examples';

/** Every curl of the README and of the documentation, run as it is written. */
const ROOT = join(__dirname, '../..');
const FILES = [
  'README.md',
  ...['docs', 'docs/guides'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];
const EXAMPLES = FILES.map((file) => [file, shellExamples(join(ROOT, file), file)] as const).filter(
  ([, examples]) => examples.length > 0,
);

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await startService();
  account = await service.account('pro');
  const author = await service.account('pro', { isAdmin: true });
  for (const category of [null, 'Rivers & Lakes', 'Geography'])
    await makeQuiz(author, { category, tags: ['rivers', 'planets'] }, questionBodies(20));
});
afterAll(() => service.close());

test('the README and the guides have shell examples', () => {
  expect(EXAMPLES.map(([file]) => file)).toEqual(
    expect.arrayContaining([
      'README.md',
      'docs/guides/authentication.md',
      'docs/guides/errors.md',
      'docs/guides/limits.md',
      'docs/guides/pagination.md',
      'docs/guides/quickstart.md',
      'docs/guides/self-hosting.md',
    ]),
  );
});

test.each(EXAMPLES)(
  'the curl commands of %s get the documented status and response',
  async (_, examples) => {
    const { statuses, printed, output, code } = await runExamples(examples, {
      key: account.key,
      origin: service.url,
      // quizctl works beside the service.
      env: { DATABASE_URL: service.databaseUrl, ENCRYPTION_KEY: TEST_ENCRYPTION_KEY },
    });
    const blocks = examples.map(({ file, line, text, status }, index) => ({
      block: `${file}:${line}`,
      // What each curl has got, and what it is to get.
      got: (statuses[index] ?? []).map((it) => (status === null && it < 300 ? 'success' : it)),
      wanted: [...text.matchAll(/(?<![\w-])curl /g)].map(() => status ?? 'success'),
    }));
    if (code !== 0) throw new Error(`a command failed:\n${output}`);
    for (const { block, got, wanted } of blocks) expect([block, got]).toEqual([block, wanted]);
    for (const [index, { file, line, response }] of examples.entries())
      if (response !== null)
        expect([
          `${file}:${line}`,
          isPrinted(response, printed[index] ?? []),
          printed[index],
        ]).toEqual([`${file}:${line}`, true, expect.anything()]);
  },
  180_000,
);

test.each([
  ['"success": true', true],
  ['"success": false', false],
  ['"data": { "title": "Another title" }', true],
  ['"data": { "title": 1 }', false],
])('a response is accepted as the shown { %s }: %p', (shown, isAccepted) => {
  const printed = '{ "success": true, "data": { "title": "Rivers" } }';
  expect(isPrinted(`{ ${shown} }`, [printed])).toBe(isAccepted);
});

test.each([
  ['quiz-not-found', '"error": "Quiz not found."', true],
  ['not-found', '"error": "Quiz not found."', false],
  ['quiz-not-found', '"error": "No such quiz."', false],
  ['quiz-not-found', '"error": "Quiz not found.", "details": [{ "code": "blank" }]', true],
  ['quiz-not-found', '"error": "Quiz not found.", "details": [{ "code": "empty" }]', false],
])('an error is accepted as the shown one with %s and { %s }: %p', (code, shown, isAccepted) => {
  const response = (cause: string, body: string) =>
    `HTTP/1.1 404 Not Found\nX-Error-Code: ${cause}\n\n{ "success": false, ${body} }`;
  const body =
    '"error": "Quiz not found.", "details": [{ "path": "a", "code": "type" }, { "path": "b", "code": "blank" }]';
  expect(isPrinted(response(code, shown), [response('quiz-not-found', body)])).toBe(isAccepted);
});

test('no example with curl has what zsh refuses or dash writes otherwise', () => {
  const found = EXAMPLES.flatMap(([, examples]) => examples).flatMap(({ file, line, text }) => {
    const quoted = /<<(\w+)\n[^]*?\n\1$|'[^']*'|"(?:\\.|[^"\\])*"|#.*/gm;
    // Patterns for files: zsh reports an error where none matches.
    const patterns = text.replaceAll(quoted, "''").match(/\S*[[?*]\S*/g) ?? [];
    // The echo of dash and zsh turns the `\n` of a JSON string into a line break.
    const echoes = text.match(/echo "?\$.*/g) ?? [];
    return [...patterns, ...echoes].map((part) => `${file}:${line} ${part}`);
  });
  expect(found).toEqual([]);
});

test('each shell example with curl of a guide has its response below it', () => {
  const isGuide = (file: string) => guides().some(({ slug }) => file.endsWith(`/${slug}.md`));
  const without = EXAMPLES.filter(([file]) => isGuide(file)).flatMap(([, examples]) =>
    examples.filter(({ response }) => response === null),
  );
  expect(without.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
});
