/**
 * Where an attempt goes from a question. Numbers are from 1; `answered` tells of each question whether it is.
 * @returns the next question that is not answered yet; null where none comes after this one
 */
export function nextOpen(answered: readonly boolean[], number: number): number | null {
  const index = answered.findIndex((is, at) => at >= number && !is);
  return index < 0 ? null : index + 1;
}

/** Whether answering this question leaves none open. */
export function isLastOpen(answered: readonly boolean[], number: number): boolean {
  return answered.every((is, at) => is || at === number - 1);
}
