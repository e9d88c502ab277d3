import { Controller, Get, Param, Res, UseGuards, type StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { exportFile } from '../../../import-export/export-file';
import { ExportService } from '../../../import-export/export.service';
import { WRITABLE_FORMATS } from '../../../import-export/formats/formats';
import { NotFound } from '../../../platform/errors/domain-errors';
import { QueryText } from '../../http/query-text';
import { CurrentViewer, SignedInGuard, type Viewer } from '../../http/viewer';

/** A quiz of the viewer's as a file: it is no page, so no page is made around it. */
@Controller('dashboard/quizzes')
@UseGuards(SignedInGuard)
export class QuizExportController {
  constructor(
    private readonly owned: OwnedQuizzesService,
    private readonly exports: ExportService,
  ) {}

  @Get(':id/export')
  async export(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @QueryText('format') given: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const format = WRITABLE_FORMATS.find((it) => it === (given || 'json'));
    if (!format) throw new NotFound('Format');
    await this.owned.get(accountId, id);
    return exportFile(await this.exports.visible(accountId, id), format, response);
  }
}
