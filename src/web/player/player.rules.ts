import { randomInt } from 'node:crypto';
import { type MessageKey, type Messages, messagesIn } from '../../platform/messages/messages';

/** `45 s`, `1 min 5 s`, `2 h 3 min`; with no-break spaces between a number and its unit. */
export function duration(seconds: number, { t }: Messages = messagesIn('en')): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const of = (key: DurationKey, count: number) => count > 0 && t(key, { count });
  const [larger, smaller] = hours
    ? [of('duration.hours', hours), of('duration.minutes', minutes % 60)]
    : [of('duration.minutes', minutes), of('duration.seconds', seconds % 60)];
  const parts = [larger, smaller].filter((part) => part !== false);
  return parts.join(' ') || t('duration.seconds', { count: 0 });
}

type DurationKey = Extract<MessageKey, `duration.${string}`>;

/** The time limit of a player: `time limit 15 min, 1.5 times the usual`. */
export function timeLimitOf(seconds: number, factor: number, messages: Messages): string {
  const time = duration(seconds, messages);
  return factor === 1
    ? messages.t('start.timeLimit', { time })
    : messages.t('start.timeLimitLonger', { time, factor });
}

export function praise(score: number, total: number): MessageKey {
  if (score === total) return 'praise.all';
  if (score >= total * 0.8) return 'praise.most';
  if (score >= total * 0.5) return 'praise.half';
  return score > 0 ? 'praise.some' : 'praise.none';
}

/**
 * Why an answer of several choices is not correct though some of it is: `Partly correct: you chose 1 of 2 correct answers
 * …`. Null if none of it is, or all.
 */
export function partlyCorrect(
  chosen: readonly string[],
  correct: readonly string[],
  { t }: Messages,
): string | null {
  const found = chosen.filter((id) => correct.includes(id)).length;
  const wrong = chosen.length - found;
  const total = correct.length;
  if (found === 0 || (found === total && wrong === 0)) return null;
  return wrong > 0
    ? t('verdict.partlyWrong', { found, total, wrong })
    : t('verdict.partly', { found, total });
}

/** A question of an attempt; `given` is the player's answer. */
interface PlayedQuestion {
  given: unknown;
}

/** The first unanswered question after `number`, which counts from 1; null if there is none. */
export function nextOpen(questions: readonly PlayedQuestion[], number: number): number | null {
  const index = questions.findIndex(({ given }, at) => at >= number && !given);
  return index < 0 ? null : index + 1;
}

/** Whether answering this question leaves none open. */
export const isLastOpen = (questions: readonly PlayedQuestion[], number: number): boolean =>
  questions.every(({ given }, at) => given || at === number - 1);

/** Two words for a player without a name: `Curious Heron`. */
export function guestName({ t }: Messages, pick: (count: number) => number = randomInt): string {
  const one = (words: string) => {
    const all = words.split(' ');
    return all[pick(all.length)]!;
  };
  return t('guest.name', { kind: one(t('guest.kinds')), animal: one(t('guest.animals')) });
}
