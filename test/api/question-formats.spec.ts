import { type FormatName, formatOf } from '../../src/import-export/formats/formats';
import { Assistant } from '../support/assistant';
import { makeQuiz } from '../support/content';
import { questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { errorsIn } from '../support/writing';

const CODE = questionBody({ text: 'What does `1 + 1` give?', format: 'markdown' });
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

  it('is plain unless it is given, and stays when other fields change', async () => {
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

  it('another format is refused beside its field', async () => {
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

  it('no specified body shows it', async () => {
    const { id, questions } = await makeQuiz(owner, { published: true }, [CODE]);
    for (const path of [`/quizzes/${id}`, `/questions?quiz_id=${id}&include_answers=true`]) {
      const { body } = await owner.get(path).expect(200);
      expect(JSON.stringify(body)).toContain('1 + 1');
      expect(JSON.stringify(body)).not.toContain('markdown');
    }
    expect(questions[0]).not.toHaveProperty('format');
    expect((await owner.get('/questions').expect(200)).body.data[0]).not.toHaveProperty('format');
  });

  it('a copy of a quiz or of a question has it', async () => {
    const quiz = await makeQuiz(owner, {}, [PLAIN, CODE]);
    const { body } = await owner.post(`/quizzes/${quiz.id}/copy`, {}).expect(201);
    expect(await formatsOf(body.data.id as string)).toEqual(['plain', 'markdown']);
    const other = await makeQuiz(owner);
    const ids = [quiz.questions[1]?.id];
    await owner.post(`/quizzes/${other.id}/questions/copy`, { ids }).expect(201);
    expect(await formatsOf(other.id)).toEqual(['markdown']);
  });

  it.each(['json', 'csv', 'gift', 'moodle-xml'])('an export as %s has it', async (format) => {
    const { id } = await makeQuiz(owner, {}, [PLAIN, CODE]);
    const file = await owner.get(`/quizzes/${id}/export?format=${format}`).expect(200);
    const text = file.text || JSON.stringify(file.body);
    const rows = [];
    for await (const row of formatOf(format as FormatName).read([Buffer.from(text)]))
      rows.push(row);
    const formats = rows.flatMap((row) => ('question' in row ? [row.question.format] : []));
    expect(formats.map((it) => it ?? 'plain')).toEqual(['plain', 'markdown']);
  });

  it('an unknown format in a file is noted, and the question is plain', async () => {
    const file = JSON.stringify({ questions: [{ ...PLAIN, format: 'html' }] });
    const rows = [];
    for await (const row of formatOf('json').read([Buffer.from(file)])) rows.push(row);
    expect(rows).toMatchObject([
      { notes: ['The format "html" is unknown: the question is shown as it is written.'] },
    ]);
    expect(rows[0]).not.toHaveProperty('question.format');
  });

  it('an assistant writes, reads and changes it', async () => {
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
    const [plain, code] = Object.values(row?.questions ?? {}).sort((a, b) =>
      JSON.stringify(a) < JSON.stringify(b) ? 1 : -1,
    );
    expect([plain, code].filter((it) => it && 'format' in it)).toEqual([
      expect.objectContaining({ format: 'markdown', text: CODE.text }),
    ]);
  });
});
