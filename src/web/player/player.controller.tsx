import { Get, Post } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { AttemptLimits } from '../../access/sessions/attempt-limits';
import { LONGEST_NAME, tidyName } from '../../play/visitors/visitor.rules';
import { VisitorPlayService } from '../../play/visitors/visitor-play.service';
import { Config } from '../../platform/config/config';
import { NotFound } from '../../platform/errors/domain-errors';
import { codePoints } from '../../platform/text/text.rules';
import { PostForm, TextField } from '../components/fields';
import { count, Link } from '../components/format';
import { openAttemptCookie, readVisitor, visitorCookie } from '../http/cookies';
import { fieldError, type Form } from '../http/form';
import { Asked, OnRefusal, OpenPages, type PageRequest } from '../http/page-controller';
import { redirect, type PageResult } from '../http/page-results';
import { LeaderboardTable, PlayerFrame } from './frame';
import { guestName } from './player.rules';

/** The start page of a quiz, for everybody: docs/playing.md. */
@OpenPages('play/:slug')
export class PlayerController {
  constructor(
    private readonly play: VisitorPlayService,
    private readonly limits: AttemptLimits,
    private readonly config: Config,
  ) {}

  /** Before the first question: the quiz, the player's name, and the leaderboard. */
  @Get()
  async show(@Asked() asked: PageRequest): Promise<PageResult> {
    const token = readVisitor(asked.request, this.config);
    const quiz = await this.play.quiz(asked.param('slug'));
    const top = await this.play.top(quiz, token);
    const underWay = token && (await this.underWay(asked, token));
    const { title, description, category, difficulty, questionCount, plays } = quiz;
    const facts = [
      count(questionCount, 'question', 'questions'),
      difficulty.charAt(0) + difficulty.slice(1).toLowerCase(),
      ...(plays > 0 ? [`played ${count(plays, 'time', 'times')}`] : []),
    ];
    return (
      <PlayerFrame title={title} description={description ?? facts.join(', ')}>
        <section class="welcome">
          {category && <p class="kicker">{category}</p>}
          <h1 dir="auto">{title}</h1>
          {description && (
            <p class="lead" dir="auto">
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
                  You have already started this quiz.{' '}
                  <Link to={underWay}>Continue where you left off</Link>
                </p>
              )}
              <StartForm form={asked.form} />
            </>
          )}
        </section>
        <LeaderboardTable top={top} />
      </PlayerFrame>
    );
  }

  @Post()
  @OnRefusal('show')
  async start(@Asked() asked: PageRequest): Promise<PageResult> {
    const { request, response, form, address } = asked;
    await this.limits.take('playByAddress', { address });
    const token = readVisitor(request, this.config) ?? randomBytes(32).toString('base64url');
    visitorCookie.set(response, this.config, token);
    const settings = { name: nameIn(form), reveal: form.text('reveal') === 'yes' };
    const home = `/play/${asked.param('slug')}`;
    const attempt = await this.play.start(asked.param('slug'), token, settings);
    openAttemptCookie.set(response, this.config, attempt, home);
    return redirect(`${home}/${attempt}/1`);
  }

  /** The URL of the next question of an unfinished attempt. */
  private async underWay({ request, param }: PageRequest, token: string): Promise<string | null> {
    const slug = param('slug');
    const id = openAttemptCookie.read(request, this.config);
    if (!id) return null;
    try {
      const { questions, outcome, expired } = await this.play.find(slug, id, token);
      if (outcome || expired) return null;
      const at = questions.findIndex(({ given }) => !given);
      return `/play/${slug}/${id}${at < 0 ? '' : `/${at + 1}`}`;
    } catch (error) {
      // A cookie whose attempt no longer exists.
      if (error instanceof NotFound) return null;
      throw error;
    }
  }
}

/** @throws Invalid */
function nameIn(form: Form): string {
  const name = tidyName(form.text('name')) || guestName();
  if (codePoints(name) > LONGEST_NAME)
    throw fieldError('name', `A name may have at most ${LONGEST_NAME} characters.`, 'too_long');
  return name;
}

function StartForm({ form }: { form: Form }) {
  return (
    <PostForm form={form} class="form panel">
      <TextField
        name="name"
        label="Your name"
        maxLength={LONGEST_NAME}
        autocomplete="nickname"
        placeholder="Guest"
        help="It appears on the leaderboard. Leave it empty to play as a guest."
      />
      <label class="choice">
        <input type="checkbox" name="reveal" value="yes" checked={form.text('reveal') === 'yes'} />
        <span>Show the answer after each question</span>
      </label>
      <button class="btn btn-big">Start</button>
    </PostForm>
  );
}
