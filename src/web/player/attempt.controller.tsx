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
import { OpenQuestionsPage, QuestionPage } from './question.page';
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
  async show(@Req() request: Request, @Param() path: AttemptPath): Promise<PageResult> {
    const own = await this.findOwn(request, path);
    if (!own) return redirect(homeOf(path));
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
    @Param() path: AttemptPath,
  ): Promise<PageResult> {
    const { attempt, token, home } = await this.own(request, path);
    if (attempt.expired) return redirect(home);
    await this.play.submit(path.slug, path.attempt, token, request.ip ?? '');
    forgetOpenAttempt(response, this.config, home);
    return redirect(`${home}/${path.attempt}`);
  }

  @Get(':number')
  async ask(@Req() request: Request, @Param() path: AttemptPath): Promise<PageResult> {
    const own = await this.findOwn(request, path);
    if (!own) return redirect(homeOf(path));
    const { attempt, home } = own;
    const { question, number } = questionAt(attempt, path);
    if (attempt.outcome) return redirect(`${home}/${path.attempt}`);
    return <QuestionPage {...{ attempt, question, number, home }} form={new Form()} />;
  }

  @Post(':number')
  async answer(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Param() path: AttemptPath,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const { attempt, token, home } = await this.own(request, path);
    const { question, number } = questionAt(attempt, path);
    const here = `${home}/${path.attempt}`;
    if (attempt.expired) return redirect(home);
    if (attempt.outcome) return redirect(here);
    // Sent twice, or from an older page: the first answer counts.
    if (question.result) return redirect(`${here}/${number}`);
    const done = await trying(form, () =>
      this.play.answer(path.slug, path.attempt, token, answerIn(form, question)),
    );
    if (done instanceof Form)
      return invalid(
        done,
        <QuestionPage {...{ attempt, question, number, home }} form={withPlainError(done)} />,
      );
    if (attempt.reveal) return redirect(`${here}/${number}`);
    if (isLastOpen(attempt.questions, number)) return this.submit(request, response, path);
    const next = nextOpen(attempt.questions, number);
    return redirect(next ? `${here}/${next}` : here);
  }

  /** @throws NotFound where another browser has started it */
  private async own(request: Request, path: AttemptPath) {
    const token = readVisitor(request, this.config);
    if (!token) throw new NotFound('Attempt');
    const attempt = await this.play.find(path.slug, path.attempt, token);
    return { attempt, token, home: homeOf(path) };
  }

  /** Null for an expired attempt, and for a browser that has not started it: it was sent the URL. */
  private async findOwn(request: Request, path: AttemptPath) {
    const own = await this.own(request, path).catch((error: unknown) => {
      if (error instanceof NotFound) return null;
      throw error;
    });
    return own?.attempt.expired ? null : own;
  }
}

/** The parameters of the path. */
interface AttemptPath {
  slug: string;
  attempt: string;
  number: string;
}

const homeOf = ({ slug }: AttemptPath) => `/play/${encodeURIComponent(slug)}`;

function questionAt(attempt: VisitorAttempt, path: AttemptPath) {
  const number = /^[1-9]\d{0,3}$/.test(path.number) ? Number(path.number) : 0;
  const question = attempt.questions[number - 1];
  if (!question) throw new NotFound('Question');
  return { question, number };
}

const NO_ANSWER = { typed: 'Type an answer', chosen: 'Choose an answer' };

/** @throws Invalid */
function answerIn(form: Form, { id: questionId, type }: VisitorQuestion): AnswerRequest {
  const text = form.text('text');
  const answerIds = form.all('answer');
  const kind = type === 'OPEN_ENDED' ? 'typed' : 'chosen';
  if (kind === 'typed' ? text.trim() === '' : answerIds.length === 0)
    throw invalidAnswer(`${NO_ANSWER[kind]}, or skip the question.`);
  return readBody(
    AnswerRequest,
    kind === 'typed' ? { questionId, text } : { questionId, answerIds },
  );
}

/** The page has one place for errors, whatever field an error names. */
const withPlainError = (form: Form): Form =>
  form.errors.every(({ path }) => path === '')
    ? form
    : form.refusedBy(invalidAnswer('This answer cannot be taken. Try again.'));

const invalidAnswer = (message: string) =>
  new Invalid('The answer', [{ path: '', message, code: 'answer' }]);
