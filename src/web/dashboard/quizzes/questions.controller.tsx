import { Get, Post } from '@nestjs/common';
import { QuestionEditingService } from '../../../authoring/questions/question-editing.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { Conflict } from '../../../platform/errors/domain-errors';
import { Asked, OnRefusal, PageRequest, SignedInPages } from '../../http/page-controller';
import { redirect, type PageResult } from '../../http/page-results';
import { MOST_ROWS, QuestionFormPage, readQuestion, withRow } from './question-form.page';
import { questionHref, questionsHref } from './quiz.page';

@SignedInPages('quizzes/:id/questions')
export class QuestionsController {
  constructor(
    private readonly owned: OwnedQuizzesService,
    private readonly editing: QuestionEditingService,
  ) {}

  @Get('new')
  async blank(@Asked() { accountId, id, form }: PageRequest): Promise<PageResult> {
    const quiz = await this.owned.get(accountId, id);
    return <QuestionFormPage quiz={quiz} question={null} form={form} />;
  }

  @Post()
  @OnRefusal('blank')
  async add(@Asked() asked: PageRequest): Promise<PageResult> {
    const { accountId, id, form } = asked;
    const then = form.text('then');
    if (then === 'row') return this.blank(new PageRequest(asked.request, withRow(form)));
    const added = await this.editing.add(accountId, id, readQuestion(form));
    return redirect(
      then === 'another' ? `/dashboard/quizzes/${id}/questions/new` : questionHref(id, added),
      `Question ${added.position} is added.`,
    );
  }

  @Get(':question/edit')
  async edit(@Asked() { accountId, id, param, form }: PageRequest): Promise<PageResult> {
    const { quiz, question } = await this.owned.getQuestion(accountId, id, param('question'));
    // Stored before there was a limit. The form would leave answers out, and saving it would delete them.
    if (question.answers.length > MOST_ROWS)
      throw new Conflict(
        `This question has ${question.answers.length} answers, and the form holds ${MOST_ROWS}. To change it, delete it and add it again through the API.`,
      );
    return <QuestionFormPage quiz={quiz} question={question} form={form} />;
  }

  @Post(':question/edit')
  @OnRefusal('edit')
  async save(@Asked() asked: PageRequest): Promise<PageResult> {
    const { accountId, id, param, form } = asked;
    if (form.text('then') === 'row')
      return this.edit(new PageRequest(asked.request, withRow(form)));
    const question = readQuestion(form);
    const version = form.text('version');
    const saved = await this.editing.edit(accountId, id, param('question'), version, question);
    return redirect(questionHref(id, saved), `Question ${saved.position} is saved.`);
  }

  @Post(':question/move')
  async move(@Asked() { accountId, id, param, form }: PageRequest): Promise<PageResult> {
    const moved = await this.editing.move(accountId, id, param('question'), form.direction);
    return redirect(questionHref(id, moved));
  }

  @Post(':question/delete')
  async remove(@Asked() { accountId, id, param }: PageRequest): Promise<PageResult> {
    const { position } = await this.editing.delete(accountId, id, param('question'));
    return redirect(questionsHref(id, position - 1), `Question ${position} is deleted.`);
  }
}
