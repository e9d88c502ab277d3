import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { ApiErrorCode } from '../errors/error-codes';
import { ERROR_CODE } from '../http/server/error-filter';
import { Endpoint, Sends } from '../openapi/endpoint';
import { Fails } from '../openapi/failures';
import { Choice, Text, Texts } from '../openapi/fields';
import { LIVE } from '../process/live';
import { readinessResponse, ReadinessService } from './readiness.service';

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
