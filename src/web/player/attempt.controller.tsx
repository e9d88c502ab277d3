import { Get, Injectable, Post } from '@nestjs/common';
import type { JSX } from 'preact';
import { AttemptLimits } from '../../access/attempt-limits/attempt-limits.service';
import { DiscoveryService } from '../../catalog/discovery/discovery.service';
import { RenderingService } from '../../catalog/rendering/rendering.service';
import { Config } from '../../platform/config/config';
import { DomainError, Gone, NotFound } from '../../platform/errors/domain-errors';
import { OfPlayers } from '../../platform/hardening/turns.interceptor';
import { readBody } from '../../platform/http/request/validation.pipe';
import { LIMITS } from '../../platform/limits/limits';
import { fold } from '../../platform/text/text.rules';
import { LONG_ANSWERS } from '../../play/attempts/attempt.rules';
import { AnswerRequest } from '../../play/attempts/attempts.dto';
import type {
  OpenQuiz,
  VisitorAttempt,
  VisitorQuestion,
} from '../../play/visitors/visitor-play.dto';
import { VisitorPlayService } from '../../play/visitors/visitor-play.service';
import { TextsOfPage } from '../components/author-text';
import { openAttemptCookie } from '../http/cookies';
import { fieldError, type Form } from '../http/form';
import {
  Asked,
  OnRefusal,
  OpenPages,
  type PageRequest,
  SignedInPages,
} from '../http/page-controller';
import { type PageResult, redirect } from '../http/page-results';
import { placeOf, type PlayerPlace } from './place';
import { isLastOpen, nextOpen } from './player.rules';
import { OpenQuestionsPage, QuestionPage } from './question.page';
import { type NextQuizzes, ResultPage } from './result.page';
import type { AnsweredQuestion } from './verdict';

/** An attempt, and the browser that started it. */
interface OwnAttempt extends PlayerPlace {
  attempt: VisitorAttempt;
  token: string;
  /** The URL of the attempt. */
  here: string;
}

/** An attempt in progress and at its end, for the browser that started it. */
@Injectable()
export class AttemptPages {
  constructor(
    private readonly play: VisitorPlayService,
    private readonly discovery: DiscoveryService,
    private readonly limits: AttemptLimits,
    private readonly config: Config,
    private readonly rendering: RenderingService,
  ) {}

  /** The result; before the submission, the open questions. */
  @Get()
  async show(@Asked() asked: PageRequest): Promise<PageResult> {
    const own = await this.findOwn(asked);
    if (!own) return this.toStart(asked);
    const { attempt, token, home, here, at, isPreview, isEmbedded } = own;
    const { outcome } = attempt;
    const last = lastAnswered(asked, attempt);
    const { questions } = attempt;
    if (!outcome)
      return this.showing(questions, <OpenQuestionsPage {...{ attempt, home, last }} />);
    const quiz = await this.play.open(at).catch(nullIfGone);
    const top = attempt.isPractice ? null : quiz && (await this.play.top(quiz, token));
    const tries = quiz && (await this.play.tries(quiz, token));
    const number = asked.param('number');
    const report = isPreview ? undefined : { number, ...reportedIn(asked) };
    const more = quiz?.via === 'public' && !isEmbedded ? await this.othersLike(quiz) : null;
    return this.showing(
      questions,
      <ResultPage {...{ attempt, outcome, quiz, top, tries, home, here, report, last, more }} />,
    );
  }

  /** Starts practice with the questions that were not answered correctly. */
  @Post('practise')
  async practise(@Asked() asked: PageRequest): Promise<PageResult> {
    await this.limits.take('playByAddress', { address: asked.address });
    const { attempt, token, home, at, isEmbedded } = await this.own(asked);
    const practice = await this.play.practise(at, attempt.id, token);
    if (!isEmbedded) openAttemptCookie.set(asked.response, this.config, practice, home);
    return redirect(`${home}/${practice}/1`);
  }

  @Post()
  async submit(@Asked() asked: PageRequest): Promise<PageResult> {
    const own = await this.findOwn(asked);
    return own ? this.finish(asked, own) : this.toStart(asked);
  }

