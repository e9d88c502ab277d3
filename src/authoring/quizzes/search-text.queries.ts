import type { EntityManager } from 'typeorm';
import type { Quiz } from '../../catalog/quizzes/quiz.entity';
import { fold } from '../../platform/text/text.rules';

/** Saves everything that `topic` searches, folded. The separator prevents matches across fields. */
export async function saveSearchText(
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
