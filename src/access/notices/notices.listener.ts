import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OnDomainEvent } from '../../events/domain-events';
import type { DomainEvent } from '../../events/event-map';
import { Clock } from '../../platform/clock';
import { type NewNotice, recordNotices } from './notice.queries';

/** What an account's user is told about what others, or the service, did to it. */
@Injectable()
export class NoticesListener {
  constructor(private readonly clock: Clock) {}

  @OnDomainEvent('account.plan_changed')
  planChanged({ accountId, data }: DomainEvent<'account.plan_changed'>, tx: EntityManager) {
    return this.record(tx, {
      accountId,
      title: `Your account is on the ${data.plan} plan now`,
      path: '/dashboard/account',
    });
  }

  @OnDomainEvent('account.plan_declined')
  planDeclined({ accountId, data }: DomainEvent<'account.plan_declined'>, tx: EntityManager) {
    return this.record(tx, {
      accountId,
      title: `The ${data.plan} plan was declined`,
      path: '/dashboard/account',
    });
  }

  @OnDomainEvent('quiz.reviewed')
  async quizReviewed({ accountId, data }: DomainEvent<'quiz.reviewed'>, tx: EntityManager) {
    if (data.reviewedBy === accountId) return;
    await this.record(tx, {
      accountId,
      title: `“${data.title}” is ${data.approved ? 'approved' : 'rejected'}`,
      detail: data.reason
        ? `Reason: ${data.reason}`
        : 'Anyone can find and play it while it is published.',
      path: `/dashboard/quizzes/${data.quizId}`,
    });
  }

  @OnDomainEvent('import.ended')
  importEnded({ accountId, data }: DomainEvent<'import.ended'>, tx: EntityManager) {
    const { imported, errors } = data;
    return this.record(tx, {
      accountId,
      title: `Import of “${data.filename}” ${data.state}`,
      detail:
        data.error ??
        `Questions imported: ${imported.toLocaleString('en')}. Rows with errors: ${errors.toLocaleString('en')}.`,
      path: `/dashboard/imports/${data.importId}`,
    });
  }

  @OnDomainEvent('regrade.ended')
  regradeEnded({ accountId, data }: DomainEvent<'regrade.ended'>, tx: EntityManager) {
    const { title, refused } = data;
    const attempts = data.attempts.toLocaleString('en');
    const changed = data.changed.toLocaleString('en');
    const notice = { accountId, path: `/dashboard/quizzes/${data.quizId}/results` };
    if (refused === null)
      return this.record(tx, {
        ...notice,
        title: `The attempts at “${title}” are scored again`,
        detail: `Attempts: ${attempts}. With another score: ${changed}.`,
      });
    if (data.attempts === 0)
      return this.record(tx, {
        ...notice,
        title: `The attempts at “${title}” could not be scored again`,
        detail: refused,
      });
    return this.record(tx, {
      ...notice,
      title: `Some attempts at “${title}” could not be scored again`,
      detail: `${refused} Scored again until then: ${attempts}. With another score: ${changed}.`,
    });
  }

  @OnDomainEvent('question.doubted')
  questionDoubted({ accountId, data }: DomainEvent<'question.doubted'>, tx: EntityManager) {
    const { position, title, players, chosen, answer, keyed, keyedAnswer } = data;
    return this.record(
      tx,
      {
        accountId,
        title: `Check the key of question ${position} of “${title}”`,
        detail: `${chosen} of ${players} players chose “${answer}”; ${keyed} chose “${keyedAnswer}”, which is marked correct.`,
        path: `/dashboard/quizzes/${data.quizId}/results`,
      },
      { once: true },
    );
  }

  /** One unread notice for each question and reason, however many players report it. */
  @OnDomainEvent('question.reported')
  questionReported({ accountId, data }: DomainEvent<'question.reported'>, tx: EntityManager) {
    return this.record(
      tx,
      {
        accountId,
        title: `A player reports question ${data.position} of “${data.title}”`,
        detail: `${data.reason}.`,
        path: `/dashboard/quizzes/${data.quizId}/results`,
      },
      { once: true },
    );
  }

  /** One notice for an endpoint, however many deliveries to it fail. */
  @OnDomainEvent('endpoint.unhealthy')
  endpointUnhealthy({ accountId, data }: DomainEvent<'endpoint.unhealthy'>, tx: EntityManager) {
    const { host, disabledBecause } = data;
    return this.record(
      tx,
      {
        accountId,
        title: `Webhooks to ${host} ${disabledBecause === null ? 'fail' : 'are disabled'}`,
        detail:
          disabledBecause ??
          'A delivery failed after its last attempt. Fix the cause, then retry it.',
        path: `/dashboard/webhooks/${data.endpointId}`,
      },
      { once: true },
    );
  }

  private record(
    tx: EntityManager,
    { detail = '', ...notice }: Omit<NewNotice, 'detail'> & { detail?: string },
    options?: { once: boolean },
  ): Promise<void> {
    return recordNotices(tx, this.clock.now(), [{ ...notice, detail }], options);
  }
}
