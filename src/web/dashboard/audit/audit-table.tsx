import type { AuditEntry } from '../../../access/accounts/audit-log';
import { Table } from '../../components/table';
import { Time } from '../../components/format';

/** What the actions are called for people; an action that is missing here shows its own name. */
const WORDS: Record<string, string> = {
  'service.set-up': 'Service set up',
  'sign-in': 'Signed in',
  'sign-in.refused': 'Sign-in refused',
  'account.signed-up': 'Signed up',
  'account.password-changed': 'Password changed',
  'account.created': 'Account created',
  'account.password-set': 'Password set',
  'account.plan-changed': 'Plan changed',
  'account.made-administrator': 'Made administrator',
  'account.administrator-removed': 'Removed as administrator',
  'account.disabled': 'Account disabled',
  'account.enabled': 'Account enabled',
  'key.issued': 'API key issued',
  'key.rotated': 'API key rotated',
  'key.revoked': 'API key revoked',
  'webhook.added': 'Webhook endpoint added',
  'webhook.changed': 'Webhook endpoint changed',
  'webhook.disabled': 'Webhook endpoint disabled',
  'webhook.enabled': 'Webhook endpoint enabled',
  'webhook.deleted': 'Webhook endpoint deleted',
  'quiz.approved': 'Quiz approved',
  'quiz.rejected': 'Quiz rejected',
  'quiz.published': 'Quiz published',
  'quiz.hidden': 'Quiz hidden',
  'leaderboard.player-removed': 'Player removed',
  'leaderboard.player-restored': 'Player put back',
  'topic.added': 'Topic added',
  'topic.changed': 'Topic changed',
  'topic.moved': 'Topic moved',
  'topic.deleted': 'Topic deleted',
  'category.added': 'Category added',
  'category.changed': 'Category changed',
  'category.moved': 'Category moved',
  'category.deleted': 'Category deleted',
};

export function AuditTable({ entries }: { entries: AuditEntry[] }) {
  return (
    <Table
      label="Audit log"
      rows={entries}
      rowKey={({ id }) => id}
      columns={[
        { title: 'When', cell: ({ at }) => <Time at={at} /> },
        { title: 'Who', cell: ({ actorEmail }) => <Clipped text={actorEmail} /> },
        { title: 'What', cell: ({ action }) => <strong>{WORDS[action] ?? action}</strong> },
        {
          title: 'On what',
          cell: (entry) => (
            <div>
              <Clipped text={entry.objectName} />
              <span class="sub">{entry.objectKind}</span>
            </div>
          ),
        },
        { title: 'Detail', cell: ({ detail }) => <span class="detail">{detail}</span> },
      ]}
    />
  );
}

function Clipped({ text }: { text: string }) {
  return (
    <span class="clip" title={text}>
      {text}
    </span>
  );
}
