import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, Raw } from 'typeorm';
import { AccountsService } from '../../access/accounts/accounts.service';
import type { Actor } from '../../access/audit/actor';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import type { StoredQuestion } from '../../catalog/quizzes/quizzes.dto';
import { Clock } from '../../platform/clock';
import {
  ANY_VERSION,
  type Expected,
  requireExpected,
} from '../../platform/http/request/precondition';
import { newAnswerIds, newId } from '../../platform/text/ids';
import { escapeRegExp, fold } from '../../platform/text/text.rules';
import { requireMayAdd } from '../review/live-quiz.rules';
import { OwnerEditsService } from '../review/owner-edits.service';
import { requireShowable } from './markdown.rules';
import { fingerprint, requireRoomFor } from './question.rules';
import { mediaOf } from './question-pictures.rules';
import { QuestionPicturesService } from './question-pictures.service';
import {
  appendQuestions,
  findByFingerprint,
  growth,
  hasSameQuiz,
  type NewQuestion,
} from './question-writing.queries';
import type { QuestionInput } from './questions.dto';

/** A question of a file may have a source; one of the API has no such fields. */
export type QuestionToImport = QuestionInput & {
  source?: string | null;
  licence?: string | null;
};

/** A question as it is stored, with new ids. */
export function toNewQuestion(question: QuestionToImport): NewQuestion {
  const id = newId();
  const answerIds = newAnswerIds(id, question.answers.length);
  return {
    id,
    text: question.text,
    type: question.type,
    difficulty: question.difficulty,
    format: question.format ?? 'plain',
    explanation: question.explanation || null,
    answers: question.answers.map(({ text, isCorrect }) => ({
      id: answerIds.pop() ?? newId(),
      text,
      isCorrect,
    })),
    fingerprint: fingerprint(question),
    textKey: fold(question.text),
    source: question.source ?? null,
    licence: question.licence ?? null,
    media: mediaOf(question),
  };
}

/** Importing questions into an existing quiz (specification 4.7). */
@Injectable()
export class BatchImportService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly edits: OwnerEditsService,
    private readonly pictures: QuestionPicturesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Appends validated questions, all or none, in order and never interleaved with another batch.
   * @throws NotFound if the account owns no such quiz (any more); PlanRequired as `requireMayAdd`; LimitExceeded; Invalid
   *   for pictures of others and what cannot be shown: then nothing is written
   */
  import(actor: Actor, quizId: string, questions: QuestionInput[]): Promise<StoredQuestion[]> {
    return this.database.transaction((tx) => this.importIn(tx, actor, quizId, questions));
  }

  /**
   * The same inside a transaction of the caller's.
   * @param pathOf the path of a question by its index, with a dot
   */
  async importIn(
    tx: EntityManager,
    actor: Actor,
    quizId: string,
    questions: QuestionToImport[],
    expected: Expected = ANY_VERSION,
    pathOf = (index: number) => `questions[${index}].`,
  ): Promise<StoredQuestion[]> {
    const { accountId } = actor;
    await requireShowable(questions, pathOf);
    const account = await this.accounts.lock(tx, accountId);
    const bytes = growth({ added: questions });
    this.accounts.requireRoom(account, bytes);
    const rows = questions.map(toNewQuestion);
    const first = await this.edits.edit(tx, account, quizId, actor, async (quiz) => {
      requireExpected('quiz', quiz, expected);
      requireMayAdd(account, quiz);
      await this.pictures.require(tx, accountId, questions, quiz.published, pathOf);
      requireRoomFor(quiz, { questions: rows.length, bytes });
      return appendQuestions(tx, quiz.id, rows, this.clock.now());
    });
    return rows.map((row, index) => ({ ...row, position: first + index }));
  }

  /**
   * Which of these questions the account already has, by their fingerprints.
   * @returns by fingerprint the title of the quiz that has it; of several quizzes, the one that had it first
   */
  async findKnown(
    tx: EntityManager,
    accountId: string,
    fingerprints: readonly string[],
  ): Promise<Map<string, string>> {
    const known = await findByFingerprint(tx, accountId, fingerprints);
    return new Map(known.map(({ fingerprint: print, title }) => [print, title]));
  }

  /** Whether the account owns a quiz of this title with exactly these questions, by their fingerprints. */
  hasQuiz(
    tx: EntityManager,
    accountId: string,
    title: string,
    fingerprints: readonly string[],
  ): Promise<boolean> {
    return hasSameQuiz(tx, accountId, title, fingerprints);
  }

  /** How many quizzes of a category the account owns. */
  countInCategory(tx: EntityManager, accountId: string, category: string): Promise<number> {
    return tx.getRepository(Quiz).countBy({ ownerId: accountId, categoryKey: fold(category) });
  }

  /** How many quizzes the account owns with this title, or as numbered parts of it such as `Rivers (2)`. */
  countParts(tx: EntityManager, accountId: string, title: string): Promise<number> {
    const parts = { parts: `^${escapeRegExp(title)}( \\([0-9]{1,4}\\))?$` };
    const ofParts = Raw((column) => `${column} ~ :parts`, parts);
    return tx.getRepository(Quiz).countBy({ ownerId: accountId, title: ofParts });
  }
}
