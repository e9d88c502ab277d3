import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { canUpgrade, mayWrite, PLAN_NAMES } from '../../../access/accounts/plan.rules';
import { requireRoomFor } from '../../../authoring/questions/question.rules';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { DomainError, NotFound } from '../../../platform/errors/domain-errors';
import { LIMITS } from '../../../platform/limits/limits';
import { quotaProblem } from '../import.rules';
import type { ImportView } from '../imports.dto';
import { countStagedQuizzes } from './staging.queries';

/**
 * Whether an import fits into its account's plan and into its quiz, checked before anything is written. The writing
 * checks it again.
 */
@Injectable()
export class ImportQuotaService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly owned: OwnedQuizzesService,
  ) {}

  /** How many quizzes the staged questions make. */
  async countQuizzes({ id, quizId, quizSize }: ImportView, tx = this.database.manager) {
    if (quizId !== null) return 0;
    return countStagedQuizzes(tx, id, LARGEST.value, quizSize);
  }

  /**
   * @param view of a file that was read, of which nothing is written yet
   * @returns why it cannot be written as a whole, and what to do; null: it can
   */
  async findProblem(accountId: string, view: ImportView): Promise<string | null> {
    const account = await this.accounts.get(accountId);
    const limit = this.accounts.quizLimitOf(account);
    const needed = await this.countQuizzes(view);
    if (needed > 0 && !mayWrite(account))
      return `Your ${PLAN_NAMES[account.plan]} plan does not include imports. Ask an administrator for a Starter or Pro plan.`;
    const bytes = view.contentBytes;
    try {
      const quiz = view.quizId === null ? null : await this.owned.get(accountId, view.quizId);
      this.accounts.requireRoom(account, bytes);
      if (quiz) requireRoomFor(quiz, { questions: view.totals.importable, bytes });
    } catch (error) {
      if (error instanceof NotFound) return TARGET_DELETED;
      if (error instanceof DomainError) return error.message;
      throw error;
    }
    const owned = (await this.owned.countByOwner([accountId])).get(accountId) ?? 0;
    const room = limit === null ? needed : Math.max(limit - owned, 0);
    if (needed <= room) return null;
    const fewest = await this.countQuizzes({ ...view, quizSize: LARGEST.value });
    const canAppend = view.format !== 'archive' && view.totals.importable <= LARGEST.value;
    const plan = { name: PLAN_NAMES[account.plan], canUpgrade: canUpgrade(account) };
    return quotaProblem({ needed, fewest, owned, room }, canAppend, plan);
  }
}

const TARGET_DELETED = 'The quiz was deleted. Upload the file again to make a new quiz.';

const LARGEST = LIMITS.content.questionsPerQuiz;
