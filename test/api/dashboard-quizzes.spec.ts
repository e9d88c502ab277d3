import { decodeHTML } from 'entities';
import { ReviewService } from '../../src/authoring/review/review.service';
import { OwnedQuizzesService } from '../../src/catalog/quizzes/owned-quizzes.service';
import { DiscoveryService } from '../../src/catalog/discovery/discovery.service';
import { newId } from '../../src/platform/text/ids';
import { makeQuiz } from '../support/content';
import { signIn, type Window } from '../support/dashboard';
import { questionBodies, questionBody } from '../support/samples';
import { startService, type TestAccount, type Service } from '../support/service';

let service: Service;
let owner: TestAccount;
let mine: Window;
let neighbours: Window;
let administrators: Window;

beforeAll(async () => {
  service = await startService();
  owner = await service.account('pro');
  mine = await signIn(service, owner);
  neighbours = await signIn(service, await service.account('pro'));
  administrators = await signIn(service, await service.account('free', { isAdmin: true }));
});
afterAll(() => service.close());

const textOf = (html: string) => decodeHTML(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ');
const hidden = (html: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
const quizOf = (id: string) => service.app.get(OwnedQuizzesService).getDetail(owner.accountId, id);
const TEXTS = { title: 'Lakes', description: '', category: '', difficulty: 'HARD', tags: 'a, b' };
const QUESTION = {
  text: 'Largest lake?',
  type: 'MULTIPLE_CHOICE',
  difficulty: 'EASY',
  explanation: '',
  rows: '4',
  'answers[1].text': 'Caspian Sea',
  'answers[1].isCorrect': 'yes',
  'answers[3].text': 'Lake Superior',
};

describe('quiz pages of the dashboard', () => {
  it('quiz pages are not found by another account, administrators included, and nothing changes', async () => {
    const { id, questions } = await makeQuiz(owner, {}, questionBodies(2));
    const before = await quizOf(id);
    const question = `/quizzes/${id}/questions/${questions[0]?.id}`;
    for (const window of [neighbours, administrators]) {
      for (const path of [`/quizzes/${id}`, `/quizzes/${id}/edit`, `${question}/edit`])
        await window.open(path).expect(404);
      await window.open(`/quizzes/${id}/questions/new`).expect(404);
      for (const act of ['publish', 'unpublish', 'resubmit', 'delete'])
        await window.send(`/quizzes/${id}/${act}`).expect(404);
      await window.send(`/quizzes/${id}/edit`, { ...TEXTS, version: before.version }).expect(404);
      await window.send(`/quizzes/${id}/questions`, QUESTION).expect(404);
      await window.send(`${question}/edit`, QUESTION).expect(404);
      await window.send(`${question}/move`, { by: 'down' }).expect(404);
      await window.send(`${question}/delete`).expect(404);
    }
    expect(await quizOf(id)).toEqual(before);
  });

  it('a quiz is downloaded in every format as by the API, by its owner only', async () => {
    const { id } = await makeQuiz(owner, { published: true }, questionBodies(2));
    const page = (await mine.open(`/quizzes/${id}`).expect(200)).text;
    for (const format of ['json', 'csv', 'gift', 'moodle-xml']) {
      const path = `/quizzes/${id}/export?format=${format}`;
      expect(page).toContain(`href="/dashboard${path}"`);
      const file = await mine.open(path).buffer().expect(200);
      const same = await owner.get(path).buffer().expect(200);
      expect(file.text).toBe(same.text);
      expect(file.text).not.toBe('');
      for (const header of ['content-type', 'content-disposition', 'x-content-type-options'])
        expect(file.headers[header]).toBe(same.headers[header]);
      for (const window of [neighbours, administrators]) await window.open(path).expect(404);
    }
    await mine.open(`/quizzes/${id}/export?format=docx`).expect(404);
  });

  it('a malformed quiz id gets a 404 page', async () => {
    const { id } = await makeQuiz(owner);
    for (const path of [`/quizzes/${newId()}`, '/quizzes/no-id', `/quizzes/${id}/questions/x/edit`])
      await mine.open(path).expect(404);
  });

  it('the list of quizzes filters by state and counts each state', async () => {
    const lister = await service.account('pro');
    const window = await signIn(service, lister);
    await makeQuiz(lister, { title: 'One draft', published: false });
    await makeQuiz(lister, { title: 'One waiting' });
    const all = textOf((await window.open('/quizzes').expect(200)).text);
    expect(all).toContain('All 2 Drafts 1 Waiting 1 Live 0 Rejected 0');
    const drafts = textOf((await window.open('/quizzes?state=draft').expect(200)).text);
    expect(drafts).toContain('One draft');
    expect(drafts).not.toContain('One waiting');
    await window.open('/quizzes?state=nonsense&page=-1').expect(200);
  });

  it('an invalid quiz form keeps what was typed, with each error beside its field', async () => {
    const { text } = await mine
      .send('/quizzes', { ...TEXTS, title: 'x'.repeat(201), description: 'Kept "as" typed' })
      .expect(422);
    expect(text).toContain('x'.repeat(201));
    expect(decodeHTML(text)).toContain('Kept "as" typed');
    expect(textOf(text)).toContain('Title is longer than 200 characters.');
    const refused = await mine.send('/quizzes', { ...TEXTS, difficulty: 'NO' }).expect(422);
    expect(textOf(refused.text)).toContain('Difficulty must be one of');
  });

  it('a form with an older version is saved only after its conflict was shown', async () => {
    const { id } = await makeQuiz(owner);
    const first = hidden((await mine.open(`/quizzes/${id}/edit`)).text, 'version');
    await mine.send(`/quizzes/${id}/edit`, { ...TEXTS, version: first }).expect(303);
    const late = { ...TEXTS, title: 'Seas', version: first };
    const told = await mine.send(`/quizzes/${id}/edit`, late).expect(409);
    expect(textOf(told.text)).toContain('This quiz has changed since you opened it');
    expect(told.text).toContain('value="Seas"');
    expect((await quizOf(id)).title).toBe('Lakes');
    const version = hidden(told.text, 'version');
    await mine.send(`/quizzes/${id}/edit`, { ...late, version }).expect(303);
    expect((await quizOf(id)).title).toBe('Seas');
  });

  it('a form with an error keeps the version it was opened with', async () => {
    const { id } = await makeQuiz(owner);
    const first = hidden((await mine.open(`/quizzes/${id}/edit`)).text, 'version');
    await mine.send(`/quizzes/${id}/edit`, { ...TEXTS, version: first }).expect(303);
    const { text } = await mine
      .send(`/quizzes/${id}/edit`, { ...TEXTS, title: '', version: first })
      .expect(422);
    expect(hidden(text, 'version')).toBe(first);
  });

  it('a question is added without the empty rows of its form', async () => {
    const { id } = await makeQuiz(owner);
    await mine.send(`/quizzes/${id}/questions`, QUESTION).expect(303);
    const [question] = (await quizOf(id)).questions;
    expect(question?.answers.map(({ text, isCorrect }) => [text, isCorrect])).toEqual([
      ['Caspian Sea', true],
      ['Lake Superior', false],
    ]);
  });

  it('an open question with a single accepted answer is saved', async () => {
    const { id } = await makeQuiz(owner);
    const open = { ...QUESTION, type: 'OPEN_ENDED', 'answers[3].text': '' };
    await mine.send(`/quizzes/${id}/questions`, open).expect(303);
    expect((await quizOf(id)).questions).toMatchObject([
      { type: 'OPEN_ENDED', answers: [{ text: 'Caspian Sea', isCorrect: true }] },
    ]);
  });

  it('an invalid question form has each error beside its row', async () => {
    const { id } = await makeQuiz(owner);
    const { text } = await mine
      .send(`/quizzes/${id}/questions`, { ...QUESTION, text: ' ', 'answers[2].isCorrect': 'yes' })
      .expect(422);
    expect(text).toMatch(/id="answer-2-error">An answer that is ticked needs a text\./);
    expect(textOf(text)).toContain('The question must not be blank.');
    expect(text).toContain('value="Lake Superior"');
    const twice = { ...QUESTION, type: 'TRUE_FALSE', 'answers[3].isCorrect': 'yes' };
    const refused = await mine.send(`/quizzes/${id}/questions`, twice).expect(422);
    expect(textOf(refused.text)).toContain(
      'The question needs exactly one right answer for true or false, and has 2.',
    );
  });

  it('the question form adds rows up to sixty and keeps what was typed', async () => {
    const { id } = await makeQuiz(owner);
    const more = { ...QUESTION, then: 'row' };
    const { text } = await mine.send(`/quizzes/${id}/questions`, more).expect(200);
    expect(text).toContain('name="answers[4].text"');
    expect(text).toContain('value="Lake Superior"');
    for (const rows of ['60', '999', '-1', 'x']) {
      const page = await mine.send(`/quizzes/${id}/questions`, { ...more, rows }).expect(200);
      expect(page.text).not.toContain('name="answers[60].text"');
    }
    expect((await quizOf(id)).questions).toEqual([]);
  });

  it('a question with more answers than the form holds cannot be edited there', async () => {
    const answers = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ text: `Answer ${at}`, isCorrect: at === 0 }));
    const most = questionBody({ answers: answers(60) });
    const { id, questions } = await makeQuiz(owner, {}, [most, questionBody({ text: 'More?' })]);
    // Stored before there was a limit.
    await service.database.query('ALTER TABLE questions DISABLE TRIGGER questions_limits');
    await service.database.query('UPDATE questions SET answers = $2 WHERE id = $1', [
      questions[1]?.id,
      JSON.stringify(answers(61).map((answer) => ({ id: newId(), ...answer }))),
    ]);
    await service.database.query('ALTER TABLE questions ENABLE TRIGGER questions_limits');
    const [first, second] = questions.map(
      (question) => `/quizzes/${id}/questions/${question.id}/edit`,
    );
    const { text } = await mine.open(first ?? '').expect(200);
    expect(text).toContain('name="answers[59].text"');
    const refused = await mine.open(second ?? '').expect(409);
    expect(textOf(refused.text)).toContain('This question has 61 answers, and the form holds 60.');
    await mine.send(second ?? '', QUESTION).expect(409);
    expect((await quizOf(id)).questions[1]?.answers).toHaveLength(61);
  });
});

