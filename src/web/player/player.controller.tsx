import { Get, Injectable, Post } from '@nestjs/common';
import { AttemptLimits } from '../../access/sessions/attempt-limits';
import { Config } from '../../platform/config/config';
import { NotFound } from '../../platform/errors/domain-errors';
import { OfPlayers } from '../../platform/hardening/turns.interceptor';
import { codePoints } from '../../platform/text/text.rules';
import { LONGEST_NAME, tidyName } from '../../play/attempts/visitor.rules';
import { VisitorPlayService } from '../../play/visitors/visitor-play.service';
import { PostForm, TextInput } from '../components/fields';
import { count, Link } from '../components/format';
import { nameCookie, openAttemptCookie, visitorCookie } from '../http/cookies';
import { fieldError, type Form } from '../http/form';
import {
  Asked,
  OnRefusal,
  OpenPages,
  type PageRequest,
  SignedInPages,
} from '../http/page-controller';
import { type PageResult, redirect } from '../http/page-results';
import { LeaderboardTable, PlayerFrame } from './frame';
import { newVisitorToken, placeOf, type PlayerPlace } from './place';
import { guestName, timeLimitOf } from './player.rules';

/** The start page of a quiz (docs/playing.md). The classes below say where it is: they share no interceptor. */
@Injectable()
export class StartPages {
  constructor(
    private readonly play: VisitorPlayService,
    private readonly limits: AttemptLimits,
    private readonly config: Config,
  ) {}

  /** Before the first question: the quiz, the player's name, and the leaderboard. */
  @Get()
  async show(@Asked() asked: PageRequest): Promise<PageResult> {
    const place = placeOf(asked, this.config);
    const quiz = await this.play.quiz(place.at);
    const top = await this.play.top(quiz, place.token);
    const underWay = await this.underWay(asked, place);
    const tries = await this.play.tries(quiz, place.token);
    const { title, description, category, difficulty, questionCount, plays, timeLimit } = quiz;
    const facts = [
      count(questionCount, 'question', 'questions'),
      difficulty.charAt(0) + difficulty.slice(1).toLowerCase(),
      ...(plays > 0 ? [`played ${count(plays, 'time', 'times')}`] : []),
      ...(timeLimit ? [timeLimitOf(timeLimit, quiz.timeFactor)] : []),
      ...(tries ? [triesLeft(tries.left, tries.most)] : []),
    ];
    return (
      <PlayerFrame title={title} description={description ?? facts.join(', ')}>
        <section class="welcome">
          {category && (
            <p class="kicker">
              {place.isEmbedded ? (
                category
              ) : (
                <a href={`/play?category=${encodeURIComponent(category)}`}>{category}</a>
              )}
            </p>
          )}
          <h1 dir="auto">{title}</h1>
          {description && (
            <p class="lead muted" dir="auto">
              {description}
            </p>
          )}
          <ul class="chips">
            {facts.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
          {questionCount === 0 ? (
            <p class="muted">This quiz has no questions yet. Come back later.</p>
          ) : (
            <>
              {underWay && (
                <p class="go-on">
                  <a class="btn btn-big" href={underWay}>
                    Continue where you left off
                  </a>
                </p>
              )}
              {tries?.left === 0 ? (
                <p role="status">
                  {underWay ? 'This is your last try.' : 'You have no tries left for this quiz.'}
                  {tries.best && ` Your best result is ${tries.best.score} of ${tries.best.total}.`}
                </p>
              ) : (
                <StartForm
                  form={asked.form}
                  action={place.home}
                  name={nameCookie.readText(asked.request, this.config)}
                  isAgain={underWay !== null}
                  isTimed={timeLimit !== null}
                />
              )}
            </>
          )}
        </section>
        {top && <LeaderboardTable top={top} />}
        {quiz.via === 'public' && !place.isEmbedded && (
          <p class="muted small">
            Do you write quizzes?{' '}
            <Link to={`/dashboard/quizzes/${quiz.id}/copy`}>Duplicate this one</Link> and change it.
          </p>
        )}
      </PlayerFrame>
    );
  }

  @Post()
  @OnRefusal('show')
  async start(@Asked() asked: PageRequest): Promise<PageResult> {
    const { response, form, address } = asked;
    await this.limits.take('playByAddress', { address });
    const { at, home, isPreview, isEmbedded, ...place } = placeOf(asked, this.config);
    const token = place.token ?? newVisitorToken();
    if (!isPreview && !isEmbedded) {
      visitorCookie.set(response, this.config, token);
      nameCookie.set(response, this.config, tidyName(form.text('name')));
    }
    const settings = { name: nameIn(form), reveal: form.text('reveal') === 'yes' };
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

/** @throws Invalid */
function nameIn(form: Form): string {
  const name = tidyName(form.text('name')) || guestName();
  if (codePoints(name) > LONGEST_NAME)
    throw fieldError('name', `A name may have at most ${LONGEST_NAME} characters.`, 'too_long');
  return name;
}

/** `2 tries`, `1 of 2 tries left`; without one, the page says so in a sentence */
const triesLeft = (left: number, most: number): string =>
  left === most || left === 0 ? count(most, 'try', 'tries') : `${left} of ${most} tries left`;

function StartForm(of: {
  form: Form;
  action: string;
  name: string;
  isAgain: boolean;
  isTimed: boolean;
}) {
  const { form, action, name, isAgain, isTimed } = of;
  return (
    <PostForm form={form} action={action} class="form panel">
      <TextInput
        name="name"
        label="Your name"
        initial={name}
        maxLength={LONGEST_NAME}
        autocomplete="nickname"
        placeholder="Guest"
        help="Shown with your result. Leave it empty to play as a guest."
      />
      <label class="choice">
        <input
          type="checkbox"
          name="reveal"
          value="yes"
          checked={form.isBlank || form.text('reveal') === 'yes'}
        />
        <span>Show the answer after each question</span>
      </label>
      {isTimed && <p class="muted">Your time starts when you press the button.</p>}
      <button class="btn btn-big" data-variant={isAgain ? 'outline' : undefined}>
        {isAgain ? 'Start again' : 'Start'}
      </button>
    </PostForm>
  );
}
