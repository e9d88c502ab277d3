import { Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AnswerRequest } from '../../play/attempts/attempt.requests';
import type { VisitorAttempt, VisitorQuestion } from '../../play/visitors/visitor-attempt';
import { VisitorPlayService } from '../../play/visitors/visitor-play.service';
import { Config } from '../../platform/config/config';
import { Invalid, NotFound } from '../../platform/errors/domain-errors';
import { readBody } from '../../platform/http/request/validation.pipe';
import { invalid, redirect, type PageResult } from '../http/page-results';
import { attempt as trying, Form, PostedForm } from '../http/form';
import { OpenPages } from '../http/page-controller';
import { isLastOpen, nextOpen } from './player.rules';
import { OpenQuestionsPage } from './open-questions.page';
import { QuestionPage } from './question.page';
import { ResultPage } from './result.page';
import { forgetOpenAttempt, readVisitor } from './visitor-cookie';

/** An attempt under way and at its end, for the browser that has started it. */
@OpenPages('play/:slug/:attempt')
export class AttemptController {
  constructor(
    private readonly play: VisitorPlayService,
    private readonly config: Config,
  ) {}

  /** The result; before it is submitted, what is still open. */
  @Get()
  async show(
    @Req() request: Request,
    @Param('slug') slug: string,
    @Param('attempt') id: string,
  ): Promise<PageResult> {
    const own = await this.findOwn(request, slug, id);
    if (!own || own.attempt.expired) return redirect(homeOf(slug));
    const { attempt, token, home } = own;
    if (!attempt.outcome) return <OpenQuestionsPage attempt={attempt} home={home} />;
    const top = await this.play.top(attempt.quiz, token);
    return <ResultPage attempt={attempt} outcome={attempt.outcome} top={top} home={home} />;
  }

  /** Finishes the attempt as it is. */
  @Post()
  async submit(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Param('slug') slug: string,
    @Param('attempt') id: string,
  ): Promise<PageResult> {
    const { attempt, token, home } = await this.own(request, slug, id);
    if (attempt.expired) return redirect(home);
    await this.play.submit(slug, id, token, request.ip ?? '');
    forgetOpenAttempt(response, this.config, home);
    return redirect(`${home}/${id}`);
  }

  @Get(':number')
  async ask(
    @Req() request: Request,
    @Param('slug') slug: string,
    @Param('attempt') id: string,
    @Param('number') at: string,
  ): Promise<PageResult> {
    const own = await this.findOwn(request, slug, id);
    if (!own || own.attempt.expired) return redirect(homeOf(slug));
    const { attempt, home } = own;
    const { question, number } = questionAt(attempt, at);
    if (attempt.outcome) return redirect(`${home}/${id}`);
    return <QuestionPage {...{ attempt, question, number, home }} form={new Form()} />;
  }

  @Post(':number')
  async answer(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Param('slug') slug: string,
    @Param('attempt') id: string,
    @Param('number') at: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const { attempt, token, home } = await this.own(request, slug, id);
    const { question, number } = questionAt(attempt, at);
    const here = `${home}/${id}`;
    if (attempt.expired) return redirect(home);
    if (attempt.outcome) return redirect(here);
    // Sent twice, or by a page from before: the first answer counts.
    if (question.result) return redirect(`${here}/${number}`);
    const done = await trying(form, () =>
      this.play.answer(slug, id, token, answerIn(form, question)),
    );
    if (done instanceof Form)
      return invalid(
        done,
        <QuestionPage {...{ attempt, question, number, home }} form={inWords(done)} />,
      );
    if (attempt.reveal) return redirect(`${here}/${number}`);
    const answered = attempt.questions.map(({ given }) => given !== null);
    if (isLastOpen(answered, number)) return this.submit(request, response, slug, id);
    const next = nextOpen(answered, number);
    return redirect(next ? `${here}/${next}` : here);
  }

  /** @throws NotFound for who has not started it */
  private async own(request: Request, slug: string, id: string) {
    const token = readVisitor(request, this.config);
    if (!token) throw new NotFound('Attempt');
    return { attempt: await this.play.find(slug, id, token), token, home: homeOf(slug) };
  }

  /** Null for who has not started it: somebody was sent the address, and is shown to the quiz's door. */
  private async findOwn(request: Request, slug: string, id: string) {
    try {
      return await this.own(request, slug, id);
    } catch (error) {
      if (error instanceof NotFound) return null;
      throw error;
    }
  }
}

const homeOf = (slug: string) => `/play/${encodeURIComponent(slug)}`;

function questionAt(attempt: VisitorAttempt, at: string) {
  const number = /^[1-9]\d{0,3}$/.test(at) ? Number(at) : 0;
  const question = attempt.questions[number - 1];
  if (!question) throw new NotFound('Question');
  return { question, number };
}

/** @throws Invalid */
function answerIn(form: Form, question: VisitorQuestion): AnswerRequest {
  const text = form.text('text');
  const answerIds = form.all('answer');
  const isTyped = question.type === 'OPEN_ENDED';
  if (isTyped ? text.trim() === '' : answerIds.length === 0)
    throw new Invalid('The answer', [
      {
        path: '',
        message: `${isTyped ? 'Type' : 'Choose'} an answer, or skip the question.`,
        code: 'required',
      },
    ]);
  const { id: questionId } = question;
  return readBody(AnswerRequest, isTyped ? { questionId, text } : { questionId, answerIds });
}

/** Whatever field an error names, on this page there is one place for it. */
const inWords = (form: Form): Form =>
  form.errors.every(({ path }) => path === '')
    ? form
    : form.refusedBy(
        new Invalid('The answer', [
          { path: '', message: 'This answer cannot be taken. Try again.', code: 'answer' },
        ]),
      );
