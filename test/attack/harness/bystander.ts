import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fixture, Subscriber } from '../../faults/harness/fixture';
import { until } from '../../faults/harness/until';

/** Milliseconds, sorted. */
export interface Times {
  lists: number[];
  deliveries: number[];
  /** List requests that were not answered 200. */
  refused: number;
}

const ASK_EVERY = 20;
const EMIT_EVERY = 100;

export const p99 = (sorted: number[]) => sorted[Math.floor(sorted.length * 0.99)] ?? 0;

/**
 * Other people: they ask for a list of quizzes every 20 ms, each from another address, and an account of theirs
 * receives a webhook every 100 ms.
 */
export class Bystander {
  private asked = 0;

  constructor(
    private readonly fixture: Fixture,
    private readonly port: number,
    private readonly account: Subscriber,
  ) {}

  /** @returns what they notice while the task runs */
  async beside(task: () => Promise<unknown>): Promise<Times> {
    const lists: number[] = [];
    let refused = 0;
    let isOver = false;
    const done = task().finally(() => (isOver = true));
    const asking = async () => {
      while (!isOver) {
        const begun = performance.now();
        if ((await this.ask()) !== 200) refused++;
        lists.push(performance.now() - begun);
        await sleep(ASK_EVERY);
      }
    };
    const { path } = this.account;
    const before = this.fixture.receiver.at(path).length;
    let emitted = before;
    const receiving = async () => {
      for (; !isOver; emitted++) {
        await this.fixture.emit(this.account, 1);
        await sleep(EMIT_EVERY);
      }
    };
    await Promise.all([done, asking(), receiving()]);
    const arrived = () => this.fixture.receiver.at(path);
    await until("the bystander's webhooks", () => arrived().length >= emitted, 60_000);
    const deliveries = arrived()
      .slice(before)
      .map(({ at, body }) => at - createdAt(body));
    return { lists: inOrder(lists), deliveries: inOrder(deliveries), refused };
  }

  private ask(): Promise<number> {
    return new Promise((resolve) => {
      const headers = { Authorization: `Bearer ${this.account.key}` };
      const path = '/api/v1/quizzes?limit=10';
      const localAddress = `127.0.1.${1 + (this.asked++ % 250)}`;
      const place = { host: '127.0.0.1', port: this.port, localAddress, agent: false };
      get({ ...place, path, headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      }).once('error', () => resolve(0));
    });
  }
}

const inOrder = (numbers: number[]) => numbers.sort((a, b) => a - b);

const createdAt = (body: Buffer) =>
  Date.parse((JSON.parse(body.toString()) as { created_at: string }).created_at);
