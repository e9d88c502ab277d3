import type { EntityManager } from 'typeorm';
import type { TopicsService } from '../../catalog/discovery/topics.service';
import { Invalid } from '../../platform/errors/domain-errors';
import type { CreateQuizRequest } from './create-quiz.request';

/**
 * The category that a quiz is to have: `categoryId` wins, and a flat name that is a category's is linked to
 * it (contract).
 * @throws Invalid for an unknown id
 */
export async function categoryOf(
  tx: EntityManager,
  topics: TopicsService,
  request: Pick<CreateQuizRequest, 'category' | 'categoryId'>,
): Promise<{ id: string | null; name: string | null }> {
  if (typeof request.categoryId === 'string') {
    const category = await topics.findCategory(tx, { id: request.categoryId });
    if (category) return { id: category.id, name: category.name };
    throw new Invalid('The body', [
      {
        path: 'categoryId',
        message: 'categoryId is not the id of a category: take one from GET /api/v1/categories',
        code: 'unknown',
      },
    ]);
  }
  if (!request.category) return { id: null, name: null };
  const category = await topics.findCategory(tx, { name: request.category });
  return category ? { id: category.id, name: category.name } : { id: null, name: request.category };
}
