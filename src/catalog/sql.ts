/** Collects the parameters of one statement: `${p(value)}` in its text becomes `$1`, `$2`, … */
export class Parameters {
  readonly values: unknown[] = [];

  readonly add = (value: unknown): string => {
    this.values.push(value);
    return `$${this.values.length}`;
  };
}

/** The rows of a selection in its order, as the text of a JSON array, and how many they are. */
export function asJsonArray(selection: string): string {
  return `SELECT count(*)::int AS count, coalesce(json_agg(item), '[]')::text AS json FROM (${selection}) AS item`;
}

/** A LIKE pattern for "contains", in which `%`, `_` and `\` of the text are ordinary characters. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
