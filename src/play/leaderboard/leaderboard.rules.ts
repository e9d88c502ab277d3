/** Ranking: best score, then least time, then earliest; the attempt's id breaks what ties are left. */
export interface OffsetPosition {
  score: number;
  /** Whole seconds. */
  time_spent: number;
  reached_at: Date;
  attempt_id: string;
}

export const PLACES = 10;

/** Negative when `a` stands above `b`. */
export function compareRanked(a: OffsetPosition, b: OffsetPosition): number {
  return (
    b.score - a.score ||
    a.time_spent - b.time_spent ||
    a.reached_at.getTime() - b.reached_at.getTime() ||
    (a.attempt_id < b.attempt_id ? -1 : 1)
  );
}

/**
 * Whether an entry would stand among the first ten. Entries do not change, so the last of them
 * only rises while nobody is taken from the board: "no" stays true whatever other players do meanwhile.
 */
export function reachesTop(top: readonly OffsetPosition[], entry: OffsetPosition): boolean {
  const last = top[PLACES - 1];
  return !last || compareRanked(entry, last) < 0;
}
