import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller } from '../../access/api-keys/caller';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { NeedsPlan } from '../../access/api-keys/plan.guard';
import { OWNED_QUIZ } from '../../authoring/quizzes/quizzes.dto';
import { LIVE_QUIZ_NEEDS_PUBLISH } from '../../authoring/review/review.dto';
import { PageMeta } from '../../catalog/pages.dto';
import { Keyed, Repeatable } from '../../platform/idempotency/idempotency.interceptor';
import type { KeyedRequest } from '../../platform/idempotency/idempotency.rules';
import { LIMITS } from '../../platform/limits/limits';
import {
  AlsoSends,
  Endpoints,
  PathId,
  ResponseHeader,
  Sends,
  TakesFile,
} from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { header } from '../../platform/openapi/fields';
import { FORMAT_NAMES, formatOf } from '../formats/formats';
import { formatOfUpload, receiveQuestions } from './import-file';
import { ImportUndoService } from './import-undo.service';
import {
  columnsOf,
  CreateImportQuery,
  Deleted,
  EXAMPLE_IMPORT,
  IMPORT_ENDED,
  IMPORT_NOT_FOUND,
  IMPORT_UNDER_WAY,
  ImportDetail,
  ImportQuiz,
  ImportSummary,
  NO_IMPORT,
  optionsOf,
  PageQuery,
  ReportQuery,
  toImport,
  toSampleQuestion,
} from './imports.dto';
import { ImportsService } from './imports.service';

const IMPORT_ID = ['The id of the import.', EXAMPLE_IMPORT] as const;

const MOST_UNDONE = LIMITS.imports.undoneAtOnce.value;

const quizzesUrl = (id: string) => `/api/v1/imports/${id}/quizzes`;

/** Imports of question files (docs/import-export.md): an extension of the specification that follows its rules. */
@Endpoints('Files')
@Controller('imports')
export class ImportsController {
  constructor(
    private readonly imports: ImportsService,
    private readonly undoing: ImportUndoService,
  ) {}

  /**
   * Import a file of questions
   * @remarks The body is the file, for example `curl --data-binary @rivers.csv`. Files of JSON may also be sent as
   * `application/json`. It is read in the background: the response has the URL of the import. A file that cannot be
   * read completely imports nothing. Needs a Starter or Pro plan; the plan’s limits hold. With `published=true` the key
   * also needs the scope `publish`.
   * @returns The import, which has yet to be done.
   */
  // The interceptor's fingerprint does not include the file, so another one is made from its bytes.
  @TakesFile(...FORMAT_NAMES.flatMap((name) => formatOf(name).mediaTypes), 'text/plain')
  @Sends(ImportSummary)
  @ResponseHeader('Location', 'The URL of the import.', `/api/v1/imports/${EXAMPLE_IMPORT}`)
  @Fails(...OWNED_QUIZ, LIVE_QUIZ_NEEDS_PUBLISH, ...NO_IMPORT)
  @NeedsPlan()
  @Repeatable()
  @HttpCode(202)
  @Post()
  createImport(
    @CurrentCaller() caller: Caller,
    @Keyed() keyed: KeyedRequest | null,
    @Query() query: CreateImportQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { accountId, scopes } = caller;
    const options = { ...optionsOf(query, formatOfUpload(request)), scopes };
    const fileName = query.filename ?? 'upload';
    return receiveQuestions(request, response, this.imports.largestFile, (bytes) =>
      this.imports.openOnce(keyed, { accountId, fileName, bytes, options }, (view) => ({
        location: `/api/v1/imports/${view.id}`,
        body: { success: true, data: toImport(view) },
      })),
    );
  }

  /**
   * List your imports
   * @remarks Newest first, dry runs too.
   * @returns A page of imports.
   */
  @Sends([ImportSummary], PageMeta)
  @NeedsPlan()
  @Get()
  async listImports(@CurrentCaller() caller: Caller, @Query() { limit, offset }: PageQuery) {
    const { rows, total } = await this.imports.list(caller.accountId, { limit, offset });
    return { success: true, data: rows.map(toImport), meta: { total, limit, offset } };
  }

  /**
   * Get an import with its report
   * @remarks `limit`, `offset` and `kind` apply to the report; `meta.total` counts its matching entries.
   * @returns The import.
   */
  @PathId(...IMPORT_ID)
  @Sends(ImportDetail, PageMeta)
  @Fails(IMPORT_NOT_FOUND)
  @NeedsPlan()
  @Get(':id')
  async getImport(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @Query() { limit, offset, kind }: ReportQuery,
  ) {
    const page = { limit, offset, kind };
    const report = await this.imports.report(accountId, id, page);
    const { view, problem, sample, entries, groups, quizzes } = report;
    const data = {
      ...toImport(view),
      problem,
      columns: columnsOf(view),
      questions: sample.map(toSampleQuestion),
      groups,
      quizzes: quizzes.rows,
      report: entries.rows,
    };
    return { success: true, data, meta: { total: entries.total, limit, offset } };
  }

  /**
   * List the quizzes that an import has created
   * @remarks In the order of the file; with `quiz_id` the one quiz that it was appended to. A dry run has created none.
   * A quiz that was deleted since is still listed.
   * @returns A page of quizzes.
   */
  @PathId(...IMPORT_ID)
  @Sends([ImportQuiz], PageMeta)
  @Fails(IMPORT_NOT_FOUND)
  @NeedsPlan()
  @Get(':id/quizzes')
  async listImportQuizzes(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @Query() { limit, offset }: PageQuery,
  ) {
    const { rows, total } = await this.imports.quizzesOf(accountId, id, { limit, offset });
    return { success: true, data: rows, meta: { total, limit, offset } };
  }

  /**
   * Delete what an import has made
   * @remarks Deletes the quizzes that the import created, with all their questions, also those that you have changed or
   * added since. Of a quiz that it was appended to, only the questions that it added are deleted. A request deletes up
   * to 250 quizzes or questions: repeat it while the response is 202.
   * @returns What was deleted. Nothing that the import has made is left.
   */
  @PathId(...IMPORT_ID)
  @Sends(Deleted)
  @AlsoSends(202, 'What was deleted. More is left: repeat the request.', Deleted, {
    example: { quizzes: MOST_UNDONE, questions: 12500, more: true },
    headers: {
      Link: header('The URL of the next request, with `rel="next"`: the same.', {
        type: 'string',
        examples: [`<${quizzesUrl(EXAMPLE_IMPORT)}>; rel="next"`],
      }),
    },
  })
  @Fails(IMPORT_NOT_FOUND, IMPORT_UNDER_WAY, LIVE_QUIZ_NEEDS_PUBLISH)
  @NeedsPlan()
  @Delete(':id/quizzes')
  async undoImport(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ) {
    const data = await this.undoing.undo(caller, id);
    // Those who read only the status must not believe that it is done.
    if (data.more) response.status(202).setHeader('Link', `<${quizzesUrl(id)}>; rel="next"`);
    return { success: true, data };
  }

  /**
   * Cancel an import
   * @remarks Ends an import that is under way. Questions that it has imported stay. Of the archive of an account, quizzes
   * whose results are not stored stay drafts: undo the import, then import the archive again.
   * @returns The import.
   */
  @PathId(...IMPORT_ID)
  @Sends(ImportSummary)
  @Fails(IMPORT_NOT_FOUND, IMPORT_ENDED)
  @NeedsPlan()
  @HttpCode(200)
  @Post(':id/cancel')
  async cancelImport(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return { success: true, data: toImport(await this.imports.cancel(caller.accountId, id)) };
  }
}
