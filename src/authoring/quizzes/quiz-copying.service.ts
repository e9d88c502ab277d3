import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type OwnedQuiz, OwnedQuizzesService } from '../../catalog/quizzes/owned-quizzes.service';
import { found } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { BatchImportService } from '../questions/batch-import.service';
import { QuestionPicturesService } from '../questions/question-pictures.service';
import { titleOfCopy } from './quiz.rules';
import { QuizAuthoringService } from './quiz-authoring.service';
import { findQuizToCopy, isVisible } from './quiz-copying.queries';

/** Copies of whole quizzes, through the API, the dashboard and assistants. */
@Injectable()
export class QuizCopyingService {
  constructor(
    private readonly database: DataSource,
    private readonly owned: OwnedQuizzesService,
    private readonly quizzes: QuizAuthoringService,
    private readonly batches: BatchImportService,
    private readonly pictures: QuestionPicturesService,
  ) {}

  /**
   * A draft of the account's with the content of a quiz that it may see: its own or a public one. The questions keep
   * their source and licence. All of it, or nothing.
   * @param title of the copy; absent: that of the quiz, marked as a copy
   * @throws NotFound for a quiz that the account may not see; LimitReached, LimitExceeded as a new quiz
   */
  copy(accountId: string, quizId: string, title?: string | null): Promise<OwnedQuiz> {
    return this.database.transaction((tx) => this.copyIn(tx, accountId, quizId, title));
  }

  /** What a copy is called where nobody says it. */
  titleOf({ title }: { title: string }): string {
    return titleOfCopy(title);
  }

  /** The same inside a transaction of the caller's. */
  async copyIn(
    tx: EntityManager,
    accountId: string,
    quizId: string,
    title?: string | null,
  ): Promise<OwnedQuiz> {
    const of = found('Quiz', isId(quizId) && (await findQuizToCopy(tx, accountId, quizId)));
    const { questions, writtenBy, ...quiz } = of;
    const draft = { ...quiz, title: title || this.titleOf(quiz) };
    const { id } = await this.quizzes.createIn(
      tx,
      { accountId },
      { ...draft, published: false, featured: false },
      { writtenBy },
    );
    if (questions.length > 0)
      await this.batches.importIn(
        tx,
        { accountId },
        id,
        await this.pictures.adopt(tx, accountId, questions),
      );
    return this.owned.lock(tx, accountId, id);
  }

  /** @throws NotFound as `copy` */
  async requireVisible(accountId: string, quizId: string): Promise<void> {
    found('Quiz', isId(quizId) && (await isVisible(this.database.manager, accountId, quizId)));
  }
}
