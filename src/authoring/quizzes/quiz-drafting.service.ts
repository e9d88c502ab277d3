import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsService } from '../../access/accounts/accounts.service';
import type { Actor } from '../../access/audit/actor';
import { type OwnedQuiz, OwnedQuizzesService } from '../../catalog/quizzes/owned-quizzes.service';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { rulesOf, withoutRules } from '../../catalog/vocabulary';
import { Clock } from '../../platform/clock';
import { DAY } from '../../platform/durations';
import {
  Conflict,
  DomainError,
  Invalid,
  type Issue,
  NotFound,
} from '../../platform/errors/domain-errors';
import { ANY_VERSION, type Expected } from '../../platform/http/request/precondition';
import { readBody } from '../../platform/http/request/validation.pipe';
import { BatchImportService } from '../questions/batch-import.service';
import { type Copying, QuestionCopyingService } from '../questions/question-copying.service';
import { QuestionEditingService } from '../questions/question-editing.service';
import { UpdateQuestionRequest } from '../questions/questions.dto';
import { requireEnoughToDraw } from './quiz.rules';
import { QuizAuthoringService } from './quiz-authoring.service';
import { QuizCopyingService } from './quiz-copying.service';
import { type EditQuizRequest, type WriteQuizRequest } from './quiz-drafting.dto';
import { UpdateQuizRequest } from './quizzes.dto';

/** Ends the transaction of a dry run. */
class RolledBack extends Error {
  constructor(readonly quiz: OwnedQuiz) {
    super();
  }
}

const CHANGES = ['quiz', 'change', 'remove', 'add', 'order'] as const;

/**
 * Writes whole quizzes as assistants do: a quiz with its questions, or many changes, in one transaction. The result is
 * a draft; only `submit` makes a quiz public, once it has passed review.
 */
