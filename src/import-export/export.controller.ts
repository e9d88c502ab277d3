import { Controller, Get, Param, Query, Res, type StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { NeedsKeyForFile } from '../access/api-keys/api-key.guard';
import { CurrentCaller, type Caller } from '../access/api-keys/caller';
import { Documented } from '../platform/openapi/operation';
import { EXPORT_QUIZ } from './import-export.openapi';
import { exportFile } from './export-file';
import { ExportQuery } from './export.query';
import { ExportService } from './export.service';

/** Quizzes as files (docs/import-export.md): an extension of the specification, under its rules. */
@Controller('quizzes')
export class ExportController {
  constructor(private readonly exports: ExportService) {}

  @Documented(EXPORT_QUIZ)
  @NeedsKeyForFile()
  @Get(':id/export')
  async export(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() { format }: ExportQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return exportFile(await this.exports.visible(caller.accountId, id), format, response);
  }
}
