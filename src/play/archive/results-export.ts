import type { EntityManager } from 'typeorm';
import type {
  Difficulty,
  QuestionFormat,
  QuestionType,
  StoredAnswer,
} from '../../catalog/vocabulary';
import { NIL_ID } from '../../platform/text/ids';
import { drawnFor } from '../attempts/attempt.rules';
import { readSnapshot, type SnapshotQuestion } from '../attempts/snapshot.queries';
import { type FlagKind, versionOf } from '../results/item-analysis.rules';
import {
  type AfterAttempt,
  type AttemptRow,
  findArchivedAttempts,
  findPlayerRows,
  findReportRows,
  findScoreRows,
  findSumRows,
  type JsonRow,
} from './results-archive.queries';
import type { ArchivedAttempt, ArchivedVersion, ResultLine } from './results-lines.rules';

/** Rows that are read at once. */
const PAGE = 200;
/** Versions of a quiz's questions whose sums are read at once. */
const VERSIONS = 100;
/** Snapshots that stay in memory: attempts follow one another, and so do versions of a quiz. */
const SNAPSHOTS = 4;

/** A question of a quiz as it is now. */
interface PresentQuestion {
  id: string;
  text: string;
  type: QuestionType;
  difficulty: Difficulty;
  explanation: string | null;
  format?: QuestionFormat;
  answers: readonly StoredAnswer[];
}

/**
 * The submitted attempts, the leaderboard, the sums, the reports and the flags of a quiz; nothing if nobody has played it.
 * Only the order of players of several accounts depends on ids of this deployment.
 */
export async function* exportResults(
  database: EntityManager,
  quizId: string,
  questions: readonly PresentQuestion[],
): AsyncGenerator<ResultLine> {
  const numbers = new Numbers(questions);
  yield* attemptsOf(database, quizId, numbers);
  for (const score of await findScoreRows(database, quizId)) yield { score };
  yield* sumsOf(database, quizId, questions, numbers);
  yield* playersOf(database, quizId);
  const { reports, flags } = await findReportRows(database, quizId);
  for (const it of reports)
    yield {
      report: {
        question: numbers.question(String(it.question_id)),
        reporter: String(it.reporter),
        reason: String(it.reason),
        text: String(it.text),
        createdAt: timeOf(it.created_at),
        closedAt: optionalTime(it.closed_at),
      },
    };
  const flagged = flags.map((it) => ({
    question: numbers.question(String(it.question_id)),
    kind: it.kind as FlagKind,
  }));
  for (const flag of flagged.sort((a, b) => a.question - b.question)) yield { flag };
}

async function* attemptsOf(
  database: EntityManager,
  quizId: string,
  numbers: Numbers,
): AsyncGenerator<ResultLine> {
  const snapshots = new Map<string, readonly SnapshotQuestion[]>();
  const snapshotOf = async (id: string) => {
    const known = snapshots.get(id) ?? (await readSnapshot(database, id)).questions;
    snapshots.delete(id);
    snapshots.set(id, known);
    if (snapshots.size > SNAPSHOTS) snapshots.delete([...snapshots.keys()][0]!);
    return known;
  };
  let after: AfterAttempt = { at: '-infinity', id: NIL_ID };
  for (;;) {
    const rows = await findArchivedAttempts(database, quizId, after, PAGE);
    for (const row of rows) {
      const questions = await snapshotOf(String(row.attempt.snapshot_id));
      const { versions, attempt } = toAttempt(row, questions, numbers);
      for (const version of versions) yield { version };
      yield { attempt };
    }
    const last = rows.at(-1)?.attempt;
    if (!last || rows.length < PAGE) return;
    after = { at: String(last.submitted_at), id: String(last.id) };
  }
}

/** The attempt, and versions of questions that no attempt before has asked. */
function toAttempt(
  { attempt, answers }: AttemptRow,
  snapshot: readonly SnapshotQuestion[],
  numbers: Numbers,
): { versions: ArchivedVersion[]; attempt: ArchivedAttempt } {
  const id = String(attempt.id);
  const questionsPerAttempt = (attempt.questions_per_attempt as number | undefined) ?? null;
  const asked = drawnFor({ id, questionsPerAttempt }, snapshot);
  const versions: ArchivedVersion[] = [];
  const places = asked.map((question) => numbers.version(question, versions));
  const placeOf = new Map(asked.map(({ id }, place) => [id, place]));
  const given = answers.flatMap((answer) => {
    const place = placeOf.get(String(answer.question_id));
    const question = place === undefined ? undefined : asked[place];
    if (place === undefined || !question) return [];
    const ids = answer.answer_ids as string[] | null;
    const chosen = ids?.filter((it) => question.answers.some((known) => known.id === it));
    return {
      version: place + 1,
      answers: chosen
        ? chosen.map((it) => numbers.answer(question.id, it)).sort((a, b) => a - b)
        : null,
      text: answer.text as string | null,
      correct: answer.is_right as boolean,
    };
  });
  return {
    versions,
    attempt: {
      id,
      player: String(attempt.player),
      shuffle: attempt.shuffle as boolean,
      reveal: attempt.reveal as boolean,
      questionsPerAttempt,
      startedAt: timeOf(attempt.started_at),
      endsAt: optionalTime(attempt.ends_at),
      submittedAt: timeOf(attempt.submitted_at),
      timeSpent: attempt.time_spent as number,
      counted: attempt.counted as boolean,
      versions: places,
      given: given.sort((a, b) => a.version - b.version),
    },
  };
}

