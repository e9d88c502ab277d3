import { textLine } from '../../../catalog/rendering/question-html';
import { DIFFICULTIES, type Difficulty } from '../../../catalog/vocabulary';
import type { UnlistedLink } from '../../../play/links/quiz-links.dto';
import type { EarlierKeys } from '../../../play/regrade/regrade.service';
import { ENOUGH_ATTEMPTS, type FlagKind } from '../../../play/results/item-analysis.rules';
import type { QuestionReport } from '../../../play/results/question-report.entity';
import { REPORT_REASONS } from '../../../play/results/reports.rules';
import type { SubmittedAttempt } from '../../../play/results/results.dto';
import type {
  QuestionStatistics,
  QuizStatistics,
  ResultsQuiz,
  ResultsService,
} from '../../../play/results/results.service';
import { AuthorText, useNameOf } from '../../components/author-text';
import { Icon, LinkButton, PostButton } from '../../components/button';
import { Clip, count, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge, Facts, Panel, Section } from '../../components/section';
import { EmptyState, type PageOf, Pager, Table, Tabs } from '../../components/table';
import { duration } from '../../player/player.rules';
import { fixHref, KeyNotes } from '../quizzes/check-key';
import { DIFFICULTY_LABELS, TYPE_LABELS } from '../quizzes/quiz-parts';
import { HandedIn } from '../quizzes/sharing.page';

export const urlOf = ({ id }: ResultsQuiz) => `/dashboard/quizzes/${id}/results`;

interface Shown {
  statistics: QuizStatistics;
  progress: Awaited<ReturnType<ResultsService['progress']>>;
  /** What a regrade would score again; null for administrators. */
  earlier: EarlierKeys | null;
  /** Unlisted links of the quiz, of which some have a list of names; none for administrators. */
  links: UnlistedLink[];
  /** Whether the questions are in the order of the quiz; else the hardest is the first. */
  inOrder: boolean;
  attempts: SubmittedAttempt[];
  total: number;
  page: PageOf;
  reports: QuestionReport[];
}

/** What to check, how players did, the questions with the hardest first, players' reports, and the attempts. */
export function ResultsPage(props: Shown) {
  const { statistics, attempts, total, page, reports } = props;
  const { quiz, questions, keyWarnings } = statistics;
  const at = urlOf(quiz);
  const back = quiz.isOwn ? `/dashboard/quizzes/${quiz.id}` : `/dashboard/admin/review/${quiz.id}`;
  return (
    <Page title="Results" help="Players and answers." back={{ href: back, label: quiz.title }}>
      <KeyNotes warnings={keyWarnings} canFix={quiz.isOwn} />
      <Overview {...props} />
      <Reports {...{ reports, questions, at }} />
      <Section title="Attempts" help="Submitted in the last 90 days, newest first." id="attempts">
        <Table
          label="Attempts"
          rows={attempts}
          columns={{
            Player: ({ id, name }) => <Clip text={name} href={`${at}/${id}`} />,
            Correct: { number: ({ score, total }) => `${score} of ${total}` },
            Time: { number: ({ timeSpent }) => duration(timeSpent) },
            Submitted: ({ submittedAt }) => <Time at={submittedAt} />,
            Counted: ({ counted }) =>
              counted ? 'yes' : <span class="muted">no, played again or no answer</span>,
          }}
          empty={
            <EmptyState title="No attempts yet" text="Share the quiz: its results appear here." />
          }
        />
        <Pager page={page} total={total} at={at} fragment="#attempts" />
        <div class="buttons after">
          <LinkButton href={`${at}/attempts.csv`} text="Attempts as CSV" />
          <LinkButton href={`${at}/questions.csv`} text="Questions as CSV" />
        </div>
      </Section>
    </Page>
  );
}

const none = <span class="muted">none</span>;

