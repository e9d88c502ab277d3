import { Get, StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { AuditLog, type AuditEntry } from '../../../access/accounts/audit-log';
import { isId } from '../../../platform/text/ids';
import { EmptyState } from '../../components/table';
import { Page } from '../../components/page';
import type { PageResult } from '../../http/page-results';
import { AdministratorPages, QueryText } from '../../http/page-controller';
import { AuditTable } from './audit-table';

const PER_PAGE = 50;

@AdministratorPages('audit')
export class AuditController {
  constructor(private readonly audit: AuditLog) {}

  @Get()
  async list(@QueryText('before') given: string): Promise<PageResult> {
    const before = isId(given) ? given : null;
    // One more than is shown tells whether there is another page.
    const found = await this.audit.list(PER_PAGE + 1, before);
    return <AuditPage entries={found.slice(0, PER_PAGE)} more={found.length > PER_PAGE} />;
  }

  @Get('export')
  export(): StreamableFile {
    return new StreamableFile(Readable.from(this.audit.lines()), {
      type: 'application/x-ndjson; charset=utf-8',
      disposition: 'attachment; filename="audit.ndjson"',
    });
  }
}

function AuditPage({ entries, more }: { entries: AuditEntry[]; more: boolean }) {
  return (
    <Page
      title="Audit log"
      help="Sign-ins, keys, webhooks, and what administrators have done, here and with quizctl, the newest first. It cannot be changed."
    >
      <p>
        <a class="link" href="/dashboard/admin/audit/export">
          Download all entries as NDJSON
        </a>
      </p>
      {entries.length === 0 ? (
        <EmptyState title="Nothing yet">
          <p>A change of a plan, a review, a disabled account: each leaves a line here.</p>
        </EmptyState>
      ) : (
        <AuditTable entries={entries} />
      )}
      {more && (
        <nav class="pages" aria-label="Pages">
          <span />
          <a
            class="btn"
            data-variant="outline"
            data-size="sm"
            href={`/dashboard/admin/audit?before=${entries.at(-1)?.id}`}
          >
            Older
          </a>
        </nav>
      )}
    </Page>
  );
}
