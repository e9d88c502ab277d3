import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { StoredAnswer } from '../../catalog/vocabulary';
import { newId } from '../../platform/text/ids';
import { snapshotOf, storeSnapshot } from '../attempts/snapshot.queries';
import { versionOf } from '../results/item-analysis.rules';
import { scoreOf } from '../results/sums.rules';
import {
  type AttemptToInsert,
  insertArchivedAttempts,
  insertFlags,
  insertPlayers,
  insertReports,
  insertScores,
  insertSums,
} from './results-archive.queries';
import {
  type ArchivedAttempt,
  type ArchivedVersion,
  type ResultKinds,
  type ResultLine,
  ResultLineReader,
} from './results-lines.rules';

/** A quiz of an archive after its questions have been imported. */
export interface ImportedQuiz {
  id: string;
  ownerId: string;
  /** When the archive was uploaded. */
  uploadedAt: Date;
  /** In order. */
  questions: readonly { id: string; answers: readonly StoredAnswer[] }[];
}

/** Lines and their characters that are written at once: an attempt may have 1,000 typed answers. */
const [MOST_LINES, MOST_CHARACTERS] = [200, 2_000_000];

/**
 * Writes the results of a quiz, some hundred lines in a transaction; the last one is the caller's to finish. Repeated
 * after a kill it writes nothing twice: attempts keep their ids, and the other rows have keys.
 * @param transaction runs its argument in a transaction of the caller's, and may repeat it. It locks the account and then
 *   the quiz, as everything does that stores snapshots of a quiz and scores its attempts
 * @param finish called in the transaction of the last lines, with how many attempts were left out because another quiz of
 *   this deployment has them
 * @throws ResultLineError; NotPlayable if the versions of the account's quizzes take up too much
 */
export async function importResults(
  quiz: ImportedQuiz,
  lines: AsyncIterable<unknown>,
  now: Date,
  transaction: <T>(work: (tx: EntityManager) => Promise<T>) => Promise<T>,
  finish: (tx: EntityManager, leftOut: number) => Promise<void>,
): Promise<void> {
  const reader = new ResultLineReader(now);
  const write = (tx: EntityManager, lines: readonly ResultLine[]) =>
    new BatchWriter(quiz, reader.versions, now).write(tx, lines);
  let leftOut = 0;
  let batch: ResultLine[] = [];
  let characters = 0;
  for await (const line of lines) {
    const read = reader.read(line);
    if ('version' in read) continue;
    batch.push(read);
    characters += JSON.stringify(read).length;
    if (batch.length < MOST_LINES && characters < MOST_CHARACTERS) continue;
    const full = batch;
    [batch, characters] = [[], 0];
    const others = await transaction((tx) => write(tx, full));
    leftOut += others;
  }
  await transaction(async (tx) => {
    const others = await write(tx, batch);
    await finish(tx, leftOut + others);
  });
}

/** Of one try of one transaction: one that is rolled back takes its snapshots with it. */
class BatchWriter {
  /** The versions and the id of the snapshot that was stored last: most attempts ask the same questions. */
  private last: { versions: string; id: string } | undefined;

  constructor(
    private readonly quiz: ImportedQuiz,
    private readonly versions: readonly ArchivedVersion[],
    private readonly now: Date,
  ) {}

  /** @returns how many attempts were left out */
  async write(tx: EntityManager, lines: readonly ResultLine[]): Promise<number> {
    const { quiz } = this;
    const linesOf = <Kind extends keyof ResultKinds>(kind: Kind): ResultKinds[Kind][] =>
      lines.flatMap((line) =>
        kind in line ? [(line as Record<Kind, ResultKinds[Kind]>)[kind]] : [],
      );
    const attempts: AttemptToInsert[] = [];
    for (const attempt of linesOf('attempt')) attempts.push(await this.toInsert(tx, attempt));
    const leftOut = attempts.length > 0 ? await insertArchivedAttempts(tx, quiz, attempts) : 0;
    await insertScores(tx, quiz.id, linesOf('score'));
    const sums = linesOf('sum').map((sum) => ({
      ...sum,
      version: versionOf(this.question(sum.version)),
    }));
    await insertSums(tx, quiz.id, sums);
    await insertPlayers(tx, quiz, linesOf('player'));
    const reports = linesOf('report').map(({ question, ...report }) => ({
      ...report,
      id: newId(),
      questionId: this.questionId(question),
    }));
    await insertReports(tx, quiz.id, reports);
    const flags = linesOf('flag').map(({ question, kind }) => ({
      questionId: this.questionId(question),
      kind,
    }));
    await insertFlags(tx, quiz.id, flags);
    return leftOut;
  }

  private async toInsert(
    tx: EntityManager,
    { versions, given, ...attempt }: ArchivedAttempt,
  ): Promise<AttemptToInsert> {
    const answers = given.map((answer) => {
      const { question } = this.versions[versions[answer.version - 1]! - 1]!;
      return {
        questionId: this.questionId(question),
        answerIds: answer.answers?.map((number) => this.answerId(question, number)) ?? null,
        text: answer.text,
        isCorrect: answer.correct,
      };
    });
    const snapshotId = await this.snapshot(tx, versions);
    return { ...attempt, snapshotId, score: scoreOf(answers), answers };
  }

  /** What an attempt has drawn depends on ids: its snapshot has these questions alone. */
  private async snapshot(tx: EntityManager, versions: readonly number[]): Promise<string> {
    const key = versions.join();
    if (this.last?.versions === key) return this.last.id;
    const { id: quizId, ownerId } = this.quiz;
    const questions = versions.map((number) => this.question(number));
    const snapshot = snapshotOf({ quizId, ownerId }, questions);
    await storeSnapshot(tx, snapshot, this.now);
    this.last = { versions: key, id: snapshot.id };
    return snapshot.id;
  }

  private question(number: number) {
    const { question, answers, ...version } = this.versions[number - 1]!;
    return {
      ...version,
      id: this.questionId(question),
      answers: answers.map(({ answer, text, isCorrect }) => ({
        id: this.answerId(question, answer),
        text,
        isCorrect,
      })),
    };
  }

  private questionId = (number: number): string =>
    this.quiz.questions[number - 1]?.id ?? idOf(this.quiz.id, number);

  private answerId = (question: number, number: number): string =>
    this.quiz.questions[question - 1]?.answers[number - 1]?.id ??
    idOf(this.quiz.id, question, number);
}

/** A stable id for a question or answer that the quiz no longer has. */
function idOf(quizId: string, ...numbers: number[]): string {
  const hash = createHash('sha256')
    .update([quizId, ...numbers].join())
    .digest('hex');
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