/** One card: the figures, the scores as a histogram, and a row for each question. */
function Overview({ statistics, progress, earlier, links, inOrder }: Shown) {
  const { quiz, questions, attempts, percent, seconds } = statistics;
  const { names, total } = progress.unfinished;
  const at = urlOf(quiz);
  const sorted = inOrder ? questions : [...questions].sort((a, b) => shareOf(a) - shareOf(b));
  return (
    <Panel label="How players did" class="results">
      <dl class="results-figures">
        <Stat value={attempts.toLocaleString('en')} name={attempts === 1 ? 'player' : 'players'} />
        <Stat value={percent === null ? '–' : `${percent.toFixed(0)} %`} name="average" />
        <Stat value={seconds === null ? '–' : duration(Math.round(seconds))} name="average time" />
        <Stat value={total.toLocaleString('en')} name="not finished" />
      </dl>
      {attempts > 0 && <Histogram scores={progress.scores} />}
      <div class="results-notes">
        {total > 0 && (
          <p>
            {total.toLocaleString('en')} started, not finished: {names.join(', ')}
            {total > names.length && ', …'}
          </p>
        )}
        {links.map((link) => (
          <HandedIn key={link.id} link={link} />
        ))}
        {earlier !== null && earlier.attempts > 0 && (
          <form method="post" action={`/dashboard/quizzes/${quiz.id}/regrade`}>
            <p>
              {count(earlier.attempts, 'attempt was', 'attempts were')} scored before you changed
              what is correct. <button class="link">Regrade</button>
            </p>
          </form>
        )}
        <p class="muted">The first attempt of each player counts, if it has an answer.</p>
      </div>
      {questions.length === 0 ? (
        <EmptyState title="No questions yet" />
      ) : (
        <>
          <Tabs
            label="Order of the questions"
            tabs={[
              { label: 'Hardest first', href: at, current: !inOrder },
              { label: 'In order', href: `${at}?sort=order`, current: inOrder },
            ]}
          />
          <ol class="result-rows" aria-label="Questions">
            {sorted.map((each) => (
              <Question of={each} quiz={quiz} />
            ))}
          </ol>
        </>
      )}
    </Panel>
  );
}

