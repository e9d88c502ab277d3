import type { VNode } from 'preact';
import type { ListedAuditEntry } from '../../../access/audit/audit.dto';
import { CATALOGUES, type MessageKey, type Messages } from '../../../platform/messages/messages';
import { translated } from '../../../platform/messages/refusals';
import { Clip, Time } from '../../components/format';
import { Section } from '../../components/section';
import { Table } from '../../components/table';
import { useMessages } from '../../http/page-context';

const isKnown = (key: string): key is MessageKey => Object.hasOwn(CATALOGUES.en, key);

/** An action of an earlier version may have no sentence any more: its name says enough. */
function labelOf(action: string, { t }: Messages): string {
  const key = `action.${action}`;
  return isKnown(key) ? t(key) : action;
}

/** What administrators have done with one object; nothing if there are no entries. */
export function History({ entries }: { entries: ListedAuditEntry[] }) {
  const { t } = useMessages();
  if (entries.length === 0) return null;
  return (
    <Section title={t('audit.history')}>
      <AuditTable entries={entries} />
    </Section>
  );
}

/** Where administrators see an object. */
const PAGES_OF: Record<string, (id: string) => string> = {
  account: (id) => `/dashboard/admin/accounts/${id}`,
  quiz: (id) => `/dashboard/admin/review/${id}`,
};

export function AuditTable({ entries, empty }: { entries: ListedAuditEntry[]; empty?: VNode }) {
  const messages = useMessages();
  const { t } = messages;
  return (
    <Table
      label={t('nav.audit')}
      rows={entries}
      columns={[
        [t('notices.when'), ({ at }) => <Time at={at} />],
        [t('audit.who'), ({ actorEmail }) => <Clip text={actorEmail} />],
        [
          t('audit.what'),
          ({ action }) => <strong class="detail">{labelOf(action, messages)}</strong>,
        ],
        [
          t('audit.onWhat'),
          ({ objectName, objectKind, objectId, isGone }) => (
            <div>
              <Clip
                href={isGone ? undefined : PAGES_OF[objectKind]?.(objectId)}
                text={objectName}
              />
              <span class="sub">{translated(objectKind, messages, 'kind.')}</span>
            </div>
          ),
        ],
        // As it was recorded and is exported: evidence is not translated.
        [t('audit.detail'), ({ detail }) => <bdi class="detail">{detail}</bdi>],
      ]}
      empty={empty}
    />
  );
}
