import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Metrics } from './metrics';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Seconds. Most answers take one to five milliseconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Counts requests by method, route and status, and times them. The route is the pattern that was matched, never
 * the path: a label of a client's own making would fill the memory. Off, it costs requests nothing.
 */
export function measureRequests(server: Server, metrics: Metrics): void {
  if (!metrics.registry) return;
  const requests = metrics.counter('quiz_http_requests_total', 'Requests that were answered', [
    'method',
    'route',
    'status',
  ]);
  const durations = metrics.histogram(
    'quiz_http_request_duration_seconds',
    'From the request to the end of its answer',
    ['method', 'route'],
    BUCKETS,
  );
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const begun = performance.now();
    response.once('close', () => {
      const method = METHODS.has(request.method ?? '') ? (request.method ?? '') : 'other';
      const route = routeOf(request);
      // As in the access log: 499 for a client that went away before it was answered.
      const status = String(response.headersSent ? response.statusCode : 499);
      requests.add({ method, route, status });
      durations.observe({ method, route }, (performance.now() - begun) / 1_000);
    });
  });
}

/** Express notes the route that it has found on the request. */
export function routeOf(request: IncomingMessage & { route?: { path?: unknown } }): string {
  const path = request.route?.path;
  // The catch-all at the end matches what nothing else did.
  return typeof path === 'string' && !path.includes('*') ? path : 'unmatched';
}