const Stat = ({ value, name }: { value: string; name: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

/** Questions that nobody has answered are the last. */
const shareOf = ({ attempts, correct }: QuestionStatistics) =>
  attempts === 0 ? 2 : correct / attempts;

function Histogram({ scores }: { scores: readonly number[] }) {
  const most = Math.max(...scores);
  const words = scores.flatMap((players, tenth) =>
    players > 0 ? [`${tenth * 10} %: ${count(players, 'player', 'players')}`] : [],
  );
  const step = 100 / scores.length;
  return (
    <figure class="histogram">
      <svg
        viewBox="0 0 100 20"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Scores. ${words.join(', ')}`}
      >
        {scores.map((players, tenth) => {
          const height = players === 0 ? 0.4 : 1 + (19 * players) / most;
          return (
            <rect
              x={tenth * step + 0.4}
              width={step - 0.8}
              y={20 - height}
              height={height}
              rx="0.4"
            />
          );
        })}
      </svg>
      <figcaption aria-hidden="true">
        <span>0 %</span>
        <span>Scores</span>
        <span>100 %</span>
      </figcaption>
    </figure>
  );
}

const FLAGS: Record<FlagKind, string> = {
  key: 'Strong players choose another answer',
  discrimination: 'Good players answer correctly less often',
  difficulty: 'Much harder or easier than marked',
};

/** A row that opens: how many chose each answer, and the statistics. */
function Question({ of, quiz }: { of: QuestionStatistics; quiz: ResultsQuiz }) {
  const { question, attempts, correct, unanswered, options, openReports, checkKey } = of;
  const share = attempts === 0 ? null : Math.round((100 * correct) / attempts);
  const name = useNameOf(question.text, question.format);
  return (
    <li id={`question-${question.id}`}>
      <details open={checkKey !== null}>
        <summary aria-label={name && `${question.position}. ${name}`}>
          <span class="result-row" data-doubted={checkKey ? '' : undefined}>
            <span class="figure">{question.position}</span>
            <span class="result-text">
              <AuthorText text={question.text} format={question.format} inControl />
              {checkKey && <Badge variant="busy">Check the key</Badge>}
              {openReports > 0 && (
                <Badge variant="busy">{count(openReports, 'report', 'reports')}</Badge>
              )}
            </span>
            <progress value={share ?? 0} max={100} aria-hidden="true" />
            <span class="result-share">{share === null ? '–' : `${share} %`}</span>
            <Icon name="down" />
          </span>
        </summary>
        <div class="result-details">
          <p class="muted">
            {TYPE_LABELS[question.type]}, {DIFFICULTY_LABELS[question.difficulty].toLowerCase()}.{' '}
            {attempts === 0
              ? 'Nobody has answered it yet.'
              : `${correct.toLocaleString('en')} of ${count(attempts, 'player', 'players')} correct${
                  unanswered > 0 ? `, ${unanswered.toLocaleString('en')} left it out` : ''
                }.`}
          </p>
          <ul class="answers">
            {question.answers.map((answer) => {
              const option = options.find(({ answerId }) => answerId === answer.id);
              return (
                <li data-correct={answer.isCorrect ? '' : undefined}>
                  {answer.isCorrect ? <Icon name="check" /> : <span aria-hidden="true" />}
                  <span>
                    <AuthorText text={answer.text} format={question.format} />
                    {answer.isCorrect && <span class="sr-only"> (correct)</span>}
                  </span>
                  {option && attempts > 0 && (
                    <span class="chosen">
                      <progress value={option.chosen} max={attempts} aria-hidden="true" />{' '}
                      {option.chosen.toLocaleString('en')}{' '}
                      <span class="sr-only">{option.chosen === 1 ? 'player' : 'players'}</span>
                    </span>
                  )}
                </li>
              );
            })}
          </ul>
          {quiz.isOwn && (
            <div class="buttons after">
              <LinkButton
                href={fixHref({ quizId: quiz.id, questionId: question.id })}
                label={`Edit question ${question.position}`}
                text="Edit"
              />
            </div>
          )}
          <Details of={of} />
        </div>
      </details>
    </li>
  );
}

/** Statistics, for those who ask. */
function Details({ of }: { of: QuestionStatistics }) {
  const { analysis, flags, question, attempts } = of;
  if (attempts === 0) return null;
  return (
    <details class="more">
      <summary>Details</summary>
      <div class="inner">
        {analysis ? (
          <Facts
            of={{
              'Item analysis': <Analysis of={analysis} declared={question.difficulty} />,
              'To look at':
                flags.length === 0 ? none : flags.map(({ kind }) => FLAGS[kind]).join('; '),
            }}
          />
        ) : (
          <p class="muted">
            The item analysis by Moodle’s definitions follows from {ENOUGH_ATTEMPTS} players on.
          </p>
        )}
      </div>
    </details>
  );
}

function Analysis(given: {
  of: NonNullable<QuestionStatistics['analysis']>;
  declared: Difficulty;
}) {
  const { of, declared } = given;
  const { measuredDifficulty } = of;
  const by = DIFFICULTIES.indexOf(measuredDifficulty) - DIFFICULTIES.indexOf(declared);
  const compared = by === 0 ? 'as marked' : by > 0 ? 'harder than marked' : 'easier than marked';
  const figure = (value: number | null) => (value === null ? '–' : `${value.toFixed(1)} %`);
  return (
    <>
      {compared}: {DIFFICULTY_LABELS[measuredDifficulty].toLowerCase()}
      <span class="sub">
        facility {figure(of.facility)}, standard deviation {figure(of.standardDeviation)},
        discrimination {figure(of.discriminationIndex)}, efficiency{' '}
        {figure(of.discriminativeEfficiency)}
      </span>
    </>
  );
}
function Reports(props: {
  reports: QuestionReport[];
  questions: QuestionStatistics[];
  at: string;
}) {
  if (props.reports.length === 0) return null;
  const byId = new Map(props.questions.map(({ question }) => [question.id, question]));
  return (
    <Section
      id="reports"
      title="Reports"
      help="What players say is wrong. Close a report once you have read it."
    >
      <Table
        label="Reports"
        rows={props.reports}
        columns={{
          Question: ({ questionId }) => {
            const question = byId.get(questionId);
            return question ? (
              <Clip
                text={`${question.position}. ${textLine(question.text, question.format)}`}
                href={`#question-${questionId}`}
              />
            ) : (
              <span class="muted">deleted</span>
            );
          },
          Report: ({ reason, text }) => (
            <div class="reason">
              {REPORT_REASONS[reason]}
              {text && <span class="sub said">{text}</span>}
            </div>
          ),
          Reported: ({ createdAt }) => <Time at={createdAt} />,
          Actions: ({ id, reason }) => (
            <PostButton
              action={`${props.at}/reports/${id}/close`}
              label={`Close the report “${REPORT_REASONS[reason]}”`}
              text="Close"
            />
          ),
        }}
      />
    </Section>
  );
}