/** The sums of the versions that are known: those that attempts have asked, and the present ones. */
async function* sumsOf(
  database: EntityManager,
  quizId: string,
  questions: readonly PresentQuestion[],
  numbers: Numbers,
): AsyncGenerator<ResultLine> {
  const present = questions.filter((question) => !numbers.byHash.has(versionOf(question)));
  const added = present.map((question) => [versionOf(question), question] as const);
  const hashes = [...numbers.byHash.keys(), ...added.map(([hash]) => hash)];
  const byHash = new Map(added);
  for (let from = 0; from < hashes.length; from += VERSIONS) {
    const some = hashes.slice(from, from + VERSIONS);
    const rows = await findSumRows(database, quizId, some);
    for (const hash of some) {
      const own = rows.filter(({ version }) => version === hash);
      if (own.length === 0) continue;
      const question = byHash.get(hash);
      const versions: ArchivedVersion[] = [];
      if (question) numbers.version(question, versions);
      for (const version of versions) yield { version };
      const version = numbers.byHash.get(hash)!;
      for (const sum of own) yield { sum: { ...sum, version } };
    }
  }
}

async function* playersOf(database: EntityManager, quizId: string): AsyncGenerator<ResultLine> {
  let after = { accountId: NIL_ID, player: '' };
  for (;;) {
    const rows = await findPlayerRows(database, quizId, after, PAGE);
    for (const it of rows)
      yield {
        player: {
          player: String(it.player),
          score: it.score as number,
          timeSpent: it.time_spent as number,
          reachedAt: timeOf(it.reached_at),
          attempt: String(it.attempt_id),
          questionsPerAttempt: (it.questions_per_attempt as number | undefined) ?? 0,
          hiddenAt: optionalTime(it.hidden_at),
        },
      };
    const last: JsonRow | undefined = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = { accountId: String(last.account_id), player: String(last.player) };
  }
}

/** Numbers in place of ids: questions and answers as in the quiz, then those that are gone as they come. */
class Numbers {
  /** By the hash that sums are stored under: the number of the first version that has it. */
  readonly byHash = new Map<string, number>();
  private readonly questions: Map<string, number>;
  private readonly answers = new Map<string, Map<string, number>>();
  private readonly versions = new Map<string, number>();

  constructor(present: readonly PresentQuestion[]) {
    this.questions = new Map(present.map(({ id }, index) => [id, index + 1]));
    for (const { id, answers } of present)
      this.answers.set(id, new Map(answers.map((answer, index) => [answer.id, index + 1])));
  }

  question = (id: string): number => numberIn(this.questions, id);

  answer(questionId: string, id: string): number {
    const known = this.answers.get(questionId) ?? new Map<string, number>();
    this.answers.set(questionId, known);
    return numberIn(known, id);
  }

  /** @param added gets it if it has no number yet */
  version(question: PresentQuestion | SnapshotQuestion, added: ArchivedVersion[]): number {
    const { id, text, type, difficulty, explanation } = question;
    const version: ArchivedVersion = {
      question: this.question(id),
      text,
      type,
      difficulty,
      explanation: explanation ?? null,
      answers: question.answers.map((answer) => ({
        answer: this.answer(id, answer.id),
        text: answer.text,
        isCorrect: answer.isCorrect,
      })),
      ...(question.format === 'markdown' && { format: question.format }),
      ...('acceptTypos' in question && question.acceptTypos && { acceptTypos: true }),
      ...('language' in question && question.language && { language: question.language }),
    };
    const key = JSON.stringify(version);
    const known = this.versions.get(key);
    if (known !== undefined) return known;
    const number = this.versions.size + 1;
    this.versions.set(key, number);
    added.push(version);
    const hash = versionOf(question);
    if (!this.byHash.has(hash)) this.byHash.set(hash, number);
    return number;
  }
}

function numberIn(known: Map<string, number>, id: string): number {
  const number = known.get(id) ?? known.size + 1;
  known.set(id, number);
  return number;
}

const timeOf = (value: unknown): string => new Date(String(value)).toISOString();

const optionalTime = (value: unknown): string | null =>
  value === null || value === undefined ? null : timeOf(value);
