import { Controller, Get, type StreamableFile } from '@nestjs/common';
import { NeedsKeyForFile } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { Endpoints, ResponseHeader, SendsFile } from '../../platform/openapi/endpoint';
import { Fails, type Failure } from '../../platform/openapi/failures';
import { ARCHIVE_TYPE, archiveDownload, ExportsService } from './exports.service';

const EXPORT_UNDER_WAY: Failure = {
  status: 409,
  name: 'export-under-way',
  title: 'An export of the account is under way',
  error: 'An export of this account is under way. Wait until it has ended.',
  fix: 'An API process sends an account one export at a time. Read the response of the earlier request to its end, or close its connection.',
};

/** Everything of an account (docs/import-export.md): an extension of the specification that follows its rules. */
@Endpoints('Files')
@Controller('export')
export class ArchiveController {
  constructor(private readonly exports: ExportsService) {}

  /**
   * Get everything of your account as one file
   * @remarks A ZIP archive of your quizzes with their questions, rules and results, which `POST /imports` takes in this
   * deployment and in others. It is written while it is sent; a file that ends early has no list of contents
   * and cannot be imported. Each API process sends an account one export at a time.
   * @returns The archive.
   */
  @SendsFile({ [ARCHIVE_TYPE]: { type: 'string', format: 'binary' } })
  @ResponseHeader(
    'Content-Disposition',
    'A name for the file.',
    'attachment; filename="quizzes.zip"',
  )
  @Fails(EXPORT_UNDER_WAY)
  @NeedsKeyForFile()
  @Get()
  exportAccount(@CurrentCaller() { accountId }: Caller): StreamableFile {
    return archiveDownload(this.exports.account(accountId));
  }
}
