import { Get, Post } from '@nestjs/common';
import { QuestionEditingService } from '../../../authoring/questions/question-editing.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { Conflict } from '../../../platform/errors/domain-errors';
import type { Form } from '../../http/form';
import { Asked, SignedInPages, type PageRequest } from '../../http/page-controller';
import { redirect, submit, type PageResult } from '../../http/page-results';
import {
  MOST_ROWS,
  QuestionFormPage,
  questionForm,
  readQuestion,
  withRow,
} from './question-form.page';
import { questionHref, questionsHref } from './quiz.page';

@SignedInPages('quizzes/:id/questions')
export class QuestionsController {
  constructor(
    private readonly owned: OwnedQuizzesService,
    private readonly editing: QuestionEditingService,
  ) {}

  @Get('new')
  blank(@Asked() asked: PageRequest): Promise<PageResult> {
    return this.page(asked);
  }

  @Post()
  async add(@Asked() asked: PageRequest): Promise<PageResult> {
    const { accountId, id, form } = asked;
    const then = form.text('then');
    if (then === 'row') return this.page(asked, withRow(form));
    return submit(
      form,
      async () => {
        const added = await this.editing.add(accountId, id, readQuestion(form));
        return redirect(
          then === 'another' ? `/dashboard/quizzes/${id}/questions/new` : questionHref(id, added),
          `Question ${added.position} is added.`,
        );
      },
      (refused) => this.page(asked, refused),
    );
  }

  @Get(':question/edit')
  edit(@Asked() asked: PageRequest): Promise<PageResult> {
    return this.page(asked);
  }

  @Post(':question/edit')
  async save(@Asked() asked: PageRequest): Promise<PageResult> {
    const { accountId, id, form } = asked;
    if (form.text('then') === 'row') return this.page(asked, withRow(form));
    return submit(
      form,
      async () => {
        const version = form.text('version');
        const question = readQuestion(form);
        const questionId = asked.param('question');
        const saved = await this.editing.edit(accountId, id, questionId, version, question);
        return redirect(questionHref(id, saved), `Question ${saved.position} is saved.`);
      },
      (refused) => this.page(asked, refused),
    );
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

  /** The form of a new question or of `:question`. @param form as it was typed; absent: as the question is */
  private async page({ accountId, id, param }: PageRequest, form?: Form) {
    const { quiz, question } = param('question')
      ? await this.owned.getQuestion(accountId, id, param('question'))
      : { quiz: await this.owned.get(accountId, id), question: null };
    // Stored before there was a limit. Its form would leave answers out, and saving it then delete them.
    if (question && question.answers.length > MOST_ROWS)
      throw new Conflict(
        `This question has ${question.answers.length} answers, and the form holds ${MOST_ROWS}. To change it, delete it and add it again by the API.`,
      );
    return <QuestionFormPage {...{ quiz, question, form: form ?? questionForm(question) }} />;
  }
}
