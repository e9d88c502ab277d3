import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { AccountsService } from '../../dist/access/accounts/accounts.service.js';
import { ApiKeysService } from '../../dist/access/api-keys/api-keys.service.js';
import { ReviewService } from '../../dist/authoring/review/review.service.js';
import { migrate } from '../../dist/platform/database/migrate.js';
import { EndpointsService } from '../../dist/webhooks/endpoints/endpoints.service.js';
import { startPostgres } from '../support/postgres.mjs';
import { Child } from '../support/child.mjs';
import { openServices } from '../support/services.mjs';

const EVENTS = ['attempt.submitted', 'quiz.completed', 'leaderboard.updated'];

/** An API and a worker on a database of their own, an account with an endpoint, and keys of a page and of a platform. */
export class Hall {
  static async start({ queue, redis, receiverUrl, settings, execArgv, defer }) {
    const postgres = await startPostgres(defer, settings);
    const databaseUrl = await postgres.createDatabase(`hall_${randomUUID()}`);
    await migrate(databaseUrl);
    const env = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: queue === 'redis' ? redis.url : '',
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      // The minute's limit of a platform's address is raised; players at home have addresses of their own.
      RATE_LIMIT_PER_MINUTE: '1000000000',
      WEBHOOK_ALLOW_INSECURE: 'true',
      LOG_LEVEL: 'info',
      PORT: '0',
    };
    const run = async (bin) => {
      const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
      const { child, first } = await Child.start(`../dist/bin/${bin}`, { env, execArgv, stdio });
      defer(() => child.stop());
      return { child, first };
    };
    const { child: api, first } = await run('api.js');
    const { child: worker } = await run('worker.js');
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    defer(() => client.end());
    const services = await openServices(databaseUrl, env);
    defer(() => services.close());
    const account = { email: 'hall@example.com', plan: 'pro', isAdmin: true };
    const { manager } = services.of(DataSource);
    const { id } = await services.of(AccountsService).createIn(manager, account);
    const keys = services.of(ApiKeysService);
    const issued = await keys.issue(id, 'platform');
    const ofPage = await keys.issue(id, 'page', { scopes: ['play'] });
    const path = `/${randomUUID()}`;
    const endpoint = { url: receiverUrl + path, events: EVENTS };
    await services.of(EndpointsService).add(id, endpoint);
    const origin = `http://127.0.0.1:${first.port}`;
    const made = { services, api, worker, postgres, client, origin, path };
    return Object.assign(new Hall(), made, { key: issued.key, playKey: ofPage.key });
  }

  async #call(method, path, sent) {
    const response = await fetch(`${this.origin}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: sent && JSON.stringify(sent),
    });
    const { data, error } = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${error}`);
    return data;
  }

  /** A public quiz. @returns its id */
  async quiz(questions) {
    const { id } = await this.#call('POST', 'quizzes', {
      title: `Hall ${randomUUID()}`,
      difficulty: 'EASY',
      published: true,
    });
    await this.#call('POST', `quizzes/${id}/questions/batch`, {
      questions: Array.from({ length: questions }, (_, n) => ({
        text: `What is ${n} + ${n}?`,
        type: 'MULTIPLE_CHOICE',
        difficulty: 'EASY',
        answers: [0, 1, 2, 3].map((off) => ({ text: `${2 * n + off}`, isCorrect: off === 0 })),
      })),
    });
    await this.services.of(ReviewService).approve(id);
    return id;
  }

  /**
   * @throws Error if plays, sums, leaderboard and events are not those of so many players, or an event does not arrive
   */
  async check(quizId, players, receiver) {
    const rows = async (text) => (await this.client.query(text, [quizId])).rows;
    const ranked = `score DESC, time_spent, submitted_at, id LIMIT 10`;
    const truth = await rows(
      `SELECT player AS user_id, score, time_spent FROM quiz_attempts WHERE quiz_id = $1 AND submitted_at IS NOT NULL ORDER BY ${ranked}`,
    );
    const shown = await this.#call('GET', `quizzes/${quizId}/leaderboard`);
    const events = await this.#events(rows, players);
    const [{ plays }] = await rows(`SELECT plays::int FROM quizzes WHERE id = $1`);
    const [{ sums }] = await rows(
      `SELECT sum(attempts)::int AS sums FROM quiz_results WHERE quiz_id = $1`,
    );
    const named = (name) => events.filter((it) => it.event === name).map(({ data }) => data);
    const top = (entries) =>
      JSON.stringify(
        entries?.map((it) => [it.user_id ?? it.userId, it.score, it.time_spent ?? it.timeSpent]),
      );
    const checks = [
      ['plays', plays, players],
      ['attempts in the sums', sums, players],
      [
        'attempts in events',
        new Set(named('attempt.submitted').map((it) => it.attempt_id)).size,
        players,
      ],
      ['attempt.submitted events', named('attempt.submitted').length, players],
      ['quiz.completed events', named('quiz.completed').length, players],
      ['the leaderboard', top(shown), top(truth)],
      [
        'the last leaderboard.updated',
        top(named('leaderboard.updated').at(-1)?.top_scores),
        top(truth),
      ],
      ['events that have not arrived', await this.#missing(events, receiver), 0],
    ];
    for (const [what, is, wanted] of checks)
      if (is !== wanted) throw new Error(`${what}: ${is}, not ${wanted}`);
    return { boards: named('leaderboard.updated').length };
  }

  /** In their order, when nothing has been added for a second; after a minute what is there, even if it is few. */
  async #events(rows, players) {
    let events = [];
    for (let tries = 0; ; tries++) {
      const stored = await rows(
        `SELECT body::json AS event FROM outbox_events WHERE body::json -> 'data' ->> 'quiz_id' = $1 ORDER BY transaction_id, id`,
      );
      if (stored.length === events.length && (stored.length >= players || tries >= 60))
        return events;
      events = stored.map(({ event }) => event);
      await sleep(1_000);
    }
  }

  async #missing(events, receiver) {
    for (let tries = 0; ; tries++) {
      const arrived = new Set(
        (await receiver.ask('hand over')).map(({ body }) => JSON.parse(body).id),
      );
      const missing = events.filter(
        (it) => EVENTS.includes(it.event) && !arrived.has(it.id),
      ).length;
      if (missing === 0 || tries === 300) return missing;
      await sleep(200);
    }
  }
}
