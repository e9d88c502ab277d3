import type { QuestionType, StoredAnswer } from '../../catalog/vocabulary';
import { isCorrectAnswer, isMultiple, type SnapshotAnswer } from '../attempts/attempt.rules';
import { chosenOf, versionOf } from '../results/item-analysis.rules';

/** A question as it was played. */
interface Played {
  id: string;
  type: QuestionType;
  text: string;
  answers: SnapshotAnswer[];
}

/** What decides which of its answers are correct now. */
interface Present {
  type: QuestionType;
  answers: readonly StoredAnswer[];
}

/** An answer of an attempt, and whether it was correct. */
interface ScoredAnswer {
  questionId: string;
  answerIds: string[] | null;
  text: string | null;
  isCorrect: boolean;
}

/**
 * A question as it was played, with the present key. It is returned unchanged if its key is the present one, and if the
 * present key says nothing about what players saw: another type, a correct answer that was not among theirs, or several
 * correct answers where they could choose one.
 */
export function withPresentKey<Question extends Played>(
  played: Question,
  present: Present,
): Question {
  if (played.type !== present.type) return played;
  const answers =
    played.type === 'OPEN_ENDED'
      ? present.answers.map(({ id, text, isCorrect }) => ({ id, text, isCorrect }))
      : rekeyed(played, present);
  return answers === null || textsAndKey(answers) === textsAndKey(played.answers)
    ? played
    : { ...played, answers };
}

function rekeyed(played: Played, present: Present) {
  const correct = present.answers.filter(({ isCorrect }) => isCorrect).map(({ id }) => id);
  const shown = new Set(played.answers.map(({ id }) => id));
  if (!correct.every((id) => shown.has(id))) return null;
  if (correct.length > 1 && !isMultiple(played)) return null;
  return played.answers.map((answer) => ({ ...answer, isCorrect: correct.includes(answer.id) }));
}

/** What players read, and which of it is correct. */
const textsAndKey = (answers: readonly StoredAnswer[]) =>
  JSON.stringify(answers.map(({ text, isCorrect }) => [text, isCorrect]));

/**
 * The questions of a snapshot with the present keys; null if that changes none of them.
 * @param present those to score again
 */
export function withPresentKeys<Question extends Played>(
  played: readonly Question[],
  present: ReadonlyMap<string, Present>,
): Question[] | null {
  const corrected = played.map((question) => {
    const now = present.get(question.id);
    return now ? withPresentKey(question, now) : question;
  });
  return corrected.every((question, index) => question === played[index]) ? null : corrected;
}

/** The answers of an attempt, scored by these questions. Those to questions that are not among them stay. */
export function scoredBy<Answered extends ScoredAnswer>(
  questions: ReadonlyMap<string, Played>,
  answers: readonly Answered[],
): Answered[] {
  return answers.map((answer) => {
    const question = questions.get(answer.questionId);
    const { answerIds, text } = answer;
    const given = answerIds ? { answerIds } : { text: text ?? '' };
    return question ? { ...answer, isCorrect: isCorrectAnswer(question, given) } : answer;
  });
}

/** How many of the answers are correct. */
export const scoreOf = (answers: readonly ScoredAnswer[]): number =>
  answers.filter(({ isCorrect }) => isCorrect).length;

/** A row of question_results. */
export interface SumsRow {
  version: string;
  chosen: string;
  rest: number;
  isCorrect: boolean;
  /** How many attempts are added; negative: taken away. */
  attempts: number;
}

/** What attempts add to the sums of their quiz, and take away from them. */
export class SumsChange {
  private readonly rows = new Map<string, SumsRow>();
  private readonly scores = new Map<number, { attempts: number; seconds: number }>();

  /** @param by 1 adds the attempt, -1 takes it away */
  count(
    by: 1 | -1,
    questions: readonly Played[],
    answers: readonly ScoredAnswer[],
    timeSpent: number,
  ): void {
    const given = new Map(answers.map((answer) => [answer.questionId, answer]));
    const score = scoreOf(answers);
    const before = this.scores.get(score) ?? { attempts: 0, seconds: 0 };
    this.scores.set(score, {
      attempts: before.attempts + by,
      seconds: before.seconds + by * timeSpent,
    });
    for (const question of questions) {
      const answer = given.get(question.id);
      const isCorrect = answer?.isCorrect ?? false;
      const row = {
        version: versionOf(question),
        chosen: chosenOf(question, answer),
        rest: score - Number(isCorrect),
        isCorrect,
      };
      const key = `${row.version} ${row.chosen} ${row.rest}`;
      const attempts = (this.rows.get(key)?.attempts ?? 0) + by;
      this.rows.set(key, { ...row, attempts });
    }
  }

  /** In the order in which submissions lock them (`addToSums`). */
  get questions(): SumsRow[] {
    const lockOrder = ({ version, chosen, rest }: SumsRow) =>
      `${version} ${chosen} ${String(rest).padStart(6, '0')}`;
    return [...this.rows.values()]
      .filter(({ attempts }) => attempts !== 0)
      .sort((a, b) => (lockOrder(a) < lockOrder(b) ? -1 : 1));
  }

  get quiz(): { score: number; attempts: number; seconds: number }[] {
    return [...this.scores]
      .map(([score, sums]) => ({ score, ...sums }))
      .filter(({ attempts, seconds }) => attempts !== 0 || seconds !== 0)
      .sort((a, b) => a.score - b.score);
  }
}
