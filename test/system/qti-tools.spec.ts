import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RICH_QUIZ, withPictureIds } from '../support/rich-quiz';
import { exported, questions, rowsOf } from '../support/rows';

/**
 * Exports as other programs read them. The converter is a package of its own: install it with `npm ci --ignore-scripts` in
 * test/qti-tools. The XSDs are those of 1EdTech, in the folder `TEST_QTI_SCHEMAS`; `xmllint` validates.
 */

const execute = promisify(execFile);
const tools = join(__dirname, '../qti-tools');
// The gate has installed it: without it it must fail.
const testConverter = existsSync(join(tools, 'node_modules')) || process.env.CI ? test : test.skip;

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'qti-'))));
afterAll(() => rmSync(folder, { recursive: true }));

testConverter(
  "Citolab's converter makes QTI 3.0 of our 2.1, in which our reader finds the same questions",
  async () => {
    const file = join(folder, 'quiz.zip');
    writeFileSync(file, await exported(RICH_QUIZ, 'qti-2.1'));
    const converter = join(tools, 'node_modules/@citolab/qti-convert/dist/qti-convert-pkg.mjs');
    await execute(process.execPath, [converter, file], { cwd: folder, timeout: 60_000 });
    const read = async (name: string) =>
      questions(withPictureIds(await rowsOf(readFileSync(join(folder, name)))));
    const [ours, theirs] = [await read('quiz.zip'), await read('quiz-qti3.zip')];
    // It writes code and lists in lines of its own, so not every text in Markdown is found again.
    const found = theirs.map(({ question }) => question);
    expect(found.slice(0, 6)).toEqual(RICH_QUIZ.questions.slice(0, 6));
    const keys = (rows: typeof ours) =>
      rows.map(({ quiz, question: { type, difficulty, answers } }) => ({
        type,
        difficulty,
        quiz,
        answers: answers.map(({ isCorrect }) => isCorrect),
      }));
    expect(keys(theirs)).toEqual(keys(ours));
  },
  90_000,
);

const schemas = process.env.TEST_QTI_SCHEMAS;
const testSchemas = schemas ? test : test.skip;

/** The file in the folder whose path ends so. */
const schema = (ending: RegExp): string => {
  const folder = schemas ?? '';
  const found = readdirSync(folder, { recursive: true }).map(String).sort();
  return join(folder, found.find((path) => ending.test(path)) ?? `no ${ending.source}`);
};

testSchemas.each([
  ['qti-2.1', /imsqti_v2p1\.xsd$/, /imscp_v1p1\.xsd$/],
  ['qti-3.0', /imsqti_asiv3p0(?:_sbacv1p0)?_v1p0\.xsd$/, /imsqtiv3p0_imscpv1p2_v1p0\.xsd$/],
] as const)(
  'an export as %s is valid by the XSDs (needs TEST_QTI_SCHEMAS)',
  async (format, items, packages) => {
    const parts = join(folder, format);
    writeFileSync(join(folder, 'export.zip'), await exported(RICH_QUIZ, format));
    await execute('unzip', ['-q', join(folder, 'export.zip'), '-d', parts]);
    const documents = RICH_QUIZ.questions.map((_, at) => `items/question-${at + 1}.xml`);
    const validate = (xsd: string, names: string[]) =>
      execute('xmllint', ['--noout', '--nonet', '--schema', xsd, ...names], { cwd: parts });
    await validate(schema(items), ['test.xml', ...documents]);
    await validate(schema(packages), ['imsmanifest.xml']);
  },
);
