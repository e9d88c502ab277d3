import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsService } from '../../access/accounts/accounts.service';
import type { Actor } from '../../access/audit/actor';
import {
  type OwnedQuestion,
  type OwnedQuiz,
  OwnedQuizzesService,
} from '../../catalog/quizzes/owned-quizzes.service';
import { rulesOf } from '../../catalog/vocabulary';
import { Clock } from '../../platform/clock';
import { StaleVersion } from '../../platform/errors/domain-errors';
import { ObjectsField } from '../../platform/http/request/text-fields';
import { toNewQuestion } from '../questions/batch-import.service';
import { requireShowable } from '../questions/markdown.rules';
import { requireRoomFor } from '../questions/question.rules';
import { QuestionPicturesService } from '../questions/question-pictures.service';
import {
  appendQuestions,
  deleteQuestions,
  findOrder,
  growth,
  type NewQuestion,
  recount,
  updateQuestion,
  writeOrder,
} from '../questions/question-writing.queries';
import { QuestionInput } from '../questions/questions.dto';
import { requireMayAdd, requireMayPublish } from '../review/live-quiz.rules';
import { OwnerEditsService, Unchanged } from '../review/owner-edits.service';
import { ReviewService } from '../review/review.service';
import { TaxonomyService } from '../taxonomy/taxonomy.service';
import { requireEnoughToDraw, requirePlayable } from './quiz.rules';
import { QuizAuthoringService } from './quiz-authoring.service';
import { updateQuizFields } from './quiz-writing.queries';
import { CreateQuizRequest } from './quizzes.dto';

/** A quiz with all its questions, as the editor sends it. `published`: publish it as well. */
export class WholeQuiz extends CreateQuizRequest {
  @ObjectsField(QuestionInput, 'questions')
  questions!: QuestionInput[];
}

/** What the questions of a WholeQuiz replace. */
export interface Replaced {
  /** By the position in `questions`: the id of the stored question, '' for a new one. */
  ids: readonly string[];
  /** Stored questions to delete. Others that are not named stay, at the end. */
  removed: readonly string[];
}

const NOTHING: Replaced = { ids: [], removed: [] };

/** Identifies everything that the editor shows. */
export const wholeVersion = (quiz: OwnedQuiz & { questions: OwnedQuestion[] }): string =>
  hash(
    'sha256',
    JSON.stringify([quiz.version, ...quiz.questions.map(({ id, version }) => [id, version])]),
  );

/** Whether saving the input would change nothing that players see of the question. */
function isUnchanged(stored: OwnedQuestion, input: QuestionInput): boolean {
  // Forms send LF, whatever line ends are stored.
  const lines = (text: string) => text.replaceAll('\r\n', '\n');
  const shown = (question: OwnedQuestion | QuestionInput) => {
    const { text, type, difficulty, format = 'plain', explanation, answers } = question;
    return JSON.stringify([
      [lines(text), type, difficulty, format, lines(explanation ?? '')],
      // Of an open question the editor lists the accepted answers first.
      answers
        .toSorted((a, b) => (type === 'OPEN_ENDED' ? +b.isCorrect - +a.isCorrect : 0))
        .map((answer) => [lines(answer.text), answer.isCorrect]),
    ]);
  };
  return shown(stored) === shown(input);
}

