import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLog, type Actor } from '../../access/accounts/audit-log';
import { Category } from '../../catalog/discovery/category.entity';
import { newId } from '../../platform/text/ids';
import { fold } from '../../platform/text/text.rules';
import { changesInWords, getTopic, lockCategory, lockHierarchy, namesFor } from './taxonomy';
import { requireSeen } from './taxonomy-version.rules';
import { nameQuizzes, writePositions } from './taxonomy.queries';
import type { CategoryRequest } from './taxonomy.request';
import { movedBy } from '../questions/order.rules';

/** What administrators do with categories. Each act and its audit entry are one transaction. */
@Injectable()
export class CategoryEditingService {
  constructor(
    private readonly database: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /**
   * A new category, the last one of its topic. Quizzes that have its name already become linked to it.
   * @throws NotFound of the topic; Invalid when the name or the slug is taken
   */
  add(actor: Actor, request: CategoryRequest): Promise<Category> {
    return this.change(async (tx) => {
      const topic = await getTopic(tx, request.topicId);
      const categories = await tx.getRepository(Category).find();
      const names = namesFor('category', request, categories);
      const category = {
        id: newId(),
        topicId: topic.id,
        ...names,
        nameKey: fold(names.name),
        position: categories.filter(({ topicId }) => topicId === topic.id).length,
      };
      await tx.getRepository(Category).insert(category);
      await nameQuizzes(tx, category);
      await this.audit.record(tx, actor, 'category.added', toObject(category), `in ${topic.name}`);
      return category;
    });
  }

  /**
   * Another name, slug or topic. Quizzes follow the name, and so do the counters; in another topic it is the
   * last one.
   * @param seen the version that was edited; without it whatever there is
   * @throws NotFound, Invalid; Conflict when it is another version by now
   */
  edit(actor: Actor, id: string, request: CategoryRequest, seen?: string): Promise<Category> {
    return this.change(async (tx) => {
      const before = await lockCategory(tx, id);
      requireSeen('category', before, seen);
      const from = await getTopic(tx, before.topicId);
      const to = await getTopic(tx, request.topicId);
      const categories = await tx.getRepository(Category).find();
      const names = namesFor('category', request, categories, before.id);
      const detail = changesInWords(
        { ...before, topic: from.name },
        { ...before, ...names, topic: to.name },
        ['name', 'slug', 'topic'],
      );
      if (!detail) return before;
      const last = categories.filter(({ topicId }) => topicId === to.id).length;
      const category = {
        ...before,
        ...names,
        nameKey: fold(names.name),
        topicId: to.id,
        position: to.id === from.id ? before.position : last,
      };
      await tx.getRepository(Category).update({ id: before.id }, category);
      if (category.name !== before.name) await nameQuizzes(tx, category);
      await this.audit.record(tx, actor, 'category.changed', toObject(category), detail);
      return category;
    });
  }

  /** Changes places with its neighbour in the topic. @throws NotFound */
  move(actor: Actor, id: string, by: 'up' | 'down'): Promise<Category> {
    return this.change(async (tx) => {
      const category = await lockCategory(tx, id);
      const siblings = await tx.getRepository(Category).find({
        where: { topicId: category.topicId },
        order: { position: 'ASC', name: 'ASC' },
      });
      const order = siblings.map((other) => other.id);
      await writePositions(tx, 'categories', movedBy(order, category.id, by));
      await this.audit.record(tx, actor, 'category.moved', toObject(category), by);
      return category;
    });
  }

  /** Deletes a category. Its quizzes keep its name, as a flat one. @throws NotFound */
  delete(actor: Actor, id: string): Promise<Category> {
    return this.change(async (tx) => {
      const category = await lockCategory(tx, id);
      await tx.getRepository(Category).delete({ id: category.id });
      await this.audit.record(tx, actor, 'category.deleted', toObject(category));
      return category;
    });
  }

  private change<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      await lockHierarchy(tx);
      return work(tx);
    });
  }
}

const toObject = ({ id, name }: Category) => ({ kind: 'category', id, name });
