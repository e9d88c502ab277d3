import { Get, StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import type { VNode } from 'preact';
import { AuditLog, type AuditEntry } from '../../../access/accounts/audit-log';
import { isId } from '../../../platform/text/ids';
import { Clip, Link, Time } from '../../components/format';
import { Page } from '../../components/page';
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
    // One more than is shown tells whether there is another page.
    const found = await this.audit.list(PER_PAGE + 1, before || null);
    const entries = found.slice(0, PER_PAGE);
    return (
      <Page
        title="Audit log"
        help="Sign-ins, keys, webhooks, and what administrators have done, here and with quizctl, the newest first. It cannot be changed."
      >
        <p>
          <Link to={`${AT}/export`}>Download all entries as NDJSON</Link>
        </p>
        <AuditTable
          entries={entries}
          empty={
            <EmptyState title="Nothing yet">
              <p>A change of a plan, a review, a disabled account: each leaves a line here.</p>
            </EmptyState>
          }
        />
        <NewestFirst
          newest={before ? AT : undefined}
          older={found.length > PER_PAGE ? `${AT}?before=${entries.at(-1)?.id}` : undefined}
        />
      </Page>
    );
  }

  @Get('export')
  export(): StreamableFile {
    return new StreamableFile(Readable.from(this.audit.lines()), {
      type: 'application/x-ndjson; charset=utf-8',
      disposition: 'attachment; filename="audit.ndjson"',
    });
  }
}

/** Labels of actions whose names are unclear; all others are derived from the name, such as `webhook.added`. */
const LABELS: Record<string, string> = {
  'sign-in': 'Signed in',
  'account.signed-up': 'Signed up',
  'account.password-changed': 'Password changed',
  'account.password-set': 'Password set',
  'account.plan-changed': 'Plan changed',
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
export function History({ entries }: { entries: AuditEntry[] }) {
  if (entries.length === 0) return null;
  return (
    <Section title="History">
      <AuditTable entries={entries} />
    </Section>
  );
}

function AuditTable({ entries, empty }: { entries: AuditEntry[]; empty?: VNode }) {
  return (
    <Table
      label="Audit log"
      rows={entries}
      columns={{
        When: ({ at }) => <Time at={at} />,
        Who: ({ actorEmail }) => <Clip text={actorEmail} />,
        What: ({ action }) => <strong>{labelOf(action)}</strong>,
        'On what': ({ objectName, objectKind }) => (
          <div>
            <Clip text={objectName} />
            <span class="sub">{objectKind}</span>
          </div>
        ),
        Detail: ({ detail }) => <span class="detail">{detail}</span>,
      }}
      empty={empty}
    />
  );
}
