import { Get, Post } from '@nestjs/common';
import { QuestionEditingService } from '../../../authoring/questions/question-editing.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { Conflict } from '../../../platform/errors/domain-errors';
import { Asked, OnRefusal, PageRequest, SignedInPages } from '../../http/page-controller';
import { redirect, type PageResult } from '../../http/page-results';
import { MOST_ROWS, restructured } from './question-form';
import { QuestionFormPage, readQuestion } from './question-form.page';
import { questionHref, questionsHref } from './quiz.page';

/** Quizzes to which a question can be moved: those changed last. */
const OFFERED = 100;

@SignedInPages('quizzes/:id/questions')
export class QuestionsController {
  constructor(
    private readonly owned: OwnedQuizzesService,
    private readonly editing: QuestionEditingService,
  ) {}

  @Get('new')
  async blank(@Asked() { accountId, id, form, query }: PageRequest): Promise<PageResult> {
    const quiz = await this.owned.get(accountId, id);
    const copied = query('like') && (await this.owned.getQuestion(accountId, id, query('like')));
    const like = copied ? copied.question : null;
    return <QuestionFormPage quiz={quiz} question={null} like={like} form={form} />;
  }

  @Post()
  @OnRefusal('blank')
  async add(@Asked() asked: PageRequest): Promise<PageResult> {
    const { accountId, id, form } = asked;
    const then = form.text('then');
    const changed = restructured(form);
    if (changed) return this.blank(new PageRequest(asked.request, changed));
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
    const quizzes = await this.owned.list(accountId, {}, { limit: OFFERED, offset: 0 });
    return <QuestionFormPage {...{ quiz, question, form, quizzes }} />;
  }

  @Post(':question/edit')
  @OnRefusal('edit')
  async save(@Asked() asked: PageRequest): Promise<PageResult> {
    const { accountId, id, param, form } = asked;
    const changed = restructured(form);
    if (changed) return this.edit(new PageRequest(asked.request, changed));
    const question = readQuestion(form);
    const version = form.text('version');
    const saved = await this.editing.edit(accountId, id, param('question'), version, question);
    const target = form.text('quiz');
    if (target === '' || target === id)
      return redirect(questionHref(id, saved), `Question ${saved.position} is saved.`);
    const moved = await this.editing.moveTo(accountId, id, saved.id, target);
    return redirect(questionHref(target, moved), `It is question ${moved.position} here now.`);
  }

  @Post(':question/move')
  async move(@Asked() { accountId, id, param, form }: PageRequest): Promise<PageResult> {
    const by = form.direction;
    const moved = await this.editing.move(accountId, id, param('question'), by);
    const { position } = moved;
    // The first cannot go up, nor the last down: their other button has the focus.
    const next = position === 1 ? 'down' : position === moved.count ? 'up' : by;
    return redirect(`${questionsHref(id, position)}#${next}-${moved.id}`);
  }

  @Post(':question/delete')
  async remove(@Asked() { accountId, id, param }: PageRequest): Promise<PageResult> {
    const { position } = await this.editing.delete(accountId, id, param('question'));
    return redirect(questionsHref(id, position - 1), `Question ${position} is deleted.`);
  }
}
