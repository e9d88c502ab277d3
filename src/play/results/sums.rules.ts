import type { QuestionType } from '../../catalog/vocabulary';
import type { SnapshotAnswer } from '../attempts/attempt.rules';
import { chosenOf, versionOf } from './item-analysis.rules';

/** An answer of an attempt, and whether it was correct. */
export interface ScoredAnswer {
  questionId: string;
  answerIds: string[] | null;
  text: string | null;
  isCorrect: boolean;
}

/** How many of the answers are correct. */
export const scoreOf = (answers: readonly ScoredAnswer[]): number =>
  answers.filter(({ isCorrect }) => isCorrect).length;

/** A question as it was played. */
interface PlayedQuestion {
  id: string;
  type: QuestionType;
  text: string;
  answers: readonly SnapshotAnswer[];
}

/** A row of question_results. */
interface QuestionSums {
  version: string;
  chosen: string;
  rest: number;
  isCorrect: boolean;
  /** How many attempts are added; negative: taken away. */
  attempts: number;
}

/** A row of quiz_results. */
interface QuizScoreSums {
  total: number;
  score: number;
  /** How many attempts are added; negative: taken away. */
  attempts: number;
  seconds: number;
}

/** What attempts add to the sums of their quiz, and take away from them. */
export class SumsChange {
  private readonly questionRows = new Map<string, QuestionSums>();
  private readonly scoreRows = new Map<string, QuizScoreSums>();

  /** @param by 1 adds the attempt, -1 takes it away */
  count(
    by: 1 | -1,
    questions: readonly PlayedQuestion[],
    answers: readonly ScoredAnswer[],
    timeSpent: number,
  ): void {
    const given = new Map(answers.map((answer) => [answer.questionId, answer]));
    const score = scoreOf(answers);
    const total = questions.length;
    const sums = entryOf(this.scoreRows, keyOf(total, score), {
      total,
      score,
      attempts: 0,
      seconds: 0,
    });
    sums.attempts += by;
    sums.seconds += by * timeSpent;
    for (const question of questions) {
      const answer = given.get(question.id);
      const isCorrect = answer?.isCorrect ?? false;
      const version = versionOf(question);
      const chosen = chosenOf(question, answer);
      const rest = score - Number(isCorrect);
      const row = { version, chosen, rest, isCorrect, attempts: 0 };
      entryOf(this.questionRows, keyOf(version, chosen, rest), row).attempts += by;
    }
  }

  /** In the order of their keys, in which every transaction locks them. */
  get questions(): QuestionSums[] {
    return inOrder(this.questionRows).filter(({ attempts }) => attempts !== 0);
  }

  get scores(): QuizScoreSums[] {
    return inOrder(this.scoreRows).filter(
      ({ attempts, seconds }) => attempts !== 0 || seconds !== 0,
    );
  }

  /** Whether it takes attempts away from any row. */
  get takesAway(): boolean {
    return [...this.questionRows.values(), ...this.scoreRows.values()].some(
      ({ attempts }) => attempts < 0,
    );
  }
}

/** Sorts as PostgreSQL sorts the columns of the primary key. */
const keyOf = (...columns: (string | number)[]) =>
  columns.map((it) => (typeof it === 'number' ? String(it).padStart(6, '0') : it)).join(' ');

function entryOf<Row>(rows: Map<string, Row>, key: string, empty: Row): Row {
  const row = rows.get(key) ?? empty;
  rows.set(key, row);
  return row;
}

const inOrder = <Row>(rows: ReadonlyMap<string, Row>): Row[] =>
  [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
