import { Controller, Get, Param, Query, type StreamableFile } from '@nestjs/common';
import { NeedsKeyForFile } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { QUIZ_ID, QUIZ_NOT_FOUND } from '../../catalog/quizzes/quizzes.dto';
import { Endpoints, PathId, ResponseHeader, SendsFile } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import type { Schema } from '../../platform/openapi/openapi-objects';
import { EXPORT_NAMES, exportOf } from '../formats/formats';
import { ExportQuery } from './exports.dto';
import { ExportsService } from './exports.service';

const FILES: [type: string, schema: Schema][] = EXPORT_NAMES.map((name) => {
  const { mediaType, isZip } = exportOf(name);
  return [
    mediaType,
    { type: 'string', ...(isZip && { format: 'binary' }), description: 'The quiz as a file.' },
  ];
});

const JSON_FILE: Schema = {
  type: 'object',
  description: 'A whole quiz, as `POST /imports` takes it.',
  properties: {},
};

/** Quizzes as files (docs/import-export.md): an extension of the specification that follows its rules. */
@Endpoints('Files')
@Controller('quizzes')
export class ExportsController {
  constructor(private readonly exports: ExportsService) {}

  /**
   * Get a quiz as a file
   * @remarks A quiz with its questions, answers, and their sources and licences. Importing it creates an equal quiz.
   * The JSON has the form of a quiz with `questions` as a batch import takes them. For a quiz with many pictures choose
   * QTI, which has each of them once: JSON above 16 MiB cannot be imported.
   * @returns The file.
   */
  @PathId(...QUIZ_ID)
  @SendsFile({ ...Object.fromEntries(FILES), 'application/json': JSON_FILE })
  @ResponseHeader(
    'Content-Disposition',
    'A name for the file.',
    'attachment; filename="rivers-of-europe.csv"',
  )
  @Fails(QUIZ_NOT_FOUND)
  @NeedsKeyForFile()
  @Get(':id/export')
  exportQuiz(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() { format }: ExportQuery,
  ): Promise<StreamableFile> {
    return this.exports.file(caller.accountId, id, format);
  }
}
