/** Ranking: best score, then least time, then earliest; the attempt's id breaks remaining ties. */
export interface Ranked {
  score: number;
  /** Whole seconds. */
  timeSpent: number;
  reachedAt: Date;
  attemptId: string;
}

/** How many players a leaderboard shows. */
export const PLACES = 10;

/** Negative if `a` ranks above `b`. */
export function compareRanked(a: Ranked, b: Ranked): number {
  return (
    b.score - a.score ||
    a.timeSpent - b.timeSpent ||
    a.reachedAt.getTime() - b.reachedAt.getTime() ||
    (a.attemptId < b.attemptId ? -1 : 1)
  );
}

/**
 * Whether an entry would be among the first ten. The tenth only improves unless a player is removed from
 * the leaderboard or entries are scored again, which waits until no attempt is being entered: "no" stays true whatever other players do meanwhile.
 */
export function reachesTop(top: readonly Ranked[], entry: Ranked): boolean {
  const last = top[PLACES - 1];
  return !last || compareRanked(entry, last) < 0;
}
