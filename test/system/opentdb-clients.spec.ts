import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { makeQuiz } from '../support/content';
import { questionBodies } from '../support/samples';
import { type Service, startService } from '../support/service';

/**
 * Public clients of the Open Trivia Database, with only their host changed. They are a package of their own: install them
 * with `npm ci --ignore-scripts` in test/opentdb-clients.
 */

const folder = join(__dirname, '../opentdb-clients');
const isInstalled = existsSync(join(folder, 'node_modules'));
// The gate has installed them: without them it must fail.
const describeClients = isInstalled || process.env.CI ? describe : describe.skip;

const execute = promisify(execFile);

describeClients('clients of OpenTDB', () => {
  let service: Service;
  let texts: string[];
  beforeAll(async () => {
    service = await startService();
    const admin = await service.account('free', { isAdmin: true });
    const taxonomy = service.app.get(TaxonomyService);
    const topic = await taxonomy.saveTopic(admin, null, { name: 'Past', icon: null });
    for (const name of ['History', 'Art'])
      await taxonomy.saveCategory(admin, null, { name, topicId: topic.id });
    const questions = questionBodies(40).map((question) => ({
      ...question,
      difficulty: 'EASY',
      type: 'MULTIPLE_CHOICE',
      answers: ['Ada', 'Ben', 'Cleo', 'Dan'].map((text, at) => ({ text, isCorrect: at === 0 })),
    }));
    const drawn = questions.slice(0, 4);
    const quiz = await makeQuiz(admin, { published: true, category: 'History' }, drawn);
    // A client that asked for no category would hardly get only questions of this one.
    await makeQuiz(admin, { published: true, category: 'Art' }, questions.slice(4));
    texts = quiz.questions.map(({ text }) => text).sort();
  });
  afterAll(() => service.close());

  test.each([
    ['open-trivia-db', true],
    ['opendtb-wrapper', false],
    ['opentdb-api', true],
    ['tdb-api', true],
    ['trivia-api', false],
  ])('%s draws questions of a category, with a token each once', async (name, hasToken) => {
    const { stdout } = await execute(
      process.execPath,
      ['--require', './host.cjs', 'play.cjs', name],
      { cwd: folder, env: { ...process.env, SERVICE_URL: service.url } },
    );
    const draws = JSON.parse(stdout) as string[][];
    expect(draws.map((draw) => draw.length)).toEqual([2, 2]);
    for (const text of draws.flat()) expect(texts).toContain(decodeURIComponent(text));
    if (hasToken) expect(draws.flat().sort()).toEqual(texts);
  });
});