/** Saves a quiz with all its questions: everything or nothing (docs/adr/0009). */
@Injectable()
export class QuizEditorService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly owned: OwnedQuizzesService,
    private readonly quizzes: QuizAuthoringService,
    private readonly taxonomy: TaxonomyService,
    private readonly review: ReviewService,
    private readonly edits: OwnerEditsService,
    private readonly pictures: QuestionPicturesService,
    private readonly clock: Clock,
  ) {}

  /** @throws LimitReached, LimitExceeded, Invalid; PlanRequired for a public one */
  async create(actor: Actor, whole: WholeQuiz): Promise<OwnedQuiz> {
    await requireShowable(whole.questions);
    return this.database.transaction(async (tx) => {
      // The number to draw is checked against the questions below.
      const draft = { ...whole, published: false, questionsPerAttempt: null };
      const { id } = await this.quizzes.createIn(tx, actor, draft);
      return this.saveIn(tx, actor, id, null, whole, NOTHING);
    });
  }

  /**
   * @param version as `wholeVersion` of what was edited
   * @throws NotFound, StaleVersion, PlanRequired, LimitExceeded, Invalid
   */
  async save(
    actor: Actor,
    quizId: string,
    version: string,
    whole: WholeQuiz,
    replaced: Replaced,
  ): Promise<OwnedQuiz> {
    await requireShowable(whole.questions);
    return this.database.transaction((tx) =>
      this.saveIn(tx, actor, quizId, version, whole, replaced),
    );
  }

  private async saveIn(
    tx: EntityManager,
    actor: Actor,
    quizId: string,
    version: string | null,
    whole: WholeQuiz,
    replaced: Replaced,
  ): Promise<OwnedQuiz> {
    const { accountId: ownerId } = actor;
    // The category first, then the quiz: renaming a category locks them in this order.
    const owner = await this.accounts.lock(tx, ownerId);
    const category = await this.taxonomy.categoryOf(tx, whole);
    const { bytes, isChanged } = await this.edits.edit(tx, owner, quizId, actor, async (quiz) => {
      const stored = await this.owned.questions(tx, quiz.id);
      if (version !== null && version !== wholeVersion({ ...quiz, questions: stored }))
        throw new StaleVersion('quiz');
      if (whole.published && !quiz.published) requireMayPublish(actor, owner);
      const isPublic = whole.published || quiz.published;
      await this.pictures.require(tx, ownerId, whole.questions, isPublic);
      const isWritten = await updateQuizFields(tx, quiz.id, whole, category, this.clock.now());
      const saved = await this.saveQuestions(tx, quiz, stored, whole.questions, replaced);
      if (saved.added > 0) requireMayAdd(owner, quiz);
      if (whole.published) requirePlayable(saved.count);
      if (whole.published && !quiz.published) await this.pictures.requirePublishable(tx, quiz.id);
      requireEnoughToDraw(whole.questionsPerAttempt, saved.count, quiz.questionsPerAttempt);
      const edit = { bytes: saved.bytes, isChanged: isWritten || saved.isChanged };
      return edit.isChanged ? edit : new Unchanged(edit);
    });
    this.accounts.requireRoom(owner, bytes);
    const status = { ...rulesOf(whole), ...(whole.published && { published: true }) };
    await this.review.changeIn(tx, quizId, status, isChanged);
    return this.owned.lock(tx, ownerId, quizId);
  }

  /** @returns by how many bytes the quiz has grown, how many questions it has and how many are new, and whether one or the order has changed */
  private async saveQuestions(
    tx: EntityManager,
    quiz: OwnedQuiz,
    stored: readonly OwnedQuestion[],
    questions: readonly QuestionInput[],
    { ids, removed }: Replaced,
  ): Promise<{ bytes: number; count: number; added: number; isChanged: boolean }> {
    const now = this.clock.now();
    const deleted = stored.filter(({ id }) => removed.includes(id) && !ids.includes(id));
    const edited = { removed: [...deleted], added: [] as QuestionInput[] };
    const appended: NewQuestion[] = [];
    const order: string[] = [];
    const left = new Map(stored.map((question) => [question.id, question]));
    for (const { id } of deleted) left.delete(id);
    if (deleted.length > 0)
      await deleteQuestions(
        tx,
        quiz.id,
        deleted.map(({ id }) => id),
      );
    for (const [at, input] of questions.entries()) {
      const before = left.get(ids[at] ?? '');
      const row = toNewQuestion(input);
      order.push(before?.id ?? row.id);
      if (!before) {
        appended.push(row);
        continue;
      }
      left.delete(before.id);
      if (isUnchanged(before, input)) continue;
      if (!(await updateQuestion(tx, before, row))) continue;
      edited.removed.push(before);
      edited.added.push(input);
    }
    const bytes = growth({ ...edited, added: [...edited.added, ...appended] });
    requireRoomFor(quiz, { questions: appended.length - deleted.length, bytes });
    if (edited.removed.length > 0) await recount(tx, quiz.id, edited, now);
    if (appended.length > 0) await appendQuestions(tx, quiz.id, appended, now);
    const rest = (await findOrder(tx, quiz.id)).filter((id) => !order.includes(id));
    const whole = [...order, ...rest];
    const isReordered = await writeOrder(tx, quiz.id, whole, now);
    const isChanged = edited.removed.length > 0 || appended.length > 0 || isReordered;
    return { bytes, count: whole.length, added: appended.length, isChanged };
  }
}
