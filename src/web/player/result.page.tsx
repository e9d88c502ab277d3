import type { PopularQuiz } from '../../catalog/discovery/discovery.service';
import type {
  OpenQuiz,
  Tries,
  VisitorAttempt,
  VisitorLeaderboardRow,
  VisitorQuestion,
} from '../../play/visitors/visitor-play.dto';
import { AuthorText, inLanguage, useNameOf } from '../components/author-text';
import { CopyText, Icon } from '../components/button';
import { Link } from '../components/format';
import { Form } from '../http/form';
import { useMessages, usePage } from '../http/page-context';
import { LeaderboardTable, PlayerFrame } from './frame';
import { duration, praise } from './player.rules';
import { type AnsweredQuestion, AnswerReview, LastVerdict, outcomeOf } from './verdict';

/** Quizzes to play next. */
export interface NextQuizzes {
  /** What they have in common; null: nothing. */
  name: string | null;
  /** The catalogue's page with all of them. */
  href: string;
  quizzes: PopularQuiz[];
}

/** The score, the leaderboard, and every question with its solution. */
export function ResultPage({
  attempt,
  outcome,
  quiz,
  top,
  tries,
  home,
  here,
  report,
  last,
  more,
}: {
  attempt: VisitorAttempt;
  outcome: { score: number; timeSpent: number };
  /** Null once nobody can start it any more. */
  quiz: OpenQuiz | null;
  top: VisitorLeaderboardRow[] | null;
  /** Null where the player has any number of tries. */
  tries: Tries | null;
  home: string;
  /** The URL of the attempt. */
  here: string;
  report?: { number: string; reported: string; form: Form };
  last: AnsweredQuestion | null;
  more: NextQuizzes | null;
}) {
  const { baseUrl, messages } = usePage();
  const { t, rich } = messages;
  const { questions, title, language, name, reveal, isPractice } = attempt;
  const ofQuiz = title ? <bdi {...inLanguage(language)}>{title}</bdi> : t('player.quiz');
  const { score, timeSpent } = outcome;
  const total = questions.length;
  const isGood = score >= total * 0.8;
  const wrong = questions.filter(({ result }) => !result?.correct).length;
  const shared = quiz?.via === 'public' && !isPractice ? `${baseUrl}/play/${quiz.slug}` : null;
  const squares = questions.map(({ result }) => (result?.correct ? '🟩' : '🟥')).join('');
  const mine = top?.find(({ isOwn }) => isOwn);
  return (
    <PlayerFrame title={t('result.title', { score, total, praise: t(praise(score, total)) })}>
      <LastVerdict last={last} isHidden />
      <section
        class="outcome"
        data-is={isGood ? 'correct' : undefined}
        data-score={score}
        data-total={total}
        data-seconds={timeSpent}
        data-practice={isPractice ? '' : undefined}
      >
        <Ring score={score} total={total} />
        <div>
          <p class="kicker">{isPractice ? rich('result.practice', { title: ofQuiz }) : ofQuiz}</p>
          <h1>{t(praise(score, total))}</h1>
          <p class="lead muted">
            {rich('result.score', {
              name: <bdi>{name}</bdi>,
              score,
              total,
              time: duration(timeSpent, messages),
            })}
            {attempt.over && ` ${t('result.timeUp')}`}
            {mine && score > 0 && ` ${t('result.rank', { rank: mine.rank })}`}
          </p>
          {quiz && (
            <form method="post" action={home} class="again">
              <input type="hidden" name="name" value={name} />
              {reveal && <input type="hidden" name="reveal" value="yes" />}
              {shared && (
                <button
                  type="button"
                  class="btn btn-big"
                  data-share={shared}
                  data-text={`${t('result.shareText', { score, total, title: quiz.title })}${total <= 30 ? `\n${squares}` : ''}`}
                  data-copied={t('copy.copied')}
                  data-failed={t('result.shareByAddress')}
                  // It has its room before the script runs, so nothing moves.
                  disabled
                >
                  <span aria-live="polite">{t('result.share')}</span>
                </button>
              )}
              {wrong > 0 && (
                <button class="btn btn-big" data-variant="outline" formaction={`${here}/practise`}>
                  {t('result.practise', { count: wrong })}
                </button>
              )}
              {tries?.left === 0 ? (
                <p class="muted">{t('result.noTries')}</p>
              ) : (
                <button class="btn btn-big" data-variant="outline">
                  {tries ? t('result.againLeft', { count: tries.left }) : t('result.again')}
                </button>
              )}
            </form>
          )}
        </div>
      </section>
      {more && (
        <section class="solutions" aria-labelledby="more">
          <h2 id="more">
            {more.name ? t('result.moreIn', { name: more.name }) : t('result.more')}
          </h2>
          <ul class="options">
            {more.quizzes.map(({ slug, title: next, language, questionCount }) => (
              <li key={slug}>
                <a class="option" href={`/play/${slug}`}>
                  <span {...inLanguage(language)}>{next}</span>
                  <span class="muted">{t('count.questions', { count: questionCount })}</span>
                </a>
              </li>
            ))}
          </ul>
          <p>
            <Link to={more.href}>
              {more.name ? t('result.allIn', { name: more.name }) : t('result.all')}
            </Link>
          </p>
        </section>
      )}
      {top && <LeaderboardTable top={top} />}
      <section class="solutions" aria-labelledby="solutions">
        <h2 id="solutions">{t('result.answers')}</h2>
        <ol>
          {questions.map((question, index) => {
            const is = outcomeOf(question.result ?? { correct: false });
            return (
              <li key={question.id}>
                <details open={is === 'wrong' || report?.reported === question.id}>
                  <Summary question={question} number={index + 1} is={is} />
                  <AnswerReview
                    question={question}
                    report={
                      report && {
                        at: `${here}/${index + 1}`,
                        reported: report.reported,
                        form: report.number === String(index + 1) ? report.form : new Form(),
                      }
                    }
                  />
                </details>
              </li>
            );
          })}
        </ol>
      </section>
      {shared && (
        <section class="share" aria-labelledby="share">
          <h2 id="share">{t('result.shareQuiz')}</h2>
          <CopyText text={shared} label={t('result.address')} />
        </section>
      )}
    </PlayerFrame>
  );
}

/** The share of correct answers as a ring; in attributes, because our pages must not use inline styles. */
function Ring({ score, total }: { score: number; total: number }) {
  const { t } = useMessages();
  return (
    <svg
      class="ring"
      viewBox="0 0 120 120"
      role="img"
      aria-label={t('result.ring', { score, total })}
    >
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
      <text x="60" y="86" text-anchor="middle" class="ring-total muted" aria-hidden="true">
        {t('result.ofTotal', { total })}
      </text>
    </svg>
  );
}

/** Of a question with its solution. */
function Summary(props: {
  question: VisitorQuestion;
  number: number;
  is: ReturnType<typeof outcomeOf>;
}) {
  const { question, number, is } = props;
  const { text, format, language } = question;
  const { t } = useMessages();
  const name = useNameOf(text, format);
  const outcome = t(is === 'correct' ? 'result.correct' : 'result.wrong');
  return (
    <summary aria-label={name && `${outcome} ${number}. ${name}`}>
      <span class="mark" data-is={is}>
        <Icon name={is === 'correct' ? 'check' : 'cross'} />
        <span class="sr-only">{outcome}</span>
      </span>
      <h3>
        {number}.{' '}
        <bdi {...inLanguage(language)}>
          <AuthorText text={text} format={format} inControl />
        </bdi>
      </h3>
      <Icon name="down" />
    </summary>
  );
}
