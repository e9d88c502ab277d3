import request, { type Test } from 'supertest';
import { ReviewService } from '../../src/authoring/review/review.service';
import { migrateQueue } from '../../src/platform/queue/migrate-queue';
import { ReportsService } from '../../src/play/results/reports.service';
import { makeQuiz } from './content';
import { signIn, type Window } from './dashboard';
import { questionBodies } from './samples';
import { type Service, startService, type TestAccount } from './service';

/**
 * Every address of the dashboard and of the player's pages, as the router knows them. A route that is added is tested
 * without a line here; only a new kind of id needs one below, which test/api/dashboard-routes.spec.ts asks for.
 */
export interface Route {
  method: 'get' | 'post';
  path: string;
}

/** A service with an account that owns one of everything that has a page. */
export interface Site {
  service: Service;
  owner: TestAccount;
  mine: Window;
  neighbours: Window;
  administrators: Window;
  routes: Route[];
  /** The address with ids of the owner's in the place of its parameters. */
  own: (path: string) => string;
  ask: (window: Window, route: Route, path: string, body?: string) => Test;
}

export async function startSite(
  env: Record<string, string> = { MODERATION: 'auto' },
): Promise<Site> {
  const service = await startService(env);
  // As a worker does, for the administrators' page about the queues.
  await migrateQueue(service.databaseUrl);
  const owner = await service.account('pro');
  const mine = await signIn(service, owner);
  const neighbours = await signIn(service, await service.account('pro'));
  const administrators = await signIn(service, await service.account('free', { isAdmin: true }));
  const quiz = await makeQuiz(owner, { title: 'Mine', published: true }, questionBodies(2));
  await service.app.get(ReviewService).approve(quiz.id);
  const endpoint = { url: 'https://example.com/hook', events: 'quiz.created' };
  await mine.send('/webhooks', endpoint);
  const [question] = quiz.questions;
  const attempt = await owner.post(`/quizzes/${quiz.id}/attempts`, { player: 'Ada' }).expect(201);
  await owner.post(`/attempts/${attempt.body.data.id}/submit`).expect(200);
  const preview = await mine.send(`/quizzes/${quiz.id}/preview`).expect(303);
  await owner.post(`/quizzes/${quiz.id}/links`, {}).expect(201);
  await owner.post('/imports?dry_run=true').type('csv').send('question,answer').expect(202);
  // The owner gets a notice of it.
  const by = { token: 'A'.repeat(22), address: '127.0.0.1' };
  const report = { reason: 'answer', text: '' };
  await service.app.get(ReportsService).report(quiz.id, question?.id ?? '', by, report);
  const idOf = async (row: string, of = owner.accountId) => {
    const [found] = await service.database.query<{ id: string }[]>(`SELECT id FROM ${row} = $1`, [
      of,
    ]);
    return found?.id ?? '';
  };
  const webhook = await idOf('webhook_endpoints WHERE account_id');
  await owner.post(`/webhooks/${webhook}/test`).expect(202);
  /** By the word before the parameter. */
  const ids = new Map([
    ['webhooks', webhook],
    ['deliveries', await idOf('webhook_deliveries WHERE endpoint_id', webhook)],
    ['keys', await idOf('api_keys WHERE account_id')],
    ['sessions', await idOf('sessions WHERE account_id')],
    ['imports', await idOf('imports WHERE account_id')],
    ['notices', await idOf('notices WHERE account_id')],
    ['links', await idOf('quiz_links WHERE quiz_id', quiz.id)],
    ['reports', await idOf('question_reports WHERE quiz_id', quiz.id)],
    ['results', attempt.body.data.id as string],
    ['preview', String(preview.headers.location).split('/').at(-2) ?? ''],
    ['quizzes', quiz.id],
    ['review', quiz.id],
    ['accounts', owner.accountId],
    ['questions', question?.id ?? ''],
  ]);
  expect([...ids.values()]).not.toContain('');
  const own = (path: string) =>
    path
      .replace(/(\w+)\/:\w+/g, (all, of: string) => (ids.has(of) ? `${of}/${ids.get(of)}` : all))
      .replace(':slug', 'mine')
      .replace(':number', '1');
  const ask = (window: Window, { method }: Route, path: string, body = ''): Test => {
    const stranger = () =>
      method === 'get'
        ? request(service.url).get(path)
        : request(service.url)
            .post(path)
            .set('Sec-Fetch-Site', 'same-origin')
            .type('form')
            .send(body);
    if (!path.startsWith('/dashboard')) return stranger();
    const below = path.slice('/dashboard'.length);
    return method === 'get' ? window.open(below) : window.send(below).send(body);
  };
  return { service, owner, mine, neighbours, administrators, routes: routesOf(service), own, ask };
}

function routesOf({ app }: Service): Route[] {
  const { router } = app.getHttpAdapter().getInstance() as {
    router: { stack: { route?: { path: string; methods: Record<string, boolean> } }[] };
  };
  return router.stack
    .flatMap(({ route }) => (route ? [route] : []))
    .filter(({ path }) => /^\/(dashboard|play)\b/.test(path) && !path.includes('*'))
    .flatMap(({ path, methods }) =>
      (['get', 'post'] as const)
        .filter((method) => methods[method])
        .map((method) => ({ method, path })),
    );
}

/** The routes whose answer is not as it should be, with it. */
export async function wrong(asked: Route[], judge: (route: Route) => Promise<[number, boolean]>) {
  const found: string[] = [];
  for (const route of asked) {
    const [status, good] = await judge(route);
    if (!good) found.push(`${route.method} ${route.path}: ${status}`);
  }
  expect(asked.length).toBeGreaterThan(0);
  return found;
}
