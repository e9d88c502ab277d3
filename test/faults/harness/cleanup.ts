/** What must end when the harness does, however it does: the newest first. */
const undo = new Set<() => unknown>();

/** Remembers how to end something. @returns forgets it again, once it has ended in order */
export function atTheEnd(end: () => unknown): () => void {
  undo.add(end);
  return () => void undo.delete(end);
}

/** Ends everything that still runs. */
export async function endEverything(): Promise<void> {
  for (const end of [...undo].reverse()) {
    undo.delete(end);
    try {
      await end();
    } catch {
      // The next one must end too.
    }
  }
}
