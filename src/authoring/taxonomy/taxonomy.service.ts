import { Injectable, type Type } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../../access/audit/actor';
import { AuditLog } from '../../access/audit/audit-log';
import { Category, Topic } from '../../catalog/discovery/taxonomy.entity';
import { Conflict } from '../../platform/errors/domain-errors';
import { isId, newId } from '../../platform/text/ids';
import { fold } from '../../platform/text/text.rules';
import { type CategoryRequest, type TopicRequest, unknownCategory } from './taxonomy.dto';
import {
  keepTaxonomy,
  lockOne,
  lockTaxonomy,
  moveAmongSiblings,
  nameQuizzes,
} from './taxonomy.queries';
import {
  changesInWords,
  namesFor,
  openTdbNumber,
  positionAfter,
  requireVersion,
} from './taxonomy.rules';

/** The category of a quiz: one of the service's, or a name of the owner's own, which has no id; both null: none. */
export interface QuizCategory {
  id: string | null;
  name: string | null;
}

/** What administrators do with topics and categories. Each change and its audit entry are one transaction. */
@Injectable()
export class TaxonomyService {
  constructor(
    private readonly database: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /**
   * A new topic (`id` null), the last one, or another name, slug or icon of one.
   * @param version of the topic that was edited; without it any version
   * @throws NotFound, StaleVersion; Invalid if the name or the slug is taken
   */
  saveTopic(
    actor: Actor,
    id: string | null,
    request: TopicRequest,
    version?: string,
  ): Promise<Topic> {
    return this.change(async (tx) => {
      const before = id === null ? null : await lockOne(tx, Topic, id);
      requireVersion('topic', before, version);
      const topics = await tx.getRepository(Topic).find();
      const fields = {
        ...namesFor('topic', request, topics, before?.id),
        icon: request.icon || null,
        position: before?.position ?? positionAfter(topics),
      };
      const topic = { id: before?.id ?? newId(), ...fields };
      const detail = before && changesInWords(before, topic, ['name', 'slug', 'icon']);
      if (detail === '') return topic;
      if (before) await tx.getRepository(Topic).update({ id: topic.id }, fields);
      else await tx.getRepository(Topic).insert(topic);
      return this.record(tx, actor, before ? 'changed' : 'added', topic, detail);
    });
  }

  /**
   * A new category (`id` null), or another name, slug or topic of one. It becomes the last one of a topic that is new
   * to it. Quizzes that have its name are linked to it, and its quizzes and the counters get a new name.
   * @param version of the category that was edited; without it any version
   * @throws NotFound, StaleVersion; Invalid if the name or the slug is taken
   */
  saveCategory(
    actor: Actor,
    id: string | null,
    request: CategoryRequest,
    version?: string,
  ): Promise<Category> {
    return this.change(async (tx) => {
      const before = id === null ? null : await lockOne(tx, Category, id);
      requireVersion('category', before, version);
      const topic = await lockOne(tx, Topic, request.topicId);
      const categories = await tx.getRepository(Category).find();
      const names = namesFor('category', request, categories, before?.id);
      const others = categories.filter((it) => it.topicId === topic.id && it.id !== before?.id);
      const fields = {
        topicId: topic.id,
        ...names,
        nameKey: fold(names.name),
        position: before?.topicId === topic.id ? before.position : positionAfter(others),
      };
      const category = { id: before?.id ?? newId(), ...fields };
      let detail = `in ${topic.name}`;
      if (before) {
        const { name } = await lockOne(tx, Topic, before.topicId);
        const [was, is] = [
          { ...before, topic: name },
          { ...names, topic: topic.name },
        ];
        detail = changesInWords(was, is, ['name', 'slug', 'topic']);
      }
      if (!detail) return category;
      if (before) await tx.getRepository(Category).update({ id: category.id }, fields);
      else
        await tx
          .getRepository(Category)
          .insert({ ...category, number: openTdbNumber(category.name, categories) });
      if (category.name !== before?.name) await nameQuizzes(tx, category);
      return this.record(tx, actor, before ? 'changed' : 'added', category, detail);
    });
  }

  /**
   * Moves a topic, or a category of a topic, among its siblings.
   * @param by one step, or to this place, from 0
   * @throws NotFound
   */
  move<One extends Topic | Category>(
    actor: Actor,
    kind: Type<One>,
    id: string,
    by: 'up' | 'down' | number,
  ): Promise<One> {
    return this.change(async (tx) => {
      const it = await lockOne(tx, kind, id);
      if (!(await moveAmongSiblings(tx, it, by))) return it;
      const detail = typeof by === 'number' ? `to place ${by + 1}` : by;
      return this.record(tx, actor, 'moved', it, detail);
    });
  }

  /** Deletes an empty topic. @throws NotFound; Conflict if it has categories */
  deleteTopic(actor: Actor, id: string): Promise<Topic> {
    return this.change(async (tx) => {
      const topic = await lockOne(tx, Topic, id);
      if (await tx.getRepository(Category).existsBy({ topicId: topic.id }))
        throw new Conflict(
          `The topic “${topic.name}” has categories. Move them to another topic or delete them first.`,
        );
      await tx.getRepository(Topic).delete({ id: topic.id });
      return this.record(tx, actor, 'deleted', topic);
    });
  }

  /** Deletes a category. Its quizzes keep its name as text. @throws NotFound */
  deleteCategory(actor: Actor, id: string): Promise<Category> {
    return this.change(async (tx) => {
      const category = await lockOne(tx, Category, id);
      await tx.getRepository(Category).delete({ id: category.id });
      return this.record(tx, actor, 'deleted', category);
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
        number: openTdbNumber(name, []),
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
  ): Promise<QuizCategory> {
    const find = (where: { id: string } | { nameKey: string }) =>
      tx.getRepository(Category).findOne({ where, lock: { mode: 'pessimistic_read' } });
    if (typeof request.categoryId === 'string') {
      const category = isId(request.categoryId) && (await find({ id: request.categoryId }));
      if (!category) throw unknownCategory();
      return category;
    }
    if (!request.category) return { id: null, name: null };
    const named = { nameKey: fold(request.category) };
    const category = await find(named);
    if (category) return category;
    // A category that gets this name meanwhile would not find the quiz, which is not committed yet. So this waits for
    // changes of topics and categories, which are rare.
    await keepTaxonomy(tx);
    return (await find(named)) ?? { id: null, name: request.category };
  }

  /** Changes run one after the other: they are rare, and this keeps names unique. */
  private change<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      await lockTaxonomy(tx);
      return work(tx);
    });
  }

  private async record<T extends Topic | Category>(
    tx: EntityManager,
    actor: Actor,
    what: 'added' | 'changed' | 'moved' | 'deleted',
    it: T,
    detail?: string | null,
  ): Promise<T> {
    const kind = 'topicId' in it ? 'category' : 'topic';
    const { id, name } = it;
    await this.audit.record(tx, actor, `${kind}.${what}`, { kind, id, name }, detail ?? '');
    return it;
  }
}
