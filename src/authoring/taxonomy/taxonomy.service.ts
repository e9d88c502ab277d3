import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLog, type Actor } from '../../access/accounts/audit-log';
import { Category, Topic } from '../../catalog/discovery/taxonomy.entity';
import { Conflict, Invalid } from '../../platform/errors/domain-errors';
import { isId, newId } from '../../platform/text/ids';
import { fold } from '../../platform/text/text.rules';
import { movedBy } from '../questions/question.rules';
import {
  changesInWords,
  namesFor,
  requireVersion,
  type CategoryRequest,
  type TopicRequest,
} from './taxonomy.request';
import { getTopic, lockCategory, nameQuizzes, writePositions } from './taxonomy.queries';

/** What administrators do with topics and categories. Each change and its audit entry are one transaction. */
@Injectable()
export class TaxonomyService {
  constructor(
    private readonly database: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** A new topic, the last one. @throws Invalid if the name or the slug is taken */
  addTopic(actor: Actor, request: TopicRequest): Promise<Topic> {
    return this.change(async (tx) => {
      const topics = await tx.getRepository(Topic).find();
      const topic = {
        id: newId(),
        ...namesFor('topic', request, topics),
        icon: request.icon || null,
        position: topics.length,
      };
      await tx.getRepository(Topic).insert(topic);
      return this.record(tx, actor, 'topic.added', topic);
    });
  }

  /**
   * A new category, the last one of its topic. Quizzes that already have its name are linked to it.
   * @throws NotFound of the topic; Invalid if the name or the slug is taken
   */
  addCategory(actor: Actor, request: CategoryRequest): Promise<Category> {
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
      return this.record(tx, actor, 'category.added', category, `in ${topic.name}`);
    });
  }

  /**
   * Changes name, slug or icon.
   * @param version of the topic that was edited; without it any version
   * @throws NotFound, Invalid, StaleVersion
   */
  editTopic(actor: Actor, id: string, request: TopicRequest, version?: string): Promise<Topic> {
    return this.change(async (tx) => {
      const before = await getTopic(tx, id);
      requireVersion('topic', before, version);
      const others = await tx.getRepository(Topic).find();
      const names = namesFor('topic', request, others, before.id);
      const topic = { ...before, ...names, icon: request.icon || null };
      const detail = changesInWords(before, topic, ['name', 'slug', 'icon']);
      if (!detail) return topic;
      await tx.getRepository(Topic).update({ id: before.id }, { ...names, icon: topic.icon });
      return this.record(tx, actor, 'topic.changed', topic, detail);
    });
  }

  /**
   * Changes name, slug or topic. Its quizzes and the counters get the new name; in another topic it becomes the last
   * one.
   * @param version of the category that was edited; without it any version
   * @throws NotFound, Invalid, StaleVersion
   */
  editCategory(
    actor: Actor,
    id: string,
    request: CategoryRequest,
    version?: string,
  ): Promise<Category> {
    return this.change(async (tx) => {
      const before = await lockCategory(tx, id);
      requireVersion('category', before, version);
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
      return this.record(tx, actor, 'category.changed', category, detail);
    });
  }

  /** Swaps a topic with its neighbour. @throws NotFound */
  moveTopic(actor: Actor, id: string, by: 'up' | 'down'): Promise<Topic> {
    return this.change(async (tx) => {
      const topic = await getTopic(tx, id);
      const topics = await tx.getRepository(Topic).find({ order: IN_ORDER });
      await writePositions(tx, 'topics', movedBy(topics.map(idOf), topic.id, by));
      return this.record(tx, actor, 'topic.moved', topic, by);
    });
  }

  /** Swaps a category with its neighbour in the topic. @throws NotFound */
  moveCategory(actor: Actor, id: string, by: 'up' | 'down'): Promise<Category> {
    return this.change(async (tx) => {
      const category = await lockCategory(tx, id);
      const where = { topicId: category.topicId };
      const siblings = await tx.getRepository(Category).find({ where, order: IN_ORDER });
      await writePositions(tx, 'categories', movedBy(siblings.map(idOf), category.id, by));
      return this.record(tx, actor, 'category.moved', category, by);
    });
  }

  /** Deletes an empty topic. @throws NotFound; Conflict if it has categories */
  deleteTopic(actor: Actor, id: string): Promise<Topic> {
    return this.change(async (tx) => {
      const topic = await getTopic(tx, id);
      if (await tx.getRepository(Category).existsBy({ topicId: topic.id }))
        throw new Conflict(
          `The topic “${topic.name}” has categories. Move them to another topic or delete them first.`,
        );
      await tx.getRepository(Topic).delete({ id: topic.id });
      return this.record(tx, actor, 'topic.deleted', topic);
    });
  }

  /** Deletes a category. Its quizzes keep its name as text. @throws NotFound */
  deleteCategory(actor: Actor, id: string): Promise<Category> {
    return this.change(async (tx) => {
      const category = await lockCategory(tx, id);
      await tx.getRepository(Category).delete({ id: category.id });
      return this.record(tx, actor, 'category.deleted', category);
    });
  }

  /** Whether there is any topic yet. */
  exists(tx: EntityManager): Promise<boolean> {
    return tx.getRepository(Topic).exists();
  }

  /** Adds a topic with its categories to an empty service, without an audit entry. */
  async seed(
    tx: EntityManager,
    topic: { name: string; slug: string; icon: string | null; position: number },
    categories: { name: string; slug: string }[],
  ): Promise<void> {
    const topicId = newId();
    await tx.getRepository(Topic).insert({ id: topicId, ...topic });
    await tx.getRepository(Category).insert(
      categories.map(({ name, slug }, position) => ({
        id: newId(),
        topicId,
        name,
        nameKey: fold(name),
        slug,
        position,
      })),
    );
  }

  /**
   * The category of a quiz: `categoryId` wins, and a text that is a category's name is linked to it (contract). The
   * category keeps its name until the transaction ends, because the quiz copies it.
   * @throws Invalid for an unknown id
   */
  async categoryOf(
    tx: EntityManager,
    request: { category?: string | null; categoryId?: string | null },
  ): Promise<{ id: string | null; name: string | null }> {
    const find = (where: { id: string } | { nameKey: string }) =>
      tx.getRepository(Category).findOne({ where, lock: { mode: 'pessimistic_read' } });
    if (typeof request.categoryId === 'string') {
      const category = isId(request.categoryId) ? await find({ id: request.categoryId }) : null;
      if (category) return category;
      const message = 'categoryId is not the id of a category (GET /api/v1/categories lists them)';
      throw new Invalid('The body', [{ path: 'categoryId', message, code: 'unknown' }]);
    }
    if (!request.category) return { id: null, name: null };
    const category = await find({ nameKey: fold(request.category) });
    return category ?? { id: null, name: request.category };
  }

  /** Changes run one after the other: they are rare, and this keeps names unique. */
  private change<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      await tx.query(`LOCK TABLE topics IN SHARE ROW EXCLUSIVE MODE`);
      return work(tx);
    });
  }

  private async record<T extends Topic | Category>(
    tx: EntityManager,
    actor: Actor,
    action: string,
    it: T,
    detail?: string,
  ): Promise<T> {
    const kind = 'topicId' in it ? 'category' : 'topic';
    await this.audit.record(tx, actor, action, { kind, id: it.id, name: it.name }, detail);
    return it;
  }
}

const IN_ORDER = { position: 'ASC', name: 'ASC' } as const;
const idOf = ({ id }: { id: string }) => id;
