import { Controller, Get, Res } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import type { Response } from 'express';
import type { Finding } from './health-check';
import { ReadinessService } from './readiness.service';

/** For load balancers and process managers: no key, no rate limit. */
@SkipThrottle()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: ReadinessService) {}

  /** The process runs. */
  @Get('live')
  live(): object {
    return { success: true, data: { status: 'live' } };
  }

  /**
   * Whether the process can serve: 503 when not, with the reason. 200 otherwise: `status` is `ready`, or
   * `degraded` where something is missing that requests can do without; then each part by its name, and
   * `notes` on what is wrong.
   */
  @Get('ready')
  async ready(@Res({ passthrough: true }) response: Response): Promise<object> {
    const findings = Object.entries(await this.readiness.look());
    const of = (effect: Finding['effect']) => findings.find(([, it]) => it.effect === effect)?.[1];
    const fault = of('unready');
    if (fault) {
      response.status(503);
      return { success: false, error: fault.note ?? 'Not ready.' };
    }
    return {
      success: true,
      data: {
        status: of('degraded') ? 'degraded' : 'ready',
        ...Object.fromEntries(findings.map(([name, { state }]) => [name, state])),
        notes: findings.flatMap(([, { note }]) => note ?? []),
      },
    };
  }
}
