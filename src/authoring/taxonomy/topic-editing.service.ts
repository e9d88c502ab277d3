import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLog, type Actor } from '../../access/accounts/audit-log';
import { Category } from '../../catalog/discovery/category.entity';
import { Topic } from '../../catalog/discovery/topic.entity';
import { Conflict } from '../../platform/errors/domain-errors';
import { newId } from '../../platform/text/ids';
import { changesInWords, getTopic, lockHierarchy, namesFor } from './taxonomy';
import { requireSeen } from './taxonomy-version.rules';
import { writePositions } from './taxonomy.queries';
import type { TopicRequest } from './taxonomy.request';
import { movedBy } from '../questions/order.rules';

/** What administrators do with topics. Each act and its audit entry are one transaction. */
@Injectable()
export class TopicEditingService {
  constructor(
    private readonly database: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** A new topic, the last one. @throws Invalid when the name or the slug is taken */
  add(actor: Actor, request: TopicRequest): Promise<Topic> {
    return this.change(async (tx) => {
      const topics = await tx.getRepository(Topic).find();
      const topic = {
        id: newId(),
        ...namesFor('topic', request, topics),
        icon: request.icon || null,
        position: topics.length,
      };
      await tx.getRepository(Topic).insert(topic);
      await this.audit.record(tx, actor, 'topic.added', toObject(topic));
      return topic;
    });
  }

  /**
   * Another name, slug or icon.
   * @param seen the version that was edited; without it whatever there is
   * @throws NotFound, Invalid; Conflict when it is another version by now
   */
  edit(actor: Actor, id: string, request: TopicRequest, seen?: string): Promise<Topic> {
    return this.change(async (tx) => {
      const before = await getTopic(tx, id);
      requireSeen('topic', before, seen);
      const others = await tx.getRepository(Topic).find();
      const names = namesFor('topic', request, others, before.id);
      const topic = { ...before, ...names, icon: request.icon || null };
      const detail = changesInWords(before, topic, ['name', 'slug', 'icon']);
      if (!detail) return topic;
      await tx.getRepository(Topic).update({ id: before.id }, { ...names, icon: topic.icon });
      await this.audit.record(tx, actor, 'topic.changed', toObject(topic), detail);
      return topic;
    });
  }

  /** Changes places with its neighbour. @throws NotFound */
  move(actor: Actor, id: string, by: 'up' | 'down'): Promise<Topic> {
    return this.change(async (tx) => {
      const topic = await getTopic(tx, id);
      const topics = await tx
        .getRepository(Topic)
        .find({ order: { position: 'ASC', name: 'ASC' } });
      const order = topics.map((other) => other.id);
      await writePositions(tx, 'topics', movedBy(order, topic.id, by));
      await this.audit.record(tx, actor, 'topic.moved', toObject(topic), by);
      return topic;
    });
  }

  /** Deletes an empty topic. @throws NotFound; Conflict when it has categories */
  delete(actor: Actor, id: string): Promise<Topic> {
    return this.change(async (tx) => {
      const topic = await getTopic(tx, id);
      if (await tx.getRepository(Category).existsBy({ topicId: topic.id }))
        throw new Conflict(
          `The topic “${topic.name}” has categories. Move them to another topic or delete them first.`,
        );
      await tx.getRepository(Topic).delete({ id: topic.id });
      await this.audit.record(tx, actor, 'topic.deleted', toObject(topic));
      return topic;
    });
  }

  private change<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      await lockHierarchy(tx);
      return work(tx);
    });
  }
}

const toObject = ({ id, name }: Topic) => ({ kind: 'topic', id, name });
