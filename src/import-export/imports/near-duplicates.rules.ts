import { fold } from '../../platform/text/text.rules';

/** As alike as "Which planet is the largest?" and "Which planet is largest?". */
const ALIKE = 0.75;
/** Eight bands of three: two texts that are 0.75 alike share a band 98 times of 100, unlike ones rarely. */
const [BANDS, ROWS] = [8, 3];
/** Candidates that are compared for one question, however many questions begin the same. */
const COMPARED = 8;
/** Questions that are remembered: about 60 MB with their texts. */
export const REMEMBERED = 60_000;
/** Characters that are compared. */
const LENGTH = 300;

/**
 * Finds texts that are much alike: by the share of their trigrams (as pg_trgm counts them), but only among
 * candidates that a MinHash index proposes. So each look-up costs the same, however many texts there are.
 */
export class NearDuplicates {
  private readonly texts: string[] = [];
  private readonly places: string[] = [];
  /** The last text of each band, and of each text's bands the text before it. */
  private readonly last = new Map<number, number>();
  private readonly before: number[] = [];

  get full(): boolean {
    return this.texts.length >= REMEMBERED;
  }

  /** @param place what `find` gives for this text */
  add(text: string, place: string): void {
    if (this.full) return;
    const short = text.slice(0, LENGTH);
    const at = this.texts.push(short) - 1;
    this.places.push(place);
    for (const band of bandsOf(trigrams(short))) {
      this.before.push(this.last.get(band) ?? -1);
      this.last.set(band, at);
    }
  }

  /** The place and text that are most alike; null when none is alike enough. */
  find(text: string): { place: string; text: string } | null {
    const mine = trigrams(text.slice(0, LENGTH));
    const candidates = new Set<number>();
    for (const [number, band] of bandsOf(mine).entries()) {
      let at = this.last.get(band) ?? -1;
      while (at >= 0 && candidates.size < COMPARED) {
        candidates.add(at);
        at = this.before[at * BANDS + number] ?? -1;
      }
    }
    let best = -1;
    let most = ALIKE;
    for (const at of candidates) {
      const share = shareOf(mine, trigrams(this.texts[at] ?? ''));
      if (share >= most) [best, most] = [at, share];
    }
    return best < 0 ? null : { place: this.places[best] ?? '', text: this.texts[best] ?? '' };
  }
}

/** From 0 to 1: the trigrams that both texts have, of all that either has. */
export const similarity = (one: string, other: string): number =>
  shareOf(trigrams(one), trigrams(other));

function shareOf(one: Set<number>, other: Set<number>): number {
  let both = 0;
  for (const trigram of one) if (other.has(trigram)) both += 1;
  const all = one.size + other.size - both;
  return all === 0 ? 0 : both / all;
}

/** Three letters each, of words with two blanks before and one behind, as numbers. */
function trigrams(text: string): Set<number> {
  const found = new Set<number>();
  for (const word of fold(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []) {
    const padded = `  ${word} `;
    for (let at = 0; at + 3 <= padded.length; at += 1) {
      let hash = 0x811c9dc5;
      for (let i = at; i < at + 3; i += 1)
        hash = Math.imul(hash ^ padded.charCodeAt(i), 0x01000193);
      found.add(mixed(hash));
    }
  }
  return found;
}

function bandsOf(trigrams: Set<number>): number[] {
  if (trigrams.size === 0) return [];
  const least = new Array<number>(BANDS * ROWS).fill(0xffffffff);
  for (const trigram of trigrams)
    for (let i = 0; i < least.length; i += 1) {
      const hash = mixed(trigram ^ Math.imul(i + 1, 0x9e3779b1));
      if (hash < (least[i] ?? 0)) least[i] = hash;
    }
  return Array.from({ length: BANDS }, (_, band) =>
    least
      .slice(band * ROWS, (band + 1) * ROWS)
      .reduce((hash, each) => mixed(Math.imul(hash, 31) ^ each), band + 1),
  );
}

/** All bits of a number decide on all bits of another (murmur3's end), not negative. */
function mixed(number: number): number {
  let hash = number ^ (number >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
