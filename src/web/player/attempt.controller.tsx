import { Get, Post } from '@nestjs/common';
import { AnswerRequest } from '../../play/attempts/attempt.requests';
import type { VisitorAttempt, VisitorQuestion } from '../../play/visitors/visitor-attempt';
import { VisitorPlayService } from '../../play/visitors/visitor-play.service';
import { Config } from '../../platform/config/config';
import { NotFound } from '../../platform/errors/domain-errors';
import { readBody } from '../../platform/http/request/validation.pipe';
import { openAttemptCookie, readVisitor } from '../http/cookies';
import { fieldError, type Form } from '../http/form';
import { Asked, OnRefusal, OpenPages, type PageRequest } from '../http/page-controller';
import { redirect, type PageResult } from '../http/page-results';
import { isLastOpen, nextOpen } from './player.rules';
import { OpenQuestionsPage, QuestionPage } from './question.page';
import { ResultPage } from './result.page';

/** An attempt in progress and at its end, for the browser that started it. */
@OpenPages('play/:slug/:attempt')
export class AttemptController {
  constructor(
    private readonly play: VisitorPlayService,
    private readonly config: Config,
  ) {}

  /** The result; before the submission, the open questions. */
  @Get()
  async show(@Asked() asked: PageRequest): Promise<PageResult> {
    const own = await this.findOwn(asked);
    if (!own) return redirect(homeOf(asked));
    const { attempt, token, home } = own;
    if (!attempt.outcome) return <OpenQuestionsPage attempt={attempt} home={home} />;
    const top = await this.play.top(attempt.quiz, token);
    return <ResultPage attempt={attempt} outcome={attempt.outcome} top={top} home={home} />;
  }

  @Post()
  async submit(@Asked() asked: PageRequest): Promise<PageResult> {
    const { attempt, token, home, here } = await this.own(asked);
    if (attempt.expired) return redirect(home);
    await this.play.submit(asked.param('slug'), attempt.id, token, asked.address);
    openAttemptCookie.clear(asked.response, this.config, home);
    return redirect(here);
  }

  @Get(':number')
  async ask(@Asked() asked: PageRequest): Promise<PageResult> {
    const own = await this.findOwn(asked);
    if (!own) return redirect(homeOf(asked));
    const { attempt, home, here } = own;
    const at = questionAt(attempt, asked);
    if (attempt.outcome) return redirect(here);
    return <QuestionPage {...at} attempt={attempt} home={home} form={withPlainError(asked.form)} />;
  }

  @Post(':number')
  @OnRefusal('ask')
  async answer(@Asked() asked: PageRequest): Promise<PageResult> {
    const { attempt, token, home, here } = await this.own(asked);
    const { question, number } = questionAt(attempt, asked);
    if (attempt.expired) return redirect(home);
    if (attempt.outcome) return redirect(here);
    // Sent twice, or from an older page: the first answer counts.
    if (question.result) return redirect(`${here}/${number}`);
    const answer = answerIn(asked.form, question);
    await this.play.answer(asked.param('slug'), attempt.id, token, answer);
    if (attempt.reveal) return redirect(`${here}/${number}`);
    if (isLastOpen(attempt.questions, number)) return this.submit(asked);
    const next = nextOpen(attempt.questions, number);
    return redirect(next ? `${here}/${next}` : here);
  }

  /** @throws NotFound if another browser started it */
  private async own(asked: PageRequest) {
    const token = readVisitor(asked.request, this.config);
    if (!token) throw new NotFound('Attempt');
    const attempt = await this.play.find(asked.param('slug'), asked.param('attempt'), token);
    const home = homeOf(asked);
    return { attempt, token, home, here: `${home}/${attempt.id}` };
  }

  /** Null for an expired attempt, and for a browser that did not start it: somebody shared the URL. */
  private async findOwn(asked: PageRequest) {
    const own = await this.own(asked).catch((error: unknown) => {
      if (error instanceof NotFound) return null;
      throw error;
    });
    return own?.attempt.expired ? null : own;
  }
}

const homeOf = (asked: PageRequest) => `/play/${encodeURIComponent(asked.param('slug'))}`;

function questionAt(attempt: VisitorAttempt, asked: PageRequest) {
  const at = asked.param('number');
  const number = /^[1-9]\d{0,3}$/.test(at) ? Number(at) : 0;
  const question = attempt.questions[number - 1];
  if (!question) throw new NotFound('Question');
  return { question, number };
}

/** @throws Invalid */
function answerIn(form: Form, { id: questionId, type }: VisitorQuestion): AnswerRequest {
  if (type === 'OPEN_ENDED') {
    const text = form.text('text');
    if (text.trim() === '') throw invalidAnswer('Type an answer, or skip the question.');
    return readBody(AnswerRequest, { questionId, text });
  }
  const answerIds = form.all('answer');
  if (answerIds.length === 0) throw invalidAnswer('Choose an answer, or skip the question.');
  return readBody(AnswerRequest, { questionId, answerIds });
}

/** The page shows errors in one place, whatever field they name. */
const withPlainError = (form: Form): Form =>
  form.errors.every(({ path }) => path === '')
    ? form
    : form.refusedBy(invalidAnswer('This answer cannot be taken. Try again.'));

const invalidAnswer = (message: string) => fieldError('', message, 'answer');
