import { Controller, Get, Param, Query, Res, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { NeedsKeyForFile } from '../access/api-key.guard';
import { CurrentCaller, type Caller } from '../access/caller';
import { Documented } from '../platform/openapi/operation';
import { EXPORT_QUIZ } from './exchange.openapi';
import { ExportQuery } from './export.query';
import { ExportService } from './export.service';
import { formatOf, writerOf } from './formats/formats';

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
    const { quiz, slug } = await this.exports.visible(caller.accountId, id);
    const { mediaTypes, endings } = formatOf(format);
    const name = `${slug}${endings[0] ?? ''}`;
    // Words of authors: whatever they are, a browser saves them and does not show them.
    response.setHeader('X-Content-Type-Options', 'nosniff');
    return new StreamableFile(Readable.from(writerOf(format)(quiz)), {
      type: `${mediaTypes[0]}; charset=utf-8`,
      disposition: `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name)}`,
    });
  }
}
