import { Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { NeedsPlan } from '../../access/api-keys/api-key.guard';
import { CurrentCaller, type Caller } from '../../access/api-keys/caller';
import { OWNED_QUIZ } from '../../authoring/authoring.resources';
import { PageMeta } from '../../catalog/resources';
import { Keyed } from '../../platform/idempotency/idempotency.interceptor';
import type { KeyedRequest } from '../../platform/idempotency/idempotency.service';
import { Repeatable } from '../../platform/idempotency/repeatable';
import {
  Endpoint,
  PathId,
  ResponseHeader,
  Sends,
  TakesFile,
} from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { FORMAT_NAMES, formatOf } from '../formats/formats';
import type { ImportGroup, ImportQuiz, ImportView, ReportEntry } from './import';
import {
  EXAMPLE_IMPORT,
  Import,
  IMPORT_ENDED,
  IMPORT_ID,
  IMPORT_NOT_FOUND,
  ImportDetail,
  ImportQuiz as ImportQuizResource,
  NO_IMPORT,
} from './import.resources';
import { CreateImportQuery, PageQuery, ReportQuery } from './imports.query';
import { ImportsService } from './imports.service';
import { RepeatableImportsService } from './repeatable-imports.service';
import { formatOfUpload, receive } from './upload';

/** Imports of question files (docs/import-export.md): an extension of the specification, under its rules. */
@Controller('imports')
export class ImportsController {
  constructor(
    private readonly imports: ImportsService,
    private readonly repeatable: RepeatableImportsService,
  ) {}

  /** What the interceptor takes for the request's mark knows nothing of the file, so another is made of that. */
  @Endpoint(
    'Files',
    'createImport',
    'Import a file of questions',
    'The body is the file, for example `curl --data-binary @rivers.csv`. It is read in the background: the response says where to look. A file that cannot be read to its end imports nothing. Needs a Starter or Pro plan; the plan’s limits hold.',
  )
  @TakesFile(
    ...FORMAT_NAMES.flatMap((name) => formatOf(name).mediaTypes),
    'text/plain',
    'application/octet-stream',
  )
  @Sends('The import, which has yet to be done.', Import)
  @ResponseHeader('Location', 'The address of the import.', `/api/v1/imports/${EXAMPLE_IMPORT}`)
  @Fails(...OWNED_QUIZ, ...NO_IMPORT)
  @NeedsPlan()
  @Repeatable()
  @HttpCode(202)
  @Post()
  create(
    @CurrentCaller() { accountId }: Caller,
    @Keyed() keyed: KeyedRequest | null,
    @Query() query: CreateImportQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { quiz_id: quizId, difficulty, source, licence } = query;
    const format = query.format ?? formatOfUpload(request);
    const options = {
      dryRun: query.dry_run === 'true',
      published: query.published === 'true',
      difficulty,
      ...(format && { format }),
      ...(quizId !== undefined && { quizId }),
      ...(source && { source }),
      ...(licence && { licence }),
    };
    const fileName = query.filename ?? 'upload';
    return receive(request, response, this.imports.largestFile, (bytes) =>
      this.repeatable.open(keyed, { accountId, fileName, bytes, options }, (view) => ({
        location: `/api/v1/imports/${view.id}`,
        body: { success: true, data: toImport(view) },
      })),
    );
  }

  @Endpoint('Files', 'listImports', 'List your imports', 'Newest first, dry runs too.')
  @Sends(
    'A page of imports.',
    { listOf: Import, description: 'The imports of this page.' },
    PageMeta,
  )
  @NeedsPlan()
  @Get()
  async list(@CurrentCaller() caller: Caller, @Query() { limit, offset }: PageQuery) {
    const { imports, total } = await this.imports.list(caller.accountId, { limit, offset });
    return { success: true, data: imports.map(toImport), meta: { total, limit, offset } };
  }

  /** `limit`, `offset` and `kind` are of its report. */
  @Endpoint(
    'Files',
    'getImport',
    'Get an import with its report',
    '`limit`, `offset` and `kind` are of the report, and `meta.total` counts what they page through.',
  )
  @PathId(...IMPORT_ID)
  @Sends('The import.', ImportDetail, PageMeta)
  @Fails(IMPORT_NOT_FOUND)
  @NeedsPlan()
  @Get(':id')
  async get(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @Query() { limit, offset, kind }: ReportQuery,
  ) {
    const view = await this.imports.get(accountId, id);
    const { entries, total } = await this.imports.entries(accountId, id, { limit, offset, kind });
    const { groups } = await this.imports.groups(accountId, id, FIRST);
    const { quizzes } = await this.imports.quizzesOf(accountId, id, FIRST);
    const data = {
      ...toImport(view),
      groups: groups.map(toGroup),
      quizzes: quizzes.map(toImportQuiz),
      report: entries.map(toReportEntry),
    };
    return { success: true, data, meta: { total, limit, offset } };
  }

  @Endpoint(
    'Files',
    'listImportQuizzes',
    'List the quizzes that an import has made',
    'In the order of the file; with `quiz_id` the one quiz that it was appended to. A dry run has made none. A quiz that was deleted since is still named.',
  )
  @PathId(...IMPORT_ID)
  @Sends(
    'A page of quizzes.',
    { listOf: ImportQuizResource, description: 'The quizzes of this page.' },
    PageMeta,
  )
  @Fails(IMPORT_NOT_FOUND)
  @NeedsPlan()
  @Get(':id/quizzes')
  async quizzes(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @Query() { limit, offset }: PageQuery,
  ) {
    const { quizzes, total } = await this.imports.quizzesOf(accountId, id, { limit, offset });
    return { success: true, data: quizzes.map(toImportQuiz), meta: { total, limit, offset } };
  }

  /** It needs no body, and reads none. */
  @Endpoint(
    'Files',
    'cancelImport',
    'Cancel an import',
    'Ends an import that is under way. Questions that it has imported stay.',
  )
  @PathId(...IMPORT_ID)
  @Sends('The import.', Import)
  @Fails(IMPORT_NOT_FOUND, IMPORT_ENDED)
  @NeedsPlan()
  @HttpCode(200)
  @Post(':id/cancel')
  async cancel(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return { success: true, data: toImport(await this.imports.cancel(caller.accountId, id)) };
  }
}

/** What an import's own answer shows; the rest has pages of its own. */
const FIRST = { limit: 50, offset: 0 };

const toImport = (view: ImportView) => ({
  id: view.id,
  state: view.state,
  dryRun: view.dryRun,
  filename: view.fileName,
  format: view.format,
  size: view.size,
  quizId: view.quizId,
  difficulty: view.options.difficulty,
  published: view.options.published,
  source: view.options.source ?? null,
  licence: view.options.licence ?? null,
  /** Percent. */
  progress: Math.floor(view.progress * 100),
  totals: {
    rows: view.rows,
    importable: view.importable,
    imported: view.imported,
    quizzes: view.quizzes,
    duplicates: view.duplicates,
    similar: view.similar,
    errors: view.errors,
    notes: view.notes,
  },
  error: view.error,
  createdAt: view.createdAt.toISOString(),
  startedAt: view.startedAt?.toISOString() ?? null,
  finishedAt: view.finishedAt?.toISOString() ?? null,
});

const toGroup = ({ title, category, rows, imported }: ImportGroup) => ({
  title,
  category,
  rows,
  imported,
});

const toImportQuiz = ({ id, title, slug, questions, deleted }: ImportQuiz) => ({
  id,
  title,
  slug,
  questions,
  deleted,
});

const toReportEntry = ({ kind, file, line, path, message }: ReportEntry) => ({
  kind,
  file,
  line,
  path,
  message,
});
