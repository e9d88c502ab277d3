/** What must end when the harness does, however it does: the newest first. */
const undo = new Set<() => unknown>();
let ending = false;

/** Remembers how to end something. @returns forgets it again, once it has ended in order */
export function atTheEnd(end: () => unknown): () => void {
  undo.add(end);
  // Begun while everything was being ended: it goes at once.
  if (ending) void endEverything();
  return () => void undo.delete(end);
}

/** Whether the end has begun: what fails now fails for that reason. */
export const isEnding = () => ending;

/** Ends everything that still runs, and whatever begins from now on. */
export async function endEverything(): Promise<void> {
  ending = true;
  for (const end of [...undo].reverse()) {
    undo.delete(end);
    try {
      await end();
    } catch {
      // The next one must end too.
    }
  }
}
