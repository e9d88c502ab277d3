import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Documented } from '../openapi/operation';
import { GET_LIVENESS, GET_READINESS } from './health.openapi';
import { LIVE, readinessAnswer } from './readiness-response';
import { ReadinessService } from './readiness.service';

/** For load balancers and process managers: no key, no rate limit. */
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: ReadinessService) {}

  /** The process runs. */
  @Documented(GET_LIVENESS)
  @Get('live')
  live(): object {
    return LIVE;
  }

  /** Whether the process can serve: `readinessAnswer`. */
  @Documented(GET_READINESS)
  @Get('ready')
  async ready(@Res({ passthrough: true }) response: Response): Promise<object> {
    const { status, body } = readinessAnswer(await this.readiness.look());
    response.status(status);
    return body;
  }
}
