import { Inject, Injectable, Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { LOGGER, type Logger } from '../observability/logger';
import type { ApiErrorCode } from '../errors/error-codes';
import { ERROR_CODE } from '../errors/error-filter';
import { within } from '../process/loop';
import { ReservedConnection } from '../database/data-source';
import { compareSchema } from '../database/migrate';
import { LIVE } from './live';
import { Endpoint, Sends } from '../openapi/endpoint';
import { Fails } from '../openapi/failures';
import { Choice, Text, Texts } from '../openapi/fields';

/** One part of `/health/ready`. Modules implement it; the application's root module lists them. */
export interface HealthCheck {
  /** Its field in the response. */
  readonly name: string;
  /** May throw or hang: the response then says so and does not wait. */
  look(): Finding | Promise<Finding>;
  /** The effect of a check that fails or takes too long; absent: `unknown`, without effect. */
  readonly otherwise?: Finding;
}

export interface Finding {
  /** One word: `up`, `down`, `unused`. */
  state: string;
  /** The effect on the readiness of this process: it runs degraded, or cannot serve requests. */
  effect?: 'degraded' | 'unready';
  /** A sentence for people if something is wrong. */
  note?: string;
}

/** Injection token of the list. */
export const HEALTH_CHECKS = Symbol('HEALTH_CHECKS');

/** Milliseconds. Load balancers give up after a few seconds, and our response says more than that. */
const WITHIN = 2_000;

/** The results by the names of the checks. */
export type Findings = Record<string, Finding>;

/** Runs all checks at once, in bounded time. */
@Injectable()
export class ReadinessService {
  private readonly underWay = new Map<HealthCheck, Promise<Finding>>();
  private ready = true;

  constructor(
    @Inject(HEALTH_CHECKS) private readonly checks: readonly HealthCheck[],
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async look(): Promise<Findings> {
    const entries = await Promise.all(
      this.checks.map(async (check) => [check.name, await this.finding(check)] as const),
    );
    const error = entries.find(([, { effect }]) => effect === 'unready')?.[1];
    this.say(error);
    return Object.fromEntries(entries);
  }

  private async finding(check: HealthCheck): Promise<Finding> {
    try {
      return await within(WITHIN, this.lookAt(check));
    } catch (error) {
      // The next request checks again: what hung may have recovered by then.
      this.underWay.delete(check);
      this.logger.debug({ err: error }, `health: check ${check.name} failed`);
      return check.otherwise ?? { state: 'unknown' };
    }
  }

  /** One check at a time, however many clients ask. */
  private lookAt(check: HealthCheck): Promise<Finding> {
    let look = this.underWay.get(check);
    if (!look) {
      const begun = Promise.resolve()
        .then(() => check.look())
        .finally(() => {
          if (this.underWay.get(check) === begun) this.underWay.delete(check);
        });
      this.underWay.set(check, (look = begun));
    }
    return look;
  }

  /** Logged once when it changes: a load balancer asks every few seconds. */
  private say(error: Finding | undefined): void {
    if (this.ready === !error) return;
    this.ready = !error;
    if (error) this.logger.warn(`not ready: ${error.note ?? error.state}`);
    else this.logger.info('ready again');
  }
}

/**
 * The response of `/health/ready` in every process: 503 with the reason if something is missing that it needs to
 * serve requests. 200 otherwise: `status` is `ready`, or `degraded` if something is missing that it can do
 * without; then each part by its name, and `notes` about problems.
 */
export function readinessResponse(findings: Findings): { status: 200 | 503; body: object } {
  const all = Object.entries(findings);
  const of = (effect: Finding['effect']) => all.find(([, it]) => it.effect === effect)?.[1];
  const error = of('unready');
  if (error) return { status: 503, body: { success: false, error: error.note ?? 'Not ready.' } };
  return {
    status: 200,
    body: {
      success: true,
      data: {
        status: of('degraded') ? 'degraded' : 'ready',
        ...Object.fromEntries(all.map(([name, { state }]) => [name, state])),
        notes: all.flatMap(([, { note }]) => note ?? []),
      },
    },
  };
}

/** The database responds and has every table that this version needs. Without it no request can be served. */
@Injectable()
export class DatabaseCheck implements HealthCheck {
  readonly name = 'database';
  readonly otherwise: Finding = {
    state: 'down',
    effect: 'unready',
    note: 'The database does not respond.',
  };

  constructor(private readonly database: ReservedConnection) {}

  async look(): Promise<Finding> {
    const done = await this.database.query<Migrated>(DONE).catch((error: unknown) => {
      if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
      throw error;
    });
    // A newer schema is fine: the next version is being rolled out beside this one.
    const { missing } = compareSchema(new Set(done.map(({ name }) => name)));
    if (missing.length > 0) return BEHIND;
    return done.some(({ read_only }) => read_only) ? READ_ONLY : { state: 'up' };
  }
}

interface Migrated {
  name: string;
  read_only: boolean;
}

const DONE = `SELECT name, current_setting('transaction_read_only')::boolean AS read_only FROM schema_migrations`;
const UNDEFINED_TABLE = '42P01';

/** A demoted primary, or a managed database whose disk is full. Reads still work. */
const READ_ONLY: Finding = {
  state: 'read-only',
  effect: 'degraded',
  note: 'The database refuses writes: reads are served, everything else gets 503.',
};

/** An older backup was restored under a running process: migrations run at every start. */
const BEHIND: Finding = {
  state: 'behind',
  effect: 'unready',
  note: 'The schema of the database is older than this version: start the service again.',
};

class Liveness {
  @Choice('Always the same.', ['live']) status!: string;
}

class Readiness {
  @Choice('`degraded`: something is missing, see `notes`.', ['ready', 'degraded']) status!: string;
  @Text('`up`, or `read-only` while it refuses writes.', 'up') database!: string;
  @Text('`up`, `down`, or `unused` where there is none.', 'unused') redis!: string;
  @Text('The process that sends webhooks.', 'up') worker!: string;
  @Texts('A sentence for each thing that is wrong.', 'A sentence.', 'Redis does not respond.')
  notes!: string[];
}

/** For load balancers and process managers: no key, no rate limit. */
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: ReadinessService) {}

  /** The process runs. */
  @Endpoint(
    'Health',
    'getLiveness',
    'Check that the process runs',
    'Looks at nothing else. Not counted by the rate limit.',
  )
  @Sends('The process runs.', Liveness)
  @Get('live')
  live(): object {
    return LIVE;
  }

  /** Whether the process can serve requests: `readinessResponse`. */
  @Endpoint(
    'Health',
    'getReadiness',
    'Check that the process can serve requests',
    'For load balancers: send requests here only while the status is 200. Not counted by the rate limit.',
  )
  @Sends('It can, perhaps with something missing that requests can do without.', Readiness)
  @Fails({
    status: 503,
    name: 'not-ready',
    title: 'The process cannot serve',
    error: 'The database does not respond.',
    fix: 'Send requests to another process, and ask again in a few seconds.',
  })
  @Get('ready')
  async ready(@Res({ passthrough: true }) response: Response): Promise<object> {
    const { status, body } = readinessResponse(await this.readiness.look());
    response.status(status);
    if (status === 503) response.setHeader(ERROR_CODE, 'not-ready' satisfies ApiErrorCode);
    return body;
  }
}
