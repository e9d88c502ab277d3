/** A short transaction each. */
const BATCH = 1_000;

/**
 * Deletes some rows after the other, until nothing is left. Processes that run at the same time take different rows,
 * because the statements skip locked ones. @returns how many were deleted
 */
export async function inBatches(deleteSome: (limit: number) => Promise<number>): Promise<number> {
  let deleted = 0;
  for (let count = BATCH; count === BATCH; deleted += count) count = await deleteSome(BATCH);
  return deleted;
}
