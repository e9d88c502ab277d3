import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { AccountsService } from '../../src/access/accounts/accounts.service';
import { QuizAuthoringService } from '../../src/authoring/quizzes/quiz-authoring.service';
import { ReviewService } from '../../src/authoring/review/review.service';
import { CountersService } from '../../src/catalog/discovery/counters.service';
import { ExportsService } from '../../src/import-export/exports/exports.service';
import { EXPORT_NAMES, exportOf } from '../../src/import-export/formats/formats';
import { LocalImportsService } from '../../src/import-export/imports/local-imports.service';
import { findUnused } from '../../src/media/media.queries';
import { MediaRetention } from '../../src/media/media-retention.service';
import { LIMITS } from '../../src/platform/limits/limits';
import { AttemptRetention } from '../../src/play/submission/attempt-retention.service';
import { Assistant } from '../support/assistant';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { signIn, textOf, type Window } from '../support/dashboard';
import { memoryHeld } from '../support/memory';
import { GIF, JPEG, jpegSegment, PICTURES, PLACE, png, pngChunk } from '../support/pictures';
import { asBytes } from '../support/rows';
import { questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { errorsIn } from '../support/writing';

/** Pictures of questions: taking, storing and sending them. */
describe('pictures', () => {
  let service: Service;
  let owner: TestAccount;
  let window: Window;

  beforeAll(async () => {
    service = await startService();
    owner = await service.account('pro');
    window = await signIn(service, owner);
  });
  afterAll(() => service.close());

  const upload = (bytes: Buffer, type = 'application/octet-stream', account = owner) =>
    account.post('/media').set('Content-Type', type).send(bytes);
  const open = (url: string) => request(service.url).get(url).buffer(true).parse(asBytes);
  const bytesOf = async (accountId: string) => {
    const [row] = await service.database.query<[{ bytes: string }]>(
      'SELECT content_bytes AS bytes FROM accounts WHERE id = $1',
      [accountId],
    );
    return Number(row.bytes);
  };

  /** A picture of 1 MB. */
  const large = (shade: number) => {
    const [start, end] = [png({ shade }).subarray(0, -12), png().subarray(-12)];
    return Buffer.concat([start, pngChunk('IDAT', randomBytes(1_000_000)), end]);
  };

  it.each(PICTURES)('%s is stored and sent as it was', async (type, bytes, width, height) => {
    // What a client says of it does not matter.
    const { body } = await upload(bytes, 'text/html').expect(201);
    expect(body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f-]{17}$/),
        url: `/media/${body.data.id}`,
        type,
        width,
        height,
        bytes: bytes.length,
      },
    });
    const sent = await open(body.data.url).set('Accept', 'image/*').expect(200);
    expect(sent.body.equals(bytes)).toBe(true);
    expect(sent.headers).toMatchObject({
      'content-type': type,
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': `default-src 'none'; sandbox`,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(sent.headers).not.toHaveProperty('ratelimit-limit');
    expect(sent.headers).not.toHaveProperty('set-cookie');
    await open(body.data.url).set('If-None-Match', sent.headers.etag!).expect(304);
    // A browser that opens it as a page gets no other policy.
    const page = await open(body.data.url).set('Accept', 'text/html').expect(200);
    expect(page.headers['content-security-policy']).toBe(`default-src 'none'; sandbox`);
  });

  it('where a photo was taken is not stored', async () => {
    const photo = Buffer.concat([JPEG.subarray(0, 2), jpegSegment(0xfe, PLACE), JPEG.subarray(2)]);
    const { body } = await upload(photo, 'image/jpeg').expect(201);
    expect(body.data.bytes).toBe(JPEG.length);
    const [{ found }] = await service.database.query<[{ found: number }]>(
      `SELECT count(*)::int AS found FROM media WHERE position($1::bytea IN content) > 0`,
      [Buffer.from(PLACE)],
    );
    expect(found).toBe(0);
  });

  it('the same picture is stored once in an account, however many send it at once', async () => {
    const account = await service.account('starter');
    const bytes = png({ shade: 7 });
    const sent = await Promise.all(
      Array.from({ length: 5 }, () => upload(bytes, 'image/png', account)),
    );
    expect(sent.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(sent.map(({ body }) => body.data.id)).size).toBe(1);
    expect(await bytesOf(account.accountId)).toBe(bytes.length + 200);
    // In another account it is another picture: nobody learns what others have.
    const { body } = await upload(bytes).expect(201);
    expect(body.data.id).not.toBe(sent[0]!.body.data.id);
  });

  it('a picture of 1 MiB is taken, and one of a byte more is refused', async () => {
    const [start, end] = [png({ shade: 9 }).subarray(0, -12), png().subarray(-12)];
    const ofBytes = (bytes: number) => {
      const pixels = Buffer.alloc(bytes - start.length - end.length - 12);
      return Buffer.concat([start, pngChunk('IDAT', pixels), end]);
    };
    const { body } = await upload(ofBytes(1_048_576)).expect(201);
    expect(body.data.bytes).toBe(1_048_576);
    const refused = await upload(ofBytes(1_048_577)).expect(413);
    expect(refused.headers['x-error-code']).toBe('file-too-large');
    expect(refused.body.error).toBe(
      'The picture is larger than 1 MiB. Make it smaller, or save it as WebP or JPEG.',
    );
  });

  it('a file that is not a picture, or a damaged picture, is refused with what to do', async () => {
    const svg = await upload(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/png');
    expect([svg.status, svg.headers['x-error-code']]).toEqual([415, 'unsupported-media-type']);
    expect(svg.body.error).toContain('SVG pictures are not supported');
    const half = await upload(png().subarray(0, -20)).expect(422);
    expect(half.headers['x-error-code']).toBe('invalid-picture');
    expect(half.body).toMatchObject({
      error: 'The picture is not valid: it is cut off. Save it again, or copy the whole file.',
      details: [{ path: '', code: 'picture' }],
    });
    const large = await upload(png({ width: 8_001 })).expect(422);
    expect(large.body.error).toContain('8,001 × 3 pixels, and at most 8,000 × 8,000');
    const form = await owner
      .post('/media')
      .set('Content-Type', 'multipart/form-data; boundary=x')
      .send('--x--');
    expect([form.status, form.headers['x-error-code']]).toEqual([400, 'file-not-received']);
  });

  it('readers who take nothing of pictures hold little of them in memory', async () => {
    const { body } = await upload(large(8)).expect(201);
    const { hostname, port } = new URL(service.url);
    const before = memoryHeld();
    const sockets = Array.from({ length: 3 }, () => connect(Number(port), hostname).pause());
    for (const socket of sockets)
      socket.write(`GET ${body.data.url} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(16));
    // Requests of an address are taken in turns: when these have theirs, all others have had theirs.
    for (let time = 0; time < 2; time++) await open(body.data.url).expect(200);
    const held = memoryHeld() - before;
    for (const socket of sockets) socket.destroy();
    // Of 48 MB.
    expect(held).toBeLessThan(24_000_000);
  });

  it('an unknown picture, and one of a disabled account, are not found', async () => {
    for (const id of ['3f2b8c1d-9a47-4e0b-8d5c-6b1f0e9a7c24', 'x', '%00', '..%2f..'])
      await open(`/media/${id}`).expect(404);
    const account = await service.account('starter');
    const { body } = await upload(png(), 'image/png', account).expect(201);
    await service.database.query('UPDATE accounts SET disabled_at = now() WHERE id = $1', [
      account.accountId,
    ]);
    const refused = await open(body.data.url).expect(404);
    expect(refused.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-error-code': 'not-found',
    });
  });

  it('an account that was just made has room for a picture', async () => {
    const accounts = service.app.get(AccountsService);
    const input = { email: 'just-made@example.com', plan: 'starter' } as const;
    const account = await accounts.createIn(service.database.manager, input);
    expect(account.contentBytes).toBe(0);
    expect(() => accounts.requireRoom(account, 1)).not.toThrow();
  });

  it('pictures count towards the bytes of the plan', async () => {
    const account = await service.account('starter');
    await service.database.query('UPDATE accounts SET content_bytes = $2 WHERE id = $1', [
      account.accountId,
      67_108_864 - 200 - png().length,
    ]);
    await upload(png({}, [pngChunk('pHYs', '\0\0\x0b\x13\0\0\x0b\x13\x01')]), 'image/png', account)
      .expect(422)
      .expect('X-Error-Code', 'content-limit')
      .expect(
        /Delete questions or quizzes to make room, or .* Pictures that nothing shows are deleted after 7 days\./,
      );
    await upload(png(), 'image/png', account).expect(201);
    await service.database.query('DELETE FROM media WHERE account_id = $1', [account.accountId]);
    expect(await bytesOf(account.accountId)).toBe(67_108_864 - 200 - png().length);
    await service.app.get(CountersService).rebuild();
    expect(await bytesOf(account.accountId)).toBe(0);
  });

  it('the dashboard takes pictures from the editor, and from no other site', async () => {
    const send = (bytes: Buffer) => window.upload('/media', bytes);
    const { body } = await send(png({ shade: 3 })).expect(201);
    expect(body.data).toMatchObject({ type: 'image/png', width: 4, height: 3 });
    await open(body.data.url).expect(200);
    const refused = await send(Buffer.from('no picture')).expect(415);
    expect(refused.body.error).toContain('is not a PNG, JPEG, WebP, GIF or AVIF picture');
    await send(png({ shade: 4 }))
      .set('Sec-Fetch-Site', 'cross-site')
      .expect(403);
    await request(service.url)
      .post('/dashboard/media')
      .set({ 'Sec-Fetch-Site': 'same-origin', Accept: 'application/json' })
      .type('image/png')
      .send(png() as object)
      .expect(401);
    // A Free account writes drafts on the dashboard, with pictures.
    const free = await service.account('free');
    await upload(png(), 'image/png', free).expect(403);
    const drafts = await signIn(service, free);
    await drafts.upload('/media', png()).expect(201);
  });

  it('the editor shows Markdown while it is written, and says what is to be corrected', async () => {
    const { body } = await window.upload('/media', png({ shade: 5 })).expect(201);
    const stranger = await service.account('starter');
    const foreign = await upload(png({ shade: 5 }), 'image/png', stranger).expect(201);
    const preview = (fields: Record<string, string | string[]>, by = window) =>
      by.send('/markdown', fields).set('Accept', 'application/json');
    const shown = await preview({
      explanation: 'See https://example.com/<b>',
      answer: ['x'.repeat(1_000), 'x'.repeat(1_001)],
      text: [
        '**Which** $\\frac12$?',
        'A $\\frac{1$ b',
        `![Map](media:${body.data.id})`,
        `![](media:${body.data.id})`,
        `![Map](media:${foreign.body.data.id})`,
        'x'.repeat(4_001),
        '<script>alert(1)</script>',
      ],
    }).expect(200);
    const [bold, broken, map, noAlt, others, long, script, answer, longAnswer, link] = shown.body
      .data as {
      html: string;
      issue: { message: string; code: string } | null;
    }[];
    expect(bold!.html).toMatch(/^<strong>Which<\/strong> <math>.*<\/math>\?$/);
    for (const it of [bold, map, script, answer, link]) expect(it!.issue).toBeNull();
    expect(broken).toMatchObject({ html: '', issue: { code: 'markdown' } });
    expect(broken!.issue!.message).toMatch(/^The text has the formula “.*”, which cannot be read/);
    expect(map!.html).toContain(`src="/media/${body.data.id}" width="4" height="3" alt="Map"`);
    expect(noAlt!.html).toContain('<img');
    expect(noAlt!.issue!.message).toContain('a public quiz needs one');
    expect(noAlt!.issue!.code).toBe('alternative_text');
    expect(others).toMatchObject({ html: 'Map', issue: { code: 'unknown_picture' } });
    expect(long!.issue!.message).toBe('The text is longer than 4,000 characters.');
    expect(longAnswer!.issue!.message).toBe('The text is longer than 1,000 characters.');
    const saved = await preview({
      answer: [`${'x'.repeat(1_000)}\n`, `**a** ${'u\u0308'.repeat(990)}`],
    }).expect(200);
    expect(saved.body.data).toMatchObject([
      { html: 'x'.repeat(1_000), issue: null },
      { html: `<strong>a</strong> ${'ü'.repeat(990)}`, issue: null },
    ]);
    expect(script!.html).toBe('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(link!.html).toContain('<a class="link" href="https://example.com/');
    const inCode = await preview({
      text: [`\`![Map](media:${body.data.id})\``, `![The \\\` key](media:${body.data.id}) \``],
    }).expect(200);
    expect(inCode.body.data[0].issue).toEqual({
      code: 'picture_not_shown',
      message: expect.stringContaining('has a picture that is not shown'),
    });
    expect(inCode.body.data[1]).toMatchObject({
      html: expect.stringContaining('alt="The ` key"'),
      issue: null,
    });
    const many = await preview({ text: Array.from({ length: 70 }, () => '*a*') }).expect(200);
    expect(many.body.data).toHaveLength(62);
    const waves = `x${'🌊'.repeat(3_000)}`;
    const cells = `$\\begin{matrix}${'1&'.repeat(450)}1\\end{matrix}$`;
    const much = await preview({
      text: [...Array<string>(61).fill(Array(4).fill(cells).join(' ')), waves],
    });
    expect(much.body.data.at(-1)).toMatchObject({ html: waves, issue: { code: 'too_much' } });
    const htmls = (much.body.data as { html: string; issue: { code: string } | null }[]).map(
      ({ html, issue }) => (html.includes('<math>') ? 'math' : `${issue?.code}`),
    );
    expect(htmls).toEqual(htmls.toSorted());
    expect(new Set(htmls)).toEqual(new Set(['math', 'too_much']));
    expect(much.text.length).toBeLessThan(LIMITS.content.shownHtml.value + 500_000);
    const german = await window
      .send('/markdown?lang=de', { text: ['> '.repeat(40), `![](media:${body.data.id})`] })
      .expect(200);
    expect(german.body.data).toMatchObject([
      { issue: { message: expect.stringMatching(/^Der Text ist zu tief verschachtelt/) } },
      { issue: { message: expect.stringMatching(/^Ein Bild hat keine Beschreibung/) } },
    ]);
    await preview({ text: 'a' }).set('Sec-Fetch-Site', 'cross-site').expect(403);
    await request(service.url)
      .post('/dashboard/markdown')
      .set({ 'Sec-Fetch-Site': 'same-origin', Accept: 'application/json' })
      .expect(401);
  });

  describe('in questions', () => {
    const pictureOf = async (account: TestAccount, shade: number) =>
      (await upload(png({ shade }), 'image/png', account).expect(201)).body.data.id as string;
    const shows = (id: string, alt = 'Map of Europe', fields: object = {}) =>
      questionBody({ text: `![${alt}](media:${id}) Which river?`, format: 'markdown', ...fields });
    const batch = (quizId: string, questions: object[], account = owner) =>
      account.post(`/quizzes/${quizId}/questions/batch`, { questions });
    const textsOf = async (quizId: string, account = owner) => {
      const { body } = await account.get(`/quizzes/${quizId}`).expect(200);
      return JSON.stringify(body.data.questions);
    };
    const prune = () => service.app.get(MediaRetention).prune();
    const DAY = 86_400_000;

    it('a picture that is unknown, or of another account, is refused beside its field', async () => {
      const foreign = await pictureOf(await service.account('starter'), 20);
      const own = await pictureOf(owner, 20);
      const { id, questions } = await makeQuiz(owner, { published: false }, [shows(own)]);
      const answers = [
        { text: `![a](media:${own})`, isCorrect: true },
        { text: '![b](media:nothing)', isCorrect: false },
      ];
      const refused = await batch(id, [
        shows(foreign),
        shows(own, 'Map', { answers, explanation: `Look: ![c](media:${foreign})` }),
      ]).expect(422);
      expect(errorsIn(refused)).toEqual([
        'questions[0].text unknown_picture',
        'questions[1].answers[1].text unknown_picture',
        'questions[1].explanation unknown_picture',
      ]);
      expect(refused.body.details[0].message).toBe(
        `questions[0].text shows a picture that your account does not have (media:${foreign}): upload the picture, and use the id that you get`,
      );
      const path = `/questions/${questions[0]?.id}`;
      const patched = await owner.patch(path, { text: `![x](media:${foreign})` }).expect(422);
      expect(errorsIn(patched)).toEqual(['text unknown_picture']);
      // Only what shows a picture refers to it: code does not, and plain text neither.
      await owner.patch(path, { text: `\`![x](media:${foreign})\`` }).expect(200);
      await batch(id, [shows(foreign, 'x', { format: 'plain' })]).expect(201);
      const become = await owner.get(`/quizzes/${id}`);
      const plain = become.body.data.questions.at(-1).id as string;
      const other = await owner.patch(`/questions/${plain}`, { format: 'markdown' }).expect(422);
      expect(errorsIn(other)).toEqual(['text unknown_picture']);
    });

    it('the editor and assistants refuse an unknown picture beside its field, and keep what was typed', async () => {
      const unknown = '3f2b8c1d-9a47-4e0b-8d5c-6b1f0e9a7c24';
      const { id } = await makeQuiz(owner, { published: false });
      const fields = (key: string) => ({
        [`${key}.text`]: `![Map](media:${unknown}) Which?`,
        [`${key}.type`]: 'MULTIPLE_CHOICE',
        [`${key}.difficulty`]: 'EASY',
        [`${key}.format`]: 'markdown',
        [`${key}.answer`]: ['a', 'b'],
        [`${key}.right`]: '0',
      });
      const one = await window.send(`/quizzes/${id}/questions`, fields('q')).expect(422);
      const whole = { title: 'Rivers', difficulty: 'EASY', question: ['k'], ...fields('k') };
      const all = await window.send('/quizzes', whole).expect(422);
      for (const { text } of [one, all]) {
        expect(textOf(text)).toContain(
          'The question shows a picture that your account does not have',
        );
        expect(text).toContain(`![Map](media:${unknown}) Which?`);
      }
      const assistant = await Assistant.connect(service, owner.key);
      const written = await assistant.call('write_quiz', {
        title: 'Rivers',
        difficulty: 'EASY',
        questions: [shows(unknown)],
      });
      expect(JSON.stringify(written)).toContain('shows a picture that your account does not have');
      const edited = await assistant.call('edit', { id, add: [shows(unknown)] });
      expect(edited.details).toMatchObject([
        { path: 'add[0].text', message: expect.stringContaining('add[0].text shows a picture') },
      ]);
      await assistant.close();
    });

    it('a public quiz needs an alternative text for every picture', async () => {
      const id = await pictureOf(owner, 21);
      const draft = await makeQuiz(owner, { published: false }, [
        questionBody(),
        shows(id, ''),
        shows(id, ' '),
      ]);
      const refused = await owner.patch(`/quizzes/${draft.id}`, { published: true }).expect(422);
      expect(errorsIn(refused)).toEqual([
        'questions[1].text alternative_text',
        'questions[2].text alternative_text',
      ]);
      expect(refused.body.details[0].message).toBe(
        'question 2 (“Which river?”) shows a picture without an alternative text, and a public quiz needs one: say what it shows between the brackets, as in ![Map of Europe](media:…)',
      );
      const page = await window.send(`/quizzes/${draft.id}/publish`).expect(422);
      expect(textOf(page.text)).toContain('Question 2 (“Which river?”) shows a picture without');
      expect(page.text).toContain(
        `href="/dashboard/quizzes/${draft.id}/questions/${draft.questions[1]!.id}/edit"`,
      );
      const operator = service.app.get(QuizAuthoringService).setPublished(draft.id, true);
      await expect(operator).rejects.toMatchObject({ details: [{}, {}] });
      for (const { id: question } of draft.questions.slice(1))
        await owner.patch(`/questions/${question}`, { text: `![Map](media:${id}) Q ${question}` });
      await owner.patch(`/quizzes/${draft.id}`, { published: true }).expect(200);
      // And it stays so.
      const added = await batch(draft.id, [shows(id, '')]).expect(422);
      expect(errorsIn(added)).toEqual(['questions[0].text alternative_text']);
    });

    it('a copy of a public quiz has pictures of its own, which stay when the original goes', async () => {
      const author = await service.account('pro', { isAdmin: true });
      const [first, second] = [await pictureOf(author, 22), await pictureOf(author, 23)];
      const { id, questions } = await makeQuiz(author, {}, [shows(first), shows(second, 'B')]);
      const reader = await service.account('starter');
      const mine = await pictureOf(reader, 23);
      const before = await bytesOf(reader.accountId);
      const copy = await reader.post(`/quizzes/${id}/copy`, {}).expect(201);
      const texts = await textsOf(copy.body.data.id, reader);
      expect(texts).not.toContain(first);
      expect(texts).toContain(`![B](media:${mine})`);
      const bytes = (await bytesOf(reader.accountId)) - before;
      expect(bytes).toBeGreaterThan(png({ shade: 22 }).length + 200);
      const target = await makeQuiz(reader, { published: false });
      const ids = [questions[0]!.id];
      await reader.post(`/quizzes/${target.id}/questions/copy`, { ids }).expect(201);
      const [, copied] = /media:([\da-f-]{36})/.exec(await textsOf(target.id, reader)) ?? [];
      await author.delete(`/quizzes/${id}`).expect(204);
      await service.database.query('DELETE FROM media WHERE account_id = $1', [author.accountId]);
      expect((await open(`/media/${copied}`).expect(200)).body.equals(png({ shade: 22 }))).toBe(
        true,
      );
    });

    it('a picture that no question shows is deleted after a week', async () => {
      const account = await service.account('starter');
      const used = await pictureOf(account, 30);
      const lost = await pictureOf(account, 31);
      const { id, questions } = await makeQuiz(account, { published: false }, [shows(used)]);
      await prune();
      service.clock.advance(6.9 * DAY);
      await prune();
      for (const it of [used, lost]) await open(`/media/${it}`).expect(200);
      service.clock.advance(0.2 * DAY);
      await prune();
      await open(`/media/${lost}`).expect(404);
      await open(`/media/${used}`).expect(200);
      // From the moment on at which the last question shows it no more.
      await account.patch(`/questions/${questions[0]?.id}`, { text: 'Nothing to see' }).expect(200);
      await prune();
      service.clock.advance(6.9 * DAY);
      await prune();
      await account.patch(`/questions/${questions[0]?.id}`, { explanation: `![a](media:${used})` });
      service.clock.advance(30 * DAY);
      await prune();
      await open(`/media/${used}`).expect(200);
      await account.delete(`/quizzes/${id}`).expect(204);
      await prune();
      service.clock.advance(7.1 * DAY);
      await prune();
      await open(`/media/${used}`).expect(404);
      expect(await bytesOf(account.accountId)).toBe(0);
      const counters = await service.app.get(CountersService).verify();
      expect(counters.find(({ counter }) => counter === 'accounts.content_bytes')).toMatchObject({
        wrong: 0,
      });
    });

    it('a picture that an edit replaced stays for results and the review, and goes with the last of them', async () => {
      const account = await service.account('pro');
      const administrator = await service.account('free', { isAdmin: true });
      const verdict = { approved: true } as const;
      const review = service.app.get(ReviewService);
      const [played, approved] = [await pictureOf(account, 40), await pictureOf(account, 41)];
      const below = await pictureOf(account, 42);
      const live = await makeQuiz(account, {}, [shows(approved)]);
      await review.decide(administrator, live.id, 'pending', verdict);
      const quiz = await makeQuiz(account, { published: false }, [
        shows(played),
        // In JSON this reads `\nmedia:`.
        questionBody({ text: `![Map of Asia](\nmedia:${below}) Which?`, format: 'markdown' }),
      ]);
      const { body } = await account
        .post(`/quizzes/${quiz.id}/attempts`, { player: 'Ada' })
        .expect(201);
      const attempt = body.data as { id: string };
      await account.post(`/attempts/${attempt.id}/submit`).expect(200);
      for (const [at, { id }] of [...live.questions, ...quiz.questions].entries())
        await account.patch(`/questions/${id}`, { text: `None ${at}` }).expect(200);
      // Versions of before the column have their pictures after the migration.
      const run = (migration: string) =>
        service.database.query(
          readFileSync(join(__dirname, '../../migrations', migration), 'utf8'),
        );
      const stored = () =>
        service.database.query(
          `SELECT ARRAY(SELECT unnest(media) ORDER BY 1) AS media
           FROM (SELECT media FROM quiz_snapshots UNION ALL SELECT media FROM approved_versions) AS versions
           WHERE media IS NOT NULL ORDER BY 1`,
        );
      const before: unknown[] = await stored();
      expect(before.length).toBeGreaterThan(1);
      for (const table of ['quiz_snapshots', 'approved_versions'])
        await service.database.query(`UPDATE ${table} SET media = NULL`);
      await run('0086_media_of_earlier_versions.sql');
      expect(await stored()).toEqual(before);
      // The version before did not find the one after the line end.
      await service.database.query(`UPDATE quiz_snapshots SET media = array_remove(media, $1)`, [
        below,
      ]);
      await run('0089_media_after_line_ends.sql');
      expect(await stored()).toEqual(before);
      const pruneLater = async (days: number) => {
        await prune();
        service.clock.advance(days * DAY);
        await service.app.get(AttemptRetention).prune();
        await prune();
      };
      await pruneLater(8);
      // Its account is not locked at every run for pictures that stay.
      const unused = await findUnused(service.database.manager, service.clock.now());
      expect(unused).not.toContain(account.accountId);
      const pages: [by: TestAccount, path: string, id: string][] = [
        [account, `/quizzes/${quiz.id}/results/${attempt.id}`, played],
        [account, `/quizzes/${quiz.id}/results/${attempt.id}`, below],
        [administrator, `/admin/review/${live.id}`, approved],
      ];
      for (const [by, path, id] of pages) {
        const { text } = await (await signIn(service, by)).open(path).expect(200);
        expect(text).toContain(`src="/media/${id}"`);
        await open(`/media/${id}`).expect(200);
      }
      // 90 days after their submission attempts are deleted, and what is approved anew has other pictures.
      await pruneLater(83);
      for (const it of [played, below]) await open(`/media/${it}`).expect(404);
      await open(`/media/${approved}`).expect(200);
      await review.decide(administrator, live.id, 'approved', verdict);
      await prune();
      await open(`/media/${approved}`).expect(404);
    });
  });

  describe('in files', () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'pictures-'));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    const importFile = async (account: TestAccount, name: string, content: string | Buffer) => {
      const file = join(folder, name);
      writeFileSync(file, content);
      return service.app.get(LocalImportsService).import(account.accountId, [file], {
        dryRun: false,
        difficulty: 'EASY',
        published: false,
      });
    };
    const quizzesOf = async (account: TestAccount) =>
      (await account.get('/quizzes?mine=true&limit=50').expect(200)).body.data as { id: string }[];
    const exported = async (account: TestAccount, format: string, quizId?: string) => {
      const id = quizId ?? (await quizzesOf(account))[0]?.id;
      const { body } = await account
        .get(`/quizzes/${id}/export?format=${format}`)
        .buffer(true)
        .parse(asBytes)
        .expect(200);
      return body as Buffer;
    };
    const report = async (account: TestAccount, id: string) =>
      (await account.get(`/imports/${id}`).expect(200)).body.data.report as { message: string }[];
    const file = (name: string, bytes: Buffer) =>
      `<file name="${name}" path="/" encoding="base64">${bytes.toString('base64')}</file>`;
    const moodle = (...questions: string[]) =>
      `<?xml version="1.0" encoding="UTF-8"?><quiz>${questions.join('')}</quiz>`;
    const answers =
      '<answer fraction="100" format="html"><text>5*3 &amp;gt; 1</text></answer><answer fraction="0" format="html"><text>b</text></answer>';

    it('a Moodle file with 50 pictures comes in and goes out with every byte of them', async () => {
      const account = await service.account('pro');
      const pictures = Array.from({ length: 50 }, (_, at) => png({ shade: 100 + at, width: 5 }));
      const content = moodle(
        ...pictures.map(
          (bytes, at) =>
            `<question type="multichoice"><questiontext format="html"><text><![CDATA[<p>Map ${at}</p><p><img src="@@PLUGINFILE@@/map%20${at}.png" alt="Map [${at}]" width="300"></p>]]></text>${file(`map ${at}.png`, bytes)}</questiontext>${answers}</question>`,
        ),
      );
      const ended = await importFile(account, 'fifty.xml', content);
      expect(ended.totals).toMatchObject({ imported: 50, errors: 0 });
      const written = (await exported(account, 'moodle-xml')).toString();
      expect(written).toContain('format="markdown"');
      expect(written).toContain('![Map \\[0\\]](@@PLUGINFILE@@/');
      const files = [...written.matchAll(/encoding="base64">([^<]*)</g)].map(([, text]) => text);
      expect(files).toEqual(pictures.map((bytes) => bytes.toString('base64')));
      // Another account reads what was written, and writes the same but for the ids.
      const other = await service.account('pro');
      expect((await importFile(other, 'again.xml', written)).totals).toMatchObject({
        imported: 50,
        errors: 0,
      });
      const withoutIds = (text: string) =>
        text.replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'id');
      expect(withoutIds(String(await exported(other, 'moodle-xml')))).toBe(withoutIds(written));
      // The same file again is known.
      expect((await importFile(account, 'twice.xml', content)).totals).toMatchObject({
        imported: 0,
        duplicates: 50,
      });
    });

    // A cell of a workbook has no room for them.
    it.each(EXPORT_NAMES.filter((name) => name !== 'xlsx'))(
      '%s carries pictures to another account without loss',
      async (format) => {
        const [author, reader] = [await service.account('pro'), await service.account('pro')];
        const [one, two] = [
          await upload(JPEG, 'image/jpeg', author),
          await upload(GIF, 'image/gif', author),
        ];
        const text = `Is $x$ *here*?\n\n![Map, of "Europe"](media:${one.body.data.id})`;
        const explanation = `![Flag](media:${two.body.data.id})`;
        const marked = [
          { text: `![A](media:${two.body.data.id})`, isCorrect: true },
          { text: 'B: 5 = 5', isCorrect: false },
        ];
        const question = questionBody({ text, explanation, answers: marked, format: 'markdown' });
        const { id } = await makeQuiz(author, { published: false }, [question, questionBody()]);
        const written = await exported(author, format, id);
        const ended = await importFile(reader, `quiz${exportOf(format).ending}`, written);
        expect(ended.totals).toMatchObject({ imported: 2, errors: 0 });
        const [quiz] = await quizzesOf(reader);
        const { body } = await reader.get(`/quizzes/${quiz?.id}`).expect(200);
        const read = body.data.questions[0] as typeof question & { id: string };
        const same = (it: string) => it.replace(/media:[\da-f-]{36}/g, 'media:id');
        const sameAnswers = (answers: typeof marked) =>
          answers.map((it) => ({ text: same(it.text), isCorrect: it.isCorrect }));
        expect(same(read.text)).toBe(same(text));
        expect(same(read.explanation)).toBe(same(explanation));
        expect(sameAnswers(read.answers)).toEqual(sameAnswers(marked));
        const picturesIn = async (it: string) => {
          const ids = [...it.matchAll(/media:([\da-f-]{36})/g)].map(([, id]) => id);
          return Promise.all(ids.map(async (id) => (await open(`/media/${id}`).expect(200)).body));
        };
        expect(await picturesIn(read.text)).toEqual([JPEG]);
        expect(await picturesIn(read.explanation)).toEqual([GIF]);
        expect(await picturesIn(read.answers[0]!.text)).toEqual([GIF]);
        const single = await reader.get(`/questions/${read.id}`).expect(200);
        expect(single.body.data.format).toBe('markdown');
      },
    );

    it('a picture of a file that cannot be taken is an error of its row that says why', async () => {
      const account = await service.account('pro');
      const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
      const shown = (name: string, bytes: Buffer) =>
        `<question type="multichoice"><questiontext format="html"><text>&lt;img src="@@PLUGINFILE@@/${name}"&gt; ${name}?</text>${file(name, bytes)}</questiontext>${answers}</question>`;
      const content = moodle(
        shown('a.svg', svg),
        shown('b.png', Buffer.alloc(1_200_000)),
        shown('c.png', Buffer.alloc(2_000_000)),
        shown('d.png', png({ width: 9_000 })),
        shown('e.png', png({ shade: 60 })),
      );
      const ended = await importFile(account, 'bad.xml', content);
      expect(ended.totals).toMatchObject({ imported: 1, errors: 4 });
      const messages = (await report(account, ended.id)).map(({ message }) => message);
      expect(messages[0]).toContain('SVG pictures are not supported');
      expect(messages[1]).toContain('larger than 1 MiB');
      expect(messages[2]).toContain('larger than 1 MiB');
      expect(messages[3]).toContain('9,000 × 3 pixels');
    });

    it('a plain text beside a picture of a Moodle file keeps its lines and signs', async () => {
      const account = await service.account('pro');
      const [picture, plain] = [
        file('e.png', png({ shade: 62 })),
        'See https://a.b/c_d\n===\n  *x*',
      ];
      const content = moodle(
        `<question type="multichoice"><questiontext format="html"><text>&lt;img src="@@PLUGINFILE@@/e.png"&gt; Which?</text>${picture}</questiontext><generalfeedback format="plain_text"><text>${plain}</text></generalfeedback>${answers}</question>`,
      );
      await importFile(account, 'plain.xml', content);
      const [quiz] = await quizzesOf(account);
      const { body } = await account.get(`/quizzes/${quiz?.id}?include=html`).expect(200);
      expect(body.data.questions[0].explanationHtml).toBe(
        'See <a class="link" href="https://a.b/c_d" target="_blank" rel="noopener nofollow ugc">https://a.b/c_d</a><br>===<br>  *x*',
      );
    });

    it('a quiz with more pictures than JSON may hold is imported from QTI, and its JSON is refused with that advice', async () => {
      const [author, reader] = [await service.account('pro'), await service.account('pro')];
      const questions: object[] = [];
      for (let shade = 200; shade < 213; shade++) {
        const { body } = await upload(large(shade), 'image/png', author).expect(201);
        questions.push(
          questionBody({ text: `![${shade}](media:${body.data.id})`, format: 'markdown' }),
        );
      }
      const { id } = await makeQuiz(author, { published: false }, questions);
      const json = await exported(author, 'json', id);
      await expect(importFile(reader, 'quiz.json', json)).rejects.toThrow(
        /larger than 16 MiB: .* export each quiz as QTI/,
      );
      const packed = await exported(author, 'qti-3.0', id);
      const qti = await importFile(reader, 'quiz.zip', packed);
      expect(qti.totals).toMatchObject({ imported: 13, errors: 0 });
    });

    it('pictures beyond the limit of a file stay references to the service', async () => {
      const account = await service.account('pro');
      const { body } = await upload(png({ shade: 61 }), 'image/png', account).expect(201);
      const { id } = await makeQuiz(account, { published: false }, [
        questionBody({ text: `![a](media:${body.data.id})`, format: 'markdown' }),
      ]);
      await service.database.query('UPDATE media SET bytes = 67108865 WHERE id = $1', [
        body.data.id,
      ]);
      expect(String(await exported(account, 'json', id))).toContain(`![a](media:${body.data.id})`);
    });

    it('an account is sent two files of quizzes at a time, and a further one is refused', async () => {
      const account = await service.account('pro');
      const { body } = await upload(png({ shade: 65 }), 'image/png', account).expect(201);
      const quizOf = async (text: string) =>
        (
          await makeQuiz(account, { published: false }, [
            questionBody({ text, format: 'markdown' }),
          ])
        ).id;
      const id = await quizOf(`![a](media:${body.data.id})`);
      const plain = await quizOf('Without a picture?');
      const exports = service.app.get(ExportsService);
      const sent = await exports.file(account.accountId, plain, 'json');
      const several = exports.files(account.accountId, 'quizzes.json', [id]);
      const refused = await account.get(`/quizzes/${id}/export`).expect(503);
      expect(refused.headers['retry-after']).toBe('2');
      await account.get(`/quizzes/${plain}/export`).expect(503);
      sent.getStream().destroy();
      await eventually(() => account.get(`/quizzes/${id}/export`).expect(200));
      several.getStream().destroy();
    });

    it.each(EXPORT_NAMES)('%s reads pictures piece by piece, as they are taken', async (format) => {
      const account = await service.account('pro');
      const content = large(66);
      const { body } = await upload(content, 'image/png', account).expect(201);
      const text = `![a](media:${body.data.id})`;
      const { id } = await makeQuiz(account, { published: false }, [
        questionBody({ text, explanation: text, format: 'markdown' }),
      ]);
      const file = await service.app.get(ExportsService).file(account.accountId, id, format);
      // Nothing of it has been read: a file that is refused costs nothing.
      const other = randomBytes(content.length);
      await service.database.query('UPDATE media SET content = $1 WHERE id = $2', [
        other,
        body.data.id,
      ]);
      const pieces: Buffer[] = [];
      for await (const piece of file.getStream())
        pieces.push(Buffer.from(piece as string | Uint8Array));
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000);
      const whole = Buffer.concat(pieces);
      const shown = exportOf(format).isZip ? other : other.toString('base64').replaceAll('=', '');
      expect(whole.includes(shown)).toBe(format !== 'xlsx');
    });

    it('a picture counts towards the limit of a file each time that a text shows it', async () => {
      const account = await service.account('pro');
      const { body } = await upload(png({ shade: 63 }), 'image/png', account).expect(201);
      const { body: other } = await upload(png({ shade: 64 }), 'image/png', account).expect(201);
      const shown = `![a](media:${body.data.id})`;
      const picturesOf = async (times: number) => {
        const questions = [
          questionBody({ text: shown.repeat(times), explanation: shown, format: 'markdown' }),
          questionBody({ text: `![b](media:${other.data.id})`, format: 'markdown' }),
        ];
        const { id } = await makeQuiz(account, { published: false }, questions);
        const { quiz } = await service.app.get(ExportsService).visible(account.accountId, id);
        return new Set(quiz.pictures?.keys());
      };
      await service.database.query('UPDATE media SET bytes = 22000000 WHERE id = $1', [
        body.data.id,
      ]);
      expect(await picturesOf(2)).toEqual(new Set([body.data.id, other.data.id]));
      expect(await picturesOf(3)).toEqual(new Set([other.data.id]));
    });
  });
});
