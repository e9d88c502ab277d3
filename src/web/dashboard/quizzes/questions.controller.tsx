import { Get, Param, Post } from '@nestjs/common';
import { QuestionEditingService } from '../../../authoring/questions/question-editing.service';
import {
  OwnedQuizzesService,
  type OwnedQuestion,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { Conflict } from '../../../platform/errors/domain-errors';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { SignedInPages } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { blankForm, filledForm, MOST_ROWS, readQuestion, rowsOf } from './question-fields';
import { QuestionFormPage } from './question-form.page';
import { questionHref, QUESTIONS_PER_PAGE } from './question-list';

@SignedInPages('quizzes/:id/questions')
export class QuestionsController {
  constructor(
    private readonly owned: OwnedQuizzesService,
    private readonly editing: QuestionEditingService,
  ) {}

  @Get('new')
  blank(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    return this.form(viewer, id, null, blankForm());
  }

  @Post()
  async add(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    if (form.text('then') === 'row') return this.form(viewer, id, null, withRow(form));
    const added = await attempt(form, async () =>
      this.editing.add(viewer.accountId, id, readQuestion(form)),
    );
    if (added instanceof Form) return invalid(added, await this.form(viewer, id, null, added));
    return redirect(
      form.text('then') === 'another'
        ? `/dashboard/quizzes/${id}/questions/new`
        : questionHref(id, added),
      `Question ${added.position} is added.`,
    );
  }

  @Get(':question/edit')
  edit(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @Param('question') questionId: string,
  ): Promise<PageResult> {
    return this.form(viewer, id, questionId, filledForm);
  }

  @Post(':question/edit')
  async save(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @Param('question') questionId: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    if (form.text('then') === 'row') return this.form(viewer, id, questionId, withRow(form));
    const saved = await attempt(form, async () =>
      this.editing.edit(viewer.accountId, id, questionId, form.text('version'), readQuestion(form)),
    );
    if (saved instanceof Form)
      return invalid(saved, await this.form(viewer, id, questionId, saved));
    return redirect(questionHref(id, saved), `Question ${saved.position} is saved.`);
  }

  @Post(':question/move')
  async move(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Param('question') questionId: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const by = form.text('by') === 'up' ? 'up' : 'down';
    const moved = await this.editing.move(accountId, id, questionId, by);
    return redirect(questionHref(id, moved));
  }

  @Post(':question/delete')
  async remove(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Param('question') questionId: string,
  ): Promise<PageResult> {
    const { position } = await this.editing.delete(accountId, id, questionId);
    const page = Math.ceil(Math.max(position - 1, 1) / QUESTIONS_PER_PAGE);
    return redirect(
      `/dashboard/quizzes/${id}${page > 1 ? `?page=${page}` : ''}`,
      `Question ${position} is deleted.`,
    );
  }

  private async form(
    { accountId }: Viewer,
    id: string,
    questionId: string | null,
    form: Form | ((question: OwnedQuestion) => Form),
  ) {
    const { quiz, question } =
      questionId === null
        ? { quiz: await this.owned.get(accountId, id), question: null }
        : await this.owned.getQuestion(accountId, id, questionId);
    // Stored before there was a limit. Its form would leave answers out, and saving it then delete them.
    if (question && question.answers.length > MOST_ROWS)
      throw new Conflict(
        `This question has ${question.answers.length} answers, and the form holds ${MOST_ROWS}. To change it, delete it and add it again by the API.`,
      );
    const shown = typeof form === 'function' ? form(question as OwnedQuestion) : form;
    return <QuestionFormPage quiz={quiz} question={question} form={shown} />;
  }
}

/** The form as it was typed, with room for one more answer. */
const withRow = (form: Form) => form.with('rows', String(rowsOf(form) + 1));
