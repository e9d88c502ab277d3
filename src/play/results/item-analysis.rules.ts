import { hash } from 'node:crypto';
import {
  DIFFICULTIES,
  type Difficulty,
  type QuestionType,
  type StoredAnswer,
} from '../../catalog/vocabulary';

/**
 * The item analysis of Moodle's quiz statistics for questions of one point. x is 1 for a correct answer and 0 otherwise; X
 * ("rest") is the number of correct answers to the other questions of the attempt.
 */
export interface ItemSums {
  attempts: number;
  correct: number;
  /** Σ X, Σ X² and Σ x X. */
  rest: number;
  restSquares: number;
  correctRest: number;
  /** The largest Σ x X that the same x and X can have: as if the best players were correct. */
  bestCorrectRest: number;
}

/** In percent, as Moodle shows them; null where the figure is not defined, such as when everybody is correct. */
export interface ItemStatistics {
  facility: number;
  standardDeviation: number;
  discriminationIndex: number | null;
  discriminativeEfficiency: number | null;
}

/** Below this many attempts the figures say more about chance than about the question. */
export const ENOUGH_ATTEMPTS = 30;

/** @param sums of at least two attempts */
export function analyseItem(sums: ItemSums): ItemStatistics {
  const { attempts: n, correct, rest, restSquares, correctRest, bestCorrectRest } = sums;
  // Each is n (n - 1) times the variance or covariance: whole numbers, so that 0 is exact.
  const variance = n * correct - correct * correct;
  const restVariance = n * restSquares - rest * rest;
  const covariance = n * correctRest - correct * rest;
  const largest = n * bestCorrectRest - correct * rest;
  const spread = Math.sqrt(variance) * Math.sqrt(restVariance);
  return {
    facility: (100 * correct) / n,
    standardDeviation: 100 * Math.sqrt(variance / (n * (n - 1))),
    discriminationIndex: spread === 0 ? null : (100 * covariance) / spread,
    discriminativeEfficiency: largest === 0 ? null : (100 * covariance) / largest,
  };
}

/** One way to answer a question: the positions of the chosen answers, as they are stored. */
export interface ChoiceSums {
  chosen: string;
  isCorrect: boolean;
  attempts: number;
  /** Σ X of those who chose it. */
  rest: number;
}

/** The correlation of choosing this with the score on the other questions, -1 to 1; 0 where it is not defined. */
export function correlationOf(
  { attempts: k, rest }: Pick<ChoiceSums, 'attempts' | 'rest'>,
  sums: ItemSums,
): number {
  const { attempts: n } = sums;
  const spread = k * (n - k) * (n * sums.restSquares - sums.rest * sums.rest);
  return spread > 0 ? (n * rest - k * sums.rest) / Math.sqrt(spread) : 0;
}

/** A difficulty as players have measured it, by the share of correct answers. */
export function measuredDifficulty(facility: number): Difficulty {
  if (facility >= 75) return 'EASY';
  if (facility >= 50) return 'MEDIUM';
  return facility >= 25 ? 'HARD' : 'EXPERT';
}

export const FLAG_KINDS = ['key', 'discrimination', 'difficulty'] as const;
export type FlagKind = (typeof FLAG_KINDS)[number];

export interface Flag {
  kind: FlagKind;
  /** Positions of the answers that good players choose; empty for the other kinds. */
  positions: number[];
}

/** Fewer may be one good player who slipped. */
const FEWEST_CHOICES = 3;

/**
 * What an author should look at. `key`: another answer goes with a good score on the other questions clearly more than
 * the correct answer does; the margin is wider for few attempts. item-analysis.rules.spec.ts shows how many wrong keys
 * this finds, and how few correct ones it doubts.
 */
export function flagsOf(declared: Difficulty, sums: ItemSums, choices: readonly ChoiceSums[]) {
  const flags: Flag[] = [];
  if (sums.attempts < ENOUGH_ATTEMPTS) return flags;
  const margin = Math.max(0.2, 1.5 / Math.sqrt(sums.attempts));
  const keyed = { attempts: sums.correct, rest: sums.correctRest };
  const ofKeyed = correlationOf(keyed, sums);
  const [other] = choices
    .filter(
      ({ chosen, isCorrect, attempts }) =>
        isChoice(chosen, isCorrect) && attempts >= FEWEST_CHOICES,
    )
    .map((choice) => ({ choice, ahead: correlationOf(choice, sums) - ofKeyed }))
    .sort((a, b) => b.ahead - a.ahead);
  if (other && other.ahead > margin)
    flags.push({ kind: 'key', positions: positionsOf(other.choice.chosen) });
  else if (ofKeyed < -margin) flags.push({ kind: 'discrimination', positions: [] });
  const measured = measuredDifficulty((100 * sums.correct) / sums.attempts);
  if (Math.abs(DIFFICULTIES.indexOf(measured) - DIFFICULTIES.indexOf(declared)) > 1)
    flags.push({ kind: 'difficulty', positions: [] });
  return flags;
}

/** A wrong choice: neither left out nor typed. */
const isChoice = (chosen: string, isCorrect: boolean) => !isCorrect && /^\d/.test(chosen);

export const positionsOf = (chosen: string): number[] =>
  /^\d/.test(chosen) ? chosen.split(',').map(Number) : [];

/** A given answer as it is summed up: see question_results.chosen. */
export function chosenOf(
  question: { type: QuestionType; answers: readonly StoredAnswer[] },
  given: { answerIds: readonly string[] | null; isCorrect: boolean } | undefined,
): string {
  if (!given) return '';
  if (question.type === 'OPEN_ENDED') return given.isCorrect ? 'right' : 'wrong';
  return question.answers
    .flatMap(({ id }, index) => (given.answerIds?.includes(id) ? [index] : []))
    .join(',');
}

/**
 * What the sums of a question belong to: what players read, in the form of a UUID. Its key, explanation and difficulty
 * may change, and so may the accepted texts of an OPEN_ENDED question, which nobody reads before answering.
 */
export function versionOf(question: {
  id: string;
  type: QuestionType;
  text: string;
  answers: readonly Pick<StoredAnswer, 'id' | 'text'>[];
}): string {
  const { id, type, text } = question;
  const shown = type === 'OPEN_ENDED' ? [] : question.answers;
  const answers = shown.map((answer) => [answer.id, answer.text]);
  return hash('sha256', JSON.stringify([id, type, text, answers])).slice(0, 32);
}

/** How a correct answer is summed up: `chosenOf` of it. */
export const keyedOf = (question: {
  type: QuestionType;
  answers: readonly StoredAnswer[];
}): string =>
  question.type === 'OPEN_ENDED'
    ? 'right'
    : question.answers.flatMap(({ isCorrect }, index) => (isCorrect ? [index] : [])).join(',');
