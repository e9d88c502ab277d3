import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { isId } from '../../platform/text/ids';
import { isStorable } from '../../platform/text/text.rules';

/** What waits for review, as reviewers go through it. */
@Injectable()
export class ReviewQueueService {
  constructor(private readonly database: DataSource) {}

  /** A page of quizzes that wait, oldest first, and how many wait. */
  async waiting({ limit = 100, offset = 0 } = {}): Promise<{ quizzes: Quiz[]; waiting: number }> {
    const [quizzes, waiting] = await this.database.getRepository(Quiz).findAndCount({
      where: { published: true, approval: 'pending' },
      order: { createdAt: 'ASC', id: 'ASC' },
      take: limit,
      skip: offset,
    });
    return { quizzes, waiting };
  }

  /** How many wait. */
  countWaiting(): Promise<number> {
    return this.database.getRepository(Quiz).countBy({ published: true, approval: 'pending' });
  }

  /**
   * The id of a published quiz, found by its id, its slug, or a URL that ends with one of them. null: no published
   * quiz matches.
   */
  async find(text: string): Promise<string | null> {
    const name = text.trim().split(/[?#]/, 1)[0]?.split('/').findLast(Boolean) ?? '';
    if (!isStorable(name)) return null;
    const [quiz] = await this.database.query<{ id: string }[]>(
      `SELECT id FROM quizzes WHERE published AND (slug = $1 OR id = $2)`,
      [name, isId(name) ? name : null],
    );
    return quiz?.id ?? null;
  }

  /** The next quiz that waits after this one; after the last comes the first. null if no other waits. */
  async next(after: string): Promise<string | null> {
    const [next] = await this.database.query<{ id: string }[]>(
      `SELECT id FROM quizzes WHERE published AND approval = 'pending' AND id <> $1
       ORDER BY (created_at, id) <= (SELECT created_at, id FROM quizzes WHERE id = $1), created_at, id LIMIT 1`,
      [after],
    );
    return next?.id ?? null;
  }
}
