import { type INestApplicationContext, Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, NestFactory } from '@nestjs/core';
import { EVENT_LISTENER_METADATA, EventEmitter2 } from '@nestjs/event-emitter';
import { DataSource, type EntityManager } from 'typeorm';
import { AccessModule } from '../../src/access/access.module';
import { NoticesListener } from '../../src/access/notices/notices.listener';
import { WorkerModule } from '../../src/app/worker.module';
import { ReviewService } from '../../src/authoring/review/review.service';
import { CliModule } from '../../src/cli/cli.module';
import { DomainEvents, OnDomainEvent } from '../../src/events/domain-events';
import {
  type DomainEvent,
  type DomainEventName,
  EVENT_NAMES,
  type InternalEventMap,
} from '../../src/events/event-map';
import { EventsModule } from '../../src/events/events.module';
import { ImportExportModule } from '../../src/import-export/import-export.module';
import { Config } from '../../src/platform/config/config';
import { createLogger, NestLogger } from '../../src/platform/observability/logger';
import { PlatformModule } from '../../src/platform/platform.module';
import { migrateQueue } from '../../src/platform/queue/migrate-queue';
import { SeedModule } from '../../src/seed/seed.module';
import { type Service, startService, type TestAccount } from '../support/service';
import { createQuiz } from '../support/writing';

const INTERNAL = Object.keys({
  'account.disabled': true,
  'account.enabled': true,
  'account.demoted': true,
  'account.plan_changed': true,
  'account.plan_declined': true,
  'quiz.reviewed': true,
  'quiz.played': true,
  'import.ended': true,
  'regrade.ended': true,
  'question.doubted': true,
  'question.reported': true,
  'endpoint.unhealthy': true,
} satisfies Record<keyof InternalEventMap, true>) as DomainEventName[];

let service: Service;
let owner: TestAccount;
beforeAll(async () => {
  service = await startService();
  owner = await service.account('pro');
  await service.database.query('CREATE TABLE heard (id serial, name text, step text)');
});
afterAll(() => service.close());

const contexts: INestApplicationContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

const parts = () => ({
  config: service.app.get(Config),
  logger: createLogger('warn', { write: (line) => void service.log.push(line) }),
  databaseUrl: service.databaseUrl,
});

async function start(module: Parameters<typeof NestFactory.createApplicationContext>[0]) {
  const logger = new NestLogger(parts().logger);
  const context = await NestFactory.createApplicationContext(module, {
    logger,
    abortOnError: false,
    instrument: service.clock.instrument,
  });
  contexts.push(context);
  return context;
}

