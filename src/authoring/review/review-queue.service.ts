import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, Repository } from 'typeorm';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { isId } from '../../platform/text/ids';
import { isStorable } from '../../platform/text/text.rules';
import { findNextWaiting } from './review.queries';
import { contentVersions } from './version.queries';

const WAITS = { published: true, approval: 'pending' } as const;

interface Page {
  limit?: number;
  offset?: number;
}

/** What waits for review, as reviewers go through it. */
@Injectable()
export class ReviewQueueService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(Quiz) private readonly quizzes: Repository<Quiz>,
  ) {}

  /** A page of quizzes that wait, oldest first, and how many wait. */
  async waiting(page: Page = {}): Promise<{ quizzes: Quiz[]; waiting: number }> {
    return this.findWaiting(this.database.manager, page);
  }

  /** The same, with what a decision about each of them names: `versions` by id, see `ReviewService.decide`. */
  async waitingToDecide(
    page: Page,
  ): Promise<{ quizzes: Quiz[]; waiting: number; versions: Map<string, string> }> {
    // One snapshot: an edit in between would be approved with a title that nobody has seen.
    return this.database.transaction('REPEATABLE READ', async (tx) => {
      const found = await this.findWaiting(tx, page);
      const ids = found.quizzes.map(({ id }) => id);
      return { ...found, versions: await contentVersions(tx, ids) };
    });
  }

  private async findWaiting(tx: EntityManager, { limit = 100, offset = 0 }: Page) {
    const [quizzes, waiting] = await tx.getRepository(Quiz).findAndCount({
      where: WAITS,
      order: { createdAt: 'ASC', id: 'ASC' },
      take: limit,
      skip: offset,
    });
    return { quizzes, waiting };
  }

  /** How many wait. */
  countWaiting(): Promise<number> {
    return this.quizzes.countBy(WAITS);
  }

  /**
   * The id of a published quiz, found by its id, its slug, or a URL that ends with one of them. null: no published
   * quiz matches.
   */
  async find(text: string): Promise<string | null> {
    const name = text.trim().split(/[?#]/, 1)[0]?.split('/').findLast(Boolean) ?? '';
    if (!isStorable(name)) return null;
    const names = isId(name) ? [{ slug: name }, { id: name }] : [{ slug: name }];
    const quiz = await this.quizzes.findOne({
      select: { id: true },
      where: names.map((it) => ({ ...it, published: true })),
    });
    return quiz?.id ?? null;
  }

  /** The next quiz that waits after this one; after the last comes the first. null if no other waits. */
  next(after: string): Promise<string | null> {
    return findNextWaiting(this.database, after);
  }
}
