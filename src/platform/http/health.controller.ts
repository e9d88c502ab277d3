import { Controller, Get, Inject, Res } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { LOGGER, type Logger } from '../logger';

/** For load balancers and process managers: no key, no rate limit. */
@SkipThrottle()
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: DataSource,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The process runs. */
  @Get('live')
  live(): object {
    return { success: true, data: { status: 'live' } };
  }

  /** The process can serve: its database answers. 503 when it does not. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) response: Response): Promise<object> {
    const ready = await this.database.query('SELECT 1').then(
      () => true,
      (error: unknown) => {
        this.logger.warn({ err: error }, 'not ready: the database does not answer');
        return false;
      },
    );
    if (ready) return { success: true, data: { status: 'ready', database: 'up' } };
    response.status(503);
    return { success: false, error: 'The database does not answer.' };
  }
}
