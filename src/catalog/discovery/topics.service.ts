import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { isId, newId } from '../../platform/text/ids';
import { fold } from '../../platform/text/text.rules';
import { Category } from './category.entity';
import { findTopics, type TopicWithCategories } from './discovery.queries';
import { Topic } from './topic.entity';

/** Keeping the hierarchy of topics and categories. */
@Injectable()
export class TopicsService {
  constructor(@InjectEntityManager() private readonly database: EntityManager) {}

  /** The hierarchy as it is at this moment; DiscoveryService has it for many readers. */
  tree(): Promise<TopicWithCategories[]> {
    return findTopics(this.database);
  }

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

  /** A category, which keeps its name until the transaction ends: who links a quiz to it copies the name. */
  findCategory(tx: EntityManager, by: { id: string } | { name: string }): Promise<Category | null> {
    const where = 'name' in by ? { nameKey: fold(by.name) } : { id: by.id };
    if (where.id !== undefined && !isId(where.id)) return Promise.resolve(null);
    return tx.getRepository(Category).findOne({ where, lock: { mode: 'pessimistic_read' } });
  }
}