describe('administration pages of the dashboard', () => {
  it('administration pages are found by administrators only', async () => {
    const { id } = await makeQuiz(owner);
    for (const path of ['review', `review/${id}`, 'topics', 'topics/new', 'categories/new'])
      await mine.open(`/admin/${path}`).expect(404);
    const verdict = { seen: 'pending', verdict: 'approve' };
    await mine.send(`/admin/review/${id}/verdict`, verdict).expect(404);
    await mine.send('/admin/topics', { name: 'Mine' }).expect(404);
    await mine.send('/admin/categories', { name: 'Mine' }).expect(404);
    expect((await quizOf(id)).state).toBe('pending');
    expect(await service.app.get(DiscoveryService).currentTopics()).toEqual([]);
  });

  it('a concurrent decision of another administrator is shown as a conflict', async () => {
    const { id } = await makeQuiz(owner);
    await service.app.get(ReviewService).approve(id);
    const late = { seen: 'pending', verdict: 'reject', reason: 'Too late.' };
    const { text } = await administrators.send(`/admin/review/${id}/verdict`, late).expect(409);
    expect(textOf(text)).toContain('Someone else approved this quiz while you were reviewing it.');
    expect(text).toContain('Too late.');
  });

  it('a review form without a decision changes nothing', async () => {
    const { id } = await makeQuiz(owner);
    const odd = { seen: 'pending', verdict: 'Approve', reason: 'Why?' };
    const { text } = await administrators.send(`/admin/review/${id}/verdict`, odd).expect(422);
    expect(textOf(text)).toContain('Approve the quiz or reject it.');
    expect((await quizOf(id)).state).toBe('pending');
  });

  it('the review page does not show a draft', async () => {
    const { id } = await makeQuiz(owner, { published: false });
    await administrators.open(`/admin/review/${id}`).expect(404);
    await administrators.open(`/admin/review/${id}/next`).expect(404);
  });

  it('a form with an older version is saved only after its conflict was shown', async () => {
    const discovery = service.app.get(DiscoveryService);
    await administrators.send('/admin/topics', { name: 'Sports', icon: '⚽' }).expect(303);
    const topicId =
      (await discovery.currentTopics()).find(({ name }) => name === 'Sports')?.id ?? '';
    await administrators.send('/admin/categories', { name: 'Chess', topicId }).expect(303);
    const categoryId = (await discovery.currentTopics()).find(({ id }) => id === topicId)
      ?.categories[0]?.id;
    for (const [path, what, texts] of [
      [`/admin/topics/${topicId}/edit`, 'topic', { slug: 'sports', icon: '⚽' }],
      [`/admin/categories/${categoryId}/edit`, 'category', { slug: 'chess', topicId }],
    ] as const) {
      const seen = hidden((await administrators.open(path)).text, 'version');
      const save = (name: string, version: string) =>
        administrators.send(path, { ...texts, name, version });
      await save(`First ${what}`, seen).expect(303);
      await save(`No ${what}`, '').expect(409);
      const told = (await save(`Second ${what}`, seen).expect(409)).text;
      expect(textOf(told)).toContain(`This ${what} has changed since you opened it`);
      expect(told).toContain(`value="Second ${what}"`);
      await save(`Second ${what}`, hidden(told, 'version')).expect(303);
    }
    const sports = (await discovery.currentTopics()).find(({ id }) => id === topicId);
    expect(sports).toMatchObject({
      name: 'Second topic',
      categories: [{ name: 'Second category' }],
    });
  });

  it('a taken name is an error beside its field, and typed values stay', async () => {
    await administrators.send('/admin/topics', { name: 'Science', icon: 'S' }).expect(303);
    const { text } = await administrators
      .send('/admin/topics', { name: 'SCIENCE', slug: 'other', icon: 'X' })
      .expect(422);
    expect(textOf(text)).toContain('There is a topic “Science” already.');
    expect(text).toContain('value="SCIENCE"');
    expect(text).toContain('value="other"');
    await administrators.send('/admin/topics', { name: 'Fine', slug: 'No Slug' }).expect(422);
    const nowhere = { name: 'Physics', topicId: newId() };
    await administrators.send('/admin/categories', nowhere).expect(404);
  });
});
