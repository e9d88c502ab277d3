import { Get, Post } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import {
  OwnedQuizzesService,
  type OwnedQuiz,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { REPORT_KINDS } from '../../../import-export/imports/import';
import { CreateImportQuery, optionsOf } from '../../../import-export/imports/imports.query';
import { ImportsService } from '../../../import-export/imports/imports.service';
import { NotFound, PlanRequired } from '../../../platform/errors/domain-errors';
import { readBody } from '../../../platform/http/request/validation.pipe';
import { pageOf } from '../../components/table';
import { attempt, fieldError, Form } from '../../http/form';
import type { Viewer } from '../../http/page-context';
import { Asked, OnRefusal, SignedInPages, type PageRequest } from '../../http/page-controller';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { ImportPage } from './import.page';
import { ImportQuizzesPage } from './import-tables';
import { ImportsPage, NewImportPage } from './imports.page';
import { receiveUpload } from './upload';

const AT = '/dashboard/imports';
const PER_PAGE = 25;
/** Of entries, or of the quizzes that were made. */
const ROWS_PER_PAGE = 50;

/** Files of questions: a preview of every row first, then the import. */
@SignedInPages('imports')
export class ImportsPagesController {
  constructor(
    private readonly imports: ImportsService,
    private readonly accounts: AccountsService,
    private readonly owned: OwnedQuizzesService,
  ) {}

  @Get()
  async list(@Asked() { viewer, query }: PageRequest): Promise<PageResult> {
    const page = pageOf(query('page'), PER_PAGE);
    const found = await this.imports.list(viewer.accountId, page);
    return <ImportsPage found={found} page={page} mayImport={this.mayImport(viewer)} />;
  }

  @Get('new')
  blank(@Asked() asked: PageRequest): Promise<PageResult> {
    return this.form(asked, new Form());
  }

  /** `quiz` is in the address and not in the form: it is known before the file comes. */
  @Post()
  async upload(@Asked() asked: PageRequest): Promise<PageResult> {
    const { viewer, accountId, query, request } = asked;
    const quiz = query('quiz') ? await this.owned.get(accountId, query('quiz')) : null;
    const read = await receiveUpload(request, ({ form, fileName, bytes }) =>
      attempt(
        form,
        async () => {
          this.requirePlan(viewer);
          if (!fileName) throw fieldError('file', 'Choose a file', 'required');
          const options = optionsOf(
            readBody(CreateImportQuery, {
              dry_run: 'true',
              quiz_id: quiz?.id,
              format: form.text('format') || undefined,
              difficulty: form.text('difficulty') || undefined,
              source: form.text('source'),
              licence: form.text('licence'),
            }),
          );
          return this.imports.preview({ accountId, fileName, bytes, options });
        },
        'file',
      ),
    );
    if (read instanceof Form) return invalid(read, await this.form(asked, read));
    return redirect(`${AT}/${read.id}`);
  }

  @Get(':id')
  async show(@Asked() { accountId, id, query, form }: PageRequest): Promise<PageResult> {
    const kind = REPORT_KINDS.find((it) => it === query('kind'));
    const page = pageOf(query('page'), ROWS_PER_PAGE);
    const report = await this.imports.report(accountId, id, { ...page, kind });
    const { quizId } = report.view;
    const quiz = quizId === null ? null : await this.quizThatIsLeft(accountId, quizId);
    return <ImportPage {...{ report, quiz, kind: kind ?? null, page, form }} />;
  }

  @Get(':id/quizzes')
  async quizzes(@Asked() { accountId, id, query }: PageRequest): Promise<PageResult> {
    const view = await this.imports.get(accountId, id);
    const page = pageOf(query('page'), ROWS_PER_PAGE);
    const made = await this.imports.quizzesOf(accountId, id, page);
    return <ImportQuizzesPage view={view} made={made} page={page} />;
  }

  @Post(':id/start')
  @OnRefusal('show')
  async start(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    this.requirePlan(viewer);
    await this.imports.start(viewer.accountId, id, form.text('published') === 'yes');
    return redirect(`${AT}/${id}`);
  }

  @Post(':id/cancel')
  @OnRefusal('show')
  async cancel(@Asked() { accountId, id }: PageRequest): Promise<PageResult> {
    await this.imports.cancel(accountId, id);
    return redirect(`${AT}/${id}`, 'The import is cancelled. What was written until then stays.');
  }

  private mayImport(viewer: Viewer): boolean {
    return this.accounts.quizLimitOf(viewer) !== 0;
  }

  private requirePlan(viewer: Viewer): void {
    if (!this.mayImport(viewer))
      throw new PlanRequired('A Starter or Pro plan is needed to import questions.');
  }

  private async form({ viewer, accountId, query }: PageRequest, form: Form) {
    const quiz = query('quiz') ? await this.owned.get(accountId, query('quiz')) : null;
    return (
      <NewImportPage
        quiz={quiz}
        form={form}
        mayImport={this.mayImport(viewer)}
        largest={this.imports.largestFile}
      />
    );
  }

  /** null: it was deleted meanwhile. */
  private async quizThatIsLeft(accountId: string, quizId: string): Promise<OwnedQuiz | null> {
    try {
      return await this.owned.get(accountId, quizId);
    } catch (error) {
      if (error instanceof NotFound) return null;
      throw error;
    }
  }
}
