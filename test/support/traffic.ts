import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'supertest';
import { type MadeQuiz, makeQuiz } from './content';
import { questionBodies, quizBody } from './samples';
import type { TestAccount } from './service';

/**
 * Requests as clients send them, one after the other in several loops: lists and searches, new quizzes with questions,
 * and attempts that are played to the end. A 503 with Retry-After is sent again, as the API asks for.
 */
export class Traffic {
  /** Responses that no client should get. */
  readonly errors: string[] = [];
  /** What was confirmed by a 2xx. */
  readonly quizzes: string[] = [];
  readonly questions: string[] = [];
  readonly submitted: string[] = [];
  private readonly rounds = new Map<string, number>();
  private running: Promise<void>[] = [];
  private stopping = false;

  private constructor(
    private readonly author: TestAccount,
    private readonly played: MadeQuiz,
  ) {}

  /** @param admin owns the quiz that is played */
  static async start(author: TestAccount, admin: TestAccount): Promise<Traffic> {
    const traffic = new Traffic(author, await makeQuiz(admin, {}, questionBodies(2)));
    const loops = {
      write: () => traffic.write(),
      play: () => traffic.play(),
      read: () => traffic.read(),
    };
    for (const [kind, work] of Object.entries(loops))
      for (let i = 0; i < 2; i++) traffic.running.push(traffic.loop(`${kind} ${i}`, work));
    await traffic.goesOn(1);
    return traffic;
  }

  /** Resolves when each loop was done so many times more. */
  async goesOn(times: number): Promise<void> {
    const before = new Map(this.rounds);
    const isBehind = () =>
      [...this.rounds].some(([kind, count]) => count < (before.get(kind) ?? 0) + times);
    while (isBehind() && this.errors.length === 0) await sleep(10);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.running);
  }

  private async loop(kind: string, work: () => Promise<void>): Promise<void> {
    this.rounds.set(kind, 0);
    while (!this.stopping) {
      await work().catch((error: Error) => this.errors.push(`${kind}: ${error.message}`));
      this.rounds.set(kind, (this.rounds.get(kind) ?? 0) + 1);
    }
  }

  private async send(request: () => PromiseLike<Response>): Promise<Response['body']['data']> {
    for (;;) {
      const { status, headers, body, text } = await request();
      if (status < 300) return body.data;
      if (status !== 503 || !headers['retry-after']) throw new Error(`${status} ${text}`);
      await sleep(50);
    }
  }

  private async write(): Promise<void> {
    const quiz = await this.send(() => this.author.post('/quizzes', quizBody()));
    this.quizzes.push(quiz.id);
    const batch = { questions: questionBodies(3) };
    const added = await this.send(() =>
      this.author.post(`/quizzes/${quiz.id}/questions/batch`, batch),
    );
    this.questions.push(...added.questions.map(({ id }: { id: string }) => id));
  }

  private async play(): Promise<void> {
    const player = `player ${this.submitted.length}`;
    const attempt = await this.send(() =>
      this.author.post(`/quizzes/${this.played.id}/attempts`, { player }),
    );
    for (const { id, answers } of attempt.questions)
      await this.send(() =>
        this.author.post(`/attempts/${attempt.id}/answers`, {
          questionId: id,
          answerIds: [answers[0].id],
        }),
      );
    await this.send(() => this.author.post(`/attempts/${attempt.id}/submit`));
    this.submitted.push(attempt.id);
  }

  private async read(): Promise<void> {
    for (const path of [
      '/quizzes?sort=popular',
      '/quizzes?topic=rivers',
      '/questions?page=2',
      `/quizzes/${this.played.id}`,
      `/quizzes/${this.played.id}/leaderboard`,
    ])
      await this.send(() => this.author.get(path));
  }
}
