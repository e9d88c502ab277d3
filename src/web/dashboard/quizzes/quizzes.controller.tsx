import { Get, Param, Post } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { QuizEditingService } from '../../../authoring/quizzes/quiz-editing.service';
import { DiscoveryService } from '../../../catalog/discovery/discovery.service';
import { OwnedQuizzesService, QUIZ_STATES } from '../../../catalog/quizzes/owned-quizzes.service';
import { pageOf } from '../../components/paging.rules';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { SignedInPages } from '../../http/page-controller';
import { QueryText } from '../../http/query-text';
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

  private async categories(): Promise<string[]> {
    const topics = await this.discovery.topics();
    return topics.flatMap((topic) => topic.categories.map(({ name }) => name));
  }
}
