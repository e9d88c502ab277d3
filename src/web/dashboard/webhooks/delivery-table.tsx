import type { DeliverySummary } from '../../../webhooks/deliveries/deliveries.service';
import { Badge } from '../../components/badge';
import { Table } from '../../components/table';
import { Time } from '../../components/format';
import { usePage } from '../../http/page-context';
import { DELIVERY_VARIANTS, resultOf } from './delivery-labels';
import { shortUrl } from './endpoint-state';

/** @param withEndpoint false where all rows are of one endpoint */
export function DeliveryTable({
  deliveries,
  withEndpoint = false,
}: {
  deliveries: DeliverySummary[];
  withEndpoint?: boolean;
}) {
  const url = {
    title: 'Endpoint',
    cell: (row: DeliverySummary) => (
      <span class="clip narrow" title={row.url}>
        {shortUrl(row.url)}
      </span>
    ),
  };
  return (
    <Table
      label="Deliveries"
      rows={deliveries}
      rowKey={({ id }) => id}
      columns={[
        {
          title: 'Event',
          cell: ({ id, event }) => (
            <a class="link mono" href={`/dashboard/webhooks/deliveries/${id}`}>
              {event}
            </a>
          ),
        },
        {
          title: 'Status',
          cell: (row) => (
            <div>
              <DeliveryState delivery={row} />
            </div>
          ),
        },
        ...(withEndpoint ? [url] : []),
        {
          title: 'Last answer',
          cell: ({ lastAttempt }) =>
            lastAttempt ? (
              <div>
                <span class="mono">{resultOf(lastAttempt)}</span>
                {lastAttempt.durationMs !== null && (
                  <span class="sub">{lastAttempt.durationMs.toLocaleString('en')} ms</span>
                )}
              </div>
            ) : (
              <span class="muted">none yet</span>
            ),
        },
        { title: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts },
        { title: 'Happened', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}

/** The status, and what comes next where something does. */
export function DeliveryState({
  delivery,
}: {
  delivery: Pick<DeliverySummary, 'status' | 'underWay' | 'paused' | 'nextAttemptAt'>;
}) {
  return (
    <>
      <Badge variant={DELIVERY_VARIANTS[delivery.status]}>{delivery.status}</Badge>
      <Next {...delivery} />
    </>
  );
}

function Next({
  underWay,
  paused,
  nextAttemptAt,
}: Pick<DeliverySummary, 'underWay' | 'paused' | 'nextAttemptAt'>) {
  const { now } = usePage();
  if (underWay) return <span class="sub">being sent</span>;
  if (paused) return <span class="sub">paused: the endpoint is disabled</span>;
  if (!nextAttemptAt) return null;
  if (nextAttemptAt <= now) return <span class="sub">due now</span>;
  return (
    <span class="sub">
      next attempt <Time at={nextAttemptAt} />
    </span>
  );
}
