import { decodeHTML } from 'entities';
import { OwnedQuizzesService } from '../../src/catalog/quizzes/owned-quizzes.service';
import { LIMITS } from '../../src/platform/limits/limits';
import { newId } from '../../src/platform/text/ids';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { signIn, type Window } from '../support/dashboard';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { hidden } from '../support/visitor';

/** The page Questions of the dashboard: all of one's own, to find, copy and move them. */

let service: Service;
let owner: TestAccount;
let mine: Window;
let neighbours: Window;
let rivers: MadeQuiz;
let lakes: MadeQuiz;
let theirs: MadeQuiz;

beforeAll(async () => {
  service = await startService();
});
// The questions of an account are one list: each test has accounts of its own.
beforeEach(async () => {
  owner = await service.account('pro');
  const neighbour = await service.account('pro');
  mine = await signIn(service, owner);
  neighbours = await signIn(service, neighbour);
  rivers = await makeQuiz(owner, { title: 'Rivers', category: 'Water' }, [
    questionBody({ text: 'Which river is <long>?' }),
    questionBody({ text: 'Which river is short?', difficulty: 'HARD' }),
  ]);
  lakes = await makeQuiz(owner, { title: 'Lakes', category: 'Still', published: false }, [
    questionBody({ text: 'Which lake is deep?' }),
  ]);
  theirs = await makeQuiz(neighbour, { title: 'Theirs' }, [
    questionBody({ text: 'Which river is theirs?' }),
  ]);
});
afterAll(() => service.close());

const page = async (query = '', window = mine) =>
  (await window.open(`/questions${query}`).expect(200)).text;
/** The questions of a page, as they can be selected. */
const selectable = (html: string) =>
  [...html.matchAll(/aria-label="Select “([^"]*)”"/g)].map(([, text]) => decodeHTML(text!));
const textsOf = async ({ id }: { id: string }) => {
  const { body } = await owner.get(`/quizzes/${id}`).expect(200);
  return (body.data as MadeQuiz).questions.map(({ text }) => text);
};
const noticeAfter = async (path: string, fields: Record<string, string | string[]>) => {
  const sent = await mine.send(path, fields).expect(303);
  const html = (await mine.open(sent.headers.location!.replace('/dashboard', ''))).text;
  return decodeHTML(/class="notice"[\s\S]*?<span>([^<]*)<\/span>/.exec(html)?.[1] ?? '');
};

it('the page lists all questions of the viewer, of the newest quiz first, and nobody else’s', async () => {
  const html = await page();
  expect(selectable(html)).toEqual([
    'Which lake is deep?',
    'Which river is <long>?',
    'Which river is short?',
  ]);
  expect(html).toContain('3 questions');
  for (const part of ['Rivers', 'Water', 'Lakes', 'Hard']) expect(html).toContain(part);
  expect(html).toContain(`/dashboard/quizzes/${rivers.id}#question-${rivers.questions[1]!.id}`);
  expect(selectable(await page('', neighbours))).toEqual(['Which river is theirs?']);
  await mine.open(`/questions?into=${newId()}`).expect(404);
  await neighbours.open(`/questions?into=${rivers.id}`).expect(404);
});

it('a question in Markdown is listed by its text without markup', async () => {
  const author = await service.account('pro');
  await makeQuiz(author, { title: 'Marked' }, [
    questionBody({ text: 'Which river is **blue**?', format: 'markdown' }),
  ]);
  const html = await page('', await signIn(service, author));
  expect(selectable(html)).toEqual(['Which river is blue?']);
  expect(html).not.toContain('**blue**');
});

it('questions are found by their text and by the category of their quiz', async () => {
  const found = async (query: string) => selectable(await page(query));
  expect(await found('?q=RIVER')).toEqual(['Which river is <long>?', 'Which river is short?']);
  expect(await found('?q=%3Clong')).toEqual(['Which river is <long>?']);
  expect(await found('?q=is&category=still')).toEqual(['Which lake is deep?']);
  expect(await found('?q=theirs')).toEqual([]);
  expect(await page('?q=theirs')).toContain('No question matches');
  expect(await found('?q=a&q=b')).toHaveLength(3);
  expect(await found('?after=nonsense')).toHaveLength(3);
});

