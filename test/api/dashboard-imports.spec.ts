import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { decodeHTML } from 'entities';
import request, { type Test } from 'supertest';
import { AuditLog } from '../../src/access/audit/audit-log';
import { SessionsService } from '../../src/access/sessions/sessions.service';
import { OwnedQuizzesService } from '../../src/catalog/quizzes/owned-quizzes.service';
import { DomainEvents } from '../../src/events/domain-events';
import { FORMAT_NAMES, type FormatName } from '../../src/import-export/formats/formats';
import { ImportUndoService } from '../../src/import-export/imports/import-undo.service';
import { ImportsService } from '../../src/import-export/imports/imports.service';
import { ImportRetention } from '../../src/import-export/imports/running/import-retention.service';
import { ImportRunnerService } from '../../src/import-export/imports/running/import-runner.service';
import { ImportWriteService } from '../../src/import-export/imports/running/import-write.service';
import { Clock } from '../../src/platform/clock';
import { DASHBOARD_LANGUAGES } from '../../src/platform/messages/languages';
import { newId } from '../../src/platform/text/ids';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { signIn, textOf, type Window } from '../support/dashboard';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { workbook } from '../support/workbooks';

const MIB = 1_048_576;

let service: Service;
let owner: TestAccount;
let mine: Window;
let neighbours: Window;

beforeAll(async () => {
  service = await startService();
  owner = await service.account('pro');
  mine = await signIn(service, owner);
  neighbours = await signIn(service, await service.account('pro'));
});
afterAll(() => service.close());

const quizOf = (id: string) => service.app.get(OwnedQuizzesService).getDetail(owner.accountId, id);
const quizzes = () =>
  service.app.get(OwnedQuizzesService).list(owner.accountId, {}, { limit: 100, offset: 0 });

const ROW = 'Which river flows through Vienna?,MULTIPLE_CHOICE,EASY,The Danube,The Rhine,1';
const csv = (...rows: string[]) =>
  Buffer.from(`question,type,difficulty,answer 1,answer 2,correct\n${rows.join('\n')}\n`);

/** An account has few sessions. */
const tokens = new Map<string, string | null>();

/** Sends a file as a browser does, with the session of an account. */
async function send(
  of: TestAccount,
  file: Buffer | null,
  {
    path = '/imports',
    name = 'questions.csv',
    origin = 'same-origin',
    text = '',
    language = 'en',
  } = {},
): Promise<Test> {
  const token =
    tokens.get(of.accountId) ??
    (await service.app
      .get(SessionsService)
      .start(of.accountId, { userAgent: 'Firefox/130 Linux', address: '127.0.0.1' }));
  tokens.set(of.accountId, token);
  const test = request(service.url)
    .post(`/dashboard${path}`)
    .set('Cookie', `quiz_session=${token}`)
    .set('Sec-Fetch-Site', origin)
    .set('Accept-Language', language);
  return test
    .attach('file', file ?? Buffer.alloc(0), { filename: file ? name : '' })
    .field('text', text);
}

/** The address of the preview, below /dashboard. */
async function preview(
  file: Buffer,
  options: { path?: string; name?: string; text?: string } = {},
  of = owner,
) {
  const { headers, status, text } = await send(of, file, options);
  if (status !== 303) throw new Error(`${status}: ${textOf(text)}`);
  return String(headers.location).replace('/dashboard', '');
}
const stateOf = async (at: string) => {
  const [found] = await service.database.query<{ state: string }[]>(
    `SELECT state FROM imports WHERE id = $1`,
    [at.split('/').at(-1)],
  );
  return found?.state;
};
const run = (at: string) => service.app.get(ImportRunnerService).run(at.split('/').at(-1) ?? '');

/** The field that says which text of a file was changed, beside the text itself. */
const hashIn = (page: string) => ({
  textHash: /name="textHash" value="(\w+)"/.exec(page)?.[1] ?? '',
});

/** The button below the whole text of a file. */
const READ_TEXT = 'Read this text';

/** How the form of an import names each format. */
const FORMAT_PHRASES: Record<FormatName, Record<'en' | 'de', string>> = {
  json: { en: 'JSON', de: 'JSON' },
  jsonl: { en: 'JSON', de: 'JSON' },
  csv: { en: 'CSV sheets', de: 'CSV-Tabellen' },
  xlsx: { en: 'Excel', de: 'Excel' },
  quizlet: { en: 'Quizlet', de: 'Quizlet' },
  markdown: { en: 'Markdown', de: 'Markdown' },
  gift: { en: 'GIFT', de: 'GIFT' },
  aiken: { en: 'Aiken', de: 'Aiken' },
  'moodle-xml': { en: 'Moodle XML', de: 'Moodle-XML' },
  opentdb: { en: 'Open Trivia DB', de: 'Open Trivia DB' },
  opentriviaqa: { en: 'OpenTriviaQA', de: 'OpenTriviaQA' },
  qti: { en: 'QTI', de: 'QTI' },
  archive: { en: 'archive of an account', de: 'Archiv eines Kontos' },
};

