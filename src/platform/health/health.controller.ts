import { Controller, Get, Res } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import type { Response } from 'express';
import { LIVE, readinessAnswer } from './readiness-answer';
import { ReadinessService } from './readiness.service';

/** For load balancers and process managers: no key, no rate limit. */
@SkipThrottle()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: ReadinessService) {}

  /** The process runs. */
  @Get('live')
  live(): object {
    return LIVE;
  }

  /** Whether the process can serve: `readinessAnswer`. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) response: Response): Promise<object> {
    const { status, body } = readinessAnswer(await this.readiness.look());
    response.status(status);
    return body;
  }
}
