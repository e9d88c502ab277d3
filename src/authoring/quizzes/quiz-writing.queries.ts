import type { EntityManager } from 'typeorm';
import { editedFields } from '../../catalog/fields.queries';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { RULE_COLUMNS, type RulesOfPlay } from '../../catalog/vocabulary';
import { identifier, query, type Sql, sql } from '../../platform/database/sql';
import { hasValues } from '../../platform/equality';
import { fold } from '../../platform/text/text.rules';
import type { NewQuestion } from '../questions/question-writing.queries';
import { slugCandidates, sortKey } from '../taxonomy/slug.rules';
import type { QuizCategory } from '../taxonomy/taxonomy.service';
import { distinctTags } from './quiz.rules';
import type { CreateQuizRequest } from './quizzes.dto';

/** A quiz that has just been written; what the database counts and computes is not read back. */
export type NewQuiz = Omit<Quiz, 'isPublic' | 'questionCount' | 'changedSinceApprovalAt'>;

/** What describes a quiz, validated as at creation. */
export type QuizFields = Omit<CreateQuizRequest, 'published' | 'featured' | keyof RulesOfPlay>;

/** The columns set by a request, at creation and on an edit. */
export function quizColumns(
  { title, description, difficulty, tags: sent, language }: QuizFields,
  category: QuizCategory,
) {
  const tags = distinctTags(sent ?? []);
  return {
    title,
    titleSort: sortKey(title),
    description: description || null,
    category: category.name,
    categoryKey: fold(category.name ?? ''),
    categoryId: category.id,
    difficulty,
    tags,
    tagKeys: tags.map(fold),
    language: language ?? null,
  };
}

/** The rules of play that a request sets at creation. */
export const rulesAtCreation = (request: CreateQuizRequest): RulesOfPlay => ({
  timeLimit: request.timeLimit ?? null,
  maxAttempts: request.maxAttempts ?? null,
  acceptTypos: request.acceptTypos,
  questionsPerAttempt: request.questionsPerAttempt ?? null,
});

/**
 * Updates a quiz's descriptive fields and the columns derived from them.
 * @returns whether they differ from the stored ones; if not, nothing is written
 */
export async function updateQuizFields(
  tx: EntityManager,
  id: string,
  fields: QuizFields,
  category: QuizCategory,
  updatedAt: Date,
): Promise<boolean> {
  const quizzes = tx.getRepository(Quiz);
  const columns = quizColumns(fields, category);
  if (hasValues(await quizzes.findOneByOrFail({ id }), columns)) return false;
  await quizzes.update({ id }, { ...columns, updatedAt });
  await saveSearchText(tx, { id, ...columns });
  return true;
}

/**
 * Inserts a quiz under the first of its slugs that is free, and makes it searchable.
 * @param kept the slug that it had elsewhere
 */
export async function insertQuiz(
  tx: EntityManager,
  quiz: Omit<NewQuiz, 'slug'>,
  kept?: string,
): Promise<NewQuiz> {
  const candidates = slugCandidates(quiz.title, quiz.id);
  for (const slug of kept === undefined ? candidates : [kept, ...candidates]) {
    const inserted = await tx
      .getRepository(Quiz)
      .createQueryBuilder()
      .insert()
      .values({ ...quiz, slug })
      // No error if the slug is taken: an error would end the transaction.
      .orIgnore()
      .returning('id')
      .updateEntity(false)
      .execute();
    if ((inserted.raw as unknown[]).length === 0) continue;
    await saveSearchText(tx, quiz);
    return { ...quiz, slug };
  }
  throw new Error(`No slug is free for quiz ${quiz.id}`);
}

/** Saves everything that `topic` searches, folded. The separator prevents matches across fields. */
async function saveSearchText(
  tx: EntityManager,
  quiz: Pick<Quiz, 'id' | 'title' | 'description' | 'tags'>,
): Promise<void> {
  const content = [quiz.title, quiz.description ?? '', ...quiz.tags].map(fold).join('\u001f');
  await query(
    tx,
    sql`INSERT INTO quiz_search (quiz_id, content, is_public)
        SELECT id, ${content}::text, is_public FROM quizzes WHERE id = ${quiz.id}
        ON CONFLICT (quiz_id) DO UPDATE SET content = excluded.content`,
  );
}

/** From `questions`: what a writer sends. The fingerprint is not enough: it ignores case, spacing and the answers' order. */
const writtenFields = (questions: string): Sql => {
  const q = identifier(questions);
  return sql`${q}.text, ${q}.type, ${q}.difficulty, ${q}.format, ${q}.explanation,
    jsonb_path_query_array(${q}.answers, '$[*].text'), jsonb_path_query_array(${q}.answers, '$[*].isCorrect')`;
};

/** A quiz of the account with this content by this writer, created since then; null if there is none. */
export async function findSameQuiz(
  tx: EntityManager,
  by: { accountId: string; writtenBy: string | null; since: Date },
  { categoryId, ...content }: ReturnType<typeof quizColumns> & RulesOfPlay,
  questions: readonly NewQuestion[],
): Promise<string | null> {
  const rules = Object.entries(RULE_COLUMNS) as [keyof RulesOfPlay, string][];
  const row = {
    ...content,
    category_id: categoryId,
    ...Object.fromEntries(rules.map(([rule, column]) => [column, content[rule]])),
  };
  const rows = questions.map((question, index) => ({ ...question, position: index + 1 }));
  const [same] = await query<{ id: string }[]>(
    tx,
    sql`
SELECT o.id FROM quizzes o, jsonb_populate_record(NULL::quizzes, ${JSON.stringify(row)}) AS n
WHERE o.owner_id = ${by.accountId} AND o.created_at > ${by.since} AND o.written_by = ${by.writtenBy}
  AND o.question_count = ${questions.length}
  AND (${editedFields('o')}) IS NOT DISTINCT FROM (${editedFields('n')})
  AND NOT EXISTS (SELECT FROM jsonb_populate_recordset(NULL::questions, ${JSON.stringify(rows)}) AS a
    WHERE NOT EXISTS (SELECT FROM questions b
      WHERE b.quiz_id = o.id AND b.position = a.position AND b.fingerprint = a.fingerprint
        AND (${writtenFields('b')}) IS NOT DISTINCT FROM (${writtenFields('a')})))
ORDER BY o.id LIMIT 1`,
  );
  return same?.id ?? null;
}

/** Forgets which assistant wrote quizzes of an account: the name may be a person's. @returns how many were changed */
export async function forgetAssistants(
  tx: EntityManager,
  ownerId: string,
  limit: number,
): Promise<number> {
  const [, count] = await query<[unknown, number]>(
    tx,
    sql`UPDATE quizzes SET written_by = NULL WHERE id IN (
          SELECT id FROM quizzes WHERE owner_id = ${ownerId} AND written_by IS NOT NULL ORDER BY id LIMIT ${limit} FOR NO KEY UPDATE)`,
  );
  return count;
}
