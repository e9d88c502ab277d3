import fc from 'fast-check';
import request from 'supertest';
import { DEFINITIONS, type ToolName } from '../../src/mcp/tool-definitions';
import { Assistant } from '../support/assistant';
import { makeQuiz } from '../support/content';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService } from '../support/service';

const TOOL_NAMES = Object.keys(DEFINITIONS) as ToolName[];

/** Whatever arguments an assistant sends, a tool answers in its own terms: never an internal error. */

let service: Service;
let assistant: Assistant;
let key: string;
let quizId: string;
let questionId: string;
beforeAll(async () => {
  service = await startService({ QUIZ_QUOTA_PRO: '1000000', LOG_LEVEL: 'warn' });
  const account = await service.account();
  key = account.key;
  const quiz = await makeQuiz(account, { published: false }, questionBodies(3));
  quizId = quiz.id;
  questionId = quiz.questions[0]?.id ?? '';
  assistant = await Assistant.connect(service, key);
});
afterAll(async () => {
  await assistant.close();
  await service.close();
});

const internal = () => service.log.filter((line) => line.includes('request failed'));

/** Values that are odd by themselves, and ids and questions that exist. */
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\0', '\ud800', '\u200b', '%', "'", 'a,b\\', 'null', '1e400', '__proto__'),
  fc.constantFrom<unknown>(0, -1, 1.5, 51, 1e15, 2 ** 53, null, true, [], {}, [[]], [null], [{}]),
  fc.constantFrom('quiz', 'question').map((kind) => (kind === 'quiz' ? quizId : questionId)),
  fc.constant(0).map(() => [questionBody(), { id: questionId, text: 'x' }, questionId]),
  fc.array(fc.constant(0).map(() => ({ id: questionId, answers: [{ text: 1 }] }))),
);

const calls = fc.constantFrom(...TOOL_NAMES).chain((name) => {
  const names = Object.keys(DEFINITIONS[name].properties);
  return fc.record({
    name: fc.constant(name),
    args: fc.oneof(
      { weight: 5, arbitrary: fc.dictionary(fc.constantFrom(...names), value) },
      // Valid but for a few fields, so that the services see more than missing ones.
      {
        weight: 5,
        arbitrary: fc
          .dictionary(fc.constantFrom(...names), value, { maxKeys: 2 })
          .map((odd) => ({ ...valid(name), ...odd })),
      },
      { weight: 1, arbitrary: fc.dictionary(fc.string(), value) },
    ),
  });
});

/** A call of each tool that succeeds. */
const valid = (name: ToolName): object => {
  const calls: Record<ToolName, object> = {
    search: {},
    get_quiz: { id: quizId },
    draw_questions: {},
    write_quiz: { title: 't', difficulty: 'EASY', questions: [questionBody()] },
    copy_quiz: { id: quizId },
    copy_questions: { id: quizId, ids: [questionId] },
    edit: { id: quizId, change: [{ id: questionId, text: 'x' }] },
    quiz_statistics: { id: quizId },
    regrade: { id: quizId, questionIds: [questionId] },
    submit_for_review: { id: quizId },
  };
  return calls[name];
};

test.each(TOOL_NAMES)('the call of %s that is fuzzed succeeds as it is', async (name) => {
  expect(await assistant.call(name, valid(name))).toMatchObject({ isError: false, error: '' });
});

test('fuzzed arguments of every tool get a result or an error that explains itself, never an internal error', async () => {
  const outcomes = new Set<boolean>();
  await fc.assert(
    fc.asyncProperty(calls, async ({ name, args }) => {
      const { isError, error, data } = await assistant.call(name, args);
      outcomes.add(isError);
      if (isError) expect(error).toMatch(/\S/);
      else expect(data).toBeInstanceOf(Object);
      expect(error).not.toBe('Something went wrong.');
      expect(internal()).toEqual([]);
    }),
    { numRuns: 600 },
  );
  expect(outcomes.size).toBe(2);
}, 300_000);

test('fuzzed messages to /mcp get a status below 500, and nothing is logged as failed', async () => {
  const method = fc.constantFrom(
    ...['tools/call', 'tools/list', 'prompts/get', 'resources/read', 'initialize', 'ping'],
    ...['subscriptions/listen', 'server/discover', 'completion/complete', 'x'],
  );
  const message = fc.record(
    { jsonrpc: fc.constantFrom('2.0', '1.0'), id: value, method, params: value },
    { requiredKeys: [] },
  );
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(fc.oneof(message, value), async (body) => {
      const { status } = await request(service.url)
        .post('/mcp')
        .set('Authorization', `Bearer ${key}`)
        .set('Accept', 'application/json, text/event-stream')
        .set('Content-Type', 'application/json')
        .send(JSON.stringify(body));
      expect(status).toBeLessThan(500);
      statuses.add(status);
      expect(internal()).toEqual([]);
    }),
    { numRuns: 300 },
  );
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400]));
}, 300_000);
