import { LONGEST_NAME } from '../../play/attempts/visitor.rules';
import type { LeaderboardRow, OpenQuiz, Tries } from '../../play/visitors/visitor-play.dto';
import { PostForm, TextInput } from '../components/fields';
import { count, Link } from '../components/format';
import type { Form } from '../http/form';
import { LeaderboardTable, PlayerFrame } from './frame';
import type { PlayerPlace } from './place';
import { timeLimitOf } from './player.rules';

/** A quiz before its first question: what it is, the player's name, and the leaderboard. */
export function StartPage({
  quiz,
  place,
  top,
  underWay,
  tries,
  name,
  form,
}: {
  quiz: OpenQuiz;
  place: PlayerPlace;
  top: LeaderboardRow[] | null;
  /** The URL of the next question of an unfinished attempt. */
  underWay: string | null;
  /** Null where the player has any number of tries. */
  tries: Tries | null;
  /** That the player used last. */
  name: string;
  form: Form;
}) {
  const { title, description, category, difficulty, questionCount, plays, timeLimit } = quiz;
  const asked = Math.min(quiz.questionsPerAttempt ?? questionCount, questionCount);
  const facts = [
    count(asked, 'question', 'questions'),
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
                form={form}
                action={place.home}
                name={name}
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

/** `2 tries`, `1 of 2 tries left`; without one, the page says so in a sentence */
const triesLeft = (left: number, most: number): string =>
  left === most || left === 0 ? count(most, 'try', 'tries') : `${left} of ${most} tries left`;

function StartForm({
  form,
  action,
  name,
  isAgain,
  isTimed,
}: {
  form: Form;
  action: string;
  name: string;
  isAgain: boolean;
  isTimed: boolean;
}) {
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
