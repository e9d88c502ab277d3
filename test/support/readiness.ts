import type { Service } from './service';

/** The answer of `/health/ready`, and the milliseconds it took. */
export async function readiness({ url }: Service) {
  const begun = performance.now();
  const response = await fetch(`${url}/health/ready`);
  const body = (await response.json()) as {
    success: boolean;
    error?: string;
    /** Missing in a response with 503. */
    data?: Record<'status' | 'database' | 'redis' | 'worker', string> & { notes: string[] };
  };
  return { status: response.status, body, took: performance.now() - begun };
}
