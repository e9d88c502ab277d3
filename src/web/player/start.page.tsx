import type { OpenQuiz } from '../../play/visitors/playable-quizzes.service';
import type { LeaderboardRow } from '../../play/visitors/visitor-play.service';
import { LONGEST_NAME } from '../../play/visitors/visitor.rules';
import { PostForm, TextField } from '../components/fields';
import { count } from '../components/format';
import type { Form } from '../http/form';
import { PlayerFrame } from './frame';
import { duration } from './player.rules';

/** Before the first question: what the quiz is, who plays, and who was best so far. */
export function StartPage({
  quiz,
  top,
  form,
  goOn,
}: {
  quiz: OpenQuiz;
  top: LeaderboardRow[];
  form: Form;
  /** The address of an attempt that is under way. */
  goOn: string | null;
}) {
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
            {goOn && (
              <p class="go-on">
                You have already started this quiz.{' '}
                <a class="link" href={goOn}>
                  Go on where you were
                </a>
              </p>
            )}
            <PostForm form={form}>
              <TextField
                name="name"
                label="Your name"
                maxLength={LONGEST_NAME}
                autocomplete="nickname"
                placeholder="Guest"
                help="It appears on the leaderboard. Leave it empty to play as a guest."
              />
              <label class="tick">
                <input
                  type="checkbox"
                  name="reveal"
                  value="yes"
                  checked={form.text('reveal') === 'yes'}
                />
                <span>Show the answer after each question</span>
              </label>
              <button class="btn btn-big">Start</button>
            </PostForm>
          </>
        )}
      </section>
      <LeaderboardTable top={top} />
    </PlayerFrame>
  );
}

/** The ten best. */
export function LeaderboardTable({ top }: { top: readonly LeaderboardRow[] }) {
  return (
    <section class="standings" aria-labelledby="standings">
      <h2 id="standings">Leaderboard</h2>
      {top.length === 0 ? (
        <p class="muted">Nobody has played this quiz yet. Be the first.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="sr-only">Rank</span>
              </th>
              <th scope="col">Player</th>
              <th scope="col">Right</th>
              <th scope="col">Time</th>
            </tr>
          </thead>
          <tbody>
            {top.map(({ rank, name, score, timeSpent, mine }) => (
              <tr key={rank} data-mine={mine ? '' : undefined}>
                <td>{rank}</td>
                <td>
                  <bdi>{name}</bdi>
                  {mine && <span class="you">you</span>}
                </td>
                <td>{score}</td>
                <td>{duration(timeSpent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
