import { EXPORT_NAMES } from '../../src/import-export/formats/formats';
import { READERS } from '../../src/import-export/formats/readers';
import { Assistant } from '../support/assistant';
import { makeQuiz } from '../support/content';
import { asBytes, rowsBy, rowsOf } from '../support/rows';
import { questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { errorsIn } from '../support/writing';

const CODE = questionBody({ text: 'What does `1 + 1` give?', format: 'markdown' });
const FORMULA = questionBody({
  text: 'What is $x^2$?',
  format: 'markdown',
  explanation: '[More](https://example.com/)',
  answers: [
    { text: '$x^2$', isCorrect: true },
    { text: '**2**', isCorrect: false },
  ],
});
const PLAIN = questionBody({ text: 'What does *this* show?' });

/** `format` of a question: plain text or Markdown. */
describe('formats of questions', () => {
  let service: Service;
  let owner: TestAccount;

  beforeAll(async () => {
    service = await startService({ MODERATION: 'auto' });
    owner = await service.account('pro', { isAdmin: true });
  });
  afterAll(() => service.close());

  const formatOfQuestion = async (id: string) =>
    (await owner.get(`/questions/${id}`).expect(200)).body.data.format as string;
  const formatsOf = async (quizId: string) => {
    const { body } = await owner.get(`/questions?quiz_id=${quizId}`).expect(200);
    return Promise.all((body.data as { id: string }[]).map(({ id }) => formatOfQuestion(id)));
  };

  it('a question is plain text unless a format is given, and keeps its format when other fields change', async () => {
    const quiz = await makeQuiz(owner, {}, [PLAIN, CODE]);
    const [plain, code] = quiz.questions;
    expect(await formatsOf(quiz.id)).toEqual(['plain', 'markdown']);
    const patch = async (id: string | undefined, change: object) =>
      (await owner.patch(`/questions/${id}`, change).expect(200)).body.data as object;
    expect(await patch(code?.id, { difficulty: 'HARD' })).toMatchObject({ format: 'markdown' });
    const before = await owner.get(`/questions/${plain?.id}`);
    expect(await patch(plain?.id, { format: 'markdown' })).toMatchObject({ format: 'markdown' });
    const after = await owner.get(`/questions/${plain?.id}`);
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect(await patch(plain?.id, { format: 'plain' })).toMatchObject({ format: 'plain' });
  });

  it('HTML comes with include=html, and always where no body is specified', async () => {
    const { id, questions } = await makeQuiz(owner, { published: true }, [PLAIN, FORMULA]);
    const [, formula] = questions;
    const math = '<math><msup><mi>x</mi><mn>2</mn></msup></math>';
    const shown = {
      format: 'markdown',
      html: `What is ${math}?`,
      explanationHtml: expect.stringMatching(/^<a class="link" href="https:\/\/example.com\/"/),
    };
    const one = (await owner.get(`/questions/${formula?.id}`).expect(200)).body.data;
    expect(one).toMatchObject({ ...shown, text: FORMULA.text });
    expect(one.answers[0]).toMatchObject({ text: '$x^2$', html: math, isCorrect: true });
    const quiz = (await owner.get(`/quizzes/${id}?include=html`).expect(200)).body.data;
    expect(quiz.questions[1]).toMatchObject({ ...shown, order: 2 });
    expect(quiz.questions[0]).toMatchObject({
      format: 'plain',
      html: 'What does *this* show?',
    });
    const { questions: specified, ...about } = (await owner.get(`/quizzes/${id}`)).body.data;
    expect(quiz).toMatchObject({ ...about, questions: specified });
    const listed = `/questions?quiz_id=${id}&include=html`;
    const list = (await owner.get(listed).expect(200)).body.data;
    expect(list[1]).toMatchObject(shown);
    expect(list[1]).not.toHaveProperty('answers');
    const full = (await owner.get(`${listed}&include_answers=true`).expect(200)).body.data;
    expect(full[1].answers[0].html).toBe(math);
    const browsed = await owner.get('/questions?text=x^2&include=html').expect(200);
    expect(browsed.body.data[0]).toMatchObject({ ...shown, quizId: id });
    expect(browsed.body.meta.links.first).toContain('include=html');
    const drawn = await owner.get('/questions?text=x^2&include=html&random=true').expect(200);
    expect(drawn.body.data[0]).toMatchObject(shown);
    const other = await owner.get(`/quizzes/${id}?include=css`).expect(400);
    expect(other.body.error).toBe(
      'include must be one or more of html, language, separated by commas.',
    );
    const patched = await owner.patch(`/questions/${formula?.id}`, { text: '`y`' }).expect(200);
    expect(patched.body.data).toMatchObject({ html: '<code class="code">y</code>' });
  });

  it('attempts have HTML, also across quizzes and in their results', async () => {
    const { id } = await makeQuiz(owner, { published: true }, [FORMULA]);
    const started = await owner
      .post(`/quizzes/${id}/attempts`, { player: 'ada', reveal: true })
      .expect(201);
    const [question] = started.body.data.questions;
    const math = '<math><msup><mi>x</mi><mn>2</mn></msup></math>';
    expect(question).toMatchObject({ format: 'markdown', html: `What is ${math}?` });
    const answer = (question.answers as { id: string; text: string; html: string }[]).find(
      ({ text }) => text === '$x^2$',
    );
    expect(answer?.html).toBe(math);
    const path = `/attempts/${started.body.data.id}`;
    const given = { questionId: question.id, answerIds: [answer?.id] };
    const revealed = (await owner.post(`${path}/answers`, given).expect(200)).body.data;
    expect(revealed).toMatchObject({ correct: true, correctAnswers: [{ html: math }] });
    expect(revealed.explanationHtml).toContain('<a class="link"');
    expect((await owner.get(path).expect(200)).body.data.questions[0].html).toBe(question.html);
    const { results } = (await owner.post(`${path}/submit`).expect(200)).body.data;
    expect(results[0].explanationHtml).toBe(revealed.explanationHtml);
    const filter = { tags: ['formula-across'] };
    await makeQuiz(owner, { published: true, ...filter }, [FORMULA]);
    const across = await owner.post('/attempts', { player: 'ada', filter, count: 1 }).expect(201);
    expect(across.body.data.questions[0].html).toBe(question.html);
  });

  it('Markdown that cannot be shown is refused beside its field, by the API and for an assistant, and nothing is stored', async () => {
    const broken = {
      ...CODE,
      text: '$\\frac{1}$',
      explanation: '![map](https://example.com/map.png)',
      answers: [
        { text: '$\\href{https://example.com}{x}$', isCorrect: true },
        { text: 'fine', isCorrect: false },
      ],
    };
    const { id, questions } = await makeQuiz(owner, {}, [PLAIN]);
    const batch = { questions: [PLAIN, broken] };
    const refused = await owner.post(`/quizzes/${id}/questions/batch`, batch).expect(422);
    expect(errorsIn(refused)).toEqual([
      'questions[1].text markdown',
      'questions[1].explanation markdown',
      'questions[1].answers[0].text markdown',
    ]);
    expect(refused.body.details[0].message).toMatch(
      /^questions\[1\]\.text has the formula “\\frac\{1\}”, which cannot be read/,
    );
    expect(refused.body.details[1].message).toContain('nothing is fetched from elsewhere');
    const patch = { text: broken.text, format: 'markdown' };
    const patched = await owner.patch(`/questions/${questions[0]?.id}`, patch).expect(422);
    expect(errorsIn(patched)).toEqual(['text markdown']);
    // As plain text it is what it is.
    await owner.patch(`/questions/${questions[0]?.id}`, { text: broken.text }).expect(200);
    expect(
      errorsIn(await owner.patch(`/questions/${questions[0]?.id}`, { format: 'markdown' })),
    ).toEqual(['text markdown']);
    expect((await owner.get(`/quizzes/${id}`)).body.data.questionCount).toBe(1);
    const assistant = await Assistant.connect(service, owner.key);
    const quiz = { title: 'Broken', difficulty: 'EASY', questions: [broken], dryRun: true };
    const validated = await assistant.call('write_quiz', quiz);
    expect(validated.details.map(({ path }) => path)).toEqual([
      'questions[0].text',
      'questions[0].explanation',
      'questions[0].answers[0].text',
    ]);
    await assistant.close();
  });

  it('an unknown format is refused beside its field', async () => {
    const { id, questions } = await makeQuiz(owner, {}, [PLAIN]);
    const batch = { questions: [PLAIN, { ...PLAIN, format: 'html' }] };
    const refused = await owner.post(`/quizzes/${id}/questions/batch`, batch).expect(422);
    expect(errorsIn(refused)).toEqual(['questions[1].format choice']);
    expect(refused.body.details[0].message).toBe(
      'questions[1].format must be one of: plain, markdown',
    );
    const patched = await owner.patch(`/questions/${questions[0]?.id}`, { format: null });
    expect(errorsIn(patched)).toEqual(['format choice']);
  });

  it('no specified body shows the format of a question', async () => {
    const { id, questions } = await makeQuiz(owner, { published: true }, [CODE]);
    for (const path of [`/quizzes/${id}`, `/questions?quiz_id=${id}&include_answers=true`]) {
      const { body } = await owner.get(path).expect(200);
      expect(JSON.stringify(body)).toContain('1 + 1');
      expect(JSON.stringify(body)).not.toContain('markdown');
    }
    expect(questions[0]).not.toHaveProperty('format');
    expect((await owner.get('/questions').expect(200)).body.data[0]).not.toHaveProperty('format');
  });

  it('a copy of a quiz or of a question keeps the format', async () => {
    const quiz = await makeQuiz(owner, {}, [PLAIN, CODE]);
    const { body } = await owner.post(`/quizzes/${quiz.id}/copy`, {}).expect(201);
    expect(await formatsOf(body.data.id as string)).toEqual(['plain', 'markdown']);
    const other = await makeQuiz(owner);
    const ids = [quiz.questions[1]?.id];
    await owner.post(`/quizzes/${other.id}/questions/copy`, { ids }).expect(201);
    expect(await formatsOf(other.id)).toEqual(['markdown']);
  });

  it.each(EXPORT_NAMES)('an export as %s keeps the format of each question', async (format) => {
    const { id } = await makeQuiz(owner, {}, [PLAIN, CODE]);
    const path = `/quizzes/${id}/export?format=${format}`;
    const file = await owner.get(path).buffer(true).parse(asBytes).expect(200);
    const rows = await rowsOf(file.body as Buffer);
    const formats = rows.flatMap((row) => ('question' in row ? [row.question.format] : []));
    expect(formats.map((it) => it ?? 'plain')).toEqual(['plain', 'markdown']);
  });

  it('an unknown format in a file is noted, and the question is plain', async () => {
    const file = JSON.stringify({ questions: [{ ...PLAIN, format: 'html' }] });
    const rows = await rowsBy(READERS.json, file);
    expect(rows).toMatchObject([
      {
        question: { text: PLAIN.text },
        notes: ['The format "html" is unknown: the question is shown as it is written.'],
      },
    ]);
    expect(rows[0]).not.toHaveProperty('question.format');
  });

  it('an assistant writes, reads and changes the format of a question', async () => {
    const assistant = await Assistant.connect(service, owner.key);
    const quiz = { title: 'By an assistant', difficulty: 'EASY', questions: [PLAIN, CODE] };
    const { data } = await assistant.call('write_quiz', quiz);
    const read = async () =>
      (await assistant.call('get_quiz', { id: data.id })).data.questions as {
        id: string;
        format?: string;
      }[];
    const [plain, code] = await read();
    expect(plain).not.toHaveProperty('format');
    expect(code).toMatchObject({ format: 'markdown' });
    const change = [{ id: plain?.id, format: 'markdown' }];
    expect((await assistant.call('edit', { id: data.id, change })).isError).toBe(false);
    expect((await read())[0]).toMatchObject({ format: 'markdown' });
    await assistant.close();
  });

  it('only the snapshot of a Markdown question holds it, so that others keep their ids', async () => {
    const { id } = await makeQuiz(owner, { published: true }, [PLAIN, CODE]);
    await owner.post(`/quizzes/${id}/attempts`, { player: 'ada' }).expect(201);
    const [row] = await service.database.query<{ questions: Record<string, object> }[]>(
      'SELECT questions FROM quiz_snapshots WHERE quiz_id = $1',
      [id],
    );
    const stored = Object.values(row?.questions ?? {});
    expect(stored).toHaveLength(2);
    expect(stored.filter((it) => 'format' in it)).toEqual([
      expect.objectContaining({ format: 'markdown', text: CODE.text }),
    ]);
  });
});
