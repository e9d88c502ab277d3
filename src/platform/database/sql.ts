import type { DataSource, EntityManager } from 'typeorm';

/** A statement or a part of one, with its parameters. */
export class Sql {
  constructor(
    /** One more than values: what stands before, between and after them. */
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
  ) {}

  /** The SQL text, with `$1`, `$2`, … in place of the values. */
  get text(): string {
    return this.strings.reduce((text, string, i) => `${text}$${i}${string}`);
  }
}

/**
 * SQL with named parameters: in sql`SELECT title FROM quizzes WHERE id = ${quizId}` the value is sent as a parameter, so
 * no value of a request can become part of the text. A part that is Sql itself becomes part of the statement.
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly unknown[]): Sql {
  const flat: string[] = [strings[0]!];
  const values: unknown[] = [];
  parts.forEach((part, i) => {
    if (part instanceof Sql) {
      const [first, ...rest] = part.strings;
      flat.push(flat.pop()! + first!, ...rest);
      values.push(...part.values);
      flat.push(flat.pop()! + strings[i + 1]!);
    } else {
      values.push(part);
      flat.push(strings[i + 1]!);
    }
  });
  return new Sql(flat, values);
}

/** Several parts with a separator between them: join(conditions, sql` AND `). */
export function join(parts: readonly Sql[], separator: Sql = sql`, `): Sql {
  return parts.reduce((all, part, i) => (i === 0 ? part : sql`${all}${separator}${part}`), sql``);
}

/** Runs a statement. @returns its rows, or for UPDATE and DELETE the rows of RETURNING and their number */
export function query<T>(database: DataSource | EntityManager, { text, values }: Sql): Promise<T> {
  return database.query<T>(text, [...values]);
}
