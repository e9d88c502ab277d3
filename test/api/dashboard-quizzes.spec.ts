import { decodeHTML } from 'entities';
import { ReviewService } from '../../src/authoring/review/review.service';
import { DiscoveryService } from '../../src/catalog/discovery/discovery.service';
import { OwnedQuizzesService } from '../../src/catalog/quizzes/owned-quizzes.service';
import { EXPORT_NAMES } from '../../src/import-export/formats/formats';
import { LIMITS } from '../../src/platform/limits/limits';
import { newId } from '../../src/platform/text/ids';
import { addQuestions, makeQuiz } from '../support/content';
import { signIn, textOf, type Window } from '../support/dashboard';
import { asBytes } from '../support/rows';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { hidden } from '../support/visitor';

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

/** The value of the quiz's box in the review queue. */
async function boxOf(id: string): Promise<string> {
  for (let page = 1; ; page++) {
    const { text } = await administrators.open(`/admin/review?page=${page}`).expect(200);
    const [, value] = new RegExp(`name="quiz" value="(${id}:[^"]*)"`).exec(text) ?? [];
    if (value !== undefined) return value;
  }
}

const quizOf = (id: string) => service.app.get(OwnedQuizzesService).getDetail(owner.accountId, id);
const TEXTS = { title: 'Lakes', description: '', category: '', difficulty: 'HARD', tags: 'a, b' };
const LAKES = ['', 'Caspian Sea', '', 'Lake Superior'];
/** The fields of a question: single ones have the key `q`. */
const questionFields = (key: string, change: object = {}) =>
  Object.fromEntries(
    Object.entries({
      text: 'Largest lake?',
      type: 'MULTIPLE_CHOICE',
      difficulty: 'EASY',
      explanation: '',
      answer: LAKES,
      right: '1',
      option: ['True', 'False'],
      ...change,
    }).map(([name, value]) => [`${key}.${name}`, value]),
  );
