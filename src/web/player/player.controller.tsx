import { Get, Injectable, Post } from '@nestjs/common';
import { AttemptLimits } from '../../access/attempt-limits/attempt-limits.service';
import { DiscoveryService } from '../../catalog/discovery/discovery.service';
import { Config } from '../../platform/config/config';
import { NotFound } from '../../platform/errors/domain-errors';
import { OfPlayers } from '../../platform/hardening/turns.interceptor';
import { LIMITS } from '../../platform/limits/limits';
import type { MessageKey } from '../../platform/messages/messages';
import { codePoints } from '../../platform/text/text.rules';
import { tidyName } from '../../play/attempts/visitor.rules';
import { VisitorPlayService } from '../../play/visitors/visitor-play.service';
import { quizLook } from '../components/topic-look';
import { nameCookie, openAttemptCookie, visitorCookie } from '../http/cookies';
import { fieldError } from '../http/form';
import {
  Asked,
  OnRefusal,
  OpenPages,
  type PageRequest,
  SignedInPages,
} from '../http/page-controller';
import { type PageResult, redirect } from '../http/page-results';
import { newVisitorToken, placeOf, type PlayerPlace } from './place';
import { guestName } from './player.rules';
import { StartPage } from './start.page';

/** Why an attempt led back to the start page (attempt.controller.tsx). */
const RETURN_REASONS = new Map<string, MessageKey>([
  ['attempt', 'start.goneAttempt'],
  ['cookies', 'start.noCookies'],
]);

/** The start page of a quiz (docs/playing.md). The classes below say where it is: they share no interceptor. */
@Injectable()
export class StartPages {
  constructor(
    private readonly play: VisitorPlayService,
    private readonly limits: AttemptLimits,
    private readonly config: Config,
    private readonly discovery: DiscoveryService,
  ) {}

  /** Before the first question: the quiz, the player's name, and the leaderboard. */
  @Get()
  async show(@Asked() asked: PageRequest): Promise<PageResult> {
    const place = placeOf(asked, this.config);
    const quiz = await this.play.open(place.at);
    const top = await this.play.top(quiz, place.token);
    const underWay = await this.underWay(asked, place);
    const tries = await this.play.tries(quiz, place.token);
    const look = quizLook(quiz, await this.discovery.topics());
    const name = nameCookie.readText(asked.request, this.config);
    const returnReason = RETURN_REASONS.get(asked.query('gone')) ?? null;
    const { form } = asked;
    const start = { quiz, place, look, top, underWay, tries, name, returnReason, form };
    return <StartPage {...start} />;
  }

  @Post()
  @OnRefusal('show')
  async start(@Asked() asked: PageRequest): Promise<PageResult> {
    const { response, form, address } = asked;
    await this.limits.take('playByAddress', { address });
    const { at, home, isPreview, isEmbedded, ...place } = placeOf(asked, this.config);
    const token = place.token ?? newVisitorToken();
    // Before any cookie: a name that is too long for a result is too long for a header.
    const settings = { name: nameIn(asked), reveal: form.text('reveal') === 'yes' };
    if (!isPreview && !isEmbedded) {
      visitorCookie.set(response, this.config, token);
      nameCookie.set(response, this.config, tidyName(form.text('name')));
    }
    const attempt = await this.play.start(at, token, settings);
    if (!isEmbedded) openAttemptCookie.set(response, this.config, attempt, home);
    return redirect(`${home}/${attempt}/1`);
  }

  /** The URL of the next question of an unfinished attempt. */
  private async underWay(
    asked: PageRequest,
    { at, token, home }: PlayerPlace,
  ): Promise<string | null> {
    const id = openAttemptCookie.read(asked.request, this.config);
    if (!id || !token) return null;
    try {
      const { questions, outcome, expired } = await this.play.find(at, id, token);
      if (outcome || expired) return null;
      const open = questions.findIndex(({ given }) => !given);
      return `${home}/${id}${open < 0 ? '' : `/${open + 1}`}`;
    } catch (error) {
      // A cookie whose attempt no longer exists.
      if (error instanceof NotFound) return null;
      throw error;
    }
  }
}

/** For everybody. */
@OfPlayers('pages')
@OpenPages('play/:slug')
export class PlayerController extends StartPages {}

/** For the owner of a quiz, in any state. Nothing that is played here counts. */
@SignedInPages('quizzes/:id/preview')
export class PreviewController extends StartPages {}

const { visitorName } = LIMITS.content;

/** @throws Invalid */
function nameIn({ form, messages }: PageRequest): string {
  const name = tidyName(form.text('name')) || guestName(messages);
  if (codePoints(name) > visitorName.value)
    throw fieldError(
      'name',
      messages.t('start.nameTooLong', { most: visitorName.value }),
      'too_long',
    );
  return name;
}
