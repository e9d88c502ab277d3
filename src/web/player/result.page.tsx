import type { VisitorAttempt, VisitorQuestion } from '../../play/visitors/visitor-attempt';
import type { LeaderboardRow } from '../../play/visitors/visitor-play.service';
import { CopyText } from '../components/button';
import { Icon } from '../components/icon';
import { usePage } from '../http/page-context';
import { LeaderboardTable, PlayerFrame } from './frame';
import { duration, ordinal, praise } from './player.rules';

/** The score, the leaderboard, and every question with its solution. */
export function ResultPage(of: {
  attempt: VisitorAttempt;
  outcome: { score: number; timeSpent: number };
  top: LeaderboardRow[];
  home: string;
}) {
  const { attempt, outcome, top, home } = of;
  const { baseUrl } = usePage();
  const { questions, title, name, reveal } = attempt;
  const { score, timeSpent } = outcome;
  const total = questions.length;
  const mine = top.find((each) => each.mine);
  return (
    <PlayerFrame title={`${score} of ${total}`}>
      <section class="outcome">
        <Ring score={score} total={total} />
        <div>
          <p class="kicker" dir="auto">
            {title ?? 'Quiz'}
          </p>
          <h1>{praise(score, total)}</h1>
          <p class="lead">
            <bdi>{name}</bdi>, you got {score} of {total} right in {duration(timeSpent)}.
            {mine && ` Your best is ${ordinal(mine.rank)} on the leaderboard.`}
          </p>
          {title !== null && (
            <form method="post" action={home} class="again">
              <input type="hidden" name="name" value={name} />
              {reveal && <input type="hidden" name="reveal" value="yes" />}
              <button class="btn btn-big">Play again</button>
            </form>
          )}
        </div>
      </section>
      <LeaderboardTable top={top} />
      <section class="solutions" aria-labelledby="solutions">
        <h2 id="solutions">Your answers</h2>
        <ol>
          {questions.map((question, index) => {
            const is = question.result?.correct ? 'right' : 'wrong';
            return (
              <li key={question.id}>
                <details open={is === 'wrong'}>
                  <summary>
                    <span class="mark" data-is={is}>
                      <Icon name={MARKS[is]} />
                      <span class="sr-only">{is === 'right' ? 'Right:' : 'Wrong:'}</span>
                    </span>
                    <h3 dir="auto">
                      {index + 1}. {question.text}
                    </h3>
                  </summary>
                  <AnswerReview question={question} />
                </details>
              </li>
            );
          })}
        </ol>
      </section>
      {title !== null && (
        <section class="share" aria-labelledby="share">
          <h2 id="share">Share this quiz</h2>
          <CopyText text={baseUrl + home} label="Address of this quiz" />
        </section>
      )}
    </PlayerFrame>
  );
}

/** The share of correct answers as a ring; in attributes, because our pages must not use inline styles. */
function Ring({ score, total }: { score: number; total: number }) {
  return (
    <svg class="ring" viewBox="0 0 120 120" role="img" aria-label={`${score} of ${total} right`}>
      <circle cx="60" cy="60" r="52" />
      {score > 0 && (
        <circle
          class="ring-score"
          cx="60"
          cy="60"
          r="52"
          pathLength={total}
          stroke-dasharray={`${score} ${total}`}
          transform="rotate(-90 60 60)"
        />
      )}
      <text x="60" y="66" text-anchor="middle" class="ring-number" aria-hidden="true">
        {score}
      </text>
      <text x="60" y="86" text-anchor="middle" class="ring-total" aria-hidden="true">
        of {total}
      </text>
    </svg>
  );
}

/**
 * A question with the player's answer, the correct answers and the explanation. Nothing until they may be revealed.
 */
export function AnswerReview({ question }: { question: VisitorQuestion }) {
  const { given, result } = question;
  if (!result) return null;
  return (
    <div class="review">
      <ul class="options">
        {optionsOf(question, result).map(({ text, is, chosen }, index) => (
          <li key={index} class="option" data-is={is} data-chosen={chosen ? '' : undefined}>
            <span class="mark">{is !== 'other' && <Icon name={MARKS[is]} />}</span>
            <span dir="auto">{text}</span>
            {/* In words too, for readers who do not see the colours. */}
            <span class="option-note">
              {chosen ? `Your answer, ${is}` : is === 'right' && 'Right answer'}
            </span>
          </li>
        ))}
      </ul>
      {!given && <p class="review-note">You left this one out.</p>}
      {result.explanation && (
        <p class="explanation" dir="auto">
          {result.explanation}
        </p>
      )}
    </div>
  );
}

const MARKS = { right: 'check', wrong: 'cross' } as const;

interface Option {
  text: string;
  is: 'right' | 'wrong' | 'other';
  chosen: boolean;
}

/** The choices; for an open question the typed answer and, unless it is correct, the accepted ones. */
function optionsOf(
  { type, choices, given }: VisitorQuestion,
  { correct, correctAnswers }: NonNullable<VisitorQuestion['result']>,
): Option[] {
  if (type !== 'OPEN_ENDED') {
    const right = new Set(correctAnswers.map(({ id }) => id));
    return choices.map(({ id, text }) => {
      const chosen = given?.answerIds?.includes(id) ?? false;
      return { text, chosen, is: right.has(id) ? 'right' : chosen ? 'wrong' : 'other' };
    });
  }
  const either = new Intl.ListFormat('en', { type: 'disjunction' });
  const accepted = either.format(correctAnswers.map(({ text }) => text));
  const typed: Option[] = given
    ? [{ text: given.text ?? '', is: correct ? 'right' : 'wrong', chosen: true }]
    : [];
  return correct ? typed : [...typed, { text: accepted, is: 'right', chosen: false }];
}
