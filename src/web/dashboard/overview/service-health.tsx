import { type Findings, readinessResponse } from '../../../platform/health/readiness.service';
import type { WorkerView } from '../../../webhooks/deliveries/workers.queries';
import { count } from '../../components/format';
import { Badge, Facts, Figures, Panel } from '../../components/section';
import { usePage } from '../../http/page-context';

/** What the health checks and the metrics say of the service. */
export interface Health {
  findings: Findings;
  workers: WorkerView[];
  /** Events without deliveries yet (`unrelayed`), and unfinished deliveries by state. */
  backlog: Record<string, number>;
  /** Of the oldest event without deliveries; 0 if there is none. */
  oldestSeconds: number;
}

const DUTIES = {
  '/dashboard/admin/review': 'Reviews',
  '/dashboard/admin/accounts': 'Plan requests',
};

/** For administrators: whether everything runs, and what waits. */
export function ServiceHealth({ findings, workers, backlog, oldestSeconds }: Health) {
  const { status } = readinessResponse(findings);
  const notes = Object.values(findings).flatMap(({ note }) => note ?? []);
  const isGood = status === 200 && notes.length === 0;
  const alive = workers.filter((worker) => worker.alive);
  const { unrelayed = 0, ...deliveries } = backlog;
  const waiting = Object.values(deliveries).reduce((sum, number) => sum + number, 0);
  const { waiting: forYou = {} } = usePage();
  return (
    <>
      <Panel title="Service">
        <Facts
          of={{
            Health: (
              <Badge variant={isGood ? 'good' : 'bad'}>{isGood ? 'ready' : 'degraded'}</Badge>
            ),
            ...Object.fromEntries(
              Object.entries(findings)
                .filter(([name]) => name !== 'worker')
                .map(([name, { state }]) => [name[0]!.toUpperCase() + name.slice(1), state]),
            ),
            Workers: `${alive.length} running`,
            Queue: `${count(waiting, 'delivery', 'deliveries')} and ${count(unrelayed, 'event', 'events')} waiting`,
            'Oldest event':
              unrelayed > 0 ? count(Math.round(oldestSeconds), 'second', 'seconds') : null,
          }}
        />
        {notes.map((note) => (
          <p>{note}</p>
        ))}
      </Panel>
      <Panel title="Waiting for you">
        <Figures
          rows={Object.entries(DUTIES).map(([href, label]) => [
            <a href={href}>{label}</a>,
            forYou[href] ?? 0,
          ])}
        />
      </Panel>
    </>
  );
}
