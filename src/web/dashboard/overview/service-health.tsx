import { type Findings, readinessResponse } from '../../../platform/health/readiness.service';
import { translated } from '../../../platform/messages/refusals';
import type { WorkerView } from '../../../webhooks/deliveries/workers.queries';
import { Badge, type Fact, Facts, Figures, Panel } from '../../components/section';
import { useMessages, usePage } from '../../http/page-context';

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What the health checks and the metrics say of the service. */
export interface Health {
  findings: Findings;
  workers: WorkerView[];
  /** Events without deliveries yet (`unrelayed`), and unfinished deliveries by state. */
  backlog: Record<string, number>;
  /** Of the oldest event without deliveries; 0 if there is none. */
  oldestSeconds: number;
}

/** In a word. A problem without an effect on the readiness also needs an administrator. */
function healthOf(findings: Findings): 'ready' | 'degraded' | 'unready' {
  if (readinessResponse(findings).status === 503) return 'unready';
  return Object.values(findings).some(({ note }) => note) ? 'degraded' : 'ready';
}

const DUTIES = { review: 'health.review', accounts: 'health.requests' } as const;

/** For administrators: whether everything runs, and what waits. */
export function ServiceHealth({ findings, workers, backlog, oldestSeconds }: Health) {
  const messages = useMessages();
  const { t } = messages;
  const said = (text: string) => translated(text, messages, 'check.');
  const notes = Object.values(findings).flatMap(({ note }) => note ?? []);
  const health = healthOf(findings);
  const alive = workers.filter((worker) => worker.alive);
  // Paused deliveries wait for the owner of their endpoint, not for the service.
  const { unrelayed = 0, due = 0, scheduled = 0, sending = 0 } = backlog;
  const waiting = due + scheduled + sending;
  const { waiting: forYou } = usePage();
  return (
    <>
      <Panel title={t('health.service')}>
        <Facts
          rows={[
            [
              t('health.health'),
              <Badge variant={health === 'ready' ? 'good' : 'bad'}>
                {t(`health.state.${health}`)}
              </Badge>,
            ],
            ...Object.entries(findings)
              .filter(([name]) => name !== 'worker')
              .map(([name, { state }]): Fact => [capitalized(said(name)), said(state)]),
            [t('health.workers'), t('health.running', { count: alive.length })],
            [t('health.queue'), t('health.queued', { deliveries: waiting, events: unrelayed })],
            [
              t('health.oldest'),
              unrelayed > 0 ? t('count.seconds', { count: Math.round(oldestSeconds) }) : null,
            ],
          ]}
        />
        {notes.map((note) => (
          <p>{said(note)}</p>
        ))}
      </Panel>
      <Panel title={t('health.forYou')}>
        <Figures
          rows={(['review', 'accounts'] as const).map((page) => [
            <a href={`/dashboard/admin/${page}`}>{t(DUTIES[page])}</a>,
            forYou?.[page] ?? 0,
          ])}
        />
      </Panel>
    </>
  );
}
