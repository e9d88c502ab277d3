import { ConnectionError, QuizClient } from '../../clients/typescript/src/index';

/** How long the TypeScript client waits before it tries again. No service runs here, so the test can set the time. */

const QUIZ = { title: 'Salt', difficulty: 'EASY' as const };

// Bodies of responses need the others.
beforeEach(
  () => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }),
);
afterEach(() => void jest.useRealTimers());

it.each([429, 409, 503])('the client retries after %i when Retry-After says', async (status) => {
  const body = JSON.stringify({ success: true, data: { id: 'x' } });
  const responses = [
    new Response('{}', { status, headers: { 'Retry-After': '3' } }),
    new Response(body, { status: 201 }),
  ];
  const send = () => Promise.resolve(responses.shift() ?? Response.error());
  const call = new QuizClient({ baseUrl: 'http://x', fetch: send }).quizzes.create(QUIZ);
  await jest.advanceTimersByTimeAsync(2_999);
  expect(responses).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  await expect(call).resolves.toEqual({ id: 'x' });
});

it('the client never waits longer than `maxRetryDelay` between its retries', async () => {
  let tries = 0;
  const send = () => {
    tries += 1;
    return Promise.reject(new TypeError('fetch failed'));
  };
  const options = { baseUrl: 'http://x', fetch: send, retries: 8, maxRetryDelay: 10 };
  const call = new QuizClient(options).quizzes.create(QUIZ);
  const ended = expect(call).rejects.toBeInstanceOf(ConnectionError);
  await jest.advanceTimersByTimeAsync(8 * 10);
  expect(tries).toBe(9);
  await ended;
});
