import request from 'supertest';
import { LIMITS } from '../../src/platform/limits/limits';
import { Assistant } from '../support/assistant';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { signIn } from '../support/dashboard';
import { png } from '../support/pictures';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { cookieOf, signedIn, Visitor, wordsOf } from '../support/visitor';

/** Elements that contain blocks of Markdown, and may contain only text and the like. */
const blocksInText = (html: string): string[] =>
  ['h1', 'h2', 'h3', 'p', 'span', 'bdi'].filter((tag) => {
    const innermost = new RegExp(`<${tag}\\b[^>]*>(?:(?!<${tag}\\b)[^])*?</${tag}>`, 'g');
    return [...html.matchAll(innermost)].some(([element]) =>
      /<(?:div|ul|ol|p)\b/.test(element.slice(1)),
    );
  });

/** Where texts in Markdown and pictures are shown: to players, owners and reviewers. */
describe('questions on pages', () => {
  let service: Service;
  let author: TestAccount;
  let reviewer: TestAccount;
  beforeAll(async () => {
    service = await startService();
    author = await service.account('pro');
    reviewer = await service.account('pro', { isAdmin: true });
  });
  afterAll(() => service.close());

  let shade = 0;
  const pictureOf = async (account: TestAccount) => {
    const bytes = png({ shade: ++shade });
    const { body } = await account
      .post('/media')
      .type('application/octet-stream')
      .send(bytes)
      .expect(201);
    return body.data.id as string;
  };
  /** @param isFirst of the page: it is loaded at once */
  const shownAs = (id: string, alt: string, isFirst = true) =>
    `<img class="picture" src="/media/${id}" width="4" height="3" alt="${alt}"${isFirst ? '' : ' loading="lazy"'} decoding="async">`;

  /** A question with several correct answers, whose stars are no emphasis over two of them. */
  const questionOf = (id: string, fields: object = {}) =>
    questionBody({
      format: 'markdown',
      text: `What is **here**? ![Map of Europe](media:${id})`,
      explanation: `Because ![Flag](media:${id})`,
      answers: [
        { text: '2 * 3', isCorrect: true },
        { text: '4 *5', isCorrect: true },
        { text: `![No](media:${id})`, isCorrect: false },
      ],
      ...fields,
    });
  const pending = async (fields: object = {}) => {
    const id = await pictureOf(author);
    return { id, quiz: await makeQuiz(author, { published: true, ...fields }, [questionOf(id)]) };
  };
  const approve = async ({ id }: MadeQuiz) =>
    (await signIn(service, reviewer))
      .send(`/admin/review/${id}/verdict`, { verdict: 'approve', seen: 'pending', version: '' })
      .expect(303);

  it('a reviewer sees the pictures of a quiz of another author that waits, and nobody else learns their addresses', async () => {
    const { id, quiz } = await pending({ title: 'A quiz that waits' });
    const window = await signIn(service, reviewer);
    const { text } = await window.open(`/admin/review/${quiz.id}`).expect(200);
    expect(text).toContain('What is <strong>here</strong>?');
    for (const alt of ['Map of Europe', 'Flag', 'No']) expect(text).toContain(shownAs(id, alt));
    const other = await service.account('pro');
    const others = await signIn(service, other);
    for (const [path, status] of [
      [`/admin/review/${quiz.id}`, 404],
      [`/quizzes/${quiz.id}`, 404],
      ['/questions', 200],
    ] as const)
      expect((await others.open(path).expect(status)).text).not.toContain(id);
    for (const [path, status] of [
      [`/quizzes/${quiz.id}?include=html`, 404],
      ['/questions?limit=50&include=html', 200],
    ] as const)
      expect(JSON.stringify((await other.get(path).expect(status)).body)).not.toContain(id);
    const refused = await other.post(`/quizzes/${quiz.id}/copy`, {});
    expect(refused.status).toBe(404);
    const used = await makeQuiz(other, { published: false });
    const batch = { questions: [questionOf(id)] };
    await other.post(`/quizzes/${used.id}/questions/batch`, batch).expect(422);
  });

  it('a review shows both versions of a changed question with their pictures, and the Markdown of the new one', async () => {
    const { id, quiz } = await pending();
    await approve(quiz);
    const after = await pictureOf(author);
    const [question] = quiz.questions;
    const text = `What is *there*? ![Map of Asia](media:${after})`;
    await author.patch(`/questions/${question?.id}`, { text }).expect(200);
    const window = await signIn(service, reviewer);
    const page = await window.open(`/admin/review/${quiz.id}`).expect(200);
    const [, changes = ''] = /Changes since approval([^]*?)<article/.exec(page.text) ?? [];
    expect(changes).toContain('What is <strong>here</strong>?');
    expect(changes).toContain(shownAs(id, 'Map of Europe'));
    expect(changes).toContain('What is <em>there</em>?');
    expect(changes).toContain(shownAs(after, 'Map of Asia', false));
    expect(changes).toContain(`![Map of Asia](media:${after})`);
  });

  it('a review shows a changed difficulty and language in words', async () => {
    const { quiz } = await pending({ difficulty: 'HARD' });
    await approve(quiz);
    const fields = { difficulty: 'EXPERT', language: 'pt-BR' };
    await author.patch(`/quizzes/${quiz.id}`, fields).expect(200);
    const window = await signIn(service, reviewer);
    const page = await window.open(`/admin/review/${quiz.id}`).expect(200);
    const [, changes = ''] = /Changes since approval([^]*?)<article/.exec(page.text) ?? [];
    for (const words of ['hard', 'expert', 'Brazilian Portuguese'])
      expect(changes).toContain(`>${words}<`);
    expect(changes).not.toMatch(/HARD|EXPERT|pt-BR/);
  });

  it('lists of a question in Markdown are beside its heading and in no paragraph, on pages and in verdicts', async () => {
    const list = '- one\n- two';
    const quiz = await makeQuiz(author, { title: 'With lists', published: true }, [
      questionBody({
        format: 'markdown',
        text: `Which of **these**?\n\n${list}`,
        explanation: list,
        answers: [
          { text: `Both:\n\n${list}`, isCorrect: true },
          { text: 'None', isCorrect: false },
        ],
      }),
      ...questionBodies(1),
    ]);
    const page = await (await signIn(service, author)).open(`/quizzes/${quiz.id}`).expect(200);
    expect(page.text).toMatch(
      /<h3>(?:(?!<\/?h3>)[^])*<strong>these<\/strong>\?(?:<\/span>)+<\/h3>/,
    );
    expect(page.text.split('<ul><li>one</li><li>two</li></ul>')).toHaveLength(4);
    expect(blocksInText(page.text)).toEqual([]);

    await approve(quiz);
    const visitor = new Visitor(service);
    const started = await visitor.post('/play/with-lists', { name: 'Ada', reveal: 'yes' });
    visitor.cookie = cookieOf(started) ?? '';
    const [, wrong] = quiz.questions[0]!.answers;
    const next = await visitor.post(String(started.headers.location), { answer: wrong?.id });
    const verdict = await visitor.get(String(next.headers.location)).expect(200);
    const [, last = ''] =
      /(<section class="last-verdict"[^]*?)<\/section>/.exec(verdict.text) ?? [];
    expect(last).toContain('<li>two</li>');
    expect(last).not.toMatch(/<p\b[^>]*>(?:(?!<\/p>)[^])*<(?:div|ul|p)\b/);
  });

  it('accepted answers with lists are in no paragraph, on the answer key and in the review of an answer', async () => {
    const accepted = ['one', 'two'].map((it) => ({
      text: `Both:\n\n- ${it}\n- more`,
      isCorrect: true,
    }));
    const quiz = await makeQuiz(author, { title: 'With accepted lists', published: true }, [
      questionBody({ format: 'markdown', type: 'OPEN_ENDED', answers: accepted }),
      ...questionBodies(1),
    ]);
    const window = await signIn(service, author);
    const key = await window.open(`/quizzes/${quiz.id}/print?key=yes`).expect(200);
    await approve(quiz);
    const visitor = new Visitor(service);
    const at = '/play/with-accepted-lists';
    const started = await visitor.post(at, { name: 'Ada', reveal: 'yes' }).expect(303);
    visitor.cookie = cookieOf(started) ?? '';
    const first = String(started.headers.location);
    await visitor.post(first, { text: 'Neither' }).expect(303);
    const review = await visitor.get(first).expect(200);
    expect(wordsOf(review)).toContain('Also accepted: Both:');
    for (const { text } of [key, review]) {
      expect(text).toContain('<li>two</li>');
      // A browser would end the paragraph there, and show the answer outside of it.
      expect(text).not.toMatch(/<p\b[^>]*>(?:(?!<\/p>)[^])*<(?:div|ul|p)\b/);
    }
  });

  it('a player sees pictures in the verdict and in the result, and each answer by itself', async () => {
    const { id, quiz } = await pending({ title: 'Played' });
    const answers = [
      { text: 'It costs $5', isCorrect: true },
      { text: `$5 + x$: ![The \\[first\\]](media:${id})`, isCorrect: false },
      { text: `\`\`\`\n${'a long line of code '.repeat(3)}\n\`\`\``, isCorrect: false },
    ];
    const more = questionOf(id, { text: 'And $x^2$?', answers });
    await author.post(`/quizzes/${quiz.id}/questions/batch`, { questions: [more] }).expect(201);
    await approve(quiz);
    const { body } = await author.get(`/quizzes/${quiz.id}`).expect(200);
    const visitor = new Visitor(service);
    const at = `/play/${body.data.slug}`;
    const started = await visitor.post(at, { name: 'Ada', reveal: 'yes' }).expect(303);
    visitor.cookie = (started.headers['set-cookie'] as unknown as string[])
      .map((it) => it.split(';')[0])
      .join('; ');
    const first = started.headers.location as string;
    const asked = await visitor.get(first).expect(200);
    expect(asked.text).toContain(shownAs(id, 'Map of Europe'));
    expect(asked.text).not.toContain('alt="Flag"');
    const [, wrong] =
      new RegExp(`value="([^"]+)"[^>]*/>(?:(?!<li>)[^])*alt="No"`).exec(asked.text) ?? [];
    const next = await visitor.post(first, { answer: wrong }).expect(303);
    const verdict = await visitor.get(next.headers.location as string).expect(200);
    expect(wordsOf(verdict)).toMatch(/Correct answers: (?:2 \* 3 and 4 \*5|4 \*5 and 2 \* 3)/);
    expect(verdict.text).toContain(shownAs(id, 'Flag'));
    expect(verdict.text).toContain('<math>');
    // A button's name is its text, but for a formula; and it holds nothing else that takes the focus.
    const buttons = [...verdict.text.matchAll(/<button class="option"[^]*?<\/button>/g)].map(
      ([button]) => button,
    );
    const named = buttons.filter((button) => button.includes('sr-only'));
    expect(named.map((it) => /class="sr-only"[^>]*>([^<]*)/.exec(it)?.[1])).toEqual([
      '5 + x: The [first]',
    ]);
    expect(named[0]).toContain('alt="The [first]"');
    expect(buttons.join('')).toContain('It costs $5');
    expect(buttons.join('')).toContain('a long line of code');
    expect(buttons.join('')).not.toContain('tabindex');
    const here = first.replace(/\/1$/, '');
    await visitor.post(here).expect(303);
    const result = await visitor.get(here).expect(200);
    expect(result.text).toContain(shownAs(id, 'Map of Europe'));
    expect(result.text).toContain(shownAs(id, 'Flag'));
    expect(result.text).not.toContain('<em>');

    const window = await signIn(service, author);
    const results = await window.open(`/quizzes/${quiz.id}/results`).expect(200);
    for (const alt of ['Map of Europe', 'No']) expect(results.text).toContain(shownAs(id, alt));
    const [, attempt] = /results\/([\da-f-]{36})"/.exec(results.text) ?? [];
    const one = await window.open(`/quizzes/${quiz.id}/results/${attempt}`).expect(200);
    expect(one.text).toContain(shownAs(id, 'Map of Europe'));
    expect(one.text).toContain(shownAs(id, 'No'));
    expect(wordsOf(one)).toMatch(/Correct: 2 \* 3 and 4 \*5/);
  });

  it('the answer key of a worksheet has each accepted answer by itself, and no links on paper', async () => {
    const id = await pictureOf(author);
    const open = questionOf(id, {
      type: 'OPEN_ENDED',
      explanation: '[More](https://example.com/)',
      answers: [
        { text: '2 *3', isCorrect: true },
        { text: '4* 5', isCorrect: true },
      ],
    });
    const second = await pictureOf(author);
    const quiz = await makeQuiz(author, { published: false }, [open, questionOf(second)]);
    const window = await signIn(service, author);
    const sheet = await window.open(`/quizzes/${quiz.id}/print?key=yes`).expect(200);
    expect(wordsOf(sheet)).toContain('2 *3 or 4* 5');
    // Nobody scrolls before it is printed.
    for (const it of [id, second]) expect(sheet.text).toContain(shownAs(it, 'Map of Europe'));
    const page = await window.open(`/quizzes/${quiz.id}`).expect(200);
    for (const it of [id, second])
      expect(page.text).toContain(shownAs(it, 'Map of Europe', it === id));
    expect(sheet.text).toContain('More (https://example.com/)');
    expect(sheet.text).not.toContain('href="https://example.com/"');
  });

  it('a preview of an import, and the landing page, show formulas and pictures', async () => {
    const bytes = png({ shade: ++shade }).toString('base64');
    const file = {
      questions: [questionOf('', { text: 'What is **here**, $x^2$? ![Map of Europe](media:)' })],
    };
    const json = JSON.stringify(file).replaceAll('media:', `data:image/png;base64,${bytes}`);
    const { visitor } = await signedIn(service, 'pro');
    const sent = await request(service.url)
      .post('/dashboard/imports')
      .set({ Cookie: visitor.cookie, 'Sec-Fetch-Site': 'same-origin' })
      .attach('file', Buffer.from(json), 'quiz.json')
      .expect(303);
    const preview = await visitor.get(String(sent.headers.location)).expect(200);
    expect(preview.text).toMatch(/<img class="picture" src="\/media\/[\da-f-]{36}" width="4"/);
    expect(preview.text).toContain('<strong>here</strong>');
    expect(preview.text).toContain('<math><msup>');
    const id = await pictureOf(author);
    const { answers } = questionOf(id);
    const single = { text: `$x^2$ ![A](media:${id})`, answers: answers.slice(1) };
    // The landing page draws one of the public questions.
    const { body } = await author.get('/quizzes?limit=50').expect(200);
    for (const quiz of body.data as MadeQuiz[])
      await author.patch(`/quizzes/${quiz.id}`).send({ published: false }).expect(200);
    await approve(await makeQuiz(author, { published: true }, [questionOf(id, single)]));
    const landing = await request(service.url).get('/').expect(200);
    expect(landing.text).toContain('<math><msup>');
    expect(landing.text).toContain(shownAs(id, 'A'));
  });

  it('assistants read the alternative texts and the addresses of pictures', async () => {
    const id = await pictureOf(author);
    const quiz = await makeQuiz(author, { published: false }, [
      questionOf(id),
      questionBody(),
      questionBody({ text: `![A](\nmedia:${id}) Which?`, format: 'markdown' }),
    ]);
    const assistant = await Assistant.connect(service, author.key);
    const { data } = await assistant.call('get_quiz', { id: quiz.id });
    const [shown, plain, below] = data.questions as {
      id: string;
      text: string;
      pictures?: string[];
    }[];
    expect(shown).toMatchObject({ format: 'markdown', text: questionOf(id).text });
    expect(shown?.pictures).toEqual([expect.stringMatching(new RegExp(`^http.*/media/${id}$`))]);
    expect(below?.pictures).toEqual(shown?.pictures);
    expect(plain).not.toHaveProperty('pictures');
    await assistant.close();
  });

  it('texts that are too long for one page are shown as they were written, and a sentence says so', async () => {
    const quiz = await makeQuiz(author, { published: false }, questionBodies(100));
    const cells = `$\\begin{matrix}${'1&'.repeat(450)}1\\end{matrix}$`;
    await service.database.query(
      `UPDATE questions SET format = 'markdown', text = position || ': ' || $2 WHERE quiz_id = $1`,
      [quiz.id, `${cells} ${cells} ${cells}`],
    );
    const window = await signIn(service, author);
    const { text } = await window.open(`/quizzes/${quiz.id}/print`).expect(200);
    const shown = text.match(/<math>/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(100);
    expect(shown).toBeLessThan(300);
    expect(text.length).toBeLessThan(LIMITS.content.shownHtml.value + 500_000);
    const sentence = 'From here on, texts are shown as they were written';
    expect(text.split(sentence)).toHaveLength(2);
    const [, rest = ''] = text.split(sentence);
    expect(rest).not.toContain('<math>');
    expect(rest).toContain('100: $\\begin{matrix}1&amp;1');
    const { body } = await author.get(`/quizzes/${quiz.id}?include=html`).expect(200);
    const htmls = (body.data.questions as { html: string }[]).map(({ html }) => html);
    expect(htmls[0]).toContain('<math>');
    expect(htmls[99]).toMatch(/^100: \$\\begin\{matrix\}1&amp;1/);
    // One question of a quiz is always shown: it has a limit of its own.
    const last = await author.get(`/questions/${quiz.questions[99]?.id}`).expect(200);
    expect(last.body.data.html).toContain('<math>');
  });
});
