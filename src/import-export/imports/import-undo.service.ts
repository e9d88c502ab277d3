import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Actor } from '../../access/audit/actor';
import { QuestionEditingService } from '../../authoring/questions/question-editing.service';
import { QuizAuthoringService } from '../../authoring/quizzes/quiz-authoring.service';
import { requireMayChange } from '../../authoring/review/live-quiz.rules';
import { OwnedQuizzesService } from '../../catalog/quizzes/owned-quizzes.service';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { Conflict, NotFound } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { isUnderWay } from './import.rules';
import { ImportedQuiz } from './imported-quiz.entity';
import { Deleted, IMPORT_UNDER_WAY } from './imports.dto';
import { ImportsService } from './imports.service';

/** A quiz that the import created, or a question that it added to a quiz. */
interface Made {
  quiz: string;
  question?: string;
}

const MOST = LIMITS.imports.undoneAtOnce.value;

/** Takes back what an import has made. */
@Injectable()
export class ImportUndoService {
  constructor(
    @InjectRepository(ImportedQuiz) private readonly imported: Repository<ImportedQuiz>,
    private readonly imports: ImportsService,
    private readonly owned: OwnedQuizzesService,
    private readonly quizzes: QuizAuthoringService,
    private readonly questions: QuestionEditingService,
  ) {}

  /**
   * Deletes the quizzes that the import created, with everything in them; of a quiz that was there before only the
   * questions that it got. Each is a change of its own, as if the owner had made it: it can be interrupted and repeated.
   * @param most changes of this call, so that a request ends
   * @returns what was deleted, and whether more is left: then call it again
   * @throws NotFound; Conflict while the import is under way; Forbidden if a quiz is live and the key lacks `publish`
   */
  async undo(actor: Actor, importId: string, most = MOST): Promise<Deleted> {
    const { id, state, quizId: into } = await this.imports.get(actor.accountId, importId);
    if (isUnderWay(state)) throw new Conflict(IMPORT_UNDER_WAY.error, IMPORT_UNDER_WAY.name);
    const made = await (into === null
      ? this.quizzesLeft(actor, id, most + 1)
      : this.questionsLeft(actor.accountId, id, into));
    const deleted: Deleted = { quizzes: 0, questions: 0, more: made.length > most };
    for (const { quiz: quizId, question: questionId } of made.slice(0, most)) {
      if (questionId) {
        if (await ifThere(this.questions.delete(actor, { quizId, questionId })))
          deleted.questions += 1;
        continue;
      }
      const gone = await ifThere(this.quizzes.delete(actor, quizId));
      deleted.quizzes += gone ? 1 : 0;
      deleted.questions += gone?.questionCount ?? 0;
    }
    return deleted;
  }

  /** The first quizzes that are left. @throws Forbidden if any of those that are left must not be changed */
  private async quizzesLeft(actor: Actor, importId: string, limit: number): Promise<Made[]> {
    const left = () =>
      this.imported
        .createQueryBuilder('made')
        .innerJoin(Quiz, 'quiz', 'quiz.id = made.quizId')
        .where({ importId });
    requireMayChange(actor, await left().andWhere('quiz.isPublic').getExists());
    return left()
      .select('made.quizId', 'quiz')
      .orderBy('made.number')
      .addOrderBy('made.quizId')
      .limit(limit)
      .getRawMany<Made>();
  }

  /** The questions that are left, from the end: deleting the last one moves no other. */
  private async questionsLeft(accountId: string, importId: string, quiz: string): Promise<Made[]> {
    const rows = await this.imported.findBy({ importId });
    const ids = new Set(rows.flatMap((row) => row.questionIds));
    const detail = await ifThere(this.owned.getDetail(accountId, quiz));
    const left = detail?.questions.filter((question) => ids.has(question.id)) ?? [];
    return left.map((question) => ({ quiz, question: question.id })).reverse();
  }
}

/** @returns null if it is gone already */
async function ifThere<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}