  /** @param after the query that names the answer that was recorded before */
  private async finish(asked: PageRequest, own: OwnAttempt, after = ''): Promise<PageResult> {
    const { attempt, token, home, here, at, isEmbedded } = own;
    await this.play.submit(at, attempt.id, token, asked.address);
    if (!isEmbedded) openAttemptCookie.clear(asked.response, this.config, home);
    return redirect(here + after);
  }

  @Get(':number')
  async ask(@Asked() asked: PageRequest): Promise<PageResult> {
    const own = await this.findOwn(asked);
    if (!own) return this.toStart(asked);
    const { attempt, home, here, isPreview } = own;
    const asking = questionAt(attempt, asked);
    if (attempt.outcome || attempt.over) {
      // The answer before it was recorded, and embed.js still waits for its receipt.
      const after = Number(asked.query('after'));
      return redirect(after > 0 ? `${here}?after=${after}` : here);
    }
    const report = isPreview ? undefined : { at: `${here}/${asking.number}`, ...reportedIn(asked) };
    const form = withPlainError(asked);
    const last = lastAnswered(asked, attempt);
    const page = <QuestionPage {...{ ...asking, attempt, home, report, form, last }} />;
    return this.showing([asking.question, ...(last ? [last.question] : [])], page);
  }

  /** Reports a question to its author, from its own page or from the result. */
  @Post(':number/report')
  @OnRefusal('reporting')
  async report(@Asked() asked: PageRequest): Promise<PageResult> {
    const { attempt, token, here, at } = await this.own(asked);
    const { question, number } = questionAt(attempt, asked);
    const { form, address } = asked;
    const given = { reason: form.text('reason'), text: form.text('text') };
    await this.play.report(at, attempt.id, { token, address }, question.id, given);
    const page = attempt.outcome ? here : `${here}/${number}`;
    return redirect(`${page}?reported=${question.id}`);
  }

  /** The page from which a report was refused. */
  async reporting(asked: PageRequest): Promise<PageResult> {
    const { attempt } = await this.own(asked);
    return attempt.outcome ? this.show(asked) : this.ask(asked);
  }

  @Post(':number')
  @OnRefusal('ask')
  async answer(@Asked() asked: PageRequest): Promise<PageResult> {
    const own = await this.findOwn(asked);
    if (!own) return this.toStart(asked);
    const { attempt, token, here, at } = own;
    const { question, number } = questionAt(attempt, asked);
    if (attempt.outcome) return redirect(here);
    // Too late: what was answered in time is scored.
    if (attempt.over) return this.finish(asked, own);
    const isEnd = asked.form.text('over') === 'yes';
    // Sent twice, or from an older page: the first answer counts.
    if (question.result && !isEnd) return redirect(`${here}/${number}`);
    const give = async () => {
      await this.play.answer(at, attempt.id, token, answerIn(asked, question));
      // The next page shows the verdict if it may, and embed.js takes it for the receipt of the answer.
      return `?after=${number}`;
    };
    // When the countdown ends it sends what is typed by then; what cannot be taken is left out.
    const after = await (isEnd ? give().catch(passOver) : give());
    if (isEnd || isLastOpen(attempt.questions, number)) return this.finish(asked, own, after);
    const next = nextOpen(attempt.questions, number);
    return redirect((next ? `${here}/${next}` : here) + after);
  }

  /** The most played of the same category; if there are none, of its topic; else of all. */
  private async othersLike({ slug, category }: OpenQuiz): Promise<NextQuizzes | null> {
    const topics = await this.discovery.topics();
    const topic = topics.find((it) => it.categories.some(({ name }) => name === category));
    const names = topic?.categories.map(({ name }) => name) ?? [];
    const places = [
      ...(category === null
        ? []
        : [{ name: category, at: `category=${encodeURIComponent(category)}`, of: [category] }]),
      ...(topic ? [{ name: topic.name, at: `topic=${topic.slug}`, of: names }] : []),
      { name: null, at: '', of: [] },
    ];
    for (const { name, at, of } of places) {
      const popular = await this.discovery.popularIn(of.map(fold));
      const quizzes = popular.filter((it) => it.slug !== slug).slice(0, 3);
      if (quizzes.length > 0) return { name, href: `/play${at && `?${at}`}`, quizzes };
    }
    return null;
  }

