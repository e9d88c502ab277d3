import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { isId, newId } from '../platform/ids';
import { fold } from '../platform/text.rules';
import { Category } from './category.entity';
import { Topic } from './topic.entity';

/** Keeping the hierarchy of topics and categories. */
@Injectable()
export class TopicsService {
  /** Whether there is any topic yet. */
  exist(tx: EntityManager): Promise<boolean> {
    return tx.getRepository(Topic).exists();
  }

  async add(
    tx: EntityManager,
    topic: { name: string; slug: string; icon: string | null; position: number },
    categories: { name: string; slug: string }[],
  ): Promise<void> {
    const id = newId();
    await tx.getRepository(Topic).insert({ id, ...topic });
    await tx.getRepository(Category).insert(
      categories.map(({ name, slug }, position) => ({
        id: newId(),
        topicId: id,
        name,
        nameKey: fold(name),
        slug,
        position,
      })),
    );
  }

  findCategory(tx: EntityManager, by: { id: string } | { name: string }): Promise<Category | null> {
    const categories = tx.getRepository(Category);
    if ('name' in by) return categories.findOneBy({ nameKey: fold(by.name) });
    return isId(by.id) ? categories.findOneBy({ id: by.id }) : Promise.resolve(null);
  }
}
