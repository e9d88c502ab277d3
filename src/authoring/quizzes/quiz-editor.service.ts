import { Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsService } from '../../access/accounts/accounts.service';
import { mayWrite } from '../../access/accounts/plan.rules';
import {
  OwnedQuizzesService,
  type OwnedQuestion,
  type OwnedQuiz,
} from '../../catalog/quizzes/owned-quizzes.service';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { Clock } from '../../platform/clock';
import { PlanRequired, StaleVersion } from '../../platform/errors/domain-errors';
import { ObjectsField } from '../../platform/http/request/text-fields';
import { newIdsUnordered } from '../../platform/text/ids';
import { QuestionInput } from '../questions/batch-import.request';
import { toNewQuestion } from '../questions/batch-import.service';
import {
  fingerprint,
  keepAnswerIds,
  questionBytes,
  requireRoomFor,
} from '../questions/question.rules';
import {
  appendQuestions,
  deleteQuestion,
  findOrder,
  recount,
  updateQuestion,
  writeOrder,
} from '../questions/question-writing.queries';
import { OwnerEdits } from '../review/owner-edits';
import { ReviewService } from '../review/review.service';
import { TaxonomyService } from '../taxonomy/taxonomy.service';
import { CreateQuizRequest, requirePlayable, rulesOf } from './create-quiz.request';
import { QuizAuthoringService } from './quiz-authoring.service';
import { columnsOf, saveSearchText } from './quiz-writing.queries';

/** A quiz with all its questions, as the editor sends it. `published`: publish it as well. */
export class WholeQuiz extends CreateQuizRequest {
  @ObjectsField(() => QuestionInput, 'questions')
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
  const shown = ({ text, type, difficulty, explanation, answers }: OwnedQuestion | QuestionInput) =>
    JSON.stringify([
      [lines(text), type, difficulty, lines(explanation ?? '')],
      // An answer that an open question does not accept is shown nowhere, also not in the editor.
      answers
        .filter(({ isCorrect }) => isCorrect || type !== 'OPEN_ENDED')
        .map((answer) => [lines(answer.text), answer.isCorrect]),
    ]);
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
    private readonly edits: OwnerEdits,
    private readonly clock: Clock,
  ) {}

  /** @throws PlanRequired, LimitReached, LimitExceeded, Invalid */
  async create(ownerId: string, whole: WholeQuiz): Promise<OwnedQuiz> {
    if (!mayWrite(await this.accounts.get(ownerId)))
      throw new PlanRequired('Creating quizzes requires a Starter or Pro plan.');
    return this.database.transaction(async (tx) => {
      const draft = { ...whole, published: false };
      const { id } = await this.quizzes.createIn(tx, ownerId, draft);
      return this.saveIn(tx, ownerId, id, null, whole, NOTHING);
    });
  }

  /**
   * @param version as `wholeVersion` of what was edited
   * @throws NotFound, StaleVersion, LimitExceeded, Invalid
   */
  save(ownerId: string, quizId: string, version: string, whole: WholeQuiz, replaced: Replaced) {
    return this.database.transaction((tx) =>
      this.saveIn(tx, ownerId, quizId, version, whole, replaced),
    );
  }

  private async saveIn(
    tx: EntityManager,
    ownerId: string,
    quizId: string,
    version: string | null,
    whole: WholeQuiz,
    replaced: Replaced,
  ): Promise<OwnedQuiz> {
    // The category first, then the quiz: renaming a category locks them in this order.
    const owner = await this.accounts.lock(tx, ownerId);
    const category = await this.taxonomy.categoryOf(tx, whole);
    const bytes = await this.edits.edit(tx, owner, quizId, async (quiz) => {
      const stored = await this.owned.questions(tx, quiz.id);
      if (version !== null && version !== wholeVersion({ ...quiz, questions: stored }))
        throw new StaleVersion('quiz');
      const columns = { ...columnsOf(whole, category), updatedAt: this.clock.now() };
      await tx.getRepository(Quiz).update({ id: quiz.id }, columns);
      await saveSearchText(tx, { id: quiz.id, ...columns });
      const grown = await this.saveQuestions(tx, quiz, stored, whole.questions, replaced);
      if (whole.published) requirePlayable((await findOrder(tx, quiz.id)).length);
      return grown;
    });
    this.accounts.requireRoom(owner, bytes);
    const status = { ...rulesOf(whole), ...(whole.published && { published: true }) };
    await this.review.changeIn(tx, quizId, status, true);
    return this.owned.lock(tx, ownerId, quizId);
  }

  /** @returns by how many bytes the quiz has grown */
  private async saveQuestions(
    tx: EntityManager,
    quiz: OwnedQuiz,
    stored: readonly OwnedQuestion[],
    questions: readonly QuestionInput[],
    { ids, removed }: Replaced,
  ): Promise<number> {
    const now = this.clock.now();
    const byId = new Map(stored.map((question) => [question.id, question]));
    let bytes = 0;
    for (const id of new Set(removed)) {
      const gone = byId.get(id);
      if (!gone || ids.includes(id)) continue;
      byId.delete(id);
      await deleteQuestion(tx, quiz.id, { id, position: await positionOf(tx, quiz.id, id) });
      await recount(tx, quiz.id, { gone }, now);
      bytes -= questionBytes(gone);
    }
    const order: string[] = [];
    const added: ReturnType<typeof toNewQuestion>[] = [];
    for (const [at, come] of questions.entries()) {
      const gone = byId.get(ids[at] ?? '');
      const { id, ...row } = toNewQuestion(come);
      if (gone) {
        byId.delete(gone.id);
        const answerIds = newIdsUnordered(come.answers.length);
        const answers = keepAnswerIds(gone.answers, come.answers, answerIds);
        if (!isUnchanged(gone, come)) {
          await updateQuestion(tx, {
            ...row,
            id: gone.id,
            answers,
            fingerprint: fingerprint(come),
          });
          await recount(tx, quiz.id, { gone, come }, now);
          bytes += questionBytes(come) - questionBytes(gone);
        }
      } else added.push({ id, ...row });
      order.push(gone?.id ?? id);
    }
    const more = added.reduce((sum, question) => sum + questionBytes(question), 0);
    bytes += more;
    requireRoomFor({ ...quiz, questionCount: stored.length }, { questions: added.length, bytes });
    if (added.length > 0) await appendQuestions(tx, quiz.id, added, more, now);
    const rest = (await findOrder(tx, quiz.id)).filter((id) => !order.includes(id));
    await writeOrder(tx, quiz.id, [...order, ...rest], now);
    return bytes;
  }
}

/** Earlier deletions have moved it up. */
const positionOf = async (tx: EntityManager, quizId: string, id: string) =>
  (await findOrder(tx, quizId)).indexOf(id) + 1;