describe('importing a file in the dashboard', () => {
  it.each(DASHBOARD_LANGUAGES)(
    'the form in %s names every format that is read',
    async (language) => {
      const { text } = await mine.open('/imports/new').set('Accept-Language', language).expect(200);
      const [, help = ''] = /id="field-file-help">(.*?)<\/p>/.exec(text) ?? [];
      for (const name of FORMAT_NAMES)
        expect(textOf(help)).toContain(FORMAT_PHRASES[name][language]);
    },
  );

  it('a file is previewed row by row, and then appended to its quiz', async () => {
    const { id, title } = await makeQuiz(owner, {}, questionBodies(1));
    const before = await quizOf(id);
    const at = await preview(
      csv(ROW, 'No right answer?,MULTIPLE_CHOICE,EASY,A,B,', ROW, 'Second?,MULTIPLE_CHOICE,,A,B,2'),
      { path: `/imports?quiz=${id}` },
    );
    const page = (await mine.open(at).expect(200)).text;
    expect(textOf(page)).toContain(`They are appended to “${title}”.`);
    expect(textOf(page)).toContain('Import 2 questions');
    expect(textOf(page)).toMatch(/Line 3 error .*Line 4 duplicate/);
    expect(await quizOf(id)).toEqual(before);

    const settings = { difficulty: 'HARD', format: 'csv' };
    await mine.send(`${at}/start`, settings).expect(303).expect('Location', `/dashboard${at}`);
    const waiting = (await mine.open(at).expect(200)).text;
    expect(waiting).toContain('<noscript><meta http-equiv="refresh" content="2"/></noscript>');
    expect(waiting).toContain('hx-trigger="every 1s"');
    await run(at);
    const done = (await mine.open(at).expect(200)).text;
    expect(textOf(done)).toContain('2 questions imported.');
    expect(done).not.toContain('http-equiv="refresh"');
    const { questions } = await quizOf(id);
    expect(questions.map(({ text }) => text).slice(1)).toEqual([
      'Which river flows through Vienna?',
      'Second?',
    ]);
    expect(questions[2]?.difficulty).toBe('HARD');
    await mine.send(`${at}/start`).expect(409);
    expect((await quizOf(id)).questions).toHaveLength(3);
  });

  it('a file becomes new quizzes, which are published if that is ticked', async () => {
    const before = (await quizzes()).length;
    const at = await preview(csv('New?,MULTIPLE_CHOICE,EASY,A,B,1'), { name: 'Rivers.csv' });
    const shown = textOf((await mine.open(at)).text);
    expect(shown).toContain('This makes 1 new quiz.');
    // Not by the file's name: the form beside the questions asks for a title.
    expect(shown).not.toContain('Rivers none');
    expect(await quizzes()).toHaveLength(before);
    await mine.send(`${at}/start`, { published: 'yes' }).expect(303);
    await run(at);
    const done = (await mine.open(at)).text;
    expect(textOf(done)).toContain('1 question imported, into 1 new quiz.');
    const [made, ...rest] = await quizzes();
    expect(rest).toHaveLength(before);
    expect(done).toMatch(new RegExp(`href="/dashboard/quizzes/${made?.id}"[^>]*>To the quiz<`));
    expect(made).toMatchObject({ title: 'Rivers', state: 'pending', questionCount: 1 });
    expect(textOf((await mine.open('/imports')).text)).toContain('Rivers.csv imported');
  });

  it('an import links to every quiz that it created, and names those deleted since', async () => {
    const rows = [...Array(520).keys()].map(
      (i) => `${i * 7919} is?,MULTIPLE_CHOICE,EASY,a ${i},b ${i},1`,
    );
    const at = await preview(csv(...rows), { name: 'Sums.csv' });
    await mine.send(`${at}/start`).expect(303);
    await run(at);
    const linked = (html: string) =>
      [...html.matchAll(/href="\/dashboard(\/quizzes\/[^"]+)"[^>]*><bdi>([^<]*)/g)].map(
        ([, path = '', title]) => ({ path, title }),
      );
    const page = (await mine.open(at).expect(200)).text;
    expect(linked(page).map(({ title }) => title)).toEqual(
      [...Array(10).keys()].map((i) => `Sums (${i + 1})`),
    );
    expect(textOf(page)).toContain('All 11 quizzes of this import');
    const all = linked((await mine.open(`${at}/quizzes`).expect(200)).text);
    expect(all).toHaveLength(11);
    for (const { path, title = '' } of all)
      expect(textOf((await mine.open(path).expect(200)).text)).toContain(title);
    await neighbours.open(`${at}/quizzes`).expect(404);

    await service.database.query(`DELETE FROM quizzes WHERE title = 'Sums (1)'`);
    const left = (await mine.open(at).expect(200)).text;
    expect(linked(left)).toHaveLength(9);
    expect(textOf(left)).toContain('Sums (1) deleted since');
  });

  it('an import that adds nothing shows the reason, and its report is filtered by kind', async () => {
    const error = 'No right answer?,MULTIPLE_CHOICE,EASY,A,B,';
    const question = 'Here?,MULTIPLE_CHOICE,EASY,A,B,1';
    const once = await preview(csv(question), { name: 'Once.csv' });
    await mine.send(`${once}/start`).expect(303);
    await run(once);
    // The dashboard starts no import that has nothing to add; the API has no preview that could show it.
    const { body } = await owner
      .post('/imports?filename=Again.csv')
      .type('text/csv')
      .send(csv(question, error, error))
      .expect(202);
    const at = `/imports/${(body as { data: { id: string } }).data.id}`;
    await run(at);
    const report = async (query: string) =>
      textOf((await mine.open(`${at}${query}`).expect(200)).text).replace(/.* Report /, '');
    expect(await report('')).toMatch(/^All 3 Errors 2 Duplicates 1 .* Line 2 duplicate/);
    expect(await report('?kind=duplicate')).toMatch(/Line 2 duplicate .*in the quiz "Once"/);
    expect(await report('?kind=duplicate')).not.toMatch(/Line 3/);
    expect(await report('?kind=error')).not.toMatch(/Line 2/);
    expect(await report('?kind=none')).toContain('Line 2 duplicate');
    // quizctl reads several files as one import.
    await service.database.query(
      `UPDATE import_report_entries SET file = '/home/ada/Other.csv' WHERE line = 4 AND import_id = $1`,
      [at.split('/').at(-1)],
    );
    expect(await report('?kind=error')).toMatch(/Line 3 error .* Line 4 Other\.csv error/);
    const list = textOf((await mine.open('/imports')).text);
    expect(list).toContain('Again.csv nothing imported: 2 errors, 1 duplicate');
    expect(textOf((await mine.open(at)).text)).toContain('No question was imported.');
  });

  it('imported questions keep the source and licence of the form', async () => {
    const { id } = await makeQuiz(owner);
    const origin = { source: 'River almanac', licence: 'CC BY-SA 4.0' };
    const path = `/imports?quiz=${id}`;
    const at = await preview(csv('Whose?,MULTIPLE_CHOICE,EASY,A,B,1'), { path });
    const settings = { difficulty: 'EASY', format: 'csv', ...origin };
    await mine.send(`${at}/start`, settings).expect(303);
    await run(at);
    const { text } = await owner.get(`/quizzes/${id}/export?format=json`);
    expect(text).toContain('River almanac');
    expect(text).toContain('CC BY-SA 4.0');
  });

  it('a source that is too long is an error beside its field, and typed values stay', async () => {
    const fields = { difficulty: 'EASY', source: 'ß'.repeat(501), licence: 'CC0', quiz_size: '0' };
    const { status, text } = await mine.send(`${await preview(csv(ROW))}/preview`, fields);
    expect(status).toBe(422);
    expect(textOf(text)).toContain('Source is longer than 500 characters.');
    expect(text).toContain('value="CC0"');
    expect(textOf(text)).toContain('The number must be an integer from 1 to 1000.');
    for (const folded of ['Change how it is read', 'Source and licence'])
      expect(text).toContain(`<details class="more" open><summary>${folded}</summary>`);
  });

  it('an import that is refused for its title keeps the choice to publish', async () => {
    const { headers } = await send(owner, null, { text: 'Published?\na) no\nb) yes *' });
    const at = String(headers.location).replace('/dashboard', '');
    const isTicked = (html: string) =>
      /<input[^>]*name="published"[^>]*>/.exec(html)?.[0].includes('checked');
    expect(isTicked((await mine.open(at).expect(200)).text)).toBe(false);
    for (const published of ['yes', '']) {
      const { text } = await mine.send(`${at}/start`, { title: ' ', published }).expect(422);
      expect(isTicked(text)).toBe(published === 'yes');
    }
  });

  it('a refused change of the settings keeps the choice of a recognised format', async () => {
    const at = await preview(csv(ROW));
    const chosen = (html: string) =>
      /<select[^>]*name="format"[^>]*>.*?<option value(?:="(\w+)")? selected>/.exec(html)?.slice(1);
    expect(chosen((await mine.open(at).expect(200)).text)).toEqual(['csv']);
    const settings = { difficulty: 'EASY', format: '', quiz_size: '0' };
    const { text } = await mine.send(`${at}/preview`, settings).expect(422);
    expect(chosen(text)).toEqual([undefined]);
  });

  it('a refused correction of a row keeps the settings of the preview', async () => {
    const at = await preview(csv(ROW, 'No right answer?,MULTIPLE_CHOICE,EASY,A,B,'));
    const settings = { difficulty: 'EASY', format: 'csv' };
    const groups = { title: 'Rivers', category: 'Geography', quiz_size: '7' };
    await mine.send(`${at}/preview`, { ...settings, ...groups }).expect(303);
    const { text } = await mine
      .send(`${at}/preview`, { rows: `3:3:${'0'.repeat(16)}` })
      .expect(409);
    for (const [name, value] of Object.entries(groups))
      expect(text).toMatch(new RegExp(`<input[^>]*value="${value}"[^>]*name="${name}"`));
  });

  it('a preview shows its questions with the correct answers, and follows changed columns and groups', async () => {
    const file = 'Kysymys;Yksi;Kaksi;Oikein\nWo;Hier;Dort;2\nWann;Jetzt;Nie;1\n';
    const at = await preview(Buffer.from(file), { name: 'Fragen.csv' });
    const unread = textOf((await mine.open(at)).text);
    expect(unread).toContain('This file cannot be read');
    expect(unread).toContain('Oikein 2');
    const settings = {
      difficulty: 'EASY',
      format: 'csv',
      title: 'Erdkunde',
      category: 'Schule',
      quiz_size: '1',
      columns: ['text', 'option', 'option', 'numbers'],
    };
    await mine.send(`${at}/start`, settings).expect(303);
    const { columns } = (await owner.get(at).expect(200)).body.data as {
      columns: { field: string | null }[];
    };
    const names = ['question', 'answer_1', 'answer_2', 'correct_numbers'];
    expect(columns.map(({ field }) => field)).toEqual(names);
    const page = (await mine.open(at)).text;
    expect(textOf(page)).toContain('The preview shows your changes.');
    const marked = [...page.matchAll(/<li data-correct.*?<div dir="auto">([^<]*)/g)].map(
      ([, text]) => text,
    );
    expect(marked).toEqual(['Dort', 'Jetzt']);
    expect(textOf(page)).toContain('This makes 2 new quizzes.');
    await mine.send(`${at}/start`, settings).expect(303);
    await run(at);
    const titles = (await quizzes()).slice(0, 2).map(({ title, category }) => [title, category]);
    expect(titles.sort()).toEqual([
      ['Erdkunde (1)', 'Schule'],
      ['Erdkunde (2)', 'Schule'],
    ]);
  });

  it('rejected rows are shown as they are written, and corrected in the preview', async () => {
    const { id } = await makeQuiz(owner);
    const list =
      '1. Corrected list?\na) no\nb) yes *\n\n2. Without a mark?\na) no\nb) yes\n\n3. Alone?\na) x *\n';
    const at = await preview(Buffer.from(list), { name: 'list.txt', path: `/imports?quiz=${id}` });
    const page = (await mine.open(at).expect(200)).text;
    expect(textOf(page)).toContain('2 rows have a mistake');
    expect(decodeHTML(page)).toMatch(/name="text-5"[^>]*>2\. Without a mark\?\na\) no\nb\) yes</);
    const keys = (html: string) =>
      [...html.matchAll(/name="rows" value="([^"]+)"/g)].map((it) => it[1] ?? '');
    const rows = keys(page);
    expect(rows).toHaveLength(2);
    const fields = {
      rows,
      'text-5': '2. Without a mark?\r\na) no\r\nb) yes *\r\nc) perhaps',
      'text-9': '3. Alone?\na) x *\nb) y',
    };
    await mine.send(`${at}/preview`, fields).expect(303).expect('Location', `/dashboard${at}`);
    const better = textOf((await mine.open(at)).text);
    expect(better).toContain('Import 3 questions');
    expect(better).toContain('No problems found');
    // The page of another tab is out of date.
    await mine.send(`${at}/preview`, fields).expect(409);
    await neighbours.send(`${at}/preview`, fields).expect(404);
    await mine.send(`${at}/start`, { difficulty: 'EASY', format: 'markdown' }).expect(303);
    await run(at);
    expect((await quizOf(id)).questions).toHaveLength(3);
  });

  it.each([
    [
      'CSV',
      'rows.csv',
      Buffer.from('Frage;Antwort A;Antwort B;Richtig\n"Zelle; eins?";a;b;\nZwei?;a;b;B\n'),
    ],
    [
      'a workbook',
      'rows.xlsx',
      workbook(
        [
          ['Frage', 'Antwort A', 'Antwort B', 'Richtig'],
          ['Zelle; eins?', 'a', 'b', ''],
          ['Zwei?', 'a', 'b', 'B'],
        ].map((cells) => cells.map((it) => `<c t="str"><v>${it}</v></c>`).join('')),
      ),
    ],
  ])('a rejected row of %s is corrected cell by cell', async (_, name, file) => {
    const other = await service.account('pro');
    const window = await signIn(service, other);
    const at = await preview(file, { name }, other);
    if (name.endsWith('.xlsx')) await run(at);
    const page = (await window.open(at).expect(200)).text;
    expect(textOf(page)).toContain('1 row has a mistake');
    expect(textOf(page)).toContain('in the column "Richtig"');
    const cells = [...page.matchAll(/name="cells-2" value(?:="([^"]*)")?/g)].map(
      (it) => it[1] ?? '',
    );
    expect(cells).toEqual(['Zelle; eins?', 'a', 'b', '']);
    // The question's cell takes the whole row.
    expect(page).toMatch(/<label data-field="text"><span class="clip">Frage<\/span>/);
    const rows = [...page.matchAll(/name="rows" value="([^"]+)"/g)].map((it) => it[1] ?? '');
    const fields = { rows, 'cells-2': ['Zelle; "eins"?', 'a', 'b', 'A'] };
    await window.send(`${at}/preview`, fields).expect(303);
    const better = textOf((await window.open(at)).text);
    expect(better).toContain('Import 2 questions');
    expect(better).toContain('Zelle; "eins"?');
  });

  it('a correction with 150,000 line ends is read', async () => {
    const at = await preview(csv('Which river?,MULTIPLE_CHOICE,EASY,The Danube,The Rhine,'));
    const page = (await mine.open(at).expect(200)).text;
    const [rows = ''] = [...page.matchAll(/name="rows" value="([^"]+)"/g)].map((it) => it[1] ?? '');
    const text = `${ROW}${'\n'.repeat(150_000)}${ROW}`;
    await mine.send(`${at}/preview`, { rows, 'text-2': text }).expect(303);
    expect(await stateOf(at)).toBe('waiting');
  });

  it('corrections of the same lines, or of none, are refused', async () => {
    const at = await preview(csv('Which river?,MULTIPLE_CHOICE,EASY,The Danube,The Rhine,'));
    const page = (await mine.open(at).expect(200)).text;
    const [row = ''] = [...page.matchAll(/name="rows" value="([^"]+)"/g)].map((it) => it[1] ?? '');
    const nothing = `1:1:${createHash('sha256').digest('hex').slice(0, 16)}`;
    const text = 'x'.repeat(500_000);
    await mine
      .send(`${at}/preview`, { rows: Array(2_000).fill(nothing), 'text-1': text })
      .expect(409);
    await mine.send(`${at}/preview`, { rows: Array(2_000).fill(row), 'text-2': text }).expect(409);
    expect(await stateOf(at)).toBe('completed');
  });

  it('a workbook that names a long text thousands of times is not shown as text', async () => {
    const cells = '<c t="s"><v>0</v></c>';
    const file = workbook(Array<string>(3_000).fill(cells), ['x'.repeat(1_000_000)]);
    expect(file.length).toBeLessThan(32_768);
    const at = await preview(file, { name: 'long.xlsx' });
    // It would keep the process that received it busy.
    expect(await stateOf(at)).toBe('waiting');
    await service.database.query(
      `UPDATE imports SET state = 'failed', error = 'x', format = 'xlsx' WHERE id = $1`,
      [at.split('/').at(-1)],
    );
    const page = (await mine.open(at).expect(200)).text;
    expect(page).not.toContain(READ_TEXT);
  });

  it('the lines of a cell stay apart when its row is corrected', async () => {
    const other = await service.account('pro');
    const window = await signIn(service, other);
    const verse = 'Which verse?\nOn the bridge\n"we" dance';
    const file = Buffer.from(
      `question,a,b,correct\n"${verse.replaceAll('"', '""')}",yes,no,\nTwo?,yes,no,a\n`,
    );
    const at = await preview(file, { name: 'rows.csv' }, other);
    const page = (await window.open(at).expect(200)).text;
    // A browser takes line breaks out of an input.
    const [, cell = ''] = /<textarea[^>]*name="cells-2"[^>]*>([^<]*)</.exec(page) ?? [];
    expect(decodeHTML(cell)).toBe(verse);
    expect(page.match(/<input[^>]*name="cells-2"/g)).toHaveLength(3);
    const rows = [...page.matchAll(/name="rows" value="([^"]+)"/g)].map((it) => it[1] ?? '');
    const cells = [verse.replaceAll('\n', '\r\n'), 'yes', 'no', 'a'];
    await window.send(`${at}/preview`, { rows, 'cells-2': cells }).expect(303);
    const better = (await window.open(at)).text;
    expect(textOf(better)).toContain('Import 2 questions');
    expect(decodeHTML(better)).toContain(verse);
  });

  it('a cell that begins with a line break stays as it is when the form is sent', async () => {
    const other = await service.account('pro');
    const window = await signIn(service, other);
    const file = Buffer.from(
      'question,a,b,correct,explanation\nTwo?,yes,no,a,\nOne?,yes,no,,"\nBecause\nso"\n',
    );
    const at = await preview(file, { name: 'rows.csv' }, other);
    const page = (await window.open(at).expect(200)).text;
    // A parser of HTML leaves out one line break at the beginning of a textarea.
    const [, explanation = ''] = /<textarea[^>]*name="cells-3"[^>]*>\n?([^<]*)</.exec(page) ?? [];
    const [, rows = ''] = /name="rows" value="([^"]+)"/.exec(page) ?? [];
    const cells = ['One?', 'yes', 'no', '', explanation.replaceAll('\n', '\r\n')];
    expect(await stateOf(at)).toBe('completed');
    await window.send(`${at}/start`, { rows, 'cells-3': cells, title: 'Rows' }).expect(303);
    expect(await stateOf(at)).toBe('waiting');
  });

  it('a pasted text stays in its box after a refusal, and is read again', async () => {
    const { headers } = await send(owner, null, { text: 'Some words that are no questions.' });
    const at = String(headers.location).replace('/dashboard', '');
    const page = (await mine.open(at).expect(200)).text;
    expect(textOf(page)).toContain('Nothing shows what kind of file this is.');
    expect(page).toMatch(/<textarea[^>]*name="text"[^>]*>Some words that are no questions\.</);
    expect(page).toContain(READ_TEXT);
    const emptied = await mine.send(`${at}/preview`, { ...hashIn(page), text: '' }).expect(422);
    expect(emptied.text).toMatch(/<textarea[^>]*name="text"[^>]*><\/textarea>/);
    const text = 'Pasted again?\na) no\nb) yes *';
    await mine.send(`${at}/preview`, { ...hashIn(page), text }).expect(303);
    const shown = (await mine.open(at)).text;
    expect(textOf(shown)).toContain('Import 1 question');
    // The title is asked for: it would be "Pasted Text".
    expect(shown).toMatch(/<input[^>]*name="title"[^>]*required/);
    const fields = { difficulty: 'EASY', format: 'markdown', quiz_size: '50' };
    const untitled = await mine.send(`${at}/start`, { ...fields, title: ' ' }).expect(422);
    expect(textOf(untitled.text)).toContain('Write a title: the file has none.');
    await mine.send(`${at}/start`, { ...fields, title: 'Typed title' }).expect(303);
    await run(at);
    expect((await quizzes())[0]?.title).toBe('Typed title');
  });

  it('a preview that is read again is reported as ready only when it is', async () => {
    const ready = /up to date|were read again|was read again|shows your changes/;
    const readAgain = async (
      at: string,
      path: string,
      fields: Record<string, string | string[]>,
    ) => {
      const { text } = await mine.open(at).expect(200);
      await mine.send(`${at}/${path}`, { ...hashIn(text), ...fields }).expect(303);
      return textOf((await mine.open(at).expect(200)).text);
    };
    const changes = { difficulty: 'HARD', format: 'csv', columns: ['text', 'numbers', 'option'] };
    const small = csv(ROW, 'No right answer?,MULTIPLE_CHOICE,EASY,A,B,');
    const large = csv(...Array<string>(500).fill(ROW));
    const texts = (file: Buffer) => ({ text: `${file.toString()}${ROW}\n` });
    for (const [path, fields] of [
      ['preview', () => changes],
      ['start', () => changes],
      ['preview', texts],
      ['start', texts],
    ] as const) {
      expect(await readAgain(await preview(small), path, fields(small))).toMatch(ready);
      const waiting = await preview(large);
      await run(waiting);
      expect(await readAgain(waiting, path, fields(large))).not.toMatch(ready);
      expect(await stateOf(waiting)).toBe('waiting');
      await mine.send(`${waiting}/cancel`).expect(303);
    }
    const unread = await readAgain(await preview(small), 'preview', { text: 'No question.' });
    expect(unread).toContain('This file cannot be read');
    expect(unread).not.toMatch(ready);
  });

  it('a workbook without rows is refused without an empty box for its text', async () => {
    const at = await preview(workbook([]), { name: 'empty.xlsx' });
    await run(at);
    const page = (await mine.open(at).expect(200)).text;
    expect(textOf(page)).toContain('The workbook has no visible sheet with rows');
    expect(page).not.toContain(READ_TEXT);
  });

  it('a file above 256 KiB is not corrected in its preview', async () => {
    const row = 'Which river?,MULTIPLE_CHOICE,EASY,The Danube,The Rhine,';
    const large = await preview(csv(row, ...Array<string>(4_000).fill(ROW)));
    await run(large);
    const page = (await mine.open(large).expect(200)).text;
    expect(textOf(page)).toContain('Correct them in your file');
    expect(page).not.toContain('name="rows"');
    await mine.send(`${large}/preview`, { text: 'x' }).expect(409);
    const small = await preview(csv(row));
    const hash = hashIn((await mine.open(small).expect(200)).text);
    const text = 'ü'.repeat(131_073);
    await mine.send(`${small}/preview`, { ...hash, text }).expect(422);
  });

  it('a changed text is read by the button that imports, before anything is imported', async () => {
    const at = await preview(csv(ROW), { name: 'long.csv' });
    const page = (await mine.open(at).expect(200)).text;
    const changed = { ...hashIn(page), text: csv(ROW, 'Typed late?,MULTIPLE_CHOICE,EASY,A,B,1') };
    const fields = { ...changed, text: changed.text.toString().replaceAll('\n', '\r\n') };
    await mine.send(`${at}/start`, fields).expect(303);
    expect(textOf((await mine.open(at)).text)).toContain('1 Typed late?');
    // The page of another tab is out of date.
    await mine.send(`${at}/start`, fields).expect(409);
  });

  it('a title is asked for wherever in the file the questions without one are', async () => {
    const lines = Array.from(
      { length: 52 },
      (_, number) => `Question ${number}?,Yes,No,${number < 51 ? `Category ${number}` : ''}`,
    );
    const file = `question,correct_answer,wrong_answer_1,category\n${lines.join('\n')}\n`;
    const at = await preview(Buffer.from(file), { name: 'many.csv' });
    const page = (await mine.open(at).expect(200)).text;
    expect(page).toMatch(/<input[^>]*name="title"[^>]*required/);
    const { text } = await mine.send(`${at}/start`, { title: ' ' }).expect(422);
    expect(textOf(text)).toContain('Write a title: the file has none.');
  });

  it('a preview says in the language of the page that questions have no title', async () => {
    const file = 'question,correct_answer,wrong_answer_1,category\nA?,Yes,No,Rivers\nB?,Yes,No,\n';
    const at = await preview(Buffer.from(file), { name: '\u200b.csv' });
    const shown = async (language: string) =>
      textOf((await mine.open(at).set('Accept-Language', language).expect(200)).text);
    expect(await shown('en')).toMatch(/Title Category Questions Rivers Rivers 1 none none 1/);
    expect(await shown('de')).toMatch(/Titel Kategorie Fragen Rivers Rivers 1 keiner keine 1/);
  });

  it('a preview that is still being read says so to another tab, and not that it has expired', async () => {
    const at = await preview(csv(ROW), { name: 'again.csv' });
    const hash = hashIn((await mine.open(at).expect(200)).text);
    const setState = (state: string) =>
      service.database.query(`UPDATE imports SET state = $2 WHERE id = $1`, [
        at.split('/').at(-1),
        state,
      ]);
    await setState('running');
    const text = `${csv(ROW).toString()}${ROW}\n`;
    for (const [path, fields] of [
      ['start', {}],
      ['start', { ...hash, text }],
      ['preview', { ...hash, text }],
    ] as const) {
      const refused = textOf((await mine.send(`${at}/${path}`, fields).expect(409)).text);
      expect(refused).toContain('This preview is still being read. Wait until it is complete.');
    }
    await setState('completed');
  });

  it('a preview that has expired, or was started in another tab, says so', async () => {
    const expired = await preview(csv(ROW), { name: 'late.csv' });
    const started = await preview(csv(ROW), { name: 'early.csv' });
    const hashOf = async (at: string) => hashIn((await mine.open(at).expect(200)).text);
    const text = csv(ROW).toString().replaceAll('\n', '\r\n');
    const tabs = [
      [expired, { ...(await hashOf(expired)), text }, 'This preview has expired.'],
      [started, { ...(await hashOf(started)), text }, 'You have already started this import.'],
    ] as const;
    await service.database.query(`UPDATE imports SET stored = false WHERE id = $1`, [
      expired.split('/').at(-1),
    ]);
    await mine.send(`${started}/start`).expect(303);
    for (const [at, sent, reason] of tabs)
      for (const fields of [sent, { ...sent, text: `${text}${ROW}` }, {}])
        expect(textOf((await mine.send(`${at}/start`, fields).expect(409)).text)).toContain(reason);
    for (const [at, fields, reason] of tabs)
      expect(textOf((await mine.send(`${at}/preview`, fields).expect(409)).text)).toContain(reason);
    await mine.send(`${started}/cancel`).expect(303);
  });

  it('a text of 256 KiB is read, however long it is in its form, and a form above 2 MiB is refused', async () => {
    // A form has six characters for an umlaut of two bytes, and as many for a line end of one.
    for (const text of ['ü'.repeat(131_000), `${ROW}\n${'\n'.repeat(261_000)}${ROW}`]) {
      const at = await preview(csv(ROW), { name: 'typed.csv' });
      const hash = hashIn((await mine.open(at).expect(200)).text);
      await mine
        .send(`${at}/preview`, { ...hash, text: text.replaceAll('\n', '\r\n') })
        .expect(303);
    }
    const at = await preview(csv(ROW));
    await mine.send(`${at}/preview`, { rows: 'x'.repeat(2 * MIB - 'rows='.length) }).expect(303);
    const refused = await mine.send(`${at}/preview`, { rows: 'x'.repeat(2 * MIB) }).expect(413);
    expect(textOf(refused.text)).toContain('The form is too large. Send less of it at a time.');
  });

  it('a text that nobody changed is imported, whatever its line ends are', async () => {
    const text = `\r\nquestion,answer 1,answer 2,correct\rLine ends?,A,B,1\r\n`;
    const at = await preview(Buffer.from(text), { name: 'ends.csv' });
    const hash = hashIn((await mine.open(at).expect(200)).text);
    const sent = '\r\nquestion,answer 1,answer 2,correct\r\nLine ends?,A,B,1\r\n';
    await mine.send(`${at}/start`, { ...hash, text: sent }).expect(303);
    expect(await stateOf(at)).toBe('waiting');
    await run(at);
    expect(textOf((await mine.open(at)).text)).toContain('1 question imported');
  });

  it('changes of single rows and of the whole text are refused together, and both stay', async () => {
    const at = await preview(csv('Which river?,MULTIPLE_CHOICE,EASY,The Danube,The Rhine,'));
    const page = (await mine.open(at).expect(200)).text;
    const [, rows = ''] = /name="rows" value="([^"]+)"/.exec(page) ?? [];
    const row = ['Which stream?', 'MULTIPLE_CHOICE', 'EASY', 'The Danube', 'The Rhine', '1'];
    const both = { ...hashIn(page), rows, 'cells-2': row, text: 'A whole text?' };
    for (const path of ['preview', 'start']) {
      const { text } = await mine.send(`${at}/${path}`, both).expect(409);
      expect(textOf(text)).toContain('Undo one of the two changes.');
      expect(text).toContain('value="Which stream?"');
      expect(text).toMatch(/<details[^>]* open><summary>Show and change the whole text/);
      expect(text).toMatch(/<textarea[^>]*name="text"[^>]*>A whole text\?</);
    }
  });

  it('the choice to publish stays when corrections or settings are read', async () => {
    const at = await preview(csv(ROW, 'Which river?,MULTIPLE_CHOICE,EASY,The Danube,The Rhine,'));
    const settings = { difficulty: 'EASY', format: 'csv', published: 'yes' };
    const isTicked = async () => {
      const { text } = await mine.open(at).expect(200);
      return /<input[^>]*name="published"[^>]*>/.exec(text)?.[0].includes('checked');
    };
    const text = csv(ROW, 'Corrected?,MULTIPLE_CHOICE,EASY,A,B,1').toString();
    const hash = hashIn((await mine.open(at)).text);
    await mine.send(`${at}/preview`, { ...settings, ...hash, text }).expect(303);
    expect(await isTicked()).toBe(true);
    await mine.send(`${at}/preview`, { ...settings, published: '' }).expect(303);
    expect(await isTicked()).toBe(false);
    await mine.send(`${at}/preview`, settings).expect(303);
    expect(await isTicked()).toBe(true);
    const later = hashIn((await mine.open(at)).text);
    const none = 'question,answer 1,correct\nNone?,A,\n';
    await mine.send(`${at}/start`, { ...settings, ...later, text: none }).expect(303);
    expect(await isTicked()).toBe(true);
  });

  it('ticking the choice to publish does not read a large file again', async () => {
    const at = await preview(csv(...Array<string>(500).fill(ROW)));
    await run(at);
    const settings = { difficulty: 'MEDIUM', format: 'csv', quiz_size: '50', published: 'yes' };
    await mine.send(`${at}/start`, settings).expect(303);
    const [found] = await service.database.query<object[]>(
      `SELECT dry_run, options->'published' AS published FROM imports WHERE id = $1`,
      [at.split('/').at(-1)],
    );
    expect(found).toEqual({ dry_run: false, published: true });
  });

  it.each([
    ['a workbook', 'rivers.xlsx', 'Titled and packed?'],
    ['a file above 32 KiB', 'rivers.csv', 'Titled and large?'],
  ])(
    '%s is imported with the title and category of its preview by one press of Import',
    async (_, name, question) => {
      const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
      const row = (...cells: string[]) => cells.map(cell).join('');
      const file = name.endsWith('xlsx')
        ? workbook([
            row('question', 'answer 1', 'answer 2', 'correct'),
            row(question, 'A', 'B', '1'),
          ])
        : csv(...Array<string>(1_000).fill(`${question},MULTIPLE_CHOICE,EASY,A,B,1`));
      const at = await preview(file, { name });
      await run(at);
      const fields = { title: `Titled ${name}`, category: 'Rivers', format: name.split('.')[1]! };
      const rest = { difficulty: 'MEDIUM', quiz_size: '50' };
      await mine.send(`${at}/start`, { ...fields, ...rest }).expect(303);
      expect(await stateOf(at)).toBe('waiting');
      // As the queue does: the file is read again, and then imported.
      await run(at);
      await run(at);
      const quiz = (await quizzes()).find(({ title }) => title === fields.title);
      expect(quiz?.category).toBe('Rivers');
      expect(textOf((await mine.open(at)).text)).toContain('1 question imported, into 1 new quiz.');
    },
  );

  it('one press of Import leads to the import, also if a worker ends it before the response', async () => {
    const row = 'Ended before the response?,MULTIPLE_CHOICE,EASY,A,B,1';
    const at = await preview(csv(...Array<string>(1_000).fill(row)));
    await run(at);
    const imports = service.app.get(ImportsService);
    const get = imports.get.bind(imports);
    const spy = jest.spyOn(imports, 'get').mockImplementation(async (accountId, id) => {
      if ((await stateOf(at)) === 'waiting') {
        await run(at);
        await run(at);
      }
      return get(accountId, id);
    });
    const fields = { title: 'Ended early', format: 'csv', difficulty: 'MEDIUM', quiz_size: '50' };
    const response = await mine.send(`${at}/start`, fields);
    spy.mockRestore();
    expect(response.status).toBe(303);
    expect(response.headers.location).toBe(`/dashboard${at}`);
    const page = textOf((await mine.open(at)).text);
    expect(page).toContain('1 question imported, into 1 new quiz.');
    expect(page).not.toContain('The preview shows your changes');
  });

  it('a preview that no longer fits with its new settings stays, and says so', async () => {
    const other = await service.account('starter');
    const window = await signIn(service, other);
    const rows = Array.from(
      { length: 900 },
      (_, number) => `Is the number ${number} odd?,,EASY,Odd,Even,1`,
    );
    const at = await preview(csv(...rows), { name: 'many.csv' }, other);
    await run(at);
    const settings = { title: 'Many', format: 'csv', difficulty: 'MEDIUM' };
    await window.send(`${at}/start`, { ...settings, quiz_size: '10' }).expect(303);
    expect(textOf((await window.open(at)).text)).not.toContain('a preview follows');
    await run(at);
    expect(await stateOf(at)).toBe('completed');
    const page = textOf((await window.open(at)).text);
    expect(page).toContain('This cannot be imported as it is');
    expect(page).toContain('This makes 90 new quizzes. Nothing is saved yet.');
    await window.send(`${at}/start`, { ...settings, quiz_size: '50' }).expect(303);
    await run(at);
    await run(at);
    expect(textOf((await window.open(at)).text)).toContain(
      '900 questions imported, into 18 new quizzes.',
    );
  });

  it('while a worker reads other columns, the page says that nothing is saved yet', async () => {
    const at = await preview(csv(...Array<string>(500).fill(ROW)));
    await run(at);
    const changes = { difficulty: 'HARD', format: 'csv', columns: ['text', 'numbers', 'option'] };
    await mine.send(`${at}/start`, changes).expect(303);
    const page = textOf((await mine.open(at)).text);
    expect(page).toContain('Nothing is saved yet: a preview follows.');
    await mine.send(`${at}/cancel`).expect(303);
  });

  it('a page that updates itself leaves the notice to the page that is opened', async () => {
    const at = await preview(csv('Who is told?,MULTIPLE_CHOICE,EASY,A,B,1'));
    const unwanted = await preview(csv('Who is removed?,MULTIPLE_CHOICE,EASY,A,B,1'));
    await mine.send(`${unwanted}/remove`).expect(303);
    const updated = await mine.open(at).set('HX-Request', 'true').expect(200);
    expect(textOf(updated.text)).not.toContain('The preview is removed.');
    expect(textOf((await mine.open('/imports')).text)).toContain('The preview is removed.');
  });

  it('a part of a page that is gone, or needs a sign-in, makes its script load the whole page', async () => {
    const gone = await mine.open(`/imports/${newId()}`).set('HX-Request', 'true').expect(404);
    expect(gone.headers['hx-refresh']).toBe('true');
    const signedOut = await request(service.url)
      .get('/dashboard/imports')
      .set({ 'HX-Request': 'true', Accept: 'text/html' })
      .expect(401);
    expect(signedOut.headers['hx-refresh']).toBe('true');
  });

  it('a row of more than 4,000 characters is named, but not corrected in its preview', async () => {
    const [shorter, longer] = [3_900, 4_100].map(
      (length) => `Which river?,MULTIPLE_CHOICE,EASY,${'x'.repeat(length)},The Rhine,`,
    );
    const page = (await mine.open(await preview(csv(shorter!, longer!))).expect(200)).text;
    expect(textOf(page)).toMatch(/Line 2.*Line 3/);
    expect(page.match(/name="rows"/g)).toHaveLength(1);
  });

  it('previews are listed by their first question, and can be removed', async () => {
    const other = await service.account('pro');
    const window = await signIn(service, other);
    const at = await preview(csv('Listed first?,MULTIPLE_CHOICE,EASY,A,B,1'), {}, other);
    const old = await preview(csv('Old?,MULTIPLE_CHOICE,EASY,A,B,1'), { name: 'old.csv' }, other);
    expect(textOf((await window.open('/imports')).text)).toContain('Listed first? questions.csv');
    await service.database.query(`UPDATE imports SET stored = false WHERE id = $1`, [
      old.split('/').at(-1),
    ]);
    expect(textOf((await window.open('/imports')).text)).not.toContain('old.csv');
    await neighbours.send(`${at}/remove`).expect(404);
    await window.send(`${at}/remove`).expect(303);
    await window.open(at).expect(404);
    const imported = await preview(csv('Kept?,MULTIPLE_CHOICE,EASY,A,B,1'), {}, other);
    await window.send(`${imported}/start`).expect(303);
    await run(imported);
    const refused = await window.send(`${imported}/remove`).expect(409);
    expect(textOf(refused.text)).toContain('Only a preview that has been read can be removed.');
  });

  it('equal notes are shown once, with the number of their rows', async () => {
    const question = (name: string) =>
      `<question type="truefalse"><name><text>${name}</text></name><questiontext><text>Is ${name} so?</text></questiontext><answer fraction="100"><text>true</text></answer><answer fraction="0"><text>false</text></answer></question>\n`;
    const file = `<quiz>\n${['One', 'Two', 'Three', 'Four'].map((it) => question(it)).join('')}</quiz>`;
    const at = await preview(Buffer.from(file), { name: 'moodle.xml' });
    expect(textOf((await mine.open(at)).text)).toContain(
      'note 4 rows: Names are not kept. Line 2, 3, 4, 5',
    );
  });

  it('what an import made is deleted with two clicks: the quizzes, or the questions added to one', async () => {
    const before = (await quizzes()).length;
    const rows = [...Array(120).keys()].map(
      (i) => `Undo ${i}?,MULTIPLE_CHOICE,EASY,a ${i},b ${i},1`,
    );
    const at = await preview(csv(...rows));
    await mine.send(`${at}/start`).expect(303);
    await mine.send(`${at}/undo`).expect(409);
    await run(at);
    expect(await quizzes()).toHaveLength(before + 3);
    // The first click opens the box of the page, the second sends its form.
    expect((await mine.open(at)).text).toContain(`action="/dashboard${at}/undo"`);
    await neighbours.send(`${at}/undo`).expect(404);
    await mine.send(`${at}/undo`).expect(303);
    expect(textOf((await mine.open(at)).text)).toContain('Deleted 3 quizzes with 120 questions.');
    expect(await quizzes()).toHaveLength(before);
    const audited = await service.app.get(AuditLog).list(3);
    expect(new Set(audited.map(({ action, actorEmail }) => `${action} ${actorEmail}`))).toEqual(
      new Set([`quiz.deleted ${owner.email}`]),
    );
    expect(audited[0]?.detail).toMatch(/^in the dashboard, session [\da-f]{8}$/);

    const { id } = await makeQuiz(owner, {}, questionBodies(2));
    const kept = (await quizOf(id)).questions.map(({ text }) => text);
    const into = await preview(
      csv('A third?,MULTIPLE_CHOICE,EASY,A,B,1', 'Another?,MULTIPLE_CHOICE,EASY,A,B,1'),
      {
        path: `/imports?quiz=${id}`,
      },
    );
    await mine.send(`${into}/start`).expect(303);
    await run(into);
    expect((await quizOf(id)).questions.length).toBeGreaterThan(2);
    const importId = into.split('/').at(-1) ?? '';
    const url = `/imports/${importId}/quizzes`;
    const one = await service.app.get(ImportUndoService).undo(owner, importId, 1);
    expect(one).toEqual({ quizzes: 0, questions: 1, more: true });
    const { data } = (await owner.delete(url).expect(200)).body;
    expect(data).toEqual({ quizzes: 0, questions: 1, more: false });
    expect((await quizOf(id)).questions.map(({ text }) => text)).toEqual(kept);
    expect((await owner.delete(url).expect(200)).body.data).toEqual({
      quizzes: 0,
      questions: 0,
      more: false,
    });
  });

  it('a quota that is used up while an import runs stops it, and what it made can be deleted', async () => {
    const starter = await service.account('starter');
    const window = await signIn(service, starter);
    const rows = [...Array(220).keys()].map((i) => `Q ${i}?,MULTIPLE_CHOICE,EASY,a ${i},b ${i},1`);
    const make = async () => {
      const at = await preview(csv(...rows), {}, starter);
      const fields = { difficulty: 'EASY', format: 'csv', quiz_size: '200' };
      await window.send(`${at}/start`, fields).expect(303);
      return at;
    };
    const late = await make();
    for (let i = 0; i < 24; i++) await makeQuiz(starter, { title: `Mine ${i}` });
    await run(late);
    expect(textOf((await window.open(late)).text)).toContain(
      'The file makes 2 quizzes, and your Starter plan has room for 1 of them.',
    );
    await service.database.query(`DELETE FROM quizzes WHERE owner_id = $1 AND title = 'Mine 0'`, [
      starter.accountId,
    ]);
    const at = await make();
    const runner = service.app.get(ImportRunnerService);
    const job = await runner.take(at.split('/').at(-1) ?? '');
    await service.app.get(ImportWriteService).writeChunk(job!);
    await makeQuiz(starter, { title: 'Meanwhile' });
    await runner.write(job!);
    const stopped = (await window.open(at)).text;
    expect(textOf(stopped)).toContain('Stopped after 200 of 220 questions');
    const full = await window.open(
      await preview(csv('F?,MULTIPLE_CHOICE,EASY,a,b,1'), {}, starter),
    );
    expect(full.text).toMatch(/This cannot be imported as it is[^]*Questions per quiz/);
    expect(textOf(stopped)).toContain('or undo this import');
    await window.send(`${at}/undo`).expect(303);
    expect(textOf((await window.open(at)).text)).toContain('Deleted 1 quiz with 200 questions.');
  });

  it('pasted questions are previewed like a file, and a text above 1 MiB is refused', async () => {
    const { headers } = await send(owner, null, { text: 'question\tanswer\nLima\tPeru\n' });
    const page = textOf((await mine.open(String(headers.location).slice(10))).text);
    expect(page).toContain('Pasted text');
    expect(page).toContain('Lima');
    const german = await send(owner, null, { text: 'Rom\tItalien\n', language: 'de' });
    const preview = await mine.open(String(german.headers.location).slice(10));
    expect(textOf(preview.text)).toContain('Eingefügter Text');
    const large = await send(owner, null, { text: 'x'.repeat(MIB + 1) });
    expect([large.status, textOf(large.text)]).toEqual([
      413,
      expect.stringContaining('The text is longer than 1 MiB. Save it as a file.'),
    ]);
  });

  it('mistakes of one line are told apart by their places in it', async () => {
    const questions = [{ question: 'One?' }, { question: 'Two?' }];
    const at = await preview(Buffer.from(JSON.stringify({ questions })), { name: 'line.json' });
    const page = (await mine.open(at).expect(200)).text;
    const [, list = ''] = /<ol class="problem-list">([^]*?)<\/ol>/.exec(page) ?? [];
    expect(textOf(list)).toMatch(/Line 1 .*questions\[0\].*Line 1 .*questions\[1\]/);
    const ids = [...list.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });

  it('a file that cannot be read shows the reason and changes nothing', async () => {
    const at = await preview(Buffer.from('{"questions": [}'), { name: 'broken.json' });
    const text = textOf((await mine.open(at).expect(200)).text);
    expect(text).toContain('This file cannot be read');
    expect(text).toMatch(/broken\.json:1/);
    expect(text).not.toContain('Import 0');
    await mine.send(`${at}/start`).expect(409);
  });

  it('a file above the size limit is refused beside its field, with the limit', async () => {
    const large = await send(owner, Buffer.alloc(64 * MIB + 1, 'x'));
    expect(large.status).toBe(413);
    expect(textOf(large.text)).toContain('The file is larger than 64 MiB');
    expect(large.text).toContain('aria-invalid="true"');
    const none = await send(owner, null);
    expect([none.status, textOf(none.text)]).toEqual([
      422,
      expect.stringContaining('Choose a file, or paste your questions.'),
    ]);
    const empty = await send(owner, Buffer.alloc(0), { name: 'empty.csv' });
    expect([empty.status, textOf(empty.text)]).toEqual([
      422,
      expect.stringContaining('The file is empty: choose the file that holds the questions.'),
    ]);
    expect(empty.text).toContain('aria-invalid="true"');
  });

  it('an import needs a plan that may write, and a form of the same origin', async () => {
    const free = await service.account('free');
    const refused = await send(free, csv(ROW));
    expect([refused.status, textOf(refused.text)]).toEqual([
      403,
      expect.stringContaining('A Starter or Pro plan is needed'),
    ]);
    expect((await send(owner, csv(ROW), { origin: 'cross-site' })).status).toBe(403);
    await request(service.url)
      .post('/dashboard/imports')
      .attach('file', csv(ROW), 'a.csv')
      .set('Sec-Fetch-Site', 'same-origin')
      .expect(401, /You are signed out/);
  });

  it('an import is not found by another account, nor is its quiz', async () => {
    const at = await preview(csv(ROW));
    await neighbours.open(at).expect(404);
    await neighbours.send(`${at}/start`).expect(404);
    await neighbours.send(`${at}/cancel`).expect(404);
    const { id } = await makeQuiz(owner);
    const stranger = await service.account('pro');
    expect((await send(stranger, csv(ROW), { path: `/imports?quiz=${id}` })).status).toBe(404);
    await neighbours.open(`/imports/new?quiz=${id}`).expect(404);
    for (const none of [newId(), 'none', '%00']) await mine.open(`/imports/${none}`).expect(404);
  });

  it('a preview that its quiz has no room for says so, without blaming the plan', async () => {
    const { id, title } = await makeQuiz(owner, { title: 'Nearly full' }, questionBodies(950));
    const rows = [...Array(51).keys()].map((i) => `Room ${i}?,MULTIPLE_CHOICE,EASY,a,b,1`);
    const at = await preview(csv(...rows), { path: `/imports?quiz=${id}` });
    await run(at);
    const page = textOf((await mine.open(at).expect(200)).text);
    expect(page).toContain(`They are appended to “${title}”. Nothing is saved yet.`);
    expect(page).toContain(
      'This cannot be imported as it is A quiz holds at most 1,000 questions, and this one has 950.',
    );
    expect(page).not.toMatch(/\bplan\b/i);
    expect(page).not.toContain('Import 51 questions');
  });

  it('a preview for a quiz that was deleted since says so, and leads to a form for new quizzes', async () => {
    const { id } = await makeQuiz(owner);
    const at = await preview(csv('Of no quiz?,MULTIPLE_CHOICE,EASY,A,B,1'), {
      path: `/imports?quiz=${id}`,
    });
    expect((await mine.open(at)).text).toContain(`href="/dashboard/imports/new?quiz=${id}"`);
    await owner.delete(`/quizzes/${id}`).expect(204);
    const gone = (await mine.open(at).expect(200)).text;
    expect(textOf(gone)).toContain(
      'This cannot be imported as it is The quiz was deleted. Upload the file again to make a new quiz.',
    );
    expect(textOf(gone)).not.toContain('This makes');
    expect(textOf(gone)).not.toContain('They are appended to');
    expect(textOf(gone)).not.toContain('Import 1 question');
    const [, again = ''] = /href="\/dashboard(\/imports\/new[^"]*)"/.exec(gone) ?? [];
    await mine.open(again).expect(200);
    const german = await mine.open(at).set('Accept-Language', 'de');
    expect(textOf(german.text)).toContain(
      'So kann das nicht importiert werden Das Quiz wurde gelöscht. Lade die Datei noch einmal hoch, um ein neues Quiz anzulegen.',
    );
    const started = await mine.send(`${at}/start`, { difficulty: 'EASY', format: 'csv' });
    expect(textOf(started.text)).toContain('The quiz was deleted.');
  });

  it('a preview whose questions have been deleted cannot be imported', async () => {
    const at = await preview(csv('Kept?,MULTIPLE_CHOICE,EASY,A,B,1'));
    expect((await mine.open(at)).text).toContain(`action="/dashboard${at}/start"`);
    await service.database.query(`UPDATE imports SET stored = false WHERE id = $1`, [
      at.split('/').at(-1),
    ]);
    const { text } = await mine.open(at).expect(200);
    expect(text).not.toContain(`${at}/start`);
    expect(textOf(text)).toContain('upload the file');
    await mine.send(`${at}/start`).expect(409);
  });

  it('an account keeps the questions of five previews: a further one makes the oldest expire', async () => {
    const other = await service.account('pro');
    const window = await signIn(service, other);
    const all: string[] = [];
    for (let number = 0; number < 6; number++) all.push(await preview(csv(ROW), {}, other));
    const canStart = async (at: string) => (await window.open(at)).text.includes(`${at}/start`);
    expect(await Promise.all(all.map(canStart))).toEqual([false, true, true, true, true, true]);
  });

  it('a preview above 32 KiB is read by a worker', async () => {
    const row = 'Is it large?,MULTIPLE_CHOICE,EASY,A,B,1';
    const at = await preview(csv(...Array<string>(1_000).fill(row)));
    expect(await stateOf(at)).toBe('waiting');
    await run(at);
    expect(await stateOf(at)).toBe('completed');
    const small = await preview(csv(row));
    expect(await stateOf(small)).toBe('completed');
  });

  it('a preview can be started for a day, and its report is kept for 30 days', async () => {
    const at = await preview(csv('Kept for a day?,MULTIPLE_CHOICE,EASY,A,B,1'));
    const after = async (age: string, clock: Clock = service.clock) => {
      await service.database.query(
        `UPDATE imports SET created_at = now() - $2::interval, finished_at = now() - $2::interval WHERE id = $1`,
        [at.split('/').at(-1), age],
      );
      await new ImportRetention(
        service.database,
        clock,
        service.app.get(DomainEvents, { strict: false }),
      ).prune();
      const { status, text } = await mine.open(at);
      return status === 200 ? text.includes(`${at}/start`) : status;
    };
    expect(await after('23 hours')).toBe(true);
    expect(await after('25 hours')).toBe(false);
    expect(await after('29 days')).toBe(false);
    // While the clock may be wrong, nothing is deleted by age.
    const untrusted = new Clock();
    jest.spyOn(untrusted, 'trusted', 'get').mockReturnValue(false);
    expect(await after('31 days', untrusted)).toBe(false);
    expect(await after('31 days')).toBe(404);
  });

  it('a preview or import that waits can be cancelled, and one that has ended cannot', async () => {
    const before = (await quizzes()).length;
    const requireCancelled = async (at: string) => {
      expect(await stateOf(at)).toBe('waiting');
      await mine.send(`${at}/cancel`).expect(303);
      await run(at);
      expect(textOf((await mine.open(at)).text)).toContain('Cancelled');
      expect(await quizzes()).toHaveLength(before);
    };
    const requireEnded = async (at: string) => {
      expect(await stateOf(at)).toBe('completed');
      const refused = await mine.send(`${at}/cancel`).expect(409);
      expect(textOf(refused.text)).toContain('This import has ended already.');
      expect(await stateOf(at)).toBe('completed');
    };
    await requireCancelled(await preview(csv(...Array<string>(500).fill(ROW))));
    const cancelled = await preview(csv(ROW));
    await requireEnded(cancelled);
    await mine.send(`${cancelled}/start`).expect(303);
    await requireCancelled(cancelled);
    const finished = await preview(csv('Not cancelled?,MULTIPLE_CHOICE,EASY,A,B,1'));
    await mine.send(`${finished}/start`).expect(303);
    await run(finished);
    await requireEnded(finished);
    expect(await quizzes()).toHaveLength(before + 1);
  });

  it('hostile names, rows and titles of a file are shown as text', async () => {
    const evil = '<script>alert(1)</script>';
    const at = await preview(
      csv(`${evil},MULTIPLE_CHOICE,EASY,A,A,1`, `${evil}?,MULTIPLE_CHOICE,${evil},A,B,1`),
      { name: '<b>evil<i>.csv' },
    );
    for (const path of [at, '/imports']) {
      const { text } = await mine.open(path).expect(200);
      expect(text).not.toMatch(/<script>|<b>/);
      expect(text).toContain('&lt;b>evil');
    }
  });

  it('a broken upload form gets 400 with a message, and nothing is stored', async () => {
    const count = `SELECT count(*)::int AS count FROM imports`;
    const [before] = await service.database.query<object[]>(count);
    const type = 'multipart/form-data; boundary=x';
    const incomplete = 'The upload was incomplete. Send the file again.';
    const unreadable = 'The form could not be read. Go back and send it again.';
    for (const [contentType, body, message] of [
      [
        ...[
          type,
          '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nhalf',
        ],
        incomplete,
      ],
      [type, 'nothing of the kind', incomplete],
      [type, '--x--\r\n', incomplete],
      [
        ...[type, '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n'],
        'The form has no file. Go back and choose one.',
      ],
      ['multipart/form-data', 'no boundary', unreadable],
      ['text/plain', 'no form', unreadable],
    ] as [string, string, string][]) {
      const response = await mine.send('/imports').type(contentType).send(body);
      expect([body, response.status, textOf(response.text)]).toEqual([
        ...[body, 400],
        expect.stringContaining(message),
      ]);
    }
    expect(await service.database.query(count)).toEqual([before]);
  });

  it('an upload whose client disconnects leaves nothing behind', async () => {
    const token = await service.app
      .get(SessionsService)
      .start(owner.accountId, { userAgent: 'curl', address: '127.0.0.1' });
    const { port } = new URL(service.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST /dashboard/imports HTTP/1.1\r\nHost: x\r\nCookie: quiz_session=${token}\r\n` +
        'Sec-Fetch-Site: same-origin\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 500000\r\n\r\n' +
        '--x\r\nContent-Disposition: form-data; name="file"; filename="gone.csv"\r\n\r\nquestion',
    );
    const receiving = async () =>
      service.database.query<object[]>(`SELECT FROM imports WHERE file_name = 'gone.csv'`);
    await eventually(async () => expect(await receiving()).toHaveLength(1));
    socket.destroy();
    await eventually(async () => expect(await receiving()).toEqual([]));
  });
});

it('the questions of a preview have the language of their quiz', async () => {
  const rows =
    'quiz,quiz_language,question,answer,wrong1\nUma,pt-BR,Rio?,Sim,Não\nDuas,,Mar?,Sim,Não\n';
  const page = await mine.open(await preview(Buffer.from(rows))).expect(200);
  expect(page.text).toContain('<span lang="pt-BR" dir="ltr">Rio?</span>');
  expect(page.text).toContain('<span dir="auto">Mar?</span>');
  const quiz = await makeQuiz(owner, { title: 'Into', language: 'ar' }, []);
  const path = await preview(csv('Nil?,MULTIPLE_CHOICE,EASY,Ja,Nein,1'), {
    path: `/imports?quiz=${quiz.id}`,
  });
  const added = await mine.open(path).expect(200);
  expect(added.text).toContain('<span lang="ar" dir="rtl">Nil?</span>');
});

it('a preview in German lists its notes, and why a row is left out', async () => {
  const rows = 'question,answer,wrong1,picture,extra\nRhein?,,Nein,,\nMain?,Ja,Nein,a.png,x\n';
  const path = await preview(Buffer.from(rows));
  const open = (query: string) =>
    mine
      .open(path + query)
      .set('Accept-Language', 'de')
      .expect(200);
  const all = textOf((await open('')).text);
  expect(all).toMatch(/Es gibt keine richtige Antwort: Schreibe/);
  const notes = textOf((await open('?kind=note')).text);
  expect(notes).toContain('Eine Spalte nennt Bilddateien');
  const cards = await preview(Buffer.from('Rhein\tFluss\nMont Blanc\tBerg\n'));
  const shown = textOf((await mine.open(cards).set('Accept-Language', 'de').expect(200)).text);
  expect(shown).toContain('Die Datei hat keine Kopfzeile');
  expect(shown).toContain('Jede Karte wird eine');
});
