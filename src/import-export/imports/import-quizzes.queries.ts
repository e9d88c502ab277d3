import { In, type EntityManager } from 'typeorm';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import type { ImportQuiz } from './import';

/** SQL of the table `import_quizzes`: the quizzes that an import has made or added to. */

/**
 * Notes that a quiz got questions, in the transaction that gives them: after a kill the report is as true as the quiz.
 * @param number of the first of them in the file
 */
export async function noteQuiz(
  tx: EntityManager,
  importId: string,
  quizId: string,
  { number, questions }: { number: number; questions: number },
): Promise<void> {
  const { title, slug } = await tx
    .getRepository(Quiz)
    .findOneOrFail({ select: { title: true, slug: true }, where: { id: quizId } });
  await tx.query(
    `INSERT INTO import_quizzes AS q (import_id, quiz_id, number, title, slug, questions)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (import_id, quiz_id) DO UPDATE SET questions = q.questions + excluded.questions`,
    [importId, quizId, number, title, slug, questions],
  );
}

/** In the order of the file. */
export async function findImportQuizzes(
  database: EntityManager,
  importId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ quizzes: ImportQuiz[]; total: number }> {
  const [counted] = await database.query<[{ total: number }]>(
    `SELECT count(*)::int AS total FROM import_quizzes WHERE import_id = $1`,
    [importId],
  );
  const noted = await database.query<Omit<ImportQuiz, 'deleted'>[]>(
    `SELECT quiz_id AS id, title, slug, questions FROM import_quizzes WHERE import_id = $1
     ORDER BY number, quiz_id LIMIT $2 OFFSET $3`,
    [importId, limit, Math.min(offset, counted.total)],
  );
  const left = await database
    .getRepository(Quiz)
    .find({ select: { id: true }, where: { id: In(noted.map(({ id }) => id)) } });
  const ids = new Set(left.map(({ id }) => id));
  const quizzes = noted.map((quiz) => ({ ...quiz, deleted: !ids.has(quiz.id) }));
  return { quizzes, total: counted.total };
}
