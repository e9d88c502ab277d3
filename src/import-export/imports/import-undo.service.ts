import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Actor } from '../../access/audit/actor';
import { QuestionEditingService } from '../../authoring/questions/question-editing.service';
import { QuizAuthoringService } from '../../authoring/quizzes/quiz-authoring.service';
import { OwnedQuizzesService } from '../../catalog/quizzes/owned-quizzes.service';
import { Conflict, NotFound } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { isUnderWay } from './import.rules';
import { ImportedQuiz } from './imported-quiz.entity';
import { Deleted } from './imports.dto';
import { ImportsService } from './imports.service';

interface Made {
  quiz: string;
  question?: string;
}

/** As many as the largest plan may own (QUIZ_QUOTA_PRO). */
const ALL = { limit: 1_000_000, offset: 0 };
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
   * @param most changes of this call, so that a request ends; the result says whether more are left
   * @throws NotFound; Conflict while the import is under way; Forbidden if a quiz is live and the key lacks `publish`
   */
  async undo(actor: Actor, importId: string, most = MOST): Promise<Deleted> {
    const { accountId } = actor;
    const { id, state, quizId: into } = await this.imports.get(accountId, importId);
    if (isUnderWay(state))
      throw new Conflict('This import is under way. Cancel it first.', 'import-under-way');
    const made = await (into === null
      ? this.quizzesOf(accountId, id)
      : this.questionsOf(accountId, id, into));
    await this.quizzes.requireMayChangeAll(actor, [...new Set(made.map(({ quiz }) => quiz))]);
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

  /** The quizzes that are left. */
  private async quizzesOf(accountId: string, importId: string): Promise<Made[]> {
    const { rows } = await this.imports.quizzesOf(accountId, importId, ALL);
    return rows.flatMap(({ id, deleted }) => (deleted ? [] : [{ quiz: id }]));
  }

  /** The questions that are left, from the end: deleting the last one moves no other. */
  private async questionsOf(accountId: string, importId: string, quiz: string): Promise<Made[]> {
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
