import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { ApiErrorCode } from '../errors/error-codes';
import { ERROR_CODE } from '../http/server/error-filter';
import { Endpoints, Sends } from '../openapi/endpoint';
import { Fails } from '../openapi/failures';
import { LIVE } from '../process/live';
import { Liveness, Readiness } from './health.dto';
import { readinessResponse, ReadinessService } from './readiness.service';

/** For load balancers and process managers: no key, no rate limit. */
@Endpoints('Health')
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: ReadinessService) {}

  /**
   * Check that the process runs
   * @remarks Looks at nothing else. Not counted by the rate limit.
   * @returns The process runs.
   */
  @Sends(Liveness)
  @Get('live')
  getLiveness(): object {
    return LIVE;
  }

  /**
   * Check that the process can serve requests
   * @remarks For load balancers: send requests here only while the status is 200. Not counted by the rate limit.
   * @returns It can, perhaps with something missing that requests can do without.
   */
  @Sends(Readiness)
  @Fails({
    status: 503,
    name: 'not-ready',
    title: 'The process cannot serve',
    error: 'The database does not respond.',
    fix: 'Send requests to another process, and ask again in a few seconds.',
  })
  @Get('ready')
  async getReadiness(@Res({ passthrough: true }) response: Response): Promise<object> {
    const { status, body } = readinessResponse(await this.readiness.checkAll());
    response.status(status);
    if (status === 503) response.setHeader(ERROR_CODE, 'not-ready' satisfies ApiErrorCode);
    return body;
  }
}
