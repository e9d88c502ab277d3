/** A repeatable series of choices, so that a failure can be run again (mulberry32). */
export function choices(seed: number) {
  let state = seed;
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (count: number) => Math.floor(fraction() * count);
  const of = <T>(values: readonly T[]): T => values[upTo(values.length)] as T;
  return { fraction, upTo, of };
}
