import { setTimeout as sleep } from 'node:timers/promises';
import { QuizzesService } from '../../src/catalog/quizzes/quizzes.service';
import { ContentChanges } from '../../src/platform/database/content-changes';
import { cloneDatabase } from '../support/database';
import { type Service, startService, type TestAccount } from '../support/service';
import { createQuiz } from '../support/writing';

/** Cached responses while others write, in two processes on one database. */

let [one, other]: Service[] = [];
let author: TestAccount;
beforeAll(async () => {
  const database = await cloneDatabase();
  one = await startService({ MODERATION: 'auto' }, database);
  other = await startService({ MODERATION: 'auto' }, database);
  author = await one.account('pro', { isAdmin: true });
  one.noticesChanges = false;
  other.noticesChanges = false;
  for (const { app } of [one, other]) while (!app.get(ContentChanges).isCurrent) await sleep(10);
});
afterAll(async () => {
  await other?.app.close();
  await one?.close();
});

const readTitle = async ({ url }: Service, account: TestAccount, id: string): Promise<string> => {
  const headers = { Authorization: `Bearer ${account.key}` };
  const response = await fetch(`${url}/api/v1/quizzes/${id}`, { headers });
  return ((await response.json()) as { data: { title: string } }).data.title;
};

/**
 * PostgreSQL delivers no notification to a connection in a transaction.
 * @returns a function that ends it
 */
async function holdNotifications(changes: ContentChanges): Promise<() => Promise<unknown>> {
  const client = changes['client']!;
  await client.query('BEGIN');
  return () => client.query('COMMIT');
}

/** The next read of a process stops between its query and its response until `go`. */
function holdReads({ app }: Service): { reached: Promise<void>; go: () => void } {
  const quizzes = app.get(QuizzesService);
  const getJson = quizzes.getJson.bind(quizzes);
  let go!: () => void;
  let reach!: () => void;
  const gate = new Promise<void>((resolve) => (go = resolve));
  const reached = new Promise<void>((resolve) => (reach = resolve));
  quizzes.getJson = async (...args) => {
    quizzes.getJson = getJson;
    const found = await getJson(...args);
    reach();
    await gate;
    return found;
  };
  return { reached, go };
}

test.each([
  ['before it is notified', false],
  ['after it is notified', true],
])('a response computed before a change and sent %s is not sent again', async (_, isNotified) => {
  const reader = await one!.account();
  for (const [reading, title] of [
    [one!, 'by the same process'],
    [other!, 'by another process'],
  ] as const) {
    const id = await createQuiz(author, { title: 'Before' });
    const changes = reading.app.get(ContentChanges);
    await changes.check();
    const deliver = await holdNotifications(changes);
    const held = holdReads(reading);
    const begun = readTitle(reading, reader, id);
    await held.reached;
    const { revision } = changes;
    await author.patch(`/quizzes/${id}`, { title }).expect(200);
    // A process reports its own changes itself.
    expect(changes.revision > revision).toBe(reading === one);
    if (isNotified) await deliver();
    held.go();
    expect(await begun).toBe('Before');
    if (!isNotified) await deliver();
    expect(await readTitle(reading, reader, id)).toBe(title);
  }
});

test('under constant edits a read never goes back, its process shows its own edits at once, and another within a second', async () => {
  const readers = await Promise.all([one!.account(), one!.account(), one!.account()]);
  const id = await createQuiz(author, { title: '0' });
  /** When an edit was acknowledged, by its number. */
  const done: number[] = [performance.now()];
  let latest = 0;
  let isOver = false;
  let reads = 0;
  const read = async (service: Service, account: TestAccount) => {
    for (let seen = 0; !isOver; reads++) {
      const begun = performance.now();
      const acknowledged = latest;
      const title = Number(await readTitle(service, account, id));
      expect(title).toBeGreaterThanOrEqual(seen);
      seen = title;
      if (service === one) expect(title).toBeGreaterThanOrEqual(acknowledged);
      else if (title < acknowledged)
        expect(begun - (done[title + 1] ?? Infinity)).toBeLessThan(1_000);
      await sleep(1);
    }
  };
  const write = async () => {
    for (let number = 1; number <= 100; number++) {
      await author.patch(`/quizzes/${id}`, { title: String(number) }).expect(200);
      done[number] = performance.now();
      latest = number;
      expect(await readTitle(one!, author, id)).toBe(String(number));
      if (number % 5 === 0) await sleep(20);
    }
    isOver = true;
  };
  const all = [one!, other!].flatMap((service) => readers.map((account) => read(service, account)));
  await Promise.all([write(), ...all]);
  expect(reads).toBeGreaterThan(100);
  await other!.app.get(ContentChanges).check();
  expect(await readTitle(other!, readers[0], id)).toBe('100');
}, 120_000);
