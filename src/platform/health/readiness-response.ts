import type { Finding } from './health-check';
import type { Findings } from './readiness.service';

/**
 * What `/health/ready` answers, in every process: 503 where something is missing without which it cannot serve,
 * with the reason. 200 otherwise: `status` is `ready`, or `degraded` where something is missing that it can do
 * without; then each part by its name, and `notes` on what is wrong.
 */
export function readinessAnswer(findings: Findings): { status: 200 | 503; body: object } {
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

/** What `/health/live` answers: the process runs. */
export const LIVE = { success: true, data: { status: 'live' } };
