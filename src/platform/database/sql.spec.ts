import { identifier, join, literal, sql } from './sql';

describe('sql', () => {
  it('values become numbered parameters', () => {
    const { text, values } =
      sql`SELECT id FROM quizzes WHERE title = ${"'; DROP"} AND plays > ${3}`;
    expect(text).toBe('SELECT id FROM quizzes WHERE title = $1 AND plays > $2');
    expect(values).toEqual(["'; DROP", 3]);
  });

  it('a part that is SQL becomes part of the statement, with its parameters in order', () => {
    const visible = sql`(is_public OR owner_id = ${'me'})`;
    const { text, values } =
      sql`SELECT ${sql`id`} FROM quizzes WHERE id = ${'q'} AND ${visible} LIMIT ${1}`;
    expect(text).toBe(
      'SELECT id FROM quizzes WHERE id = $1 AND (is_public OR owner_id = $2) LIMIT $3',
    );
    expect(values).toEqual(['q', 'me', 1]);
  });

  it('an array, null and undefined are one parameter each', () => {
    expect(sql`SELECT ${['a', 'b']}, ${null}, ${undefined}`.values).toEqual([
      ['a', 'b'],
      null,
      undefined,
    ]);
  });

  it('join puts the separator between the parts', () => {
    const { text, values } = join([sql`a = ${1}`, sql`b = ${2}`, sql`c`], sql` AND `);
    expect(text).toBe('a = $1 AND b = $2 AND c');
    expect(values).toEqual([1, 2]);
    expect(join([]).text).toBe('');
  });

  it('a literal is part of the text, and only an integer can be one', () => {
    const { text, values } = sql`SELECT id FROM quizzes LIMIT ${literal(10)} OFFSET ${20}`;
    expect(text).toBe('SELECT id FROM quizzes LIMIT 10 OFFSET $1');
    expect(values).toEqual([20]);
    for (const value of [1.5, NaN, Infinity, '1; DROP' as unknown as number])
      expect(() => literal(value)).toThrow('is not an integer');
  });

  it('an identifier is part of the text in quotation marks, and only a name can be one', () => {
    const { text, values } = sql`SELECT ${1} AS ${identifier('Total_1')}`;
    expect(text).toBe('SELECT $1 AS "Total_1"');
    expect(values).toEqual([1]);
    for (const name of ['', 'a b', 'a"; DROP', 'a.b', "a'", 'naïve', 'a\n'])
      expect(() => identifier(name)).toThrow('is not a name');
  });
});
