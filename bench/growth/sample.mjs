/** Values to query in generated data, at the same positions of the distribution at every scale. */
export async function sampleOf(client) {
  const one = async (sql) => (await client.query(sql)).rows[0];
  const { tags } = await one(
    `SELECT array_agg(tag_key ORDER BY quizzes DESC, tag_key) AS tags FROM tag_counts WHERE category_key = '' AND quizzes > 0`,
  );
  const { middling } = await one(
    `SELECT tag_key AS middling FROM tag_counts WHERE category_key = '' AND quizzes > 0
     ORDER BY abs(ln(quizzes) - (SELECT ln(max(quizzes)) / 2 FROM tag_counts WHERE category_key = '')), tag_key LIMIT 1`,
  );
  const { categories } = await one(
    `SELECT array_agg(category_key ORDER BY n DESC, category_key) AS categories FROM (
       SELECT category_key, sum(quizzes) AS n FROM quiz_counts WHERE category_key <> '' GROUP BY 1 HAVING sum(quizzes) > 0) AS c`,
  );
  const quiz = await one(
    `SELECT category_key AS category, difficulty FROM quiz_counts WHERE quizzes > 0 AND category_key <> '' ORDER BY quizzes, 1, 2 LIMIT 1`,
  );
  const question = await one(
    `SELECT category_key AS category, difficulty, type FROM question_counts WHERE questions > 0 AND category_key <> '' ORDER BY questions, 1, 2, 3 LIMIT 1`,
  );
  const { id: reader } = await one(
    `SELECT id FROM accounts WHERE email_key = 'reader@bench.invalid'`,
  );
  const {
    id: quizId,
    number,
    word,
    title,
  } = await one(
    `SELECT id, substring(slug FROM '\\d+$') AS number, split_part(title_sort, ' ', 2) AS word,
       title_sort AS title
     FROM quizzes WHERE is_public ORDER BY md5(id::text) LIMIT 1`,
  );
  return {
    reader,
    quizId,
    someNumber: number,
    titleWord: word,
    someTitle: title,
    tags: { common: tags[0], second: tags[1], middling, rare: tags.at(-1) },
    categories: { common: categories[0], second: categories[1], rare: categories.at(-1) },
    rareFacets: {
      quiz: { category: [quiz.category], difficulty: [quiz.difficulty] },
      question: {
        category: [question.category],
        difficulty: [question.difficulty],
        type: [question.type],
      },
    },
  };
}
