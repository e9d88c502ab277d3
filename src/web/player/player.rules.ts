import { randomInt } from 'node:crypto';

/** `45 s`, `1 min 5 s`, `2 h 3 min`; with no-break spaces between a number and its unit. */
export function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const [larger, smaller]: [Part, Part] = hours
    ? [`${hours}\u00a0h`, minutes % 60 && `${minutes % 60}\u00a0min`]
    : [minutes && `${minutes}\u00a0min`, seconds % 60 && `${seconds % 60}\u00a0s`];
  return [larger, smaller].filter(Boolean).join(' ') || '0\u00a0s';
}

type Part = string | 0;

/** The time limit of a player: `time limit 15 min, 1.5 times the usual`. */
export const timeLimitOf = (seconds: number, factor: number): string =>
  `time limit ${duration(seconds)}${factor === 1 ? '' : `, ${factor} times the usual`}`;

/** `1st`, `2nd`, `3rd`, `11th` */
export function ordinal(number: number): string {
  const kind = new Intl.PluralRules('en', { type: 'ordinal' }).select(number);
  const endings: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
  return `${number}${endings[kind] ?? 'th'}`;
}

export function praise(score: number, total: number): string {
  if (score === total) return 'All correct!';
  if (score >= total * 0.8) return 'Very good!';
  if (score >= total * 0.5) return 'Well played!';
  return score > 0 ? 'Keep practising.' : 'Not this time.';
}

/**
 * Why an answer of several choices is not correct though some of it is: `Partly correct: you chose 1 of 2 correct answers
 * …`. Null if none of it is, or all.
 */
export function partlyCorrect(
  chosen: readonly string[],
  correct: readonly string[],
): string | null {
  const found = chosen.filter((id) => correct.includes(id)).length;
  const others = chosen.length - found;
  if (found === 0 || (found === correct.length && others === 0)) return null;
  const also = others > 0 ? ` and ${others} wrong ${others === 1 ? 'one' : 'ones'}` : '';
  return `Partly correct: you chose ${found} of ${correct.length} correct answers${also}. It counts when you choose all of them and no other.`;
}

/** A question of an attempt; `given` is the player's answer. */
interface Asked {
  given: unknown;
}

/** The first unanswered question after `number`, which counts from 1; null if there is none. */
export function nextOpen(questions: readonly Asked[], number: number): number | null {
  const index = questions.findIndex(({ given }, at) => at >= number && !given);
  return index < 0 ? null : index + 1;
}

/** Whether answering this question leaves none open. */
export const isLastOpen = (questions: readonly Asked[], number: number): boolean =>
  questions.every(({ given }, at) => given || at === number - 1);

const KINDS =
  'Brave Bright Calm Cheerful Clever Curious Eager Gentle Happy Jolly Keen Lively Lucky Merry Nimble Patient Quick Quiet Swift Witty';
const ANIMALS =
  'Badger Beaver Bison Crane Dolphin Falcon Fox Hare Hedgehog Heron Ibex Koala Lynx Magpie Marten Otter Owl Panda Puffin Raven Robin Seal Squirrel Stork Swallow Tapir Tortoise Turtle Walrus Wombat';

/** Two words for a player without a name: `Curious Heron`. */
export function guestName(pick: (count: number) => number = randomInt): string {
  return [KINDS, ANIMALS]
    .map((words) => words.split(' '))
    .map((words) => words[pick(words.length)])
    .join(' ');
}
