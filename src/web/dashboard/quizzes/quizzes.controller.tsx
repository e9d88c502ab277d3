import { Get, Post, Res, type StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { QuizAuthoringService } from '../../../authoring/quizzes/quiz-authoring.service';
import { DiscoveryService } from '../../../catalog/discovery/discovery.service';
import { OwnedQuizzesService, QUIZ_STATES } from '../../../catalog/quizzes/owned-quizzes.service';
import { exportFile, ExportService } from '../../../import-export/export.service';
import { WRITABLE_FORMATS } from '../../../import-export/formats/formats';
import { NotFound } from '../../../platform/errors/domain-errors';
import { pageOf } from '../../components/table';
import { Asked, OnRefusal, SignedInPages, type PageRequest } from '../../http/page-controller';
import { redirect, type PageResult } from '../../http/page-results';
import { QuizFormPage, readQuiz } from './quiz-form.page';
import { QUESTIONS_PER_PAGE, QuizPage } from './quiz.page';
import { QuizzesPage } from './quizzes.page';

const AT = '/dashboard/quizzes';
const PER_PAGE = 25;

@SignedInPages('quizzes')
export class QuizzesController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly owned: OwnedQuizzesService,
    private readonly editing: QuizAuthoringService,
    private readonly discovery: DiscoveryService,
    private readonly exports: ExportService,
  ) {}

  @Get()
  async list(@Asked() { viewer, query }: PageRequest): Promise<PageResult> {
    const state = QUIZ_STATES.find((it) => it === query('state')) ?? null;
    const page = pageOf(query('page'), PER_PAGE);
    const [quizzes, counts] = await Promise.all([
      this.owned.list(viewer.accountId, state, page),
      this.owned.countByState(viewer.accountId),
    ]);
    const mayCreate = this.accounts.quizLimitOf(viewer) !== 0;
    return <QuizzesPage {...{ quizzes, counts, state, page, mayCreate }} />;
  }

  @Get('new')
  async blank(@Asked() { form }: PageRequest): Promise<PageResult> {
    return <QuizFormPage quiz={null} form={form} categories={await this.categories()} />;
  }

  @Post()
  @OnRefusal('blank')
  async create(@Asked() { accountId, form }: PageRequest): Promise<PageResult> {
    const { id, title } = await this.editing.create(accountId, readQuiz(form));
    return redirect(
      `${AT}/${id}`,
      `“${title}” is created as a draft. Add its questions, then publish it.`,
    );
  }

  @Get(':id')
  async show(@Asked() { accountId, id, query }: PageRequest): Promise<PageResult> {
    const page = pageOf(query('page'), QUESTIONS_PER_PAGE);
    return <QuizPage quiz={await this.owned.getDetail(accountId, id, page)} page={page} />;
  }

  @Get(':id/edit')
  async edit(@Asked() { accountId, id, form }: PageRequest): Promise<PageResult> {
    const quiz = await this.owned.get(accountId, id);
    return <QuizFormPage quiz={quiz} form={form} categories={await this.categories()} />;
  }

  @Post(':id/edit')
  @OnRefusal('edit')
  async save(@Asked() { accountId, id, form }: PageRequest): Promise<PageResult> {
    await this.editing.edit(accountId, id, form.text('version'), readQuiz(form));
    return redirect(`${AT}/${id}`, 'The changes are saved.');
  }

  @Post(':id/publish')
  async publish(@Asked() { accountId, id }: PageRequest): Promise<PageResult> {
    const { title, state } = await this.editing.publish(accountId, id);
    return redirect(
      `${AT}/${id}`,
      state === 'live'
        ? `“${title}” is live: everybody can read and play it.`
        : `“${title}” is published. Everybody sees it when an administrator has approved it.`,
    );
  }

  @Post(':id/unpublish')
  async unpublish(@Asked() { accountId, id }: PageRequest): Promise<PageResult> {
    const { title } = await this.editing.unpublish(accountId, id);
    return redirect(`${AT}/${id}`, `“${title}” is hidden: only you see it now.`);
  }

  @Post(':id/resubmit')
  async resubmit(@Asked() { accountId, id }: PageRequest): Promise<PageResult> {
    const { title } = await this.editing.resubmit(accountId, id);
    return redirect(`${AT}/${id}`, `“${title}” waits for review again.`);
  }

  @Post(':id/delete')
  async remove(@Asked() { accountId, id }: PageRequest): Promise<PageResult> {
    const { title } = await this.editing.delete(accountId, id);
    return redirect(AT, `“${title}” is deleted.`);
  }

  @Get(':id/export')
  async export(
    @Asked() { accountId, id, query }: PageRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const format = WRITABLE_FORMATS.find((it) => it === (query('format') || 'json'));
    if (!format) throw new NotFound('Format');
    await this.owned.get(accountId, id);
    return exportFile(await this.exports.visible(accountId, id), format, response);
  }

  private async categories(): Promise<string[]> {
    const topics = await this.discovery.topics();
    return topics.flatMap((topic) => topic.categories.map(({ name }) => name));
  }
}