it('pages of 25 follow each other by position, and contain each question once', async () => {
  const author = await service.account('pro');
  const window = await signIn(service, author);
  await makeQuiz(author, { title: 'One' }, questionBodies(30, { text: 'Zebra?' }));
  await makeQuiz(author, { title: 'Two' }, questionBodies(30, { text: 'Zebra?' }));
  const seen: string[] = [];
  const sizes: number[] = [];
  let path = '/questions?q=zebra';
  for (let pages = 0; path !== '' && pages < 5; pages++) {
    const { text: html } = await window.open(path).expect(200);
    const ids = [...html.matchAll(/name="question" value="([^"]*)"/g)].map(([, id]) => id!);
    sizes.push(ids.length);
    seen.push(...ids);
    expect(html).toContain('60 questions');
    const older = /href="\/dashboard([^"]*)"[^>]*>Older/.exec(html)?.[1] ?? '';
    path = decodeHTML(older);
    if (path) expect(path).toContain('q=zebra');
  }
  expect(sizes).toEqual([25, 25, 10]);
  expect(new Set(seen).size).toBe(60);
});

it('after the quiz of the last question was deleted, the next page is the first', async () => {
  const author = await service.account('pro');
  const window = await signIn(service, author);
  await makeQuiz(author, { title: 'One' }, questionBodies(3));
  const two = await makeQuiz(author, { title: 'Two' }, questionBodies(30));
  const older = /href="\/dashboard([^"]*)"[^>]*>Older/.exec(await page('', window))?.[1] ?? '';
  expect(older).toContain('after=');
  await author.delete(`/quizzes/${two.id}`).expect(204);
  expect(selectable((await window.open(decodeHTML(older)).expect(200)).text)).toHaveLength(3);
});

it('flags and open reports are shown beside their question', async () => {
  const [first] = rivers.questions;
  await service.database.query(
    `INSERT INTO question_flags (quiz_id, question_id, kind) VALUES ($1, $2, 'key')`,
    [rivers.id, first!.id],
  );
  await service.database.query(
    `INSERT INTO question_reports (id, quiz_id, question_id, reporter, reason, text, created_at)
     VALUES ($3, $1, $2, 'somebody', 'wrong', '', now())`,
    [rivers.id, first!.id, newId()],
  );
  const html = await page('?q=long');
  const other = await page('?q=short');
  for (const mark of ['Check the key', '1 report']) {
    expect(html).toContain(mark);
    expect(other).not.toContain(mark);
  }
});

it('selected questions are copied to another quiz, or moved there', async () => {
  const target = await makeQuiz(owner, { title: 'Target', published: false }, []);
  const [first, second] = rivers.questions.map(({ id }) => id);
  const at = '/questions/copy?q=river';
  const fields = { quiz: target.id, question: [first!, second!] };
  expect(await noticeAfter(at, { ...fields, act: 'copy' })).toBe(
    '2 questions are added to “Target”.',
  );
  expect(await textsOf(target)).toEqual(['Which river is <long>?', 'Which river is short?']);
  expect(await textsOf(rivers)).toHaveLength(2);
  const deep = lakes.questions[0]!.id;
  const move = { quiz: target.id, question: deep, act: 'move' };
  expect(await noticeAfter(at, move)).toBe('1 question is moved to “Target”.');
  expect(await textsOf(lakes)).toEqual([]);
  expect(await textsOf(target)).toHaveLength(3);
});

it('a question that a form names twice is moved once', async () => {
  const source = await makeQuiz(owner, { published: false }, questionBodies(2));
  const target = await makeQuiz(owner, { title: 'Once', published: false }, []);
  const { id } = source.questions[0]!;
  const twice = { quiz: target.id, question: [id, id], act: 'move' };
  expect(await noticeAfter('/questions/copy', twice)).toBe('1 question is moved to “Once”.');
  const owned = service.app.get(OwnedQuizzesService);
  for (const quiz of [source, target])
    expect((await owned.get(owner.accountId, quiz.id)).questionCount).toBe(1);
});

