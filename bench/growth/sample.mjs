const TAGS = `category_key = ' ' AND tag_key > '!'`;
const CATEGORIES = `tag_key = '' AND category_key > '!'`;

/** Values to query in generated data, at the same positions of the distribution at every scale. */
export async function sampleOf(client) {
  const one = async (sql) => (await client.query(sql)).rows[0];
  const { tags } = await one(
    `SELECT array_agg(tag_key ORDER BY quizzes DESC, tag_key) AS tags FROM catalog_counts WHERE ${TAGS} AND quizzes > 0`,
  );
  const { middling } = await one(
    `SELECT tag_key AS middling FROM catalog_counts WHERE ${TAGS} AND quizzes > 0
     ORDER BY abs(ln(quizzes) - (SELECT ln(max(quizzes)) / 2 FROM catalog_counts WHERE ${TAGS})), tag_key LIMIT 1`,
  );
  const { categories } = await one(
    `SELECT array_agg(category_key ORDER BY quizzes DESC, category_key) AS categories FROM catalog_counts
     WHERE ${CATEGORIES} AND quizzes > 0`,
  );
  const rarestQuiz = await one(
    `SELECT category_key AS category, difficulty
     FROM catalog_counts, unnest(enum_range(NULL::difficulty), quizzes_by_difficulty) AS d (difficulty, n)
     WHERE ${CATEGORIES} AND n > 0 ORDER BY n, 1, 2 LIMIT 1`,
  );
  const rarestQuestion = await one(
    `SELECT category_key AS category, difficulty, type
     FROM catalog_counts, unnest(counts_by_kind) WITH ORDINALITY AS k (n, index) JOIN question_kinds USING (index)
     WHERE ${CATEGORIES} AND n > 0 ORDER BY n, 1, 2, 3 LIMIT 1`,
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
      quiz: { category: [rarestQuiz.category], difficulty: [rarestQuiz.difficulty] },
      question: {
        category: [rarestQuestion.category],
        difficulty: [rarestQuestion.difficulty],
        type: [rarestQuestion.type],
      },
    },
  };
}
