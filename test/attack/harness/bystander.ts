import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { hold } from '../../faults/harness/until';

/** Milliseconds at the 99th percentile that nobody else's list request may exceed, on two quiet cores. */
const TARGET = 250;

interface Figures {
  p99: number;
  refused: number;
  requests: number;
}

/** People who ask for a list of quizzes, one every 20 ms as long as the task runs, each from another address. */
export class Bystander {
  private asked = 0;

  private constructor(
    private readonly port: number,
    private readonly key: string,
    private readonly quiet: Figures,
  ) {}

  /** Measures three seconds without an attack first: a busy machine is not the service's. */
  static async arrive(port: number, key: string): Promise<Bystander> {
    const first = new Bystander(port, key, { p99: 0, refused: 0, requests: 0 });
    await first.measure(() => sleep(2_000));
    return new Bystander(port, key, await first.measure(() => sleep(3_000)));
  }

  /** @returns the figures as text. @throws Error when requests are slow or fail while the task runs */
  async beside(task: () => Promise<unknown>): Promise<string> {
    const { p99, refused, requests } = await this.measure(task);
    const text = `bystander p99 ${p99.toFixed(0)} ms (quiet ${this.quiet.p99.toFixed(0)}), ${refused} of ${requests} refused`;
    hold(p99 <= Math.max(TARGET, 3 * this.quiet.p99), `too slow: ${text}`);
    hold(refused <= requests / 20, `too many refusals: ${text}`);
    return text;
  }

  private async measure(task: () => Promise<unknown>): Promise<Figures> {
    const times: number[] = [];
    let refused = 0;
    let isOver = false;
    const done = task().finally(() => (isOver = true));
    const asking = async () => {
      while (!isOver) {
        const begun = performance.now();
        if ((await this.ask()) !== 200) refused++;
        times.push(performance.now() - begun);
        await sleep(20);
      }
    };
    await Promise.all([done, asking()]);
    times.sort((a, b) => a - b);
    return { p99: times[Math.floor(times.length * 0.99)] ?? 0, refused, requests: times.length };
  }

  private ask(): Promise<number> {
    return new Promise((resolve) => {
      const headers = { Authorization: `Bearer ${this.key}` };
      const path = '/api/v1/quizzes?limit=10';
      const localAddress = `127.0.1.${1 + (this.asked++ % 250)}`;
      const place = { host: '127.0.0.1', port: this.port, localAddress, agent: false };
      get({ ...place, path, headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      }).once('error', () => resolve(0));
    });
  }
}