it('without a selection or a quiz, and beyond a limit, a sentence says what to do', async () => {
  const at = '/questions/copy';
  const [first] = rivers.questions;
  expect(await noticeAfter(at, { quiz: rivers.id, act: 'copy' })).toBe('Select questions first.');
  expect(await noticeAfter(at, { question: first!.id, quiz: '', act: 'copy' })).toBe(
    'Choose a quiz first.',
  );
  const same = { question: first!.id, quiz: rivers.id, act: 'move' };
  expect(await noticeAfter(at, same)).toContain('is in this quiz already');
  const full = await makeQuiz(owner, { title: 'Full', published: false }, []);
  await service.database.query('UPDATE quizzes SET question_count = 1000 WHERE id = $1', [full.id]);
  const beyond = { question: first!.id, quiz: full.id, act: 'copy' };
  expect(await noticeAfter(at, beyond)).toContain('A quiz holds at most 1,000 questions');
});

it('questions and quizzes are counted up to the limit', async () => {
  const { countedOwn } = LIMITS.requests;
  const before = countedOwn.value;
  try {
    countedOwn.value = 2;
    expect(await page()).toContain('2 questions or more');
    const owned = service.app.get(OwnedQuizzesService);
    expect(await owned.count(owner.accountId, {})).toBe(2);
    countedOwn.value = 1;
    expect(await owned.count(owner.accountId, {})).toBe(1);
  } finally {
    countedOwn.value = before;
  }
});

it('nobody copies into or out of another account’s quizzes', async () => {
  const before = await textsOf(rivers);
  // A question of their own: only the quiz is another account's.
  const sent = { question: theirs.questions[0]!.id, quiz: rivers.id };
  for (const act of ['copy', 'move'])
    await neighbours.send('/questions/copy', { ...sent, act }).expect(404);
  expect(await textsOf(rivers)).toEqual(before);
  expect(selectable(await page('', neighbours))).toEqual(['Which river is theirs?']);
  const draft = await makeQuiz(owner, { title: 'Secret', published: false }, questionBodies(1));
  const own = await service.account('pro');
  const target = await makeQuiz(own, { published: false }, []);
  const window = await signIn(service, own);
  for (const act of ['copy', 'move'])
    await window
      .send('/questions/copy', { question: draft.questions[0]!.id, quiz: target.id, act })
      .expect(404);
  expect(await textsOf(draft)).toHaveLength(1);
  expect(selectable(await page('', window))).toEqual([]);
});

it('the editor saves the quiz and goes on to one’s questions', async () => {
  const fields = { title: 'Written', difficulty: 'EASY', description: '', category: '', tags: '' };
  const made = await mine.send('/quizzes', { ...fields, then: 'find' }).expect(303);
  const id = /into=([\w-]+)$/.exec(made.headers.location!)?.[1] ?? '';
  const editor = (await mine.open(`/quizzes/${id}/edit`).expect(200)).text;
  expect(editor).toContain('Save, and add from my questions');
  const version = hidden(editor, 'version');
  const saved = { ...fields, title: 'Written twice', version, then: 'find' };
  const { headers } = await mine.send(`/quizzes/${id}/edit`, saved).expect(303);
  expect(headers.location).toBe(`/dashboard/questions?into=${id}`);
  expect((await owner.get(`/quizzes/${id}`)).body.data.title).toBe('Written twice');
});

it('a quiz offers to add from one’s questions, and then only copies into it', async () => {
  const target = await makeQuiz(owner, { title: 'From others', published: false }, []);
  const quiz = (await mine.open(`/quizzes/${target.id}`).expect(200)).text;
  expect(quiz).toContain(`/dashboard/questions?into=${target.id}`);
  const html = await page(`?into=${target.id}&q=river`);
  expect(html).toContain('Add from my questions');
  expect(html).toContain(`name="quiz" value="${target.id}"`);
  expect(html).not.toContain('value="move"');
  const ids = rivers.questions.map(({ id }) => id);
  const at = `/questions/copy?into=${target.id}&q=river`;
  const notice = await noticeAfter(at, { quiz: target.id, question: ids, act: 'copy' });
  expect(notice).toBe('2 questions are added to “From others”.');
  expect(await textsOf(target)).toHaveLength(2);
});