const QUESTION = questionFields('q');

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
    for (const format of EXPORT_NAMES) {
      const path = `/quizzes/${id}/export?format=${format}`;
      expect(page).toContain(`href="/dashboard${path}"`);
      const file = await mine.open(path).buffer().parse(asBytes).expect(200);
      const same = await owner.get(path).buffer().parse(asBytes).expect(200);
      expect(file.body).toEqual(same.body);
      expect((file.body as Buffer).length).toBeGreaterThan(100);
      for (const header of ['content-type', 'content-disposition', 'x-content-type-options'])
        expect(file.headers[header]).toBe(same.headers[header]);
      for (const window of [neighbours, administrators]) await window.open(path).expect(404);
    }
    await mine.open(`/quizzes/${id}/export?format=docx`).expect(404);
  });

  it('tags with commas and backslashes stay when their quiz is saved', async () => {
    const tags = ['salt, pepper', 'food', 'c:\\', 'a\\,b'];
    const { id } = await makeQuiz(owner, { tags });
    const { text } = await mine.open(`/quizzes/${id}/edit`).expect(200);
    const [input = ''] = /<input[^>]*name="tags"[^>]*>/.exec(text) ?? [];
    const shown = decodeHTML(/value="([^"]*)"/.exec(input)?.[1] ?? '');
    const form = { ...TEXTS, tags: shown, version: hidden(text, 'version') };
    await mine.send(`/quizzes/${id}/edit`, form).expect(303);
    expect((await quizOf(id)).tags).toEqual(tags);
  });

  it('an unknown or malformed quiz id gets a 404 page', async () => {
    const { id } = await makeQuiz(owner);
    for (const path of [`/quizzes/${newId()}`, '/quizzes/no-id', `/quizzes/${id}/questions/x/edit`])
      await mine.open(path).expect(404);
  });

  it('a form whose subject is gone leads back to its page, or to the page above if that is gone too', async () => {
    const { id, questions } = await makeQuiz(owner, {}, questionBodies(2));
    const question = `/quizzes/${id}/questions/${questions[1]?.id}`;
    const page = async (path: string, from: string) =>
      mine.send(path).set('Referer', `${service.url}/dashboard${from}`).expect(404);
    const back = async (path: string, from: string) => {
      const { text } = await page(path, from);
      expect(textOf(text)).toContain('Nothing was changed It no longer exists.');
      return /href="([^"]*)"[^>]*>Back</.exec(text)?.[1];
    };
    await owner.delete(`/questions/${questions[1]?.id}`).expect(204);
    const list = `/quizzes/${id}?page=1`;
    expect(await back(`${question}/delete`, list)).toBe(`/dashboard${list}`);
    expect(await back(`${question}/delete`, `${question}/edit`)).toBe('/dashboard/quizzes');
    await owner.delete(`/quizzes/${id}`).expect(204);
    expect(await back(`${question}/delete`, list)).toBe('/dashboard/quizzes');
    expect(await back(`/quizzes/${id}/publish`, `/quizzes/${id}/edit`)).toBe('/dashboard/quizzes');
    expect(await back(`/quizzes/${id}/publish`, '/quizzes?q=a')).toBe('/dashboard/quizzes?q=a');
    const category = `/admin/categories/${newId()}`;
    const { text } = await administrators
      .send(`${category}/delete`)
      .set('Referer', `${service.url}/dashboard${category}/edit`)
      .expect(404);
    expect(text).toMatch(/href="\/dashboard\/admin\/topics"[^>]*>Back</);
  });

  it('a form says that its subject is gone in the languages of the dashboard, and only if it was there', async () => {
    const sent = async (path: string, language: string) => {
      const response = await mine.send(path).set('Accept-Language', language).expect(404);
      return textOf(response.text);
    };
    const quiz = `/quizzes/${newId()}`;
    expect(await sent(`${quiz}/publish`, 'fr')).toContain('Nothing was changed');
    expect(await sent(`${quiz}/publish`, 'de')).toContain('Nichts wurde geändert');
    expect(await sent(`${quiz}/preview`, 'fr')).toContain('Page introuvable');
    expect(await sent(`${quiz}/preview`, 'pl')).not.toContain('Nothing was changed');
    for (const never of ['/nothing', '/admin/topics'])
      expect(await sent(never, 'en')).toContain('Page not found');
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
    const found = async (query: string) => textOf((await window.open(`/quizzes?${query}`)).text);
    const waiting = await found('q=WAITING&sort=title');
    expect(waiting).toContain('One waiting');
    expect(waiting).not.toContain('One draft');
    expect(await found('q=x')).toContain('No quiz matches');
    await window.open('/quizzes?state=nonsense&sort=no&page=-1').expect(200);
  });

  it('a list filtered by a category that no quiz has (any more) shows that filter', async () => {
    const longest = '🏞'.repeat(LIMITS.content.categoryName.value);
    await makeQuiz(owner, { title: 'By a lake', category: longest });
    const chosen = async (path: string, category: string) =>
      (await mine.open(`${path}?category=${encodeURIComponent(category)}`).expect(200)).text;
    for (const path of ['/quizzes', '/questions'])
      expect(await chosen(path, 'Left behind')).toContain(
        '<option value="Left behind" selected>Left behind</option>',
      );
    const page = await chosen('/quizzes', longest);
    expect(textOf(page)).toContain('By a lake');
    expect(page.split(`<option value="${longest}"`)).toHaveLength(2);
  });

  it('quizzes that are ticked in the list are changed and exported together', async () => {
    const ids = [
      (await makeQuiz(owner, { title: 'Ticked A', published: false }, questionBodies(2))).id,
      (await makeQuiz(owner, { title: 'Ticked B', published: false })).id,
    ];
    const act = (name: string, fields: object = {}, window = mine) =>
      window.send('/quizzes/bulk?q=ticked', { quiz: ids, act: name, ...fields });
    const { headers } = await act('publish').expect(303);
    expect(headers.location).toBe('/dashboard/quizzes?q=ticked');
    expect(textOf((await mine.open('/quizzes?q=ticked')).text)).toContain(
      '1 quiz is published. Failed: “Ticked B”: This quiz has no questions yet',
    );
    await act('publish').expect(303);
    const refused = (await mine.open('/quizzes')).text;
    expect(refused).toContain('<p class="notice" role="alert" data-variant="bad"');
    expect(textOf(refused)).toContain(' Failed: “Ticked B”');
    expect(textOf(refused)).not.toContain('0 quizzes are');
    // As a process of the version before, which does not know refusals.
    await service.database.query(
      `UPDATE sessions SET notice = 'Saved.' WHERE account_id = $1 AND notice IS NULL`,
      [owner.accountId],
    );
    expect((await mine.open('/quizzes')).text).toContain('<p class="notice" role="status"');
    await act('publish').set('Accept-Language', 'de').expect(303);
    const german = await mine.open('/quizzes').set('Accept-Language', 'de').expect(200);
    expect(textOf(german.text)).toContain(
      'Nicht gelungen: „Ticked B“: Dieses Quiz hat noch keine Fragen, also könnte es niemand spielen.',
    );
    const file = await act('export').buffer().expect(200);
    const { quizzes } = JSON.parse(file.text) as { quizzes: { title: string; questions: [] }[] };
    expect(quizzes.map((it) => [it.title, it.questions.length])).toEqual([
      ['Ticked A', 2],
      ['Ticked B', 0],
    ]);
    expect(file.headers['content-disposition']).toContain('filename="quizzes.json"');
    for (const name of ['publish', 'export', 'move', 'delete']) {
      await act(name, {}, neighbours).expect(404);
      await act(name, {}, administrators).expect(404);
    }
    await act('nonsense').expect(404);
    await act('move', { category: 'x'.repeat(101) }).expect(303);
    expect((await quizOf(ids[0]!)).category).not.toContain('xx');
    expect(textOf((await mine.open('/quizzes?q=ticked')).text)).toContain(
      'Category is longer than 100 characters.',
    );
    await act('move', { category: 'Moved' }).expect(303);
    expect((await quizOf(ids[0]!)).category).toBe('Moved');
    await mine.send('/quizzes/bulk', { act: 'delete' }).expect(303);
    for (const id of ids) await mine.open(`/quizzes/${id}`).expect(200);
    await act('delete').expect(303);
    for (const id of ids) await mine.open(`/quizzes/${id}`).expect(404);
  });

  it('the overview of an author shows drafts, waiting and rejected quizzes with the reason, and the latest results', async () => {
    const author = await service.account('pro');
    const window = await signIn(service, author);
    const review = service.app.get(ReviewService);
    await makeQuiz(author, { title: 'My draft', published: false });
    await makeQuiz(author, { title: 'My waiting one' });
    await review.reject((await makeQuiz(author, { title: 'My bad one' })).id, 'Too short.');
    const { id } = await makeQuiz(author, { title: 'My live one' }, questionBodies(2));
    await review.approve(id);
    const attempt = await owner.post(`/quizzes/${id}/attempts`, { player: 'Ada' }).expect(201);
    const { id: attemptId } = (attempt.body as { data: { id: string } }).data;
    await owner.post(`/attempts/${attemptId}/submit`, {}).expect(200);
    const page = await window.open('').expect(200);
    const home = textOf(page.text);
    expect(home).toContain(
      'Rejected Fix them and send them to review again. My bad one Too short.',
    );
    expect(home).toContain('Drafts My draft');
    expect(home).toContain('Waiting for review My waiting one');
    // An attempt without an answer does not count.
    expect(home).toContain('Latest results My live one 0 players, just now');
    expect(page.text).toContain(`/dashboard/quizzes/${id}/results`);
    expect(home).not.toContain('curl');
    const developers = textOf((await window.open('?for=developers').expect(200)).text);
    expect(developers).toContain('Quickstart Three steps in a terminal.');
  });

  it('without room in the plan the form of a new quiz is not shown, and how to get more is', async () => {
    const { accountId } = await service.account('free', { email: 'f@example.com' });
    const free = await signIn(service, { accountId });
    const { text: refused } = await free
      .send('/quizzes', { ...TEXTS, then: 'publish' })
      .expect(403);
    expect(textOf(refused)).toContain('A public quiz needs a Starter or Pro plan.');
    for (const title of ['One', 'Two', 'Three'])
      await free.send('/quizzes', { ...TEXTS, title }).expect(303);
    for (const path of ['/quizzes', '/quizzes/new']) {
      const { text } = await free.open(path).expect(200);
      expect(textOf(text)).toContain('Ask for Starter (25 quizzes) Ask for Pro (250 quizzes)');
      expect(text).not.toContain('name="title"');
    }
  });

  it('an invalid quiz form keeps what was typed, with each error beside its field', async () => {
    const { text } = await mine
      .send('/quizzes', { ...TEXTS, title: 'x'.repeat(201), description: 'Kept "as" typed' })
      .expect(422);
    expect(text).toContain('x'.repeat(201));
    expect(decodeHTML(text)).toContain('Kept "as" typed');
    expect(text).toContain('id="title-error">Title is longer than 200 characters.');
    const refused = await mine.send('/quizzes', { ...TEXTS, difficulty: 'NO' }).expect(422);
    expect(refused.text).toContain('id="field-difficulty-error">Difficulty must be one of');
  });

  it('the form of a quiz with an older version is saved only after its conflict was shown', async () => {
    const { id } = await makeQuiz(owner);
    const first = hidden((await mine.open(`/quizzes/${id}/edit`)).text, 'version');
    await mine.send(`/quizzes/${id}/edit`, { ...TEXTS, version: first }).expect(303);
    const late = { ...TEXTS, title: 'Seas', version: first };
    const conflict = await mine.send(`/quizzes/${id}/edit`, late).expect(409);
    expect(textOf(conflict.text)).toContain('This quiz has changed since you opened it');
    expect(conflict.text).toContain('value="Seas"');
    expect((await quizOf(id)).title).toBe('Lakes');
    const version = hidden(conflict.text, 'version');
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

  it('a question is moved to the end of another quiz of the account, and to no other', async () => {
    const [from, to] = [
      await makeQuiz(owner, {}, questionBodies(2)),
      await makeQuiz(owner, {}, questionBodies(1)),
    ];
    const at = `/quizzes/${from.id}/questions/${from.questions[0]?.id}/edit`;
    const { text } = await mine.open(at).expect(200);
    expect(text).toContain(`value="${to.id}"`);
    const sent = (quiz: string) =>
      mine.send(at, { ...QUESTION, version: hidden(text, 'version'), quiz });
    const foreign = await makeQuiz(await service.account('pro'));
    const textsOf = async (id: string) => (await quizOf(id)).questions.map((each) => each.text);
    const before = await quizOf(from.id);
    await sent(foreign.id).expect(404);
    expect(await quizOf(from.id)).toEqual(before);
    await sent(to.id).expect(303);
    expect(await textsOf(from.id)).toEqual([before.questions[1]?.text]);
    expect(await textsOf(to.id)).toEqual([to.questions[0]?.text, QUESTION['q.text']]);
    const late = async (language: string) =>
      textOf((await sent('').set('Accept-Language', language).expect(404)).text);
    expect(await late('en')).toContain('This question was deleted or moved after you opened it');
    expect(await late('de')).toContain('Diese Frage wurde gelöscht oder verschoben, nachdem');
  });

  it('a question moved to a quiz that was deleted meanwhile is kept in its form, with an error at the quiz', async () => {
    const [from, to] = [
      await makeQuiz(owner, {}, questionBodies(1)),
      await makeQuiz(owner, {}, questionBodies(1)),
    ];
    const at = `/quizzes/${from.id}/questions/${from.questions[0]?.id}/edit`;
    const version = hidden((await mine.open(at).expect(200)).text, 'version');
    await owner.delete(`/quizzes/${to.id}`).expect(204);
    const sent = { ...QUESTION, version, quiz: to.id };
    const { text } = await mine.send(at, sent).expect(404);
    expect(text).toContain(
      'id="field-quiz-error">This quiz was deleted after you opened the form.',
    );
    expect(text).toContain(QUESTION['q.text']);
    const german = await mine.send(at, sent).set('Accept-Language', 'de').expect(404);
    expect(textOf(german.text)).toContain('Dieses Quiz wurde gelöscht, nachdem du das Formular');
    expect((await quizOf(from.id)).questions).toHaveLength(1);
    const now = { ...sent, version: hidden(text, 'version'), quiz: from.id };
    await mine.send(at, now).expect(303);
    expect((await quizOf(from.id)).questions[0]?.text).toBe(QUESTION['q.text']);
  });

  it.each(['add', 'save'])(
    'a question to %s whose whole quiz was deleted meanwhile is kept as the first one of a new quiz',
    async (act) => {
      const { id, questions } = await makeQuiz(owner, {}, questionBodies(1));
      await owner.delete(`/quizzes/${id}`).expect(204);
      const at = `/quizzes/${id}/questions${act === 'add' ? '' : `/${questions[0]?.id}/edit`}`;
      const page = await mine.send(at, QUESTION).expect(404);
      expect(textOf(page.text)).toContain('This quiz was deleted after you opened it');
      expect(page.text).toContain('action="/dashboard/quizzes"');
      expect(page.text).toMatch(/<input[^>]* name="question" value="q"/);
      expect(page.text).toContain(QUESTION['q.text']);
      const fields = {
        ...QUESTION,
        question: 'q',
        title: `Typed again ${act}`,
        difficulty: 'EASY',
      };
      const { headers } = await mine.send('/quizzes', fields).expect(303);
      const [made] = (await quizOf(String(headers.location).split('/')[3] ?? '')).questions;
      expect(made?.answers.map(({ text }) => text)).toEqual(['Caspian Sea', 'Lake Superior']);
    },
  );

  it('answers that an open question lists as wrong stay when its form or the editor is saved', async () => {
    const { id, questions } = await makeQuiz(owner, {}, questionBodies(1));
    const at = `/questions/${questions[0]?.id}`;
    const accepted = ['resume', 'CV'].map((text) => ({ text, isCorrect: true }));
    const wrong = { text: 'résumé', isCorrect: false };
    await owner
      .patch(at, { type: 'OPEN_ENDED', answers: [accepted[0], wrong, accepted[1]] })
      .expect(200);
    const answers = async () =>
      (await quizOf(id)).questions[0]?.answers.map(({ text, isCorrect }) => ({ text, isCorrect }));
    for (const key of ['q', 'q1']) {
      const path = key === 'q' ? `/quizzes/${id}${at}/edit` : `/quizzes/${id}/edit`;
      const { text: page } = await mine.open(path).expect(200);
      expect(textOf(page)).toContain('Counted as wrong: résumé');
      const sent = {
        ...TEXTS,
        question: key,
        version: hidden(page, 'version'),
        [`${key}.id`]: questions[0]?.id,
        [`${key}.type`]: 'OPEN_ENDED',
        [`${key}.text`]: `Changed in ${key}`,
        [`${key}.difficulty`]: 'EASY',
        [`${key}.answer`]: ['resume', 'CV', ''],
        [`${key}.wrong`]: hidden(page, `${key}.wrong`),
      };
      await mine.send(path, sent).expect(303);
      expect((await quizOf(id)).questions[0]?.text).toBe(`Changed in ${key}`);
      expect(await answers()).toEqual([...accepted, wrong]);
    }
    const { text: page } = await mine.open(`/quizzes/${id}${at}/edit`).expect(200);
    const sent = { ...QUESTION, version: hidden(page, 'version'), 'q.type': 'OPEN_ENDED' };
    const now = { 'q.answer': ['resume', ' résumé '], 'q.wrong': 'résumé' };
    await mine.send(`/quizzes/${id}${at}/edit`, { ...sent, ...now }).expect(303);
    expect(await answers()).toEqual([accepted[0], { ...wrong, isCorrect: true }]);
  });

  it('an open question with a single accepted answer is saved', async () => {
    const { id } = await makeQuiz(owner);
    const open = questionFields('q', {
      type: 'OPEN_ENDED',
      answer: ['Caspian Sea', ''],
      right: '',
    });
    await mine.send(`/quizzes/${id}/questions`, open).expect(303);
    expect((await quizOf(id)).questions).toMatchObject([
      { type: 'OPEN_ENDED', answers: [{ text: 'Caspian Sea', isCorrect: true }] },
    ]);
  });

  it('an invalid question form has each error beside its row', async () => {
    const { id } = await makeQuiz(owner);
    const send = (change: object) =>
      mine.send(`/quizzes/${id}/questions`, questionFields('q', change)).expect(422);
    const { text } = await send({ text: ' ', right: ['0', '1', '2'] });
    expect(text).toMatch(/id="q-answer-2-error">An answer that is ticked needs a text\./);
    expect(textOf(text)).toContain('The question must not be blank.');
    expect(text).toContain('value="Lake Superior"');
    // The fields of both kinds are in the page, and an id in it once.
    const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids).toHaveLength(new Set(ids).size);
    for (const [change, error] of [
      [{ type: 'TRUE_FALSE' }, 'Choose the correct answer.'],
      [{ right: '' }, 'Tick the correct answer.'],
      [{ answer: ['Ladoga'] }, 'Give the question at least 2 answers.'],
      [{ type: 'OPEN_ENDED', answer: [' '] }, 'Add an answer that you accept.'],
    ] as const)
      expect(textOf((await send(change)).text)).toContain(error);
  });

  it('a refused question marks one field of its own kind, which gets the focus', async () => {
    const { id } = await makeQuiz(owner);
    for (const [change, field] of [
      [{ type: 'TRUE_FALSE' }, 'q.truth'],
      [{ type: 'TRUE_FALSE', truth: '0', option: ['True', ' '] }, 'q.option'],
      [{ right: '' }, 'q.right'],
      [{ answer: ['Ladoga'] }, 'q.answer'],
    ] as const) {
      const form = questionFields('q', change);
      const { text } = await mine.send(`/quizzes/${id}/questions`, form).expect(422);
      const marked = [...text.matchAll(/<input[^>]*aria-invalid="true"[^>]*>/g)];
      expect(marked.map(([tag]) => / name="([^"]*)"/.exec(tag)?.[1])).toEqual([field]);
    }
  });

  it('the question form follows its kind: true or false is one choice', async () => {
    const { id } = await makeQuiz(owner);
    const truth = questionFields('q', { type: 'TRUE_FALSE', truth: '1' });
    await mine.send(`/quizzes/${id}/questions`, truth).expect(303);
    expect((await quizOf(id)).questions[0]?.answers).toMatchObject([
      { text: 'True', isCorrect: false },
      { text: 'False', isCorrect: true },
    ]);
  });

  it('without a script answers are added, moved and removed by the server, and typed text stays', async () => {
    const { id } = await makeQuiz(owner);
    const after = async (then: string, fields: object = {}) => {
      const form = { ...QUESTION, ...fields, then };
      const { text } = await mine.send(`/quizzes/${id}/questions`, form).expect(200);
      const inputs = [...text.matchAll(/<input[^>]*name="q\.(?:answer|right)"[^>]*>/g)].map(String);
      const valueOf = (input = '') => /value="([^"]*)"/.exec(input)?.[1] ?? '';
      return [
        inputs.filter((it) => it.includes('q.answer')).map(valueOf),
        valueOf(inputs.find((it) => it.includes('checked'))),
      ];
    };
    expect(await after('answer q')).toEqual([[...LAKES, ''], '1']);
    expect(await after('answer-up q 1')).toEqual([['Caspian Sea', '', '', 'Lake Superior'], '0']);
    expect(await after('answer-remove q 0')).toEqual([['Caspian Sea', '', 'Lake Superior'], '0']);
    const [rows] = await after('answer q', { 'q.answer': Array.from({ length: 99 }, String) });
    expect(rows).toHaveLength(60);
    expect((await quizOf(id)).questions).toEqual([]);
  });

  it('a link beyond the limit of a quiz is refused above the page, and not beside a field', async () => {
    const { id } = await makeQuiz(owner);
    for (let count = 0; count < LIMITS.content.linksPerQuiz.value; count++)
      await mine.send(`/quizzes/${id}/links`, { name: `Class ${count}` }).expect(303);
    const { text } = await mine.send(`/quizzes/${id}/links`, { name: 'One more' }).expect(422);
    expect(text).toMatch(/class="form-errors" role="alert"(?:(?!<form).)*A quiz can have/s);
    expect(text).toMatch(/<input[^>]*value="One more"[^>]*>/);
    expect(text).not.toContain('aria-invalid');
  });

  describe('the editor of a whole quiz', () => {
    /** A form of the editor with these questions, in this order. */
    const editorForm = (questions: Record<string, object>, fields: object = {}) =>
      Object.assign(
        { ...TEXTS, question: Object.keys(questions), ...fields },
        ...Object.entries(questions).map(([key, change]) => questionFields(key, change)),
      ) as Record<string, string | string[]>;
    const blank = { text: '', answer: ['', ''], right: '' };
    const fieldsOf = async (id: string) =>
      hidden((await mine.open(`/quizzes/${id}/edit`)).text, 'version');

    it('a quiz is written with its questions and published in one post; blank questions do not count', async () => {
      const form = editorForm(
        { a: {}, b: blank, c: { text: 'Deepest lake?' } },
        { then: 'publish' },
      );
      const { headers } = await mine.send('/quizzes', form).expect(303);
      const id = String(headers.location).split('/').at(-1) ?? '';
      expect(await quizOf(id)).toMatchObject({
        title: 'Lakes',
        state: 'pending',
        questions: [{ text: 'Largest lake?' }, { text: 'Deepest lake?' }],
      });
    });

    it('an empty quiz is not published: everything that is missing is said, and nothing is saved', async () => {
      const before = await service.database.query('SELECT id FROM quizzes');
      const form = editorForm({ a: blank, b: blank }, { then: 'publish', title: '' });
      const { text } = await mine.send('/quizzes', form).expect(422);
      for (const missing of [
        'Title must not be blank.',
        'The question must not be blank.',
        'Give the question at least 2 answers.',
      ])
        expect(textOf(text).split(missing)).toHaveLength(2);
      expect(await service.database.query('SELECT id FROM quizzes')).toEqual(before);
      const { id } = await makeQuiz(owner, { published: false });
      for (const act of ['publish', 'resubmit'])
        expect(textOf((await mine.send(`/quizzes/${id}/${act}`).expect(422)).text)).toContain(
          'This quiz has no questions yet',
        );
      expect((await quizOf(id)).state).toBe('draft');
    });

    it('texts of several lines keep them in the editor, and are stored without the CR of browsers', async () => {
      const code = 'for i in range(3):\n    print(i)';
      const form = editorForm({ a: { text: `What is this?\r\n${code}`, answer: [code, 'no'] } });
      const { headers } = await mine.send('/quizzes', form).expect(303);
      const id = String(headers.location).split('/').at(-1) ?? '';
      const [question] = (await quizOf(id)).questions;
      expect(question?.text).toBe(`What is this?\n${code}`);
      const { text } = await mine.open(`/quizzes/${id}/edit`);
      expect(text).toMatch(
        /<textarea class="answer" rows="2"[^>]*>for i in range\(3\):\n    print/,
      );
    });

    it('finished questions are folded to their text and their correct answer, and others are open', async () => {
      const { id } = await makeQuiz(owner, {}, questionBodies(2));
      const folds = (html: string) => html.match(/<details class="fold"[^>]*>/g);
      const folded = '<details class="fold">';
      const open = '<details class="fold" open>';
      const { text } = await mine.open(`/quizzes/${id}/edit`);
      // The last one is the template of a new question.
      expect(folds(text)).toEqual([folded, folded, open]);
      expect(text).toMatch(/class="folded folded-key" dir="auto">The Danube</);
      const unticked = editorForm({
        a: { text: 'Finished?', answer: ['yes', 'no'], right: '0' },
        b: { text: 'Unticked?', answer: ['yes', 'no'], right: [] },
        c: { text: '![Pie \\[2024\\]](media:x)?', answer: ['yes', 'no'], right: '0' },
      });
      const refused = await mine.send('/quizzes', unticked).expect(422);
      expect(folds(refused.text)).toEqual([folded, open, folded, open]);
      expect(refused.text).toContain('class="folded" dir="auto">Pie [2024]?<');
      expect(refused.text).toContain('<details class="panel settings">');
      const late = await mine.send('/quizzes', { ...unticked, timeLimit: 'soon' }).expect(422);
      expect(late.text).toContain('<details class="panel settings" open>');
    });

    it('saving edits, orders, adds and removes questions, and keeps one that it does not name', async () => {
      const { id, questions } = await makeQuiz(owner, {}, questionBodies(4));
      const [one, two, three, four] = questions.map((question) => question.id);
      const version = await fieldsOf(id);
      const form = editorForm(
        { new: { text: 'Added?' }, q3: { id: three, text: 'Third?' }, q1: { id: one } },
        { version, removed: two },
      );
      await mine.send(`/quizzes/${id}/edit`, form).expect(303);
      const saved = await quizOf(id);
      expect(saved.questions.map((it) => [it.position, it.text])).toEqual([
        [1, 'Added?'],
        [2, 'Third?'],
        [3, 'Largest lake?'],
        [4, 'Question 4?'],
      ]);
      expect(saved.questions.map((it) => it.id).slice(1)).toEqual([three, one, four]);
      expect(saved.questionCount).toBe(4);
      await mine.send(`/quizzes/${id}/edit`, form).expect(409);
    });

    it('an error in one of the questions is beside its field, and nothing is saved', async () => {
      const { id } = await makeQuiz(owner);
      const form = editorForm(
        { a: {}, b: blank, c: { text: '', answer: ['x'] } },
        { version: await fieldsOf(id) },
      );
      const { text } = await mine.send(`/quizzes/${id}/edit`, form).expect(422);
      expect(text).toMatch(/id="field-c-text-error">The question must not be blank\./);
      expect(text).toMatch(/id="c-answers-error">Give the question at least 2 answers/);
      expect((await quizOf(id)).questions).toEqual([]);
    });

    it('without a script questions are added, copied, moved and removed by the server', async () => {
      const { id, questions } = await makeQuiz(owner, {}, questionBodies(2));
      const after = async (then: string) => {
        const form = editorForm({ a: { id: questions[0]?.id }, b: { text: 'Second?' } }, { then });
        const { text } = await mine.send(`/quizzes/${id}/edit`, form).expect(200);
        const [page = ''] = text.split('<template>');
        return {
          texts: [...page.matchAll(/name="\w+\.text"[^>]*>([^<]*)</g)].map(([, it]) => it),
          removed: hidden(page, 'removed'),
        };
      };
      const [a, b] = ['Largest lake?', 'Second?'];
      expect((await after('add')).texts).toEqual([a, b, '']);
      expect((await after('copy a')).texts).toEqual([a, a, b]);
      expect((await after('down a')).texts).toEqual([b, a]);
      expect(await after('remove a')).toEqual({ texts: [b], removed: questions[0]?.id });
      expect((await quizOf(id)).questions).toHaveLength(2);
    });

    it('a question beyond those that the editor holds is not added, and typed text stays', async () => {
      const keys = Array.from({ length: 100 }, (_, at) => `q${at}`);
      const full = Object.fromEntries(keys.map((key) => [key, { text: `${key} of Lakes?` }]));
      for (const then of ['add', 'copy q99']) {
        const { text } = await mine.send('/quizzes', editorForm(full, { then })).expect(422);
        expect(textOf(text)).toContain('The editor holds at most 100 questions');
        for (const key of keys) expect(text).toContain(`>${key} of Lakes?</textarea>`);
      }
    });

    it('a quiz that is too large for the editor is edited without its questions', async () => {
      const { id } = await makeQuiz(owner, {}, questionBodies(3));
      const resize = (column: string, to: number) =>
        service.database.query(`UPDATE quizzes SET ${column} = $2 WHERE id = $1`, [id, to]);
      for (const [column, most] of [
        ['question_count', 100],
        ['content_bytes', 200_000],
      ] as const) {
        await resize(column, most);
        expect((await mine.open(`/quizzes/${id}/edit`)).text).toContain('name="q3.text"');
        await resize(column, most + 1);
        const { text } = await mine.open(`/quizzes/${id}/edit`);
        expect(text).not.toContain('name="q3.text"');
        const form = { ...TEXTS, version: hidden(text, 'version') };
        await mine.send(`/quizzes/${id}/edit`, form).expect(303);
        await resize(column, 3);
      }
      expect((await quizOf(id)).questions).toHaveLength(3);
      const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`q${at}`, {}]));
      const { text } = await mine.send('/quizzes', editorForm(many)).expect(422);
      expect(textOf(text)).toContain('The editor holds at most 100 questions');
    });
  });

  it('deleting a question leads to the page where it was, or to the last page if that is gone', async () => {
    const { id, questions } = await makeQuiz(owner, {}, questionBodies(27));
    const remove = async (position: number) => {
      const at = `/quizzes/${id}/questions/${questions[position - 1]?.id}/delete`;
      return String((await mine.send(at).expect(303)).headers.location);
    };
    expect(await remove(26)).toBe(`/dashboard/quizzes/${id}?page=2`);
    expect(await remove(27)).toBe(`/dashboard/quizzes/${id}`);
  });

  it('a question with more answers than the form holds cannot be edited there', async () => {
    const answers = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ text: `Answer ${at}`, isCorrect: at === 0 }));
    const most = questionBody({ answers: answers(60) });
    const { id, questions } = await makeQuiz(owner, {}, [most, questionBody({ text: 'More?' })]);
    // As if it was stored before the limit existed.
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
    expect(text.match(/name="q\.answer"/g)).toHaveLength(60);
    const refused = await mine.open(second ?? '').expect(409);
    expect(textOf(refused.text)).toContain(
      `This question has 61 answers, more than the 60 that the form can show. Set at most 60 answers with PATCH /api/v1/questions/${questions[1]?.id}.`,
    );
    await mine.send(second ?? '', QUESTION).expect(409);
    // The editor of the whole quiz leaves the questions out.
    const editor = (await mine.open(`/quizzes/${id}/edit`).expect(200)).text;
    expect(editor).not.toContain('name="q1.text"');
    const form = { ...TEXTS, version: hidden(editor, 'version') };
    await mine.send(`/quizzes/${id}/edit`, form).expect(303);
    expect((await quizOf(id)).title).toBe(TEXTS.title);
    expect((await quizOf(id)).questions[1]?.answers).toHaveLength(61);
  });
});

