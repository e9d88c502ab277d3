import { Controller, Get, StreamableFile, UseGuards } from '@nestjs/common';
import { Readable } from 'node:stream';
import { AuditLog } from '../../../access/accounts/audit-log';
import { AdministratorGuard } from '../../http/viewer';

/** The audit log as a file: it is no page, so no page is made around it. */
@Controller('dashboard/admin/audit')
@UseGuards(AdministratorGuard)
export class AuditExportController {
  constructor(private readonly audit: AuditLog) {}

  @Get('export')
  export(): StreamableFile {
    return new StreamableFile(Readable.from(this.audit.lines()), {
      type: 'application/x-ndjson; charset=utf-8',
      disposition: 'attachment; filename="audit.ndjson"',
    });
  }
}
