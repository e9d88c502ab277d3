import type { ApiKey } from '../../../access/api-keys/api-key.entity';
import { type BadgeVariant, Badge } from '../../components/badge';
import { Confirm } from '../../components/confirm';
import { EmptyState, Table } from '../../components/table';
import { Icon } from '../../components/icon';
import { Page } from '../../components/page';
import { Time } from '../../components/format';
import { usePage } from '../../http/page-context';

type KeyStatus = 'active' | 'ends soon' | 'expired' | 'revoked';

/** A key that ends within this time says so. */
const SOON = 7 * 24 * 3_600_000;

function keyStatus(key: { revokedAt: Date | null; expiresAt: Date | null }, now: Date): KeyStatus {
  if (key.revokedAt) return 'revoked';
  if (!key.expiresAt) return 'active';
  if (key.expiresAt <= now) return 'expired';
  return key.expiresAt.getTime() - now.getTime() <= SOON ? 'ends soon' : 'active';
}

const STATUS_VARIANTS: Record<KeyStatus, BadgeVariant> = {
  active: 'good',
  'ends soon': 'busy',
  expired: 'neutral',
  revoked: 'neutral',
};

const HELP =
  'API keys let your programs act as your account. It is shown once, when it is created.';

export function KeysPage({ keys }: { keys: ApiKey[] }) {
  return (
    <Page
      title="API keys"
      help={HELP}
      action={
        <a class="btn" href="/dashboard/keys/new">
          <Icon name="plus" /> New key
        </a>
      }
    >
      {keys.length === 0 ? (
        <EmptyState title="No keys yet">
          <p>The first request needs one.</p>
          <a class="btn" data-variant="outline" href="/dashboard/keys/new">
            Create a key
          </a>
        </EmptyState>
      ) : (
        <KeyTable keys={keys} />
      )}
    </Page>
  );
}

function KeyTable({ keys }: { keys: ApiKey[] }) {
  const { now } = usePage();
  return (
    <Table
      label="API keys"
      rows={keys}
      rowKey={({ id }) => id}
      columns={[
        {
          title: 'Name',
          cell: (key) => (
            <>
              <strong class="clip" title={key.name}>
                {key.name}
              </strong>
              <span class="sub mono">
                {key.prefix}…{key.lastFour} · {key.prefix === 'svc_live_' ? 'live' : 'test'}
              </span>
            </>
          ),
        },
        {
          title: 'Status',
          cell: (key) => {
            const status = keyStatus(key, now);
            return <Badge variant={STATUS_VARIANTS[status]}>{status}</Badge>;
          },
        },
        { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
        { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
        { title: 'Actions', kind: 'actions', cell: (key) => <Actions stored={key} now={now} /> },
      ]}
    />
  );
}

function Actions({ stored, now }: { stored: ApiKey; now: Date }) {
  const status = keyStatus(stored, now);
  if (status === 'revoked' || status === 'expired') return null;
  return (
    <div>
      <a
        class="btn"
        data-variant="outline"
        data-size="sm"
        href={`/dashboard/keys/${stored.id}/rotate`}
        aria-label={`Rotate ${stored.name}`}
      >
        Rotate
      </a>
      <Confirm
        label="Revoke"
        action={`/dashboard/keys/${stored.id}/revoke`}
        question={`Revoke “${stored.name}”?`}
        effect={`Requests with ${stored.prefix}…${stored.lastFour} are refused from now on. This cannot be undone.`}
        button="Revoke key"
      />
    </div>
  );
}
