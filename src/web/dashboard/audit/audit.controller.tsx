import { Get, StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { AuditLog } from '../../../access/accounts/audit-log';
import { isId } from '../../../platform/text/ids';
import { AdministratorPages, Asked, type PageRequest } from '../../http/page-controller';
import type { PageResult } from '../../http/page-results';
import { AuditPage } from './audit.page';

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
    return <AuditPage {...{ entries, before, more: found.length > PER_PAGE }} />;
  }

  @Get('export')
  export(): StreamableFile {
    return new StreamableFile(Readable.from(this.audit.lines()), {
      type: 'application/x-ndjson; charset=utf-8',
      disposition: 'attachment; filename="audit.ndjson"',
    });
  }
}