describe('DomainEvents', () => {
  const pause = (milliseconds: number) =>
    new Promise((resolve) => setTimeout(resolve, milliseconds));
  const hear = (tx: EntityManager, name: string, step: string) =>
    tx.query('INSERT INTO heard (name, step) VALUES ($1, $2)', [name, step]);

  @Injectable()
  class FirstListener {
    @OnDomainEvent('quiz.created')
    async created({ name }: DomainEvent<'quiz.created'>, tx: EntityManager) {
      await hear(tx, name, 'first begins');
      await pause(20);
      await hear(tx, name, 'first ends');
    }

    @OnDomainEvent('account.disabled')
    async disabled({ name }: DomainEvent<'account.disabled'>, tx: EntityManager) {
      await hear(tx, name, 'first');
    }
  }

  @Injectable()
  class SecondListener {
    @OnDomainEvent('quiz.created')
    async created({ name, data }: DomainEvent<'quiz.created'>, tx: EntityManager) {
      await hear(tx, name, 'second');
      if (data.title === 'refused') throw new Error('The second listener refuses it.');
    }
  }

  /** The rows as another connection sees them. */
  const seen = async () => {
    const rows = await service.database.query<{ step: string }[]>(
      'SELECT step FROM heard ORDER BY id',
    );
    const [stored] = await service.database.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM outbox_events',
    );
    return { heard: rows.map(({ step }) => step), stored: stored.count };
  };
  const created = (title: string) => ({ quiz_id: 'q', title, category: null, created_by: 'me' });

  let events: DomainEvents;
  let database: DataSource;
  beforeEach(async () => {
    await service.database.query('TRUNCATE heard, outbox_events CASCADE');
    const context = await start({
      module: class {},
      imports: [PlatformModule.register(parts()), EventsModule],
      providers: [FirstListener, SecondListener],
    });
    events = context.get(DomainEvents, { strict: false });
    database = context.get(DataSource, { strict: false });
  });

  it('listeners run one after the other in the transaction of the event, and their rows appear at its commit', async () => {
    await database.transaction(async (tx) => {
      await events.emit(tx, 'quiz.created', owner.accountId, created('Rivers'));
      expect(await tx.query('SELECT step FROM heard ORDER BY id')).toEqual([
        { step: 'first begins' },
        { step: 'first ends' },
        { step: 'second' },
      ]);
      expect(await seen()).toEqual({ heard: [], stored: 0 });
    });
    expect(await seen()).toEqual({ heard: ['first begins', 'first ends', 'second'], stored: 1 });
  });

  it('an error of a listener rolls back the change, the outbox row and what other listeners wrote', async () => {
    const change = database.transaction(async (tx) => {
      await hear(tx, 'test', 'the change');
      await events.emit(tx, 'quiz.created', owner.accountId, created('refused'));
    });
    await expect(change).rejects.toThrow('The second listener refuses it.');
    expect(await seen()).toEqual({ heard: [], stored: 0 });
  });

  it('an internal event reaches its listeners and writes no outbox row', async () => {
    await database.transaction((tx) =>
      events.emit(tx, 'account.disabled', owner.accountId, { at: new Date() }),
    );
    expect(await seen()).toEqual({ heard: ['first'], stored: 0 });
  });

  it('an event that is a webhook needs no listener, an internal one is refused without', async () => {
    const deleted = { quiz_id: 'q', title: 'Rivers', deleted_at: 'now' };
    await database.transaction((tx) => events.emit(tx, 'quiz.deleted', owner.accountId, deleted));
    expect(await seen()).toEqual({ heard: [], stored: 1 });
    const unheard = database.transaction((tx) =>
      events.emit(tx, 'account.enabled', owner.accountId, { at: new Date() }),
    );
    await expect(unheard).rejects.toThrow('Nothing in this process listens to account.enabled');
  });

  it('several events are stored and announced in their order', async () => {
    await database.transaction((tx) =>
      events.emitAll(tx, [
        { name: 'quiz.created', accountId: owner.accountId, data: created('one') },
        { name: 'account.disabled', accountId: owner.accountId, data: { at: new Date() } },
        { name: 'quiz.created', accountId: owner.accountId, data: created('two') },
      ]),
    );
    const steps = ['first begins', 'first ends', 'second'];
    expect(await seen()).toEqual({ heard: [...steps, 'first', ...steps], stored: 2 });
    const rows = await service.database.query<{ body: string }[]>(
      'SELECT body FROM outbox_events ORDER BY id',
    );
    const bodies = rows.map(({ body }) => (JSON.parse(body) as { data: { title: string } }).data);
    expect(bodies).toMatchObject([{ title: 'one' }, { title: 'two' }]);
  });

  // It fails when types are checked: an error that is expected and does not come is one.
  it('the compiler checks names, data and the parameters of listeners', () => {
    const uncalled = async (tx: EntityManager) => {
      // @ts-expect-error no such event
      await events.emit(tx, 'quiz.painted', 'account', {});
      // @ts-expect-error a field is missing
      await events.emit(tx, 'quiz.deleted', 'account', { quiz_id: 'q', title: 'Rivers' });
      class Wrong {
        // @ts-expect-error the listener of another event
        @OnDomainEvent('account.enabled')
        async deleted({ data }: DomainEvent<'quiz.deleted'>) {
          await Promise.resolve(data.title);
        }
      }
      return Wrong;
    };
    expect(uncalled).toBeInstanceOf(Function);
  });
});

