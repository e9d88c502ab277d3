import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../observability/metrics';

/** Counts what is refused with 429, by its cause: one status has several. */
@Injectable()
export class Refusals {
  private readonly refused: Counter<'cause'>;

  constructor(metrics: Metrics) {
    this.refused = metrics.counter(
      'quiz_http_refused_total',
      'Requests refused with 429, by cause: the rate limit, the limits of pages and of searches, too many attempts (of signing in, for example), too many waiting requests',
      ['cause'],
    );
    for (const cause of CAUSES) this.refused.inc({ cause }, 0);
  }

  count(cause: (typeof CAUSES)[number]): void {
    this.refused.inc({ cause });
  }
}

const CAUSES = ['rate-limit', 'pages', 'searches', 'attempts', 'waiting'] as const;
