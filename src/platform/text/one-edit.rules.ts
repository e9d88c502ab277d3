/** Where two texts differ: what each has there, between what both begin and what both end with. */
export interface Difference {
  /** The position in both texts. */
  at: number;
  given: string;
  meant: string;
}

/**
 * The single edit between two different texts: one character too many, too few or another one, or two neighbours
 * exchanged.
 * @returns null if they are equal, or more than one edit apart
 */
export function singleEdit(given: string, meant: string): Difference | null {
  let at = 0;
  while (at < meant.length && given[at] === meant[at]) at++;
  let [end, ending] = [given.length, meant.length];
  for (; end > at && ending > at && given[end - 1] === meant[ending - 1]; end--) ending--;
  const difference = { at, given: given.slice(at, end), meant: meant.slice(at, ending) };
  return isOneEdit(difference) ? difference : null;
}

function isOneEdit({ given, meant }: Difference): boolean {
  if (given.length === 2 && meant.length === 2) return given === [...meant].reverse().join('');
  return given !== meant && given.length < 2 && meant.length < 2;
}