describe('the listeners of a change', () => {
  it('a decision about a quiz is undone when its notice cannot be written', async () => {
    const reviewer = await service.account('pro', { isAdmin: true });
    const id = await createQuiz(owner, { published: true });
    const review = service.app.get(ReviewService);
    const state = async () => ({
      quiz: (await review.get(id)).approval,
      rows: await service.database.query(
        `SELECT (SELECT count(*)::int FROM outbox_events WHERE name = 'quiz.rejected') AS events,
           (SELECT count(*)::int FROM audit_entries WHERE object_id = $1) AS audited,
           (SELECT count(*)::int FROM notices WHERE account_id = $2) AS notices`,
        [id, owner.accountId],
      ),
    });
    const reject = () =>
      review.decide(reviewer, id, 'pending', { approved: false, reason: 'Too short.' });
    const before = await state();
    const listener = jest
      .spyOn(service.app.get(NoticesListener), 'quizReviewed')
      .mockRejectedValueOnce(new Error('The disk is full.'));
    await expect(reject()).rejects.toThrow('The disk is full.');
    expect(listener).toHaveBeenCalledTimes(1);
    expect(await state()).toEqual(before);
    await reject();
    expect(await state()).toEqual({
      quiz: 'rejected',
      rows: [{ events: 1, audited: 1, notices: 1 }],
    });
  });
});

describe('processes', () => {
  const eventsOf = (method: object): string[] =>
    (Reflect.getMetadata(EVENT_LISTENER_METADATA, method) as { event: string }[] | undefined)?.map(
      ({ event }) => event,
    ) ?? [];

  /** The methods that each event calls: `NoticesListener.importEnded`. */
  const listenersIn = (context: INestApplicationContext, names: readonly DomainEventName[]) => {
    const emitter = context.get(EventEmitter2, { strict: false });
    const providers = context.get(DiscoveryService, { strict: false }).getProviders();
    const methods = providers.flatMap(({ instance, isAlias }) => {
      if (!instance || isAlias) return [];
      const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
      return new MetadataScanner().getAllMethodNames(prototype).map((key) => ({
        of: `${prototype.constructor?.name}.${key}`,
        events: eventsOf(prototype[key]!),
      }));
    });
    return Object.fromEntries(
      names.map((name) => {
        const listeners = methods.filter(({ events }) => events.includes(name)).map(({ of }) => of);
        // The emitter has functions without names, as many as were found.
        expect([name, emitter.listeners(name).length]).toEqual([name, listeners.length]);
        return [name, listeners.sort()];
      }),
    );
  };
  const withPlatform = (...imports: (typeof AccessModule | typeof SeedModule)[]) => ({
    module: class {},
    imports: [PlatformModule.register(parts()), ...imports],
  });

  const OF_PLAYS: DomainEventName[] = [
    'quiz.played',
    'attempt.submitted',
    'quiz.completed',
    'leaderboard.updated',
  ];
  /**
   * Of deliveries, the deletion of accounts, regrades, the analysis of played questions, the pruning of imports, and
   * the retention of attempts, which submits overdue ones.
   */
  const OF_WORKER: DomainEventName[] = [
    'delivery.failed',
    'endpoint.disabled',
    'endpoint.unhealthy',
    'quiz.deleted',
    'quiz.regraded',
    'regrade.ended',
    'leaderboard.updated',
    'question.doubted',
    'import.ended',
    'attempt.submitted',
    'quiz.completed',
  ];
  const OF_CONTENT: DomainEventName[] = ['quiz.created', 'quiz.published', 'quiz.updated'];

  it.each<[string, () => Promise<INestApplicationContext>, DomainEventName[]]>([
    [
      'quizctl',
      () => start(CliModule.register(parts())),
      [...EVENT_NAMES, ...INTERNAL].filter((name) => !OF_PLAYS.includes(name)),
    ],
    ['the worker', () => start(WorkerModule.register(parts())), OF_WORKER],
    [
      'the import process',
      () => start(withPlatform(ImportExportModule)),
      [...OF_CONTENT, 'quiz.deleted', 'import.ended'],
    ],
    ['the first start', () => start(withPlatform(AccessModule, SeedModule)), OF_CONTENT],
  ])('%s has the same listeners as the API for each event listed for it', async (_, run, names) => {
    await migrateQueue(service.databaseUrl);
    expect(listenersIn(await run(), names)).toEqual(listenersIn(service.app, names));
  });

  it('the API has a listener for every internal event', () => {
    const listened = Object.entries(listenersIn(service.app, INTERNAL));
    expect(listened.filter(([, listeners]) => listeners.length === 0)).toEqual([]);
  });
});
