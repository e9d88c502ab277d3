import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { isId } from '../../platform/text/ids';
import { isStorable } from '../../platform/text/text.rules';
import { findNextWaiting } from './review.queries';
import { contentVersions } from './version.queries';

const WAITS = { published: true, approval: 'pending' } as const;

/** What waits for review, as reviewers go through it. */
@Injectable()
export class ReviewQueueService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(Quiz) private readonly quizzes: Repository<Quiz>,
  ) {}

  /** A page of quizzes that wait, oldest first, and how many wait. `versions` by id: see `ReviewService.decide`. */
  async waiting({ limit = 100, offset = 0 } = {}): Promise<{
    quizzes: Quiz[];
    versions: Map<string, string>;
    waiting: number;
  }> {
    // One snapshot: an edit in between would be approved with a title that nobody has seen.
    return this.database.transaction('REPEATABLE READ', async (tx) => {
      const [quizzes, waiting] = await tx.getRepository(Quiz).findAndCount({
        where: WAITS,
        order: { createdAt: 'ASC', id: 'ASC' },
        take: limit,
        skip: offset,
      });
      const versions = await contentVersions(
        tx,
        quizzes.map(({ id }) => id),
      );
      return { quizzes, versions, waiting };
    });
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
