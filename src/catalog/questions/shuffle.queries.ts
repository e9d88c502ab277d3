import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { type Slice, type Sql, sql } from '../../platform/database/sql';
import { BROWSE_QUESTION } from '../fields.queries';
import { buildWhere, type CatalogFilter } from '../filters.queries';
import { visibilityBranches } from '../visibility.queries';
import { type BrowsePage, findPage, questionsOf } from './browse.queries';
import type { QuestionTotals } from './counts.queries';
import type { QuestionKey } from './cursor.rules';
import { findByRank, findOwnByRank } from './ranks.queries';
import { firstByText } from './text-matches.queries';

/** With four rounds, neighbours stay neighbours up to a third more often than by chance. */
const ROUNDS = 8;

/**
 * A shuffle of 0 … size − 1 determined by the text, one position at a time: what is at each of `places`, without
 * computing the rest. A Feistel network shuffles the next power of four and is repeated until the result is below
 * `size`; so when something is added at the end, all but two positions stay the same until the power is exceeded.
 */
function shuffledPlaces(size: number, seed: string, places: readonly number[]): number[] {
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

/** Up to this many questions, sorting all of them by a hash costs no more than look-ups: about 1 ms. */
export const SORT_UP_TO = 500;

/**
 * Questions in an order that depends only on the seed, drawn from the whole filtered set. A small set, or one that a
 * text found, is sorted by a hash. For a large one the seed determines ranks, and counters find their questions: sorting
 * ten million takes 3.3 s.
 */
export async function findShuffledPage(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
  slice: Slice,
  totals: QuestionTotals,
  seed: string,
  excluded: readonly QuestionKey[] = [],
  fields: Sql = BROWSE_QUESTION,
): Promise<BrowsePage> {
  const total = totals.ofEverybody + totals.own;
  if (total > SORT_UP_TO && !filter.text) {
    const set = { database, accountId, filter: { ...filter, exclude: [] }, totals };
    const ranks = walk(seed, slice, total - excluded.length);
    const keys =
      excluded.length === 0
        ? await findRanked(set, ranks)
        : await findRemaining(set, ranks, excluded);
    return questionsOf(database, accountId, keys, fields);
  }
  const sets = filter.text
    ? [sql`(${firstByText(filter, accountId)}) AS first`]
    : visibilityBranches(accountId).map(
        (branch) => sql`questions WHERE ${buildWhere(filter, branch)}`,
      );
  const branches = sets.map(
    (set) => sql`(SELECT quiz_id, position, md5(${seed} || id::text) AS key FROM ${set})`,
  );
  const order = [sql`key`, sql`quiz_id`, sql`position`];
  const { questions, count } = await findPage(database, branches, order, {
    ...slice,
    fields,
  });
  return { questions, count };
}

function walk(seed: string, { limit, offset }: Slice, total: number): number[] {
  const length = Math.max(0, Math.min(limit, total - offset));
  const wanted = Array.from({ length }, (_, index) => offset + index);
  return shuffledPlaces(total, seed, wanted);
}

/** Everything that matches a filter, for a caller. */
interface QuestionSet {
  database: EntityManager;
  accountId: string;
  filter: CatalogFilter;
  totals: QuestionTotals;
}

/** The questions of these ranks: public ones come first, then the caller's own. */
async function findRanked(
  { database, accountId, filter, totals: { ofEverybody } }: QuestionSet,
  ranks: readonly number[],
): Promise<QuestionKey[]> {
  const isPublic = (rank: number) => rank < ofEverybody;
  const publicRanks = ranks.filter(isPublic);
  const ownRanks = ranks.filter((rank) => !isPublic(rank)).map((rank) => rank - ofEverybody);
  const found = new Map<number, QuestionKey>();
  if (publicRanks.length > 0) {
    const keys = await findByRank(database, filter, publicRanks);
    keys.forEach((key, index) => found.set(publicRanks[index]!, key));
  }
  if (ownRanks.length > 0) {
    const keys = await findOwnByRank(database, accountId, filter, ownRanks);
    keys.forEach((key, index) => found.set(ofEverybody + ownRanks[index]!, key));
  }
  return ranks.flatMap((rank) => found.get(rank) ?? []);
}

/**
 * The questions of these ranks, which are below the number of questions that remain. An excluded question among them
 * is replaced by one of the last ranks, which no page reaches: each question that remains thus has one rank.
 */
async function findRemaining(
  set: QuestionSet,
  ranks: readonly number[],
  excluded: readonly QuestionKey[],
): Promise<QuestionKey[]> {
  const nameOf = ({ quiz_id, position }: QuestionKey) => `${quiz_id} ${position}`;
  const remaining = set.totals.ofEverybody + set.totals.own - excluded.length;
  const lastRanks = excluded.map((_, index) => remaining + index);
  const keys = await findRanked(set, [...ranks, ...lastRanks]);
  const page = keys.slice(0, ranks.length);
  const last = keys.slice(ranks.length);
  const isExcluded = new Set(excluded.map(nameOf));
  const isLast = new Set(last.map(nameOf));
  const replaced = [...isExcluded].filter((name) => !isLast.has(name));
  const replacements = last.filter((key) => !isExcluded.has(nameOf(key)));
  return page.flatMap((key) =>
    isExcluded.has(nameOf(key)) ? (replacements[replaced.indexOf(nameOf(key))] ?? []) : key,
  );
}
