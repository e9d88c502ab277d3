import type { MessageKey, Messages } from '../../../platform/messages/messages';
import type { AttemptView, DeliverySummary } from '../../../webhooks/deliveries/deliveries.dto';
import type { WorkersService } from '../../../webhooks/deliveries/workers.service';
import { Time } from '../../components/format';
import { Badge, type BadgeVariant } from '../../components/section';
import { type Column, Table } from '../../components/table';
import { useMessages, usePage } from '../../http/page-context';
import { shortUrl } from './endpoint-state';

const VARIANTS: Record<DeliverySummary['status'], BadgeVariant> = {
  pending: 'busy',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'neutral',
};

/**
 * How many milliseconds a page waits for the result of a test or a retry, so that it is shown without a script too.
 */
export const patienceWith = async (workers: WorkersService) =>
  (await workers.isRunning()) ? 3_000 : 0;

/** The meaning of failures, for whoever has to fix them. */
const MEANINGS: Record<string, MessageKey> = {
  timeout: 'delivery.means.timeout',
  dns_error: 'delivery.means.dns_error',
  connection_refused: 'delivery.means.connection_refused',
  connection_reset: 'delivery.means.connection_reset',
  tls_error: 'delivery.means.tls_error',
  address_refused: 'delivery.means.address_refused',
  response_too_large: 'delivery.means.response_too_large',
  protocol_error: 'delivery.means.protocol_error',
  network_error: 'delivery.means.network_error',
  410: 'delivery.means.gone',
  redirect: 'delivery.means.redirect',
};

/**
 * The result of an attempt: `204`, `timeout`, `200, then timeout` or `interrupted`, with an explanation if needed. It
 * is good if the receiver has acknowledged the event.
 */
export function resultOf({ kind, status, error }: AttemptView, { t }: Messages) {
  if (kind === 'interrupted')
    return {
      text: t('delivery.kind.interrupted'),
      variant: 'neutral' as const,
      meaning: t('delivery.means.interrupted'),
    };
  const family = Math.floor((status ?? 0) / 100);
  const meaning = MEANINGS[error ?? (family === 3 ? 'redirect' : String(status))];
  return {
    text:
      status !== null && error !== null
        ? t('delivery.then', { status: String(status), error })
        : String(status ?? error ?? t('delivery.noResponse')),
    variant: error === null && family === 2 ? ('good' as const) : ('bad' as const),
    meaning: meaning && t(meaning),
  };
}

/** @param props `endpoint`: false if all rows have the same endpoint */
export function DeliveryTable(props: { deliveries: DeliverySummary[]; endpoint: boolean }) {
  const messages = useMessages();
  const { t } = messages;
  return (
    <Table
      label={t('webhook.deliveries')}
      rows={props.deliveries}
      columns={[
        [
          t('delivery.event'),
          ({ id, event }) => (
            <a class="link mono" href={`/dashboard/webhooks/deliveries/${id}`}>
              {event}
            </a>
          ),
        ],
        [
          t('apiKey.status'),
          (delivery) => (
            <div>
              <DeliveryState {...delivery} />
            </div>
          ),
        ],
        ...(props.endpoint ? [endpointColumn(messages)] : []),
        [
          t('delivery.lastResponse'),
          ({ lastAttempt }) =>
            lastAttempt ? (
              <div>
                <span class="mono">{resultOf(lastAttempt, messages).text}</span>
                <Duration class="sub" ms={lastAttempt.durationMs} />
              </div>
            ) : (
              <span class="muted">{t('delivery.noneYet')}</span>
            ),
        ],
        [t('delivery.attempts'), ({ attempts }) => attempts],
        [t('list.created'), ({ createdAt }) => <Time at={createdAt} />],
      ]}
    />
  );
}

const endpointColumn = ({ t }: Messages): Column<DeliverySummary> => [
  t('delivery.endpoint'),
  ({ url }) => (
    <span class="clip" title={url}>
      {shortUrl(url)}
    </span>
  ),
];

/** The duration of an attempt; nothing for an interrupted one. */
export function Duration({ ms, class: look }: { ms: number | null; class: string }) {
  const { t } = useMessages();
  return ms === null ? null : <span class={look}>{t('delivery.ms', { count: ms })}</span>;
}

type Progress = Pick<DeliverySummary, 'status' | 'underWay' | 'paused' | 'nextAttemptAt'>;

/** The status, and the next step if there is one. */
export function DeliveryState({ status, ...progress }: Progress) {
  const { now, messages } = usePage();
  const next = nextStep(progress, now, messages);
  return (
    <>
      <Badge variant={VARIANTS[status]}>{messages.t(`delivery.status.${status}`)}</Badge>
      {next && <span class="sub">{next}</span>}
    </>
  );
}

function nextStep(
  { underWay, paused, nextAttemptAt }: Omit<Progress, 'status'>,
  now: Date,
  { rich, t }: Messages,
) {
  if (underWay) return t('delivery.sending');
  if (paused) return t('delivery.paused');
  if (!nextAttemptAt) return null;
  if (nextAttemptAt <= now) return t('delivery.due');
  return rich('delivery.next', { time: <Time at={nextAttemptAt} /> });
}
