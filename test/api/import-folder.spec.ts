import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalImportsService } from '../../src/import-export/imports/local-imports.service';
import { LIMITS } from '../../src/platform/limits/limits';
import { JPEG, png } from '../support/pictures';
import { questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { workbook } from '../support/workbooks';

/** Folders of question files and pictures, as `quizctl import` reads them. */
describe('an import of a folder', () => {
  let service: Service;
  const top = mkdtempSync(join(tmpdir(), 'import-folder-'));
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(async () => {
    rmSync(top, { recursive: true });
    await service.close();
  });

  let folders = 0;
  const folderOf = (files: Record<string, string | Buffer>) => {
    const folder = join(top, `folder-${++folders}`);
    mkdirSync(join(folder, 'maps'), { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    return folder;
  };
  const importOf = (account: TestAccount, folder: string) =>
    service.app.get(LocalImportsService).import(account.accountId, [folder], {
      dryRun: false,
      difficulty: 'EASY',
      published: false,
    });
  const reportOf = async (account: TestAccount, id: string) =>
    (
      (await account.get(`/imports/${id}`).expect(200)).body.data.report as { message: string }[]
    ).map(({ message }) => message);
  /** All questions of the account, without the ids of pictures. */
  const questionsOf = async (account: TestAccount) => {
    const { body } = await account.get('/quizzes?mine=true&limit=50').expect(200);
    const all = [];
    for (const { id } of body.data as { id: string }[]) {
      const quiz = await account.get(`/quizzes/${id}?include=html`).expect(200);
      all.push(...(quiz.body.data.questions as { text: string; format: string; html: string }[]));
    }
    return all;
  };

  it('takes CSV, GIFT, lists and JSON with the pictures that they name by their paths', async () => {
    const account = await service.account('pro');
    const json = {
      questions: [
        questionBody({
          format: 'markdown',
          text: '**JSON**: ![Map, of "Europe"](maps/my%20map.png)',
          explanation: '![Again](<maps/my map.png>)',
        }),
      ],
    };
    const folder = folderOf({
      'maps/my map.png': png({ shade: 1 }),
      'flag.jpg': JPEG,
      'a.json': JSON.stringify(json),
      'b.csv':
        'question,answer_1,answer_2,correct_numbers\r\n"CSV: 2 * 3 * 4? ![Flag](flag.jpg)",![A](flag.jpg),B,1\r\n',
      'c.gift': '[markdown]*GIFT*\\: ![Flag](flag.jpg) {=a ~b}\n',
      'd.md': '1. List: ![Flag](flag.jpg)\n- [x] a\n- [ ] b\n',
      'README.md': 'What this is',
      'notes.docx': 'no questions',
    });
    const ended = await importOf(account, folder);
    expect(await reportOf(account, ended.id)).toEqual([]);
    expect(ended.totals).toMatchObject({ imported: 4, errors: 0 });
    // The import as a whole has no format, and no columns.
    expect(ended).toMatchObject({ format: null, columns: null });
    const questions = await questionsOf(account);
    expect(questions.map(({ format }) => format)).toEqual(Array(4).fill('markdown'));
    const htmls = questions.map(({ html }) => html.replace(/[\da-f-]{36}/g, 'id'));
    const image = (size: string, alt: string) =>
      expect.stringContaining(`/media/id" ${size} alt="${alt}"`) as string;
    expect(htmls.find((html) => html.includes('JSON'))).toEqual(
      image('width="4" height="3"', 'Map, of &quot;Europe&quot;'),
    );
    for (const start of ['CSV: 2 * 3 * 4? <img', '<em>GIFT</em>: <img', 'List: <img'])
      expect(htmls.find((html) => html.startsWith(start))).toEqual(
        image('width="3" height="2"', 'Flag'),
      );
    const [{ count }] = await service.database.query<[{ count: string }]>(
      'SELECT count(*) FROM media WHERE account_id = $1',
      [account.accountId],
    );
    expect(count).toBe('2');
    // Once more, everything is known.
    expect((await importOf(account, folder)).totals).toMatchObject({ imported: 0, duplicates: 4 });
  });

  it('shows the picture that a column of a table names at the end of its question', async () => {
    const account = await service.account('pro');
    const table = [
      ['Question', 'Image', 'Image alt', 'Correct', 'Wrong 1'],
      ['A * B?', 'maps\\my map.png', 'A [map] of 5 * 3', 'a', 'b'],
      ['**C**?', '', '', 'a', 'b'],
      ['D?', 'danube', '', 'a', 'b'],
      ['E?', 'missing.png', '', 'a', 'b'],
      ['F?', 'https://example.com/f.png', '', 'a', 'b'],
      ['"G?\n===\n  of https://a.b/c_d"', 'maps/my map.png', '', 'a', 'b'],
    ];
    const folder = folderOf({
      'maps/my map.png': png({ shade: 4 }),
      'a.csv': table.map((row) => row.join(';')).join('\n'),
      'b.xlsx': workbook(
        [
          ['question', 'picture', 'correct', 'wrong'],
          ['From Excel?', 'maps/my map.png', 'a', 'b'],
        ].map((cells) =>
          cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join(''),
        ),
      ),
    });
    const ended = await importOf(account, folder);
    expect(ended.totals).toMatchObject({ imported: 6, errors: 1 });
    const messages = await reportOf(account, ended.id);
    expect(messages).toEqual([
      'The picture "missing.png" is not in the folder: write its path from the folder of the question files.',
      'The picture "danube" is left out: name a file in the folder, such as maps/danube.png.',
      'The picture "https://example.com/f.png" is left out: name a file in the folder, such as maps/danube.png.',
      'Only the sheet "Kahoot" is read; ignored: "Notes".',
    ]);
    const questions = await questionsOf(account);
    const htmls = questions.map(({ html }) => html.replace(/src="[^"]*"/, 'src=""'));
    const image = (alt: string) =>
      `<img class="picture" src="" width="4" height="3" alt="${alt}" loading="lazy" decoding="async">`;
    expect(htmls.sort()).toEqual([
      '**C**?',
      `<p>A * B?</p><p>${image('A [map] of 5 * 3')}</p>`,
      `<p>From Excel?</p><p>${image('')}</p>`,
      `<p>G?<br>===<br>  of https://a.b/c_d</p><p>${image('')}</p>`,
      'D?',
      'F?',
    ]);
    // Alone, a file has no pictures beside it.
    const alone = await service.app
      .get(LocalImportsService)
      .import(account.accountId, [join(folder, 'b.xlsx')], {
        dryRun: true,
        difficulty: 'EASY',
        published: false,
      });
    expect((await reportOf(account, alone.id)).join(' ')).toContain(
      'The column "picture" names files of pictures, and they are not in this file: upload the pictures in the editor, or import them in a folder with quizctl.',
    );
  });

  it('replaces pictures where they are shown, and not in code', async () => {
    const account = await service.account('pro');
    const text =
      'Here ![map] and ![map](b.png), written as `![map](b.png)`.\n\n```\n![map]\n```\n\n[map]: a.png';
    const folder = folderOf({
      'a.png': png({ shade: 5 }),
      'b.png': png({ shade: 6 }),
      'a.json': JSON.stringify({ questions: [questionBody({ format: 'markdown', text })] }),
    });
    expect((await importOf(account, folder)).totals).toMatchObject({ imported: 1, errors: 0 });
    const [stored] = await service.database.query<[{ text: string }]>(
      'SELECT text FROM questions WHERE owner_id = $1',
      [account.accountId],
    );
    const [a, b] = await service.database.query<{ id: string }[]>(
      'SELECT id FROM media WHERE account_id = $1',
      [account.accountId],
    );
    const shown = stored.text.replace(/media:[\da-f-]{36}/g, 'media:id');
    expect(shown).toBe(
      'Here ![map](media:id) and ![map](media:id), written as `![map](b.png)`.\n\n```\n![map]\n```\n\n[map]: a.png',
    );
    for (const { id } of [a!, b!]) expect(stored.text).toContain(id);
  });

  it('keeps the words around backticks of a plain text, which has no code', async () => {
    const account = await service.account('pro');
    const text = 'Press `Ctrl` now, then `Alt`: ![k](k.png)';
    const folder = folderOf({
      'k.png': png({ shade: 7 }),
      'a.json': JSON.stringify({ questions: [questionBody({ text })] }),
    });
    expect((await importOf(account, folder)).totals).toMatchObject({ imported: 1, errors: 0 });
    const [stored] = await service.database.query<[{ text: string }]>(
      'SELECT text FROM questions WHERE owner_id = $1',
      [account.accountId],
    );
    expect(stored.text.replace(/media:[\da-f-]{36}/, 'media:id')).toBe(
      'Press \\`Ctrl\\` now, then \\`Alt\\`: ![k](media:id)',
    );
  });

  it('finds the picture of a plain text that Markdown would take for code, or that has too many signs', async () => {
    const account = await service.account('pro');
    const signs = '* '.repeat(LIMITS.content.markdownSigns.value);
    const texts = ['Where?\n\n    ![a \\] map](<my map.png> "Title")', `${signs}\n![b](b_(1).png)`];
    const folder = folderOf({
      'my map.png': png({ shade: 8 }),
      'a.json': JSON.stringify({ questions: texts.map((text) => questionBody({ text })) }),
    });
    const ended = await importOf(account, folder);
    expect(await reportOf(account, ended.id)).toEqual([
      expect.stringContaining('"b_(1).png" is not in the folder'),
    ]);
    const [question] = await questionsOf(account);
    expect(question?.html).toContain('alt="a ] map"');
  });

  it('finds the picture of a plain text in every form that Markdown has for it', async () => {
    const account = await service.account('pro');
    const texts = [
      '![Figure [1]](fig1.png)',
      "![a](map.png 'T')",
      '![a]( map.png )',
      '![a](map.png "T" )',
      '![a](<map.png> "T" )',
    ];
    const folder = folderOf({
      'fig1.png': png({ shade: 11 }),
      'map.png': png({ shade: 12 }),
      'a.json': JSON.stringify({
        questions: texts.map((text, at) => questionBody({ text: `${at}: ${text}` })),
      }),
    });
    const ended = await importOf(account, folder);
    expect(await reportOf(account, ended.id)).toEqual([]);
    const questions = await questionsOf(account);
    const alts = questions.map(({ html }) => /<img .*alt="([^"]*)"/.exec(html)?.[1]);
    expect(alts.sort()).toEqual(['Figure [1]', 'a', 'a', 'a', 'a']);
  });

  it('a picture that cannot be read is an error of its question, and the others are imported', async () => {
    const account = await service.account('pro');
    const folder = folderOf({
      'a.png': png({ shade: 9 }),
      'locked.png': png({ shade: 10 }),
      'q.json': JSON.stringify({
        questions: ['a.png', 'locked.png'].map((file) => questionBody({ text: `![x](${file})` })),
      }),
    });
    const { open } = fs;
    const denied = Object.assign(new Error('denied'), { code: 'EACCES' });
    const spy = jest
      .spyOn(fs, 'open')
      .mockImplementation((path, ...others) =>
        String(path).endsWith('locked.png') ? Promise.reject(denied) : open(path, ...others),
      );
    try {
      const ended = await importOf(account, folder);
      expect(ended).toMatchObject({ state: 'completed', totals: { imported: 1, errors: 1 } });
      expect(await reportOf(account, ended.id)).toEqual([
        'The picture "locked.png" cannot be read (EACCES): check the permissions of the file.',
      ]);
    } finally {
      spy.mockRestore();
    }
  });

  it('passes over a folder that is named like a question file', async () => {
    const account = await service.account('pro');
    const folder = folderOf({ 'a.json': JSON.stringify({ questions: [questionBody()] }) });
    mkdirSync(join(folder, 'old.csv'));
    expect((await importOf(account, folder)).totals).toMatchObject({ imported: 1, errors: 0 });
  });

  it('reads no picture outside the folder, whatever its path says', async () => {
    const account = await service.account('pro');
    writeFileSync(join(top, 'outside.png'), png({ shade: 2 }));
    const paths = [
      '../outside.png',
      '%2e%2e/outside.png',
      join(top, 'outside.png'),
      'maps/../../outside.png',
      'link.png',
      'linked/outside.png',
      'maps',
      'missing.png',
      '/dev/zero',
    ];
    const folder = folderOf({
      'a.json': JSON.stringify({
        questions: paths.map((path, at) =>
          questionBody({ format: 'markdown', text: `${at}: ![x](${path})` }),
        ),
      }),
    });
    symlinkSync(join(top, 'outside.png'), join(folder, 'link.png'));
    symlinkSync(top, join(folder, 'linked'));
    const ended = await importOf(account, folder);
    expect(ended.totals).toMatchObject({ imported: 0, errors: paths.length });
    for (const message of await reportOf(account, ended.id))
      expect(message).toMatch(/^The picture ".*" is not in the folder: write its path/);
    const [{ count }] = await service.database.query<[{ count: string }]>(
      'SELECT count(*) FROM media WHERE account_id = $1',
      [account.accountId],
    );
    expect(count).toBe('0');
  });

  it('says of a picture that cannot be taken, and of one elsewhere, why', async () => {
    const account = await service.account('pro');
    const texts = ['![a](a.svg)', '![b](b.png)', '![c](https://example.com/c.png)'];
    const folder = folderOf({
      'a.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'b.png': Buffer.concat([png({ shade: 3 }), Buffer.alloc(LIMITS.content.pictureBytes.value)]),
      'q.json': JSON.stringify({
        questions: texts.map((text) => questionBody({ text, format: 'markdown' })),
      }),
    });
    const ended = await importOf(account, folder);
    const messages = await reportOf(account, ended.id);
    expect(messages[0]).toContain('SVG pictures are not supported');
    expect(messages[1]).toContain('larger than 1 MiB');
    expect(messages[2]).toContain('nothing is fetched from elsewhere');
  });

  it('a folder without question files, and one with too many, are refused', async () => {
    const account = await service.account('pro');
    await expect(importOf(account, folderOf({ 'map.png': png() }))).rejects.toThrow(
      'the folder has no question files. They end in .json,',
    );
    const files = Array.from({ length: LIMITS.imports.folderFiles.value + 1 }, (_, at) => [
      `${at}.gift`,
      'A {T}',
    ]);
    await expect(
      importOf(account, folderOf(Object.fromEntries(files) as Record<string, string>)),
    ).rejects.toThrow('the folder has 201 question files, and at most 200 are read at once');
  });
});