@Injectable()
export class QuizDraftingService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly owned: OwnedQuizzesService,
    private readonly quizzes: QuizAuthoringService,
    private readonly batches: BatchImportService,
    private readonly questions: QuestionEditingService,
    private readonly questionCopying: QuestionCopyingService,
    private readonly quizCopying: QuizCopyingService,
    private readonly clock: Clock,
  ) {}

  /**
   * A new draft with its questions: all of it, or nothing. With `dryRun` everything is checked and nothing stays. A
   * client that has lost the response repeats the call: within a day it gets the quiz of the first one, also if that
   * one has taken the last place of the plan.
   * @throws PlanRequired, LimitReached, LimitExceeded, Invalid
   */
  async write(accountId: string, request: WriteQuizRequest): Promise<OwnedQuiz> {
    const { questions, dryRun, writtenBy, ...quiz } = request;
    await this.requirePlan(accountId);
    requireEnoughToDraw(quiz.questionsPerAttempt, questions.length);
    const write = async (tx: EntityManager) => {
      const since = this.clock.cutoff(REPEATED_WITHIN);
      const same = dryRun ? null : await this.quizzes.findWritten(tx, accountId, request, since);
      if (same) return this.owned.lock(tx, accountId, same);
      const draft = { ...quiz, published: false, featured: false };
      const { id } = await this.quizzes.createIn(tx, { accountId }, draft, { writtenBy });
      await this.batches.importIn(tx, { accountId }, id, questions);
      const written = await this.owned.lock(tx, accountId, id);
      if (dryRun) throw new RolledBack(written);
      return written;
    };
    try {
      return await this.database.transaction(write);
    } catch (error) {
      if (error instanceof RolledBack) return error.quiz;
      throw error;
    }
  }

  /**
   * Changes a quiz: its fields, questions, and their order. What waits for review goes on waiting (docs/adr/0009).
   * @throws NotFound; Forbidden for another account's quiz, and for a live one without the scope `publish`; Conflict if it is another revision; Invalid with every
   *   error, and then nothing is changed
   */
  async edit(actor: Actor, request: EditQuizRequest): Promise<OwnedQuiz> {
    const { accountId } = actor;
    const { id: quizId, revision, add, order, writtenBy } = request;
    await this.quizzes.requireOwner(actor, quizId, 'Only its owner changes it.');
    if (CHANGES.every((name) => request[name] === undefined || request[name] === null))
      throw invalid([issue('', `it must have at least one of: ${CHANGES.join(', ')}`)]);
    if (add) await this.requirePlan(accountId);
    const expected: Expected = (present) => {
      if (revision && revision !== present)
        throw new Conflict('The quiz has changed since you read it. Read it again.');
    };
    return this.database.transaction(async (tx) => {
      const issues = new Issues();
      const fields = await issues.of('quiz', () => readFields(request.quiz));
      const { questionsPerAttempt, ...others } = fields ?? {};
      const change = { fields: withoutRules(others), status: rulesOf(others) };
      await this.quizzes.edit(actor, { quizId, expected, ...change }, tx);
      for (const [index, { id, ...fields }] of (request.change ?? []).entries())
        await issues.of(`change[${index}]`, () => {
          const changes = readBody(UpdateQuestionRequest, fields);
          return this.questions.update(actor, { quizId, questionId: id }, changes, tx);
        });
      for (const [index, id] of (request.remove ?? []).entries())
        await issues.of(`remove[${index}]`, () =>
          this.questions.delete(actor, { quizId, questionId: id }, tx),
        );
      issues.throwAny();
      const pathOf = (index: number) => `add[${index}].`;
      if (add) await this.batches.importIn(tx, actor, quizId, add, ANY_VERSION, pathOf);
      if (order)
        await issues.of('order', () => this.questions.reorder(actor, { quizId }, order, tx));
      // Last, because an attempt draws from the questions that there are then.
      if (questionsPerAttempt !== undefined)
        await issues.of('quiz', () =>
          this.quizzes.edit(actor, { quizId, status: { questionsPerAttempt } }, tx),
        );
      issues.throwAny();
      if (writtenBy) await tx.getRepository(Quiz).update({ id: quizId }, { writtenBy });
      return this.owned.lock(tx, accountId, quizId);
    });
  }

  /** A draft that is a copy of a quiz. @throws PlanRequired; and as QuizCopyingService */
  async copy(accountId: string, quizId: string, title?: string | null): Promise<OwnedQuiz> {
    await this.requirePlan(accountId);
    return this.quizCopying.copy(accountId, quizId, title);
  }

  /**
   * Appends copies of questions, or moves them here: all of them, or none.
   * @throws NotFound; Forbidden for another account's quiz, and as QuestionCopyingService; PlanRequired
   */
  async copyQuestions(actor: Actor, quizId: string, copying: Copying): Promise<OwnedQuiz> {
    const { accountId } = actor;
    await this.quizzes.requireOwner(actor, quizId, 'Only its owner changes it.');
    await this.requirePlan(accountId);
    return this.database.transaction(async (tx) => {
      await this.questionCopying.copyIn(tx, actor, quizId, copying);
      return this.owned.lock(tx, accountId, quizId);
    });
  }

  /**
   * Publishes a draft, and sends a rejected quiz to review again.
   * @throws NotFound; Forbidden for another account's quiz; Conflict where there is nothing to review
   */
  async submit(actor: Actor, quizId: string): Promise<OwnedQuiz> {
    const { accountId } = actor;
    await this.quizzes.requireOwner({ accountId }, quizId, 'Only its owner publishes it.');
    const { state, questionCount } = await this.owned.get(accountId, quizId);
    if (state === 'pending') throw new Conflict('This quiz is already waiting for review.');
    if (state === 'live')
      throw new Conflict('This quiz is already live, so there is nothing to submit.');
    if (questionCount === 0) throw new Conflict('This quiz has no questions. Add some first.');
    return state === 'rejected'
      ? this.quizzes.resubmit(actor, quizId)
      : this.quizzes.publish(actor, quizId);
  }

  /** Programs write with a plan only. @throws PlanRequired */
  private requirePlan(accountId: string): Promise<void> {
    const refusal = 'A Starter or Pro plan is needed to write quizzes and questions.';
    return this.accounts.requirePlan(accountId, refusal);
  }
}

const REPEATED_WITHIN = DAY;

/** Publishing has a scope of its own. */
function readFields(sent: unknown): Omit<UpdateQuizRequest, 'published' | 'featured'> {
  if (sent === undefined || sent === null) return {};
  const { published, featured, ...fields } = readBody(UpdateQuizRequest, sent);
  if (published !== undefined || featured !== undefined)
    throw invalid([issue('', 'published and featured cannot be edited: submit it for review')]);
  return fields;
}

const issue = (path: string, message: string): Issue => ({ path, message, code: 'invalid' });

const invalid = ([first, ...rest]: Issue[]) => new Invalid('The body', [first!, ...rest]);

/** Collects what is wrong with the parts of a request, so that one response names all of it. */
class Issues {
  private readonly found: Issue[] = [];

  /** @param at the path of the part, under which its issues are collected */
  async of<T>(at: string, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const { details } = error;
      if (details) this.found.push(...details.map((it) => located(at, it)));
      else if (error instanceof NotFound)
        this.found.push(
          issue(
            at,
            `${at} is not a question of this quiz; fetch the quiz again for the current ids`,
          ),
        );
      else throw error;
      return undefined;
    }
  }

  throwAny(): void {
    if (this.found.length > 0) throw invalid(this.found);
  }
}

function located(at: string, { path, message, code }: Issue): Issue {
  // The list itself: `ids` is what another endpoint calls it.
  if (path === '' || path === 'ids')
    return { path: at, message: `${at}: ${message.replace(/^ids /, '')}`, code };
  const whole = `${at}.${path}`;
  return { path: whole, message: message.replace(path, () => whole), code };
}
