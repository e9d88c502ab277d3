import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { Express } from 'express';
import { DataSource } from 'typeorm';
import { Config } from '../../../platform/config/config';
import { MINUTE } from '../../../platform/durations';
import { DomainError } from '../../../platform/errors/domain-errors';
import {
  DELIVERIES,
  IMPORTS,
  SCHEDULED_TASKS,
  SMALL_IMPORTS,
} from '../../../platform/queue/queue-names';
import type { queueReader } from '../../../platform/queue/queue-options';
import { within } from '../../../platform/within';
import { assetPath } from '../../http/assets';

/** The path of the board. */
export const BOARD_AT = '/dashboard/admin/queues';

/** The queues, and what the board says about each. */
const DESCRIPTIONS: Record<string, string> = {
  [DELIVERIES]: "Attempts at webhook deliveries. A job's id is that of its delivery.",
  [IMPORTS]: "Imports. A job's id is that of its import.",
  [SMALL_IMPORTS]: 'Imports of small files, which have a place of their own.',
  [SCHEDULED_TASKS]: 'Everything that repeats: retention, pruning, e-mail, reconciliation.',
};

/** Milliseconds. */
const RESPONDS_WITHIN = 2_000;
/** Milliseconds since the last request. An open page asks every few seconds. */
const CLOSES_AFTER = 5 * MINUTE;

interface Board {
  app: Express;
  /** Resolves when the queue has responded. */
  ask(): Promise<unknown>;
  close(): Promise<unknown>;
}

/**
 * Bull Board, which shows the queues. An administrator's first visit loads and connects it, and it is disconnected when
 * nobody has looked for a while: no other request needs the queue.
 */
@Injectable()
export class QueueBoardService implements OnModuleDestroy {
  private board: Board | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly database: DataSource,
  ) {}

  /** @throws QueueAway */
  async open(): Promise<Express> {
    const board = (this.board ??= this.start());
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.close(), CLOSES_AFTER).unref();
    try {
      await within(RESPONDS_WITHIN, board.ask());
      return board.app;
    } catch (error) {
      // A backend remembers that it could not connect: the next visit begins with a new one.
      if (this.board === board) await this.close();
      throw new QueueAway((error as Error).name === 'SchemaMigrationRequiredError');
    }
  }

  onModuleDestroy(): Promise<void> {
    return this.close();
  }

  private async close(): Promise<void> {
    const { board } = this;
    clearTimeout(this.timer);
    this.board = undefined;
    await board?.close().catch(() => undefined);
  }

  private start(): Board {
    const { queueReader } = load();
    const { url } = this.database.options as { url: string };
    const { open, end } = queueReader(this.config, url);
    const queues = Object.keys(DESCRIPTIONS).map((name) => open(name));
    // `ask` reports them to the visitor.
    for (const queue of queues) queue.on('error', () => undefined);
    return {
      app: appOf(queues),
      ask: async () => {
        await Promise.all(queues.map((queue) => queue.waitUntilReady()));
        await queues[0]?.isPaused();
      },
      close: async () => {
        await within(RESPONDS_WITHIN, Promise.all(queues.map((queue) => queue.close())));
        await end();
      },
    };
  }
}

/** Bull Board's application, read-only. */
function appOf(queues: readonly Queue[]): Express {
  const { createBullBoard, BullMQAdapter, ExpressAdapter } = load();
  const server = new ExpressAdapter();
  server.setBasePath(BOARD_AT);
  const icon = assetPath('icon');
  createBullBoard({
    serverAdapter: server,
    queues: queues.map(
      (queue) =>
        new BullMQAdapter(queue, { readOnlyMode: true, description: DESCRIPTIONS[queue.name] }),
    ),
    options: {
      uiConfig: {
        boardTitle: 'Queues',
        boardLogo: { path: icon, width: 24, height: 24 },
        favIcon: { default: icon, alternative: icon },
        miscLinks: [{ text: 'Back to the dashboard', url: '/dashboard' }],
        hideDocsLink: true,
        locale: { lng: 'en-US' },
      },
    },
  });
  const app = server.getRouter() as Express;
  app.disable('x-powered-by').set('etag', false);
  renderWithoutInline(app);
  return app;
}

function renderWithoutInline(app: Express): void {
  const { '.ejs': render } = (app as unknown as { engines: Record<'.ejs', Engine> }).engines;
  app.engine('ejs', (path, parameters, done) =>
    render(path, parameters, (error, html) => done(error, html && withoutInline(html))),
  );
}

/**
 * The entry page without what our policy refuses: fonts of another site, and the styles of a placeholder that is
 * shown until the script runs.
 */
const withoutInline = (html: string): string =>
  [
    ['<link href="https:', '>'],
    ['<style>', '</style>'],
    [' style="', '"'],
  ].reduce((text, [start = '', end = '']) => without(text, start, end), html);

/** Without what begins and ends so. */
const without = (text: string, start: string, end: string): string => {
  const [first, ...parts] = text.split(start);
  return [first, ...parts.map((it) => it.slice(it.indexOf(end) + end.length))].join('');
};

/** Loaded at the first visit: no API process needs them to serve requests. */
function load() {
  /* eslint-disable @typescript-eslint/no-require-imports */
  return {
    ...(require('@bull-board/api') as typeof import('@bull-board/api')),
    ...(require('@bull-board/api/bullMQAdapter') as typeof import('@bull-board/api/bullMQAdapter')),
    ...(require('@bull-board/express') as typeof import('@bull-board/express')),
    ...(require('../../../platform/queue/queue-options') as { queueReader: typeof queueReader }),
  };
  /* eslint-enable @typescript-eslint/no-require-imports */
}

/** A template engine of Express. */
type Engine = Parameters<Express['engine']>[1];

/** Somebody wants to look at a queue that cannot be reached. */
class QueueAway extends DomainError {
  constructor(isMissing: boolean) {
    const message = isMissing
      ? 'There are no queues yet. Start a worker, which creates them, and open this page again.'
      : 'The queue does not respond. Webhook deliveries and imports wait for it, and nothing is lost. Check Redis or the database (quizctl doctor names the reason), then open this page again.';
    super('unavailable', 'unavailable', message, undefined, 5);
  }
}
