import type { EntityManager } from 'typeorm';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import type { TaxonomyService } from '../taxonomy/taxonomy.service';
import { sortKey, slugCandidates } from '../taxonomy/slug.rules';
import { fold } from '../../platform/text/text.rules';
import { distinctTags } from './quiz-fields';
import { type CreateQuizRequest } from './quizzes.dto';

/** A quiz that has just been written; what the database counts and computes is not read back. */
export type NewQuiz = Omit<Quiz, 'isPublic' | 'questionCount' | 'changedSinceApprovalAt'>;

/** The editable part of a quiz, validated as at creation. */
export type QuizTexts = Omit<
  CreateQuizRequest,
  'published' | 'featured' | 'timeLimit' | 'maxAttempts'
>;

type Category = Awaited<ReturnType<TaxonomyService['categoryOf']>>;

/** The columns set by a request, at creation and on an edit. */
export function columnsOf(
  { title, description, difficulty, tags: sent }: QuizTexts,
  category: Category,
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
  };
}

/** Replaces the texts of a quiz, and what follows from them. */
export async function writeTexts(
  tx: EntityManager,
  id: string,
  texts: QuizTexts,
  category: Category,
  updatedAt: Date,
): Promise<void> {
  const columns = columnsOf(texts, category);
  await tx.getRepository(Quiz).update({ id }, { ...columns, updatedAt });
  await saveSearchText(tx, { id, ...columns });
}

/** Inserts a quiz under the first of its slugs that is free, and makes it searchable. */
export async function insertQuiz(tx: EntityManager, quiz: Omit<NewQuiz, 'slug'>): Promise<NewQuiz> {
  for (const slug of slugCandidates(quiz.title, quiz.id)) {
    const inserted = await tx
      .createQueryBuilder()
      .insert()
      .into(Quiz)
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
  await tx.query(
    `INSERT INTO quiz_search (quiz_id, content, is_public) SELECT id, $2::text, is_public FROM quizzes WHERE id = $1
     ON CONFLICT (quiz_id) DO UPDATE SET content = excluded.content`,
    [quiz.id, content],
  );
}
