import { Readable } from 'node:stream';
import { Get, StreamableFile } from '@nestjs/common';
import type { VNode } from 'preact';
import type { ListedAuditEntry } from '../../../access/audit/audit.dto';
import { AuditLog } from '../../../access/audit/audit-log';
import { CATALOGUES, type MessageKey, type Messages } from '../../../platform/messages/messages';
import { translated } from '../../../platform/messages/refusals';
import { isId } from '../../../platform/text/ids';
import { Select } from '../../components/fields';
import { Clip, Link, Time } from '../../components/format';
import { Page, reloading } from '../../components/page';
import { Section } from '../../components/section';
import { EmptyState, NewestFirst, Table } from '../../components/table';
import { useMessages } from '../../http/page-context';
import { AdministratorPages, Asked, type PageRequest } from '../../http/page-controller';
import type { PageResult } from '../../http/page-results';

const AT = '/dashboard/admin/audit';
const PER_PAGE = 50;

@AdministratorPages('audit')
export class AuditController {
  constructor(private readonly audit: AuditLog) {}

  @Get()
  async list(@Asked() { query, messages: { t } }: PageRequest): Promise<PageResult> {
    const before = isId(query('before')) ? query('before') : '';
    const filter = filterIn(query);
    // One more than is shown tells whether there is another page.
    const found = await this.audit.list(PER_PAGE + 1, before || null, filter);
    const entries = found.slice(0, PER_PAGE);
    const chosen = new URLSearchParams({ q: filter.text, subject: filter.subject }).toString();
    const filtered = filter.text !== '' || filter.subject !== '';
    return (
      <Page title={t('nav.audit')} help={t('audit.help')}>
        <form class="toolbar" role="search" method="get" action={AT}>
          <input
            class="input"
            type="search"
            name="q"
            value={filter.text}
            placeholder={t('audit.search')}
            aria-label={t('audit.search')}
            {...reloading('audit', AT, 'input changed delay:250ms')}
            hx-include="closest form"
          />
          <Select
            name="subject"
            aria-label={t('audit.subject')}
            chosen={filter.subject}
            options={[
              { value: '', label: t('audit.allSubjects') },
              ...SUBJECTS.map((value) => ({ value, label: t(`audit.of.${value}`) })),
            ]}
          />
          <button class="btn" data-variant="outline">
            {t('catalogue.search')}
          </button>
        </form>
        <div id="audit">
          <p>
            <Link to={`${AT}/export?${chosen}`}>
              {t(filtered ? 'audit.downloadThese' : 'audit.download')}
            </Link>
          </p>
          <AuditTable
            entries={entries}
            empty={
              filtered ? (
                <EmptyState title={t('audit.noMatch')} />
              ) : (
                <EmptyState title={t('audit.none')} text={t('audit.noneText')} />
              )
            }
          />
          <NewestFirst
            newest={before ? `${AT}?${chosen}` : undefined}
            older={
              found.length > PER_PAGE ? `${AT}?${chosen}&before=${entries.at(-1)?.id}` : undefined
            }
          />
        </div>
      </Page>
    );
  }

  @Get('export')
  export(@Asked() { query }: PageRequest): StreamableFile {
    return new StreamableFile(Readable.from(this.audit.lines(filterIn(query))), {
      type: 'application/x-ndjson; charset=utf-8',
      disposition: 'attachment; filename="audit.ndjson"',
    });
  }
}

const filterIn = (query: PageRequest['query']) => ({
  text: query('q').trim().slice(0, 200),
  subject: SUBJECTS.find((it) => it === query('subject')) ?? '',
});

/** The subjects that entries are filtered by. */
const SUBJECTS = [
  'sign-in',
  'account',
  'key',
  'quiz',
  'webhook',
  'topic',
  'category',
  'leaderboard',
  'service',
] as const;

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

function AuditTable({ entries, empty }: { entries: ListedAuditEntry[]; empty?: VNode }) {
  const messages = useMessages();
  const { t } = messages;
  return (
    <Table
      label={t('nav.audit')}
      rows={entries}
      columns={{
        [t('notices.when')]: ({ at }) => <Time at={at} />,
        [t('audit.who')]: ({ actorEmail }) => <Clip text={actorEmail} />,
        [t('audit.what')]: ({ action }) => (
          <strong class="detail">{labelOf(action, messages)}</strong>
        ),
        [t('audit.onWhat')]: ({ objectName, objectKind, objectId, isGone }) => (
          <div>
            <Clip href={isGone ? undefined : PAGES_OF[objectKind]?.(objectId)} text={objectName} />
            <span class="sub">{translated(objectKind, messages, 'kind.')}</span>
          </div>
        ),
        // As it was recorded and is exported: evidence is not translated.
        [t('audit.detail')]: ({ detail }) => <bdi class="detail">{detail}</bdi>,
      }}
      empty={empty}
    />
  );
}
