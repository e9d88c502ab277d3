import { Get, Post, type StreamableFile } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { QuizAuthoringService } from '../../../authoring/quizzes/quiz-authoring.service';
import { DiscoveryService } from '../../../catalog/discovery/discovery.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { QUIZ_STATES } from '../../../catalog/vocabulary';
import { exportFile, ExportService } from '../../../import-export/export.service';
import { WRITABLE_FORMATS } from '../../../import-export/formats/formats';
import { NotFound } from '../../../platform/errors/domain-errors';
import { LinkButton } from '../../components/button';
import { Time } from '../../components/format';
import { Page } from '../../components/page';
import { EmptyState, Pager, pageOf, Table, Tabs } from '../../components/table';
import { Asked, OnRefusal, SignedInPages, type PageRequest } from '../../http/page-controller';
import { redirect, type PageResult } from '../../http/page-results';
import { QuizFormPage, readQuiz } from './quiz-form.page';
import { QUESTIONS_PER_PAGE, QuizPage } from './quiz.page';
import { PLAN_NEEDED, QuizTitle, StateBadge, STATES } from './quiz-labels';

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
    const all = Object.values(counts).reduce((sum, number) => sum + number, 0);
    return (
      <Page
        title="My quizzes"
        help="A quiz goes live once you publish it and an administrator approves it."
        action={
          mayCreate && (
            <div class="buttons">
              <LinkButton look="outline" href="/dashboard/imports" text="Imports" />
              <LinkButton look="primary" icon="plus" href={`${AT}/new`} text="New quiz" />
            </div>
          )
        }
      >
        {all > 0 && (
          <Tabs
            label="States"
            tabs={[
              { href: AT, label: 'All', number: all, current: state === null },
              ...QUIZ_STATES.map((it) => ({
                href: `${AT}?state=${it}`,
                label: STATES[it].tab,
                number: counts[it],
                current: state === it,
              })),
            ]}
          />
        )}
        <Table
          label="Quizzes"
          rows={quizzes}
          columns={{
            Title: (quiz) => <QuizTitle quiz={quiz} at={AT} />,
            State: (quiz) => <StateBadge {...quiz} />,
            Questions: ({ questionCount }) => questionCount,
            Plays: ({ plays }) => plays,
            Changed: ({ updatedAt }) => <Time at={updatedAt} />,
          }}
          empty={
            all === 0 ? (
              <NoQuizzes mayCreate={mayCreate} />
            ) : (
              <EmptyState title="No quizzes in this state" />
            )
          }
        />
        <Pager
          page={page}
          total={state ? counts[state] : all}
          at={state ? `${AT}?state=${state}` : AT}
        />
      </Page>
    );
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
  async export(@Asked() { accountId, id, query, response }: PageRequest): Promise<StreamableFile> {
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

function NoQuizzes({ mayCreate }: { mayCreate: boolean }) {
  return (
    <EmptyState title="No quizzes yet">
      {mayCreate ? (
        <>
          <p>Write one here, import a file of questions, or use the API.</p>
          <div class="buttons">
            <LinkButton look="outline" href={`${AT}/new`} text="Write a quiz" />
            <LinkButton look="outline" href="/dashboard/imports/new" text="Import a file" />
          </div>
        </>
      ) : (
        <p>{PLAN_NEEDED}</p>
      )}
    </EmptyState>
  );
}