  /** The start page, which says why the attempt cannot be shown. */
  private toStart(asked: PageRequest): PageResult {
    const { home, token } = placeOf(asked, this.config);
    return redirect(`${home}?gone=${token ? 'attempt' : 'cookies'}`);
  }

  /** A page with texts of these questions. */
  private async showing(questions: readonly VisitorQuestion[], page: JSX.Element) {
    const texts = await this.rendering.forPage(questions.map(shownOf));
    return <TextsOfPage.Provider value={texts}>{page}</TextsOfPage.Provider>;
  }

  /** @throws NotFound if another browser started it */
  private async own(asked: PageRequest): Promise<OwnAttempt> {
    const { token, ...place } = placeOf(asked, this.config);
    if (!token) throw new NotFound('Attempt');
    const attempt = await this.play.find(place.at, asked.param('attempt'), token);
    return { attempt, token, ...place, here: `${place.home}/${attempt.id}` };
  }

  /**
   * Null for an attempt that is expired or deleted, and for a browser that did not start it: somebody shared the URL, or
   * the browser has lost its cookies.
   * @throws NotFound for a quiz that is not there either
   */
  private async findOwn(asked: PageRequest) {
    const own = await this.own(asked).catch(nullIfGone);
    if (!own) await this.play.open(placeOf(asked, this.config).at);
    return own?.attempt.expired ? null : own;
  }
}

@OfPlayers('pages')
@OpenPages('play/:slug/:attempt')
export class AttemptController extends AttemptPages {}

/** At the preview of one's own quiz. */
@SignedInPages('quizzes/:id/preview/:attempt')
export class PreviewAttemptController extends AttemptPages {}

/** What the player may see of a question by now. */
const shownOf = ({ text, format, choices, result }: VisitorQuestion) => ({
  text,
  format,
  explanation: result?.explanation ?? null,
  answers: [
    ...choices,
    ...(result?.correctAnswers ?? []),
    ...(result?.spelling ? [{ text: result.spelling }] : []),
  ],
});

const reportedIn = ({ query, form }: PageRequest) => ({ reported: query('reported'), form });

function passOver(error: unknown): string {
  if (!(error instanceof DomainError)) throw error;
  return '';
}

export function nullIfGone(error: unknown): null {
  if (error instanceof NotFound || error instanceof Gone) return null;
  throw error;
}

function questionAt(attempt: VisitorAttempt, asked: PageRequest) {
  const at = asked.param('number');
  const number = /^[1-9]\d{0,3}$/.test(at) ? Number(at) : 0;
  const question = attempt.questions[number - 1];
  if (!question) throw new NotFound('Question');
  return { question, number };
}

/** The question that was answered before this page, if its solution may be shown. */
function lastAnswered(
  asked: PageRequest,
  { questions, reveal }: VisitorAttempt,
): AnsweredQuestion | null {
  if (!reveal) return null;
  const number = Number(asked.query('after'));
  const question = questions[number - 1];
  return question?.result && question.given ? { number, question, ...question.result } : null;
}

/** @throws Invalid */
function answerIn(
  { form, messages: { t } }: PageRequest,
  { id: questionId, type }: VisitorQuestion,
): AnswerRequest {
  if (type === 'OPEN_ENDED') {
    const text = form.text('text');
    if (text.trim() === '') throw invalidAnswer(t('question.typeAnswer'));
    return readBody(AnswerRequest, { questionId, text });
  }
  const answerIds = form.all('answer');
  if (answerIds.length === 0) throw invalidAnswer(t('question.chooseAnswer'));
  return readBody(AnswerRequest, { questionId, answerIds });
}

/** The page shows errors in one place, whatever field they name. */
function withPlainError({ form, messages: { t } }: PageRequest): Form {
  if (form.errors.every(({ path }) => path === '')) return form;
  const { answerText, longAnswers } = LIMITS.content;
  const has = (sought: string) => form.errors.some(({ code }) => code === sought);
  const message = () => {
    if (has('too_long')) return t('refusal.tooLong', { count: answerText.value });
    if (has(LONG_ANSWERS)) return t('question.longAnswers', { size: longAnswers.value / 1_024 });
    return t('question.badAnswer');
  };
  return form.refusedBy(invalidAnswer(message()));
}

const invalidAnswer = (message: string) => fieldError('', message, 'answer');