describe('administration pages of the dashboard', () => {
  it('administration pages are found by administrators only', async () => {
    const { id } = await makeQuiz(owner);
    const topics = await service.app.get(DiscoveryService).currentTopics();
    for (const path of ['review', `review/${id}`, 'topics', 'topics/new', 'categories/new']) {
      await mine.open(`/admin/${path}`).expect(404);
      await administrators.open(`/admin/${path}`).expect(200);
    }
    const verdict = { seen: 'pending', verdict: 'approve' };
    await mine.send(`/admin/review/${id}/verdict`, verdict).expect(404);
    await mine.send('/admin/topics', { name: 'Mine' }).expect(404);
    await mine.send('/admin/categories', { name: 'Mine' }).expect(404);
    expect((await quizOf(id)).state).toBe('pending');
    expect(await service.app.get(DiscoveryService).currentTopics()).toEqual(topics);
  });

  it('administrators search the quizzes of all accounts by text, state, category and owner', async () => {
    const other = await service.account('pro');
    const [zinc] = [
      await makeQuiz(other, { title: 'Zinc and iron', category: 'Metals' }),
      await makeQuiz(owner, { title: 'Zinc mines', category: 'Metals', published: false }),
      await makeQuiz(other, { title: 'Zinc roofs', category: 'Houses' }),
    ];
    const found = async (query: string) =>
      [
        ...textOf((await administrators.open(`/admin/quizzes?${query}`).expect(200)).text).matchAll(
          /Zinc (and iron|mines|roofs)/g,
        ),
      ].map(([title]) => title);
    // Only the quizzes of one account are sorted.
    expect(await found('q=zinc&sort=title')).toEqual(['Zinc roofs', 'Zinc mines', 'Zinc and iron']);
    expect(await found('q=zinc&category=metals&state=pending')).toEqual(['Zinc and iron']);
    expect(await found(`owner=${encodeURIComponent(owner.email)}&q=zinc`)).toEqual(['Zinc mines']);
    expect(await found(`owner=${other.accountId}`)).toEqual(['Zinc roofs', 'Zinc and iron']);
    expect(await found(`owner=${other.accountId}&sort=title`)).toEqual([
      'Zinc and iron',
      'Zinc roofs',
    ]);
    expect(await found('owner=nobody@example.com')).toEqual([]);
    expect(await found('q=zin%25c')).toEqual([]);
    const { text } = await administrators.open('/admin/quizzes?q=zinc');
    expect(text).toContain(`href="/dashboard/admin/review/${zinc.id}"`);
    expect(text.match(/href="\/dashboard\/admin\/review\//g)).toHaveLength(2);
    const review = textOf((await administrators.open(`/admin/review/${zinc.id}`)).text);
    expect(review).toContain('All quizzes of the author: 0 live, 0 rejected');
  });

  it('selected quizzes of the queue are approved together, and one that no longer waits or was changed is named', async () => {
    const [first, second, third, fourth] = [
      await makeQuiz(owner, { title: 'Bulk one' }),
      await makeQuiz(owner, { title: 'Bulk two' }),
      await makeQuiz(owner, { title: 'Bulk three' }),
      await makeQuiz(owner, { title: 'Bulk four' }),
    ];
    const ids = [first.id, second.id, third.id, fourth.id];
    const quiz = await Promise.all(ids.map(boxOf));
    await service.app.get(ReviewService).reject(third.id, 'No.');
    await addQuestions(owner, fourth.id, questionBodies(1));
    await administrators.send('/admin/review', { quiz }).expect(303);
    const { text } = await administrators.open('/admin/review');
    const check = 'this quiz while you were reviewing it. Check it again.';
    expect(textOf(text)).toContain(
      `2 quizzes are approved. Failed: “Bulk three”: Someone else rejected ${check} “Bulk four”: The quiz was changed while`,
    );
    const states = await Promise.all(ids.map(async (id) => (await quizOf(id)).state));
    expect(states).toEqual(['live', 'live', 'rejected', 'pending']);
    // Without the version that was listed nothing is approved.
    await administrators.send('/admin/review', { quiz: fourth.id }).expect(303);
    expect((await quizOf(fourth.id)).state).toBe('pending');
    await administrators.send('/admin/review', { quiz: newId() }).expect(404);
    await mine.send('/admin/review', { quiz }).expect(404);
  });

  it('a page beyond the end of the queue leads to its first one', async () => {
    await makeQuiz(owner);
    await administrators
      .open('/admin/review?page=99')
      .expect(303)
      .expect('Location', '/dashboard/admin/review');
  });

  it('the overview tells administrators, and nobody else, whether the service runs and what waits', async () => {
    await makeQuiz(owner);
    const text = textOf((await administrators.open('')).text);
    expect(text).toMatch(/Health degraded Database up Redis unused Workers 0 run/);
    expect(text).toMatch(
      /Queue 0 deliveries and [1-9][\d,]* events waiting Oldest event \d+ second/,
    );
    expect(text).toContain('No worker has given a sign of life');
    expect(textOf((await mine.open('')).text)).not.toContain('Workers');
  });

  it('a concurrent decision of another administrator is shown as a conflict', async () => {
    const { id } = await makeQuiz(owner);
    await service.app.get(ReviewService).approve(id);
    await makeQuiz(owner);
    const late = { seen: 'pending', verdict: 'reject', reason: 'Too late.' };
    const { text } = await administrators.send(`/admin/review/${id}/verdict`, late).expect(409);
    expect(textOf(text)).toContain('Someone else approved this quiz while you were reviewing it.');
    expect(text).toContain('Too late.');
    // On to the next quiz, since only this one is decided.
    const skip = `/admin/review/${id}/next`;
    expect(text).toContain(`href="/dashboard${skip}"`);
    await administrators.open(skip).expect(303);
    expect((await administrators.open(`/admin/review/${id}`)).text).not.toContain(skip);
  });

  const approval = (id: string, page: string) =>
    administrators.send(`/admin/review/${id}/verdict`, {
      seen: 'pending',
      verdict: 'approve',
      version: hidden(page, 'version'),
    });

  it('the next page of a review says that the quiz was changed since the page before', async () => {
    const { id, questions } = await makeQuiz(owner, {}, questionBodies(26));
    const changed = 'The quiz was changed while you were reviewing it. Check it again.';
    const first = await administrators.open(`/admin/review/${id}`);
    const next = decodeHTML(/href="\/dashboard([^"]*page=2)"/.exec(first.text)?.[1] ?? '');
    expect((await administrators.open(next)).text).not.toContain(changed);
    await owner.patch(`/questions/${questions[0]!.id}`).send({ text: 'Unseen?' }).expect(200);
    const second = await administrators.open(next).expect(200);
    expect(second.text).toContain(changed);
    expect(second.text).not.toContain('Unseen?');
  });

  it('a refused decision says that the quiz was changed meanwhile', async () => {
    const changed = 'The quiz was changed while you were reviewing it. Check it again.';
    const { id } = await makeQuiz(owner, {}, questionBodies(1));
    const reject = (page: string) =>
      administrators.send(`/admin/review/${id}/verdict`, {
        seen: 'pending',
        verdict: 'reject',
        reason: '',
        version: hidden(page, 'version'),
      });
    const { text } = await administrators.open(`/admin/review/${id}`).expect(200);
    expect((await reject(text).expect(422)).text).not.toContain(changed);
    await owner.patch(`/quizzes/${id}`).send({ title: 'Another title' }).expect(200);
    const refused = await reject(text).expect(422);
    expect(refused.text).toContain('Another title');
    expect(refused.text).toContain(changed);
    const conflict = await approval(id, text).expect(409);
    expect(conflict.text.split(changed)).toHaveLength(2);
  });

  it('an edit while the review page reads the quiz is not approved unseen', async () => {
    const { id } = await makeQuiz(owner);
    const owned = service.app.get(OwnedQuizzesService);
    const read = owned.getPublished.bind(owned);
    jest.spyOn(owned, 'getPublished').mockImplementationOnce(async (...given) => {
      const shown = await read(...given);
      await owner.patch(`/quizzes/${id}`).send({ title: 'Unseen' }).expect(200);
      return shown;
    });
    const { text } = await administrators.open(`/admin/review/${id}`).expect(200);
    expect(text).not.toContain('Unseen');
    await approval(id, text).expect(409);
    expect((await quizOf(id)).state).toBe('pending');
  });

  it('the review page names the keys that it has, and gives each version its language', async () => {
    const { id } = await makeQuiz(owner, { title: 'Flüsse', language: 'de' }, questionBodies(1));
    await makeQuiz(owner);
    const review = async () => (await administrators.open(`/admin/review/${id}`).expect(200)).text;
    const keysOn = (page: string) => /Keys?: [^.]*\./.exec(textOf(page))?.[0];
    expect(keysOn(await review())).toBe(
      'Keys: Alt A approves, Alt R goes to the reason for a rejection, Alt N skips to the next.',
    );
    await service.app.get(ReviewService).approve(id);
    expect(keysOn(await review())).toBe('Key: Alt R goes to the reason for a rejection.');
    await owner.patch(`/quizzes/${id}`).send({ title: 'أنهار', language: 'ar' }).expect(200);
    const changed = await review();
    expect(keysOn(changed)).toBe('Keys: Alt A approves, Alt R goes to the reason for a rejection.');
    expect(changed).toContain('<div class="said" lang="de" dir="ltr">Flüsse</div>');
    expect(changed).toContain('<div class="said" lang="ar" dir="rtl">أنهار</div>');
    expect(changed).toContain('aria-label="Approve the changes"');
    expect(changed).toContain('aria-label="Reject quiz"');
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

  it('the form of a topic or category with an older version is saved only after its conflict was shown', async () => {
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
      const firstVersion = hidden((await administrators.open(path)).text, 'version');
      const save = (name: string, version: string) =>
        administrators.send(path, { ...texts, name, version });
      await save(`First ${what}`, firstVersion).expect(303);
      await save(`No ${what}`, '').expect(409);
      const conflict = (await save(`Second ${what}`, firstVersion).expect(409)).text;
      expect(textOf(conflict)).toContain(`This ${what} has changed since you opened it`);
      expect(conflict).toContain(`value="Second ${what}"`);
      await save(`Second ${what}`, hidden(conflict, 'version')).expect(303);
    }
    const sports = (await discovery.currentTopics()).find(({ id }) => id === topicId);
    expect(sports).toMatchObject({
      name: 'Second topic',
      categories: [{ name: 'Second category' }],
    });
  });

  it('the icon of a topic may have 16 characters, and one more is refused', async () => {
    const save = (length: number) =>
      administrators.send('/admin/topics', { name: 'Families', icon: '⚽'.repeat(length) });
    const { text } = await save(LIMITS.content.topicIcon.value + 1).expect(422);
    expect(textOf(text)).toContain('Icon is longer than 16 characters.');
    await save(LIMITS.content.topicIcon.value).expect(303);
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
