import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsService } from '../../access/accounts/accounts.service';
import type { Actor } from '../../access/audit/actor';
import type { StoredQuestion } from '../../catalog/quizzes/quizzes.dto';
import { DomainError, Forbidden, Invalid, type Issue } from '../../platform/errors/domain-errors';
import { ANY_VERSION, type Expected } from '../../platform/http/request/precondition';
import { isId } from '../../platform/text/ids';
import { BatchImportService } from './batch-import.service';
import { type CopiedQuestion, findQuestionsToCopy } from './question-copying.queries';
import { QuestionEditingService } from './question-editing.service';
import { shortened } from './question-pictures.rules';
import { QuestionPicturesService } from './question-pictures.service';

/** Which questions, in the order that they shall have; one that is named twice counts once. */
export interface Copying {
  ids: readonly string[];
  /** Whether they leave their quizzes, which must be the account's own. */
  move?: boolean;
}

/** Copies of questions in another quiz, through the API, the dashboard and assistants. */
@Injectable()
export class QuestionCopyingService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly batches: BatchImportService,
    private readonly editing: QuestionEditingService,
    private readonly pictures: QuestionPicturesService,
  ) {}

  /** The same as `copyIn`, for somebody who is signed in. */
  copy(ownerId: string, quizId: string, copying: Copying): Promise<StoredQuestion[]> {
    return this.database.transaction((tx) =>
      this.copyIn(tx, { accountId: ownerId }, quizId, copying),
    );
  }

  /**
   * Appends copies of questions that the account may see to one of its quizzes: all of them, or none. They keep their
   * source and licence, and have ids of their own; results stay with the old quiz.
   * @param expected of the quiz that they are added to
   * @throws NotFound for the quiz, or for a question that the account may not see; Forbidden for one that it may not
   *   move; PlanRequired, Invalid, LimitExceeded, PreconditionFailed
   */
  async copyIn(
    tx: EntityManager,
    actor: Actor,
    quizId: string,
    { ids, move }: Copying,
    expected: Expected = ANY_VERSION,
  ): Promise<StoredQuestion[]> {
    const { accountId } = actor;
    // The account first, as every change: nobody else changes its quizzes meanwhile.
    await this.accounts.lock(tx, accountId);
    const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
    const found = await findQuestionsToCopy(tx, accountId, wanted.filter(isId));
    requireAll(wanted, found);
    if (move) {
      requireMovable(found, accountId, quizId.toLowerCase());
      for (const [source, questions] of byQuiz(found))
        await this.editing.deleteSome(tx, actor, source, questions);
    }
    const questions = await this.pictures.adopt(tx, accountId, found);
    const pathOf = (index: number) => `ids[${index}].`;
    const adding = this.batches.importIn(tx, actor, quizId, questions, expected, pathOf);
    return adding.catch((error: unknown) => {
      throw ofCopies(error, questions);
    });
  }
}

/** What is wrong with a question's texts, said of the question: the body has only its id. */
function ofCopies(error: unknown, questions: readonly { text: string }[]): unknown {
  if (!(error instanceof Invalid) || !error.details) return error;
  const issues = new Map<string, Issue>();
  for (const issue of error.details) {
    const [field, path = issue.path, at] = /^(ids\[(\d+)\])\..*/.exec(issue.path) ?? [];
    const name = `“${shortened(questions[Number(at)]?.text ?? '')}”`;
    const message = field ? issue.message.replace(field, () => name) : issue.message;
    issues.set(path + message, { ...issue, path, message });
  }
  const [first, ...rest] = issues.values();
  return first ? new Invalid('The body', [first, ...rest]) : error;
}

/** @throws DomainError that names those that are missing */
function requireAll(wanted: readonly string[], found: readonly CopiedQuestion[]): void {
  const ids = new Set(found.map(({ id }) => id));
  const missing = wanted.filter((id) => !ids.has(id)).map((id) => JSON.stringify(id.slice(0, 60)));
  if (missing.length > 0)
    throw new DomainError(
      'not-found',
      'question-not-found',
      `Question not found: ${missing.join(', ')}. Send ids of questions that you can see; nothing was copied.`,
    );
}

/** @throws Forbidden, Invalid */
function requireMovable(
  questions: readonly CopiedQuestion[],
  accountId: string,
  target: string,
): void {
  const foreign = questions.find(({ ownerId }) => ownerId !== accountId);
  if (foreign)
    throw new Forbidden(
      `Question ${foreign.id} belongs to another account. Only its owner moves it: copy it without "move".`,
      'not-owner',
    );
  const there = questions.find(({ quizId }) => quizId === target);
  if (!there) return;
  const message = `ids must hold no question of the quiz that they are moved to, and ${there.id} is one`;
  throw new Invalid('The body', [{ path: 'ids', message, code: 'same_quiz' }]);
}

/** In the order of the ids of the quizzes. */
function byQuiz(questions: readonly CopiedQuestion[]): [string, CopiedQuestion[]][] {
  const quizzes = [...new Set(questions.map(({ quizId }) => quizId))].sort();
  return quizzes.map((quiz) => [quiz, questions.filter(({ quizId }) => quizId === quiz)]);
}
