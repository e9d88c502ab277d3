import { createHash } from 'node:crypto';

/** With four rounds, neighbours stay neighbours half as often again as by chance. */
const ROUNDS = 8;

/**
 * A shuffle of 0 … size − 1 determined by the text, one position at a time: what is at each of `places`, without
 * computing the rest. A Feistel network shuffles the next power of four and is repeated until the result is below
 * `size`; so when something is added at the end, all but two positions stay the same.
 */
export function shuffledPlaces(size: number, seed: string, places: readonly number[]): number[] {
  const bits = Math.max(1, Math.ceil(Math.log2(Math.max(2, size)) / 2));
  const half = 2 ** bits;
  const keys = createHash('sha512').update(seed).digest();
  const step = (place: number): number => {
    let left = Math.floor(place / half);
    let right = place % half;
    for (let round = 0; round < ROUNDS; round++)
      [left, right] = [
        right,
        (left ^
          (mixed(right, keys.readUInt32LE(round * 8), keys.readUInt32LE(round * 8 + 4)) % half)) >>>
          0,
      ];
    return left * half + right;
  };
  return places.map((place) => {
    let shuffled = step(place);
    while (shuffled >= size) shuffled = step(shuffled);
    return shuffled;
  });
}

/** 32 pseudo-random bits (the end of MurmurHash3). */
function mixed(value: number, key: number, second: number): number {
  let hash = (value ^ key) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ second ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
