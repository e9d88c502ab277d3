import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { QuizzesService } from '../catalog/quizzes.service';
import { visibleTo } from '../catalog/visibility';
import { NotFound } from '../platform/domain-errors';
import { isId } from '../platform/ids';
import { editionOf, type Edition } from './edition.queries';
import { NotPlayable } from './play-errors';

/** An attempt at more than this would copy and send it all at once. */
const MOST_QUESTIONS = 1_000;
const MOST_BYTES = 4 * 1_048_576;

/** The quizzes that a caller may see, as something to be played. */
@Injectable()
export class PlayableQuizzesService {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly quizzes: QuizzesService,
  ) {}

  /** Who owns the quiz, which the caller may see. @throws NotFound */
  async ownerOf(accountId: string, quizId: string): Promise<string> {
    const [quiz] = isId(quizId)
      ? await this.database.query<{ owner_id: string }[]>(
          `SELECT owner_id FROM quizzes WHERE id = $1 AND ${visibleTo('$2')}`,
          [quizId, accountId],
        )
      : [];
    if (!quiz) throw new NotFound('Quiz');
    return quiz.owner_id;
  }

  /** The quiz's questions as they now are. @throws NotFound; NotPlayable without a question or with too many */
  async edition(accountId: string, quizId: string): Promise<Edition> {
    const quiz = await this.quizzes.get(accountId, quizId);
    if (quiz.questions.length === 0)
      throw new NotPlayable('This quiz has no questions yet, so it cannot be played.');
    const edition = editionOf(quiz.id, quiz.questions);
    if (edition.questions.length > MOST_QUESTIONS || Buffer.byteLength(edition.json) > MOST_BYTES)
      throw new NotPlayable(
        'This quiz is too large to be played: the limits are 1,000 questions and 4 MiB of text.',
      );
    return edition;
  }
}
