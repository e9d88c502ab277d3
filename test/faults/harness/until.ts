import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until the probe answers something true. A probe that throws is asked again.
 * @param what for the message when it never does: `5 requests at the receiver`
 * @param within milliseconds
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  within = 60_000,
  every = 15,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + within;
  let fault: unknown;
  for (;;) {
    try {
      const answer = await probe();
      if (answer) return answer;
      fault = undefined;
    } catch (error) {
      fault = error;
    }
    if (Date.now() > deadline) {
      const reason = fault instanceof Error ? `: ${fault.message}` : '';
      throw new Error(`waited ${within / 1000} s in vain for ${what}${reason}`);
    }
    await sleep(every);
  }
}

/** @throws Error with the sentence when the condition does not hold */
export function hold(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new Error(sentence);
}
