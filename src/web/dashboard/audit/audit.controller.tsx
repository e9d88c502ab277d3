import { Readable } from 'node:stream';
import { Get, StreamableFile } from '@nestjs/common';
import type { VNode } from 'preact';
import type { ListedAuditEntry } from '../../../access/audit/audit.dto';
import { AuditLog } from '../../../access/audit/audit-log';
import { isId } from '../../../platform/text/ids';
import { optionsOf, Select } from '../../components/fields';
import { Clip, Link, Time } from '../../components/format';
import { Page, reloading } from '../../components/page';
import { Section } from '../../components/section';
import { EmptyState, NewestFirst, Table } from '../../components/table';
import { AdministratorPages, Asked, type PageRequest } from '../../http/page-controller';
import type { PageResult } from '../../http/page-results';

const AT = '/dashboard/admin/audit';
const PER_PAGE = 50;

@AdministratorPages('audit')
export class AuditController {
  constructor(private readonly audit: AuditLog) {}

  @Get()
  async list(@Asked() { query }: PageRequest): Promise<PageResult> {
    const before = isId(query('before')) ? query('before') : '';
    const filter = filterIn(query);
    // One more than is shown tells whether there is another page.
    const found = await this.audit.list(PER_PAGE + 1, before || null, filter);
    const entries = found.slice(0, PER_PAGE);
    const chosen = new URLSearchParams({ q: filter.text, subject: filter.subject }).toString();
    const filtered = filter.text !== '' || filter.subject !== '';
    return (
      <Page
        title="Audit log"
        help="Sign-ins, keys, webhooks, deleted quizzes, and what administrators have done, here and with quizctl, the newest first. It cannot be changed."
      >
        <form class="toolbar" role="search" method="get" action={AT}>
          <input
            class="input"
            type="search"
            name="q"
            value={filter.text}
            placeholder="Search people, objects and details"
            aria-label="Search people, objects and details"
            {...reloading('audit', AT, 'input changed delay:250ms')}
            hx-include="closest form"
          />
          <Select
            name="subject"
            aria-label="Subject"
            chosen={filter.subject}
            options={[{ value: '', label: 'All subjects' }, ...optionsOf(SUBJECT_LABELS)]}
          />
          <button class="btn" data-variant="outline">
            Search
          </button>
        </form>
        <div id="audit">
          <p>
            <Link to={`${AT}/export?${chosen}`}>
              Download {filtered ? 'these' : 'all'} entries as NDJSON
            </Link>
          </p>
          <AuditTable
            entries={entries}
            empty={
              filtered ? (
                <EmptyState title="No entry matches" />
              ) : (
                <EmptyState title="Nothing yet">
                  <p>A change of a plan, a review, a disabled account: each leaves a line here.</p>
                </EmptyState>
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
  subject: Object.hasOwn(SUBJECT_LABELS, query('subject')) ? query('subject') : '',
});

/** The subjects that entries are filtered by. */
const SUBJECT_LABELS = {
  'sign-in': 'Sign-ins',
  account: 'Accounts',
  key: 'API keys',
  quiz: 'Quizzes',
  webhook: 'Webhooks',
  topic: 'Topics',
  category: 'Categories',
  leaderboard: 'Leaderboards',
  service: 'Service',
};

/** Labels of actions whose names are unclear; all others are derived from the name, such as `webhook.added`. */
const LABELS: Record<string, string> = {
  'sign-in': 'Signed in',
  'account.signed-up': 'Signed up',
  'account.password-changed': 'Password changed',
  'account.password-set': 'Password set',
  'account.plan-changed': 'Plan changed',
  'account.plan-requested': 'Plan requested',
  'account.plan-declined': 'Plan declined',
  'account.password-link-issued': 'Password link issued',
  'account.made-administrator': 'Made administrator',
  'account.administrator-removed': 'Removed as administrator',
  'leaderboard.player-removed': 'Player removed',
  'leaderboard.player-restored': 'Player restored',
};
const SUBJECTS: Record<string, string> = { key: 'API key', webhook: 'Webhook endpoint' };

function labelOf(action: string): string {
  const [subject = '', verb = ''] = action.split('.');
  const name = SUBJECTS[subject] ?? subject.charAt(0).toUpperCase() + subject.slice(1);
  return LABELS[action] ?? `${name} ${verb.replaceAll('-', ' ')}`;
}

/** What administrators have done with one object; nothing if there are no entries. */
export function History({ entries }: { entries: ListedAuditEntry[] }) {
  if (entries.length === 0) return null;
  return (
    <Section title="History">
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
  return (
    <Table
      label="Audit log"
      rows={entries}
      columns={{
        When: ({ at }) => <Time at={at} />,
        Who: ({ actorEmail }) => <Clip text={actorEmail} />,
        What: ({ action }) => <strong class="detail">{labelOf(action)}</strong>,
        'On what': ({ objectName, objectKind, objectId, isGone }) => (
          <div>
            <Clip href={isGone ? undefined : PAGES_OF[objectKind]?.(objectId)} text={objectName} />
            <span class="sub">{objectKind}</span>
          </div>
        ),
        Detail: ({ detail }) => <span class="detail">{detail}</span>,
      }}
      empty={empty}
    />
  );
}
