import { Get, Param, Post, Res, type StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { QuizEditingService } from '../../../authoring/quizzes/quiz-editing.service';
import { DiscoveryService } from '../../../catalog/discovery/discovery.service';
import { OwnedQuizzesService, QUIZ_STATES } from '../../../catalog/quizzes/owned-quizzes.service';
import { exportFile } from '../../../import-export/export-file';
import { ExportService } from '../../../import-export/export.service';
import { WRITABLE_FORMATS } from '../../../import-export/formats/formats';
import { NotFound } from '../../../platform/errors/domain-errors';
import { pageOf } from '../../components/pager';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { SignedInPages, QueryText } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { QUESTIONS_PER_PAGE } from './question-list';
import { filledForm, readQuiz } from './quiz-fields';
import { EditQuizPage, NewQuizPage } from './quiz-form.page';
import { QuizPage } from './quiz.page';
import { QuizzesPage } from './quizzes.page';

const PER_PAGE = 25;

@SignedInPages('quizzes')
export class QuizzesController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly owned: OwnedQuizzesService,
    private readonly editing: QuizEditingService,
    private readonly discovery: DiscoveryService,
    private readonly exports: ExportService,
  ) {}

  @Get()
  async list(
    @CurrentViewer() viewer: Viewer,
    @QueryText('state') given: string,
    @QueryText('page') number: string,
  ): Promise<PageResult> {
    const state = QUIZ_STATES.find((it) => it === given) ?? null;
    const page = pageOf(number, PER_PAGE);
    const [quizzes, counts] = await Promise.all([
      this.owned.list(viewer.accountId, state, page),
      this.owned.countByState(viewer.accountId),
    ]);
    const mayCreate = this.accounts.quizLimitOf(viewer) !== 0;
    return <QuizzesPage {...{ quizzes, counts, state, page, mayCreate }} />;
  }

  @Get('new')
  async blank(): Promise<PageResult> {
    return <NewQuizPage form={new Form()} categories={await this.categories()} />;
  }

  @Post()
  async create(
    @CurrentViewer() { accountId }: Viewer,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const created = await attempt(form, async () => this.editing.create(accountId, readQuiz(form)));
    if (created instanceof Form)
      return invalid(created, <NewQuizPage form={created} categories={await this.categories()} />);
    return redirect(
      `/dashboard/quizzes/${created.id}`,
      `“${created.title}” is created as a draft. Add its questions, then publish it.`,
    );
  }

  @Get(':id')
  async show(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @QueryText('page') number: string,
  ): Promise<PageResult> {
    const page = pageOf(number, QUESTIONS_PER_PAGE);
    return <QuizPage quiz={await this.owned.getDetail(accountId, id, page)} page={page} />;
  }

  @Get(':id/edit')
  async edit(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<PageResult> {
    const quiz = await this.owned.get(accountId, id);
    return (
      <EditQuizPage quiz={quiz} form={filledForm(quiz)} categories={await this.categories()} />
    );
  }

  @Post(':id/edit')
  async save(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const saved = await attempt(form, async () =>
      this.editing.edit(accountId, id, form.text('version'), readQuiz(form)),
    );
    if (saved instanceof Form)
      return invalid(
        saved,
        <EditQuizPage
          quiz={await this.owned.get(accountId, id)}
          form={saved}
          categories={await this.categories()}
        />,
      );
    return redirect(`/dashboard/quizzes/${id}`, 'The changes are saved.');
  }

  @Post(':id/publish')
  async publish(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
  ): Promise<PageResult> {
    const { title, state } = await this.editing.publish(accountId, id);
    return redirect(
      `/dashboard/quizzes/${id}`,
      state === 'live'
        ? `“${title}” is live: everybody can read and play it.`
        : `“${title}” is published. Everybody sees it when an administrator has approved it.`,
    );
  }

  @Post(':id/unpublish')
  async unpublish(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
  ): Promise<PageResult> {
    const { title } = await this.editing.unpublish(accountId, id);
    return redirect(`/dashboard/quizzes/${id}`, `“${title}” is hidden: only you see it now.`);
  }

  @Post(':id/resubmit')
  async resubmit(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
  ): Promise<PageResult> {
    const { title } = await this.editing.resubmit(accountId, id);
    return redirect(`/dashboard/quizzes/${id}`, `“${title}” waits for review again.`);
  }

  @Post(':id/delete')
  async remove(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
  ): Promise<PageResult> {
    const { title } = await this.editing.delete(accountId, id);
    return redirect('/dashboard/quizzes', `“${title}” is deleted.`);
  }

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

  private async categories(): Promise<string[]> {
    const topics = await this.discovery.topics();
    return topics.flatMap((topic) => topic.categories.map(({ name }) => name));
  }
}
