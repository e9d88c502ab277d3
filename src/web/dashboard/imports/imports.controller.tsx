import { Get, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { AccountsService } from '../../../access/accounts/accounts.service';
import {
  OwnedQuizzesService,
  type OwnedQuiz,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { REPORT_KINDS } from '../../../import-export/imports/import';
import { CreateImportQuery, optionsOf } from '../../../import-export/imports/imports.query';
import { ImportsService } from '../../../import-export/imports/imports.service';
import { Invalid, NotFound, PlanRequired } from '../../../platform/errors/domain-errors';
import { readBody } from '../../../platform/http/request/validation.pipe';
import { pageOf } from '../../components/table';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { CurrentViewer, QueryText, SignedInPages } from '../../http/page-controller';
import type { Viewer } from '../../http/page-context';
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
  async list(
    @CurrentViewer() viewer: Viewer,
    @QueryText('page') number: string,
  ): Promise<PageResult> {
    const page = pageOf(number, PER_PAGE);
    const found = await this.imports.list(viewer.accountId, page);
    return <ImportsPage found={found} page={page} mayImport={this.mayImport(viewer)} />;
  }

  @Get('new')
  async blank(
    @CurrentViewer() viewer: Viewer,
    @QueryText('quiz') quizId: string,
  ): Promise<PageResult> {
    return this.form(viewer, quizId, new Form());
  }

  /** `quiz` is in the address and not in the form: it is known before the file comes. */
  @Post()
  async upload(
    @CurrentViewer() viewer: Viewer,
    @QueryText('quiz') quizId: string,
    @Req() request: Request,
  ): Promise<PageResult> {
    const quiz = quizId ? await this.owned.get(viewer.accountId, quizId) : null;
    const read = await receiveUpload(request, ({ form, fileName, bytes }) =>
      attempt(
        form,
        async () => {
          this.requirePlan(viewer);
          if (!fileName)
            throw new Invalid('The form', [
              { path: 'file', message: 'Choose a file', code: 'required' },
            ]);
          const query = readBody(CreateImportQuery, {
            dry_run: 'true',
            quiz_id: quiz?.id,
            format: form.text('format') || undefined,
            difficulty: form.text('difficulty') || undefined,
            source: form.text('source'),
            licence: form.text('licence'),
          });
          const options = optionsOf(query);
          return this.imports.preview({ accountId: viewer.accountId, fileName, bytes, options });
        },
        'file',
      ),
    );
    if (read instanceof Form) return invalid(read, await this.form(viewer, quizId, read));
    return redirect(`${AT}/${read.id}`);
  }

  @Get(':id')
  async show(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @QueryText('page') number: string,
    @QueryText('kind') kind: string,
  ): Promise<PageResult> {
    return this.page(viewer, id, new Form(), { number, kind });
  }

  @Get(':id/quizzes')
  async quizzes(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @QueryText('page') number: string,
  ): Promise<PageResult> {
    const view = await this.imports.get(accountId, id);
    const page = pageOf(number, ROWS_PER_PAGE);
    const made = await this.imports.quizzesOf(accountId, id, page);
    return <ImportQuizzesPage view={view} made={made} page={page} />;
  }

  @Post(':id/start')
  async start(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const started = await attempt(form, async () => {
      this.requirePlan(viewer);
      await this.imports.start(viewer.accountId, id, form.text('published') === 'yes');
    });
    if (started instanceof Form) return invalid(started, await this.page(viewer, id, started));
    return redirect(`${AT}/${id}`);
  }

  @Post(':id/cancel')
  async cancel(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const cancelled = await attempt(form, () => this.imports.cancel(viewer.accountId, id));
    if (cancelled instanceof Form)
      return invalid(cancelled, await this.page(viewer, id, cancelled));
    return redirect(`${AT}/${id}`, 'The import is cancelled. What was written until then stays.');
  }

  private mayImport(viewer: Viewer): boolean {
    return this.accounts.quizLimitOf(viewer) !== 0;
  }

  private requirePlan(viewer: Viewer): void {
    if (!this.mayImport(viewer))
      throw new PlanRequired('A Starter or Pro plan is needed to import questions.');
  }

  private async form(viewer: Viewer, quizId: string, form: Form) {
    const quiz = quizId ? await this.owned.get(viewer.accountId, quizId) : null;
    const [mayImport, largest] = [this.mayImport(viewer), this.imports.largestFile];
    return <NewImportPage {...{ quiz, form, mayImport, largest }} />;
  }

  private async page(
    { accountId }: Viewer,
    id: string,
    form: Form,
    shown: { number: string; kind: string } = { number: '', kind: '' },
  ) {
    const kind = REPORT_KINDS.find((it) => it === shown.kind);
    const page = pageOf(shown.number, ROWS_PER_PAGE);
    const report = await this.imports.report(accountId, id, { ...page, kind });
    const { quizId } = report.view;
    const quiz = quizId === null ? null : await this.quizThatIsLeft(accountId, quizId);
    return <ImportPage {...{ report, quiz, kind: kind ?? null, page, form }} />;
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
