import { h, type VNode } from 'preact';
import type { Findings } from '../../../platform/health/readiness.service';
import { messagesIn } from '../../../platform/messages/messages';
import { renderPage } from '../../http/page-context';
import { ServiceHealth } from './service-health';

const now = new Date('2026-03-01T12:00:00Z');
const UP = { state: 'up' };

/** The titles and values of the panel. */
function factsOf(findings: Findings, backlog: Record<string, number> = { due: 2 }) {
  const health = { findings, workers: [], backlog, oldestSeconds: 0 };
  const html = renderPage(h(ServiceHealth, health) as VNode, {
    viewer: null,
    path: '/dashboard',
    baseUrl: 'http://localhost',
    now,
    theme: 'system',
    messages: messagesIn('en'),
    notice: null,
  });
  const [facts = ''] = /<dl class="facts">.*?<\/dl>/s.exec(html) ?? [];
  return [...facts.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(
    ([, title, value = '']) => `${title}: ${value.replace(/<[^>]*>/g, '')}`,
  );
}

test.each<[string, Findings]>([
  ['ready', { database: UP, redis: { state: 'unused' } }],
  ['degraded', { database: UP, worker: { state: 'down', note: 'No worker runs.' } }],
  ['degraded', { database: UP, redis: { state: 'down', effect: 'degraded', note: 'Away.' } }],
  ['not ready', { database: { state: 'down', effect: 'unready', note: 'It does not respond.' } }],
])('the health of the service is "%s" for the findings %j', (health, findings) => {
  expect(factsOf(findings)[0]).toBe(`Health: ${health}`);
});

test('a check and a figure with the same title are both shown', () => {
  expect(factsOf({ database: UP, queue: { state: 'down' } })).toEqual([
    'Health: ready',
    'Database: up',
    'Queue: down',
    'Workers: 0 running',
    'Queue: 2 deliveries and 0 events waiting',
  ]);
});

test('deliveries that are paused are not counted as waiting', () => {
  expect(factsOf({}, { due: 1, scheduled: 1, sending: 1, paused: 40, unrelayed: 3 })).toContain(
    'Queue: 3 deliveries and 3 events waiting',
  );
});
