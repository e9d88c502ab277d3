import { Get, Post, type StreamableFile } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { QuizAuthoringService } from '../../../authoring/quizzes/quiz-authoring.service';
import { BULK_ACTIONS, QuizBulkService } from '../../../authoring/quizzes/quiz-bulk.service';
import { QuizCopyingService } from '../../../authoring/quizzes/quiz-copying.service';
import { QuizEditorService } from '../../../authoring/quizzes/quiz-editor.service';
import { CopyQuizRequest } from '../../../authoring/quizzes/quizzes.dto';
import { DiscoveryService } from '../../../catalog/discovery/discovery.service';
import {
  type OwnedQuiz,
  OwnedQuizzesService,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { QuizzesService } from '../../../catalog/quizzes/quizzes.service';
import { RenderingService } from '../../../catalog/rendering/rendering.service';
import { ExportsService } from '../../../import-export/exports/exports.service';
import { EXPORT_NAMES } from '../../../import-export/formats/formats';
import { Config } from '../../../platform/config/config';
import { GoneMeanwhile, NotFound, nullIfNotFound } from '../../../platform/errors/domain-errors';
import { LIMITS } from '../../../platform/limits/limits';
import { QuizLinksService } from '../../../play/links/quiz-links.service';
import { keyChangeOf } from '../../../play/regrade/key-change.rules';
import { RegradeService } from '../../../play/regrade/regrade.service';
import { ResultsService } from '../../../play/results/results.service';
import { TextsOfPage } from '../../components/author-text';
import { TextInput } from '../../components/fields';
import { FormPage, Page } from '../../components/page';
import { pageOf } from '../../components/table';
import { attempt, Form, readForm, reworded } from '../../http/form';
import { Asked, OnRefusal, PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect, redirectRefused } from '../../http/page-results';
import { restructured } from './question-form';
import { addFromHref, QUESTIONS_PER_PAGE, QuizPage } from './quiz.page';
import { readQuiz } from './quiz-form';
import { QuizFormPage } from './quiz-form.page';
import { filterOf, listHref, QuizListPage } from './quiz-list.page';
import { afterBulk, backToQuizzes, NoRoom, regradeHref } from './quiz-parts';

const AT = '/dashboard/quizzes';
const PER_PAGE = 25;

@SignedInPages('quizzes')
export class QuizPagesController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly owned: OwnedQuizzesService,
    private readonly editing: QuizAuthoringService,
    private readonly editor: QuizEditorService,
    private readonly copying: QuizCopyingService,
    private readonly quizzes: QuizzesService,
    private readonly discovery: DiscoveryService,
    private readonly exports: ExportsService,
    private readonly bulkService: QuizBulkService,
    private readonly config: Config,
    private readonly regrades: RegradeService,
    private readonly results: ResultsService,
    private readonly links: QuizLinksService,
    private readonly rendering: RenderingService,
  ) {}

  @Get()
  async list(@Asked() { viewer, query }: PageRequest): Promise<PageResult> {
    const filter = filterOf(query);
    const page = pageOf(query('page'), PER_PAGE);
    const { accountId } = viewer;
    const [quizzes, total, states, categories, suggested] = await Promise.all([
      this.owned.list(accountId, filter, page),
      this.owned.count(accountId, filter),
      this.owned.countByState(accountId),
      this.owned.countByCategory(accountId),
      this.categories(),
    ]);
    const figures = await this.results.figures(quizzes.map(({ id }) => id));
    const limit = this.accounts.quizLimitOf(viewer);
    const offer = this.accounts.writingPlans();
    return (
      <QuizListPage
        {...{ quizzes, total, filter, page, states, categories, suggested, limit, offer, figures }}
        canShare={this.config.unlistedLinks}
      />
    );
  }

  /** What is done with the quizzes that are ticked in the list. */
  @Post('bulk')
  async bulk(@Asked() { viewer, form, query, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    const { accountId } = viewer;
    const back = listHref(filterOf(query));
    const ids = form.all('quiz').slice(0, PER_PAGE);
    if (ids.length === 0) return redirectRefused(back, t('quizzes.selectFirst'));
    if (form.text('act') === 'export') {
      await Promise.all(ids.map((id) => this.owned.get(accountId, id)));
      return this.exports.files(accountId, 'quizzes.json', ids);
    }
    const act = BULK_ACTIONS.find((it) => it === form.text('act'));
    if (!act) throw new NotFound('Action');
    const result = await attempt(form, () =>
      this.bulkService.act(viewer, ids, act, form.text('category')),
    );
    if (result instanceof Form)
      return redirectRefused(back, result.errorsOf('category', messages).join(' '));
    return afterBulk(back, act, result.done, result.refused, messages);
  }

  @Get('new')
  async blank(@Asked() { viewer, form, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    const limit = this.accounts.quizLimitOf(viewer);
    const owned = await this.owned.count(viewer.accountId, {});
    // Before anything is typed; a form that is refused later keeps what was typed.
    if (limit !== null && owned >= limit && form.isBlank)
      return (
        <Page title={t('quizzes.new')} back={backToQuizzes(messages)}>
          <NoRoom limit={limit} offer={this.accounts.writingPlans()} />
        </Page>
      );
    return <QuizFormPage quiz={null} form={form} {...await this.suggestions(viewer.accountId)} />;
  }

  @Post()
  @OnRefusal('blank')
  async create(@Asked() asked: PageRequest): Promise<PageResult> {
    const { t } = asked.messages;
    const { viewer, form } = asked;
    const changed = restructured(form);
    if (changed) return this.blank(new PageRequest(asked.request, changed));
    const { whole, reword } = await readQuiz(form);
    const quiz = await reworded(this.editor.create(viewer, whole), reword);
    if (form.text('then') === 'find') return redirect(addFromHref(quiz.id));
    return redirect(
      `${AT}/${quiz.id}`,
      quiz.published ? this.published(quiz, asked) : t('quiz.created', { title: quiz.title }),
    );
  }

  @Get(':id')
  async show(@Asked() { accountId, id, query, form }: PageRequest): Promise<PageResult> {
    const page = pageOf(query('page'), QUESTIONS_PER_PAGE);
    const quiz = await this.owned.getDetail(accountId, id, page);
    const [keyWarnings, figures, openLinks] = await Promise.all([
      this.results.keyWarnings(quiz.id),
      this.results.figures([quiz.id]),
      this.links.findOpen(accountId, quiz.id),
    ]);
    const canShare = this.config.unlistedLinks;
    const results = { keyWarnings, openLinks, canShare, ...figures.get(quiz.id) };
    const texts = await this.rendering.forPage(quiz.questions);
    return (
      <TextsOfPage.Provider value={texts}>
        <QuizPage {...{ quiz, page, form, results }} open={query('menu')} />
      </TextsOfPage.Provider>
    );
  }

  @Get(':id/edit')
  async edit(@Asked() { accountId, id, form }: PageRequest): Promise<PageResult> {
    const quiz = await this.owned.getDetail(accountId, id);
    return <QuizFormPage quiz={quiz} form={form} {...await this.suggestions(accountId)} />;
  }

  @Post(':id/edit')
  @OnRefusal('edit')
  async save(@Asked() asked: PageRequest): Promise<PageResult> {
    const { t } = asked.messages;
    const { viewer, accountId, id, form } = asked;
    const before = await this.owned.getDetail(accountId, id).catch(nullIfNotFound);
    if (!before) return this.blank(asked.refused(form.refusedBy(new GoneMeanwhile('Quiz'))));
    const changed = restructured(form);
    if (changed) return this.edit(new PageRequest(asked.request, changed));
    const { whole, replaced, reword } = await readQuiz(form);
    const saving = this.editor.save(viewer, id, form.text('version'), whole, replaced);
    const quiz = await reworded(saving, reword);
    const change = keyChangeOf(before, await this.owned.getDetail(accountId, id));
    const earlier = await this.regrades.countEarlier(accountId, id, change);
    if (!earlier && form.text('then') === 'find') return redirect(addFromHref(id));
    return redirect(
      earlier ? regradeHref(id) : `${AT}/${id}`,
      whole.published ? this.published(quiz, asked) : t('quiz.saved'),
    );
  }

  /** Before a copy of a public quiz is made. */
  @Get(':id/copy')
  async askCopy(@Asked() { accountId, id, form, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    const quiz = await this.quizzes.get(accountId, id);
    return (
      <FormPage
        title={t('quiz.copyTitle')}
        help={t('quiz.copyHelp', { title: quiz.title, count: quiz.question_count })}
        back={backToQuizzes(messages)}
        form={form}
        action={`${AT}/${quiz.id}/copy`}
        button={t('do.duplicate')}
      >
        <TextInput
          name="title"
          label={t('field.title')}
          initial={this.copying.titleOf(quiz)}
          maxLength={LIMITS.content.quizTitle.value}
        />
      </FormPage>
    );
  }

  @Post(':id/copy')
  @OnRefusal('askCopy')
  async copy(@Asked() { accountId, id, form, messages: { t } }: PageRequest): Promise<PageResult> {
    const { title } = readForm(CopyQuizRequest, form.texts('title'), (issue) => issue);
    const quiz = await this.copying.copy(accountId, id, title);
    return redirect(`${AT}/${quiz.id}`, t('quiz.copied', { title: quiz.title }));
  }

  @Post(':id/publish')
  @OnRefusal('show')
  async publish(@Asked() asked: PageRequest): Promise<PageResult> {
    const { viewer, id } = asked;
    const quiz = await this.editing.publish(viewer, id);
    return redirect(`${AT}/${id}`, this.published(quiz, asked));
  }

  @Post(':id/unpublish')
  async unpublish(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    const { title } = await this.editing.unpublish(viewer, id);
    return redirect(`${AT}/${id}`, t('quiz.unpublished', { title }));
  }

  @Post(':id/resubmit')
  @OnRefusal('show')
  async resubmit(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    const { title } = await this.editing.resubmit(viewer, id);
    return redirect(`${AT}/${id}`, t('quiz.resubmitted', { title }));
  }

  @Post(':id/delete')
  async remove(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    const { title } = await this.editing.delete(viewer, id);
    return redirect(AT, t('quiz.deleted', { title }));
  }

  @Get(':id/export')
  async export(@Asked() { accountId, id, query }: PageRequest): Promise<StreamableFile> {
    const format = EXPORT_NAMES.find((it) => it === (query('format') || 'json'));
    if (!format) throw new NotFound('Format');
    await this.owned.get(accountId, id);
    return this.exports.file(accountId, id, format);
  }

  private published({ title, state }: OwnedQuiz, { messages }: PageRequest): string {
    const shared = this.config.unlistedLinks ? 'quiz.isPendingShare' : 'quiz.isPending';
    return messages.t(state === 'live' ? 'quiz.isLive' : shared, { title });
  }

  /** What the editor offers. */
  private async suggestions(accountId: string) {
    const [categories, languages] = await Promise.all([
      this.categories(),
      this.owned.usualLanguages(accountId),
    ]);
    return { categories, languages };
  }

  private async categories(): Promise<string[]> {
    const topics = await this.discovery.topics();
    return topics.flatMap((topic) => topic.categories.map(({ name }) => name));
  }
}
