import { SETTINGS } from './config';

/**
 * What in the environment is probably a setting of ours, misspelled: one slip of the keyboard away from one that
 * is not set. It is only a guess, and other programs have variables too, so it is a warning and stops nothing.
 * @returns a sentence for each
 */
export function misspelledSettings(env: NodeJS.ProcessEnv): string[] {
  const absent = Object.keys(SETTINGS).filter((name) => !env[name]?.trim());
  const others = Object.keys(env).filter((name) => !Object.hasOwn(SETTINGS, name));
  return absent.flatMap((name) =>
    others
      .filter((other) => isSlip(other, name))
      .map((other) => `${other} is not a setting and does nothing: did you mean ${name}?`),
  );
}

/** One character too many, too few or another one, or two neighbours exchanged. */
function isSlip(given: string, meant: string): boolean {
  let from = 0;
  while (from < meant.length && given[from] === meant[from]) from++;
  let [end, ending] = [given.length, meant.length];
  for (; end > from && ending > from && given[end - 1] === meant[ending - 1]; end--) ending--;
  const [typed, wanted] = [given.slice(from, end), meant.slice(from, ending)];
  if (typed.length === 2 && wanted.length === 2) return typed === [...wanted].reverse().join('');
  // Too much is near to a name as short as PORT: SORT, POST.
  return meant.length > 5 && typed.length < 2 && wanted.length < 2;
}
