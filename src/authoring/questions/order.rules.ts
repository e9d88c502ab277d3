/** Whether `order` holds every one of `ids` once, and nothing else. */
export function isPermutation(order: readonly string[], ids: readonly string[]): boolean {
  const wanted = new Set(order);
  return (
    order.length === ids.length && wanted.size === ids.length && ids.every((id) => wanted.has(id))
  );
}

/** The order after `id` has changed places with its neighbour; the same order at the end. */
export function movedBy(order: readonly string[], id: string, by: 'up' | 'down'): string[] {
  const moved = [...order];
  const from = moved.indexOf(id);
  const to = from + (by === 'up' ? -1 : 1);
  const neighbour = moved[to];
  if (from < 0 || neighbour === undefined) return moved;
  moved[from] = neighbour;
  moved[to] = id;
  return moved;
}
