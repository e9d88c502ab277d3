import { DIFFICULTIES, type Difficulty } from '../../../catalog/vocabulary';
import { ENOUGH_ATTEMPTS, type FlagKind } from '../../../play/results/item-analysis.rules';
import type { QuestionReport } from '../../../play/results/question-report.entity';
import { REPORT_REASONS } from '../../../play/results/reports.rules';
import type { SubmittedAttempt } from '../../../play/results/results.dto';
import type {
  QuestionStatistics,
  QuizStatistics,
  ResultsQuiz,
} from '../../../play/results/results.service';
import { LinkButton, PostButton } from '../../components/button';
import { Clip, count, Link, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge, Facts, Note, Panel, Section } from '../../components/section';
import { EmptyState, type PageOf, Pager, Table } from '../../components/table';
import { duration } from '../../player/player.rules';
import { DIFFICULTY_LABELS, QuestionTexts } from '../quizzes/quiz-parts';

export const urlOf = ({ id }: ResultsQuiz) => `/dashboard/quizzes/${id}/results`;

/** Averages, the questions with what to look at, players' reports, and the attempts. */
export function ResultsPage(of: {
  statistics: QuizStatistics;
  attempts: SubmittedAttempt[];
  total: number;
  page: PageOf;
  reports: QuestionReport[];
}) {
  const { statistics, attempts, total, page, reports } = of;
  const { quiz, questions, percent, seconds } = statistics;
  const at = urlOf(quiz);
  const back = quiz.isOwn ? `/dashboard/quizzes/${quiz.id}` : `/dashboard/admin/review/${quiz.id}`;
  const doubted = questions.filter(({ flags }) => flags.some(({ kind }) => kind === 'key'));
  return (
    <Page title="Results" help="Players and answers." back={{ href: back, label: quiz.title }}>
      {doubted.length > 0 && (
        <Note variant="bad" title="Check the answers marked as correct">
          <p>
            Strong players tend to choose another answer than the one marked as correct in{' '}
            {doubted.map(({ question: { id, position } }, index) => (
              <>
                {index > 0 && ', '}
                <Link to={`#question-${id}`}>question {position}</Link>
              </>
            ))}
            .
          </p>
        </Note>
      )}
      <Panel label="Averages">
        <Facts
          of={{
            Players: count(statistics.attempts, 'player', 'players'),
            'Average score': percent === null ? none : `${percent.toFixed(0)} %`,
            'Average time': seconds === null ? none : duration(Math.round(seconds)),
          }}
        />
        <p class="muted">The first attempt of each player counts, if it has an answer.</p>
      </Panel>
      <Reports {...{ reports, questions, at }} />
      <Section
        title="Questions"
        help={`How many chose each answer. From ${ENOUGH_ATTEMPTS} players on, also the item analysis by Moodle’s definitions.`}
      >
        {questions.length === 0 && <EmptyState title="No questions yet" />}
        <ol class="questions after">
          {questions.map((each) => (
            <Question {...each} />
          ))}
        </ol>
      </Section>
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

const FLAGS: Record<FlagKind, string> = {
  key: 'Strong players choose another answer',
  discrimination: 'Good players answer correctly less often',
  difficulty: 'Much harder or easier than marked',
};

/** A question, with how many chose each answer. */
function Question(each: QuestionStatistics) {
  const { question, attempts, correct, unanswered, options, flags, openReports } = each;
  const doubted = flags.flatMap(({ answerIds }) => answerIds);
  const share = attempts && Math.round((100 * correct) / attempts);
  return (
    <li class="panel question" id={`question-${question.id}`}>
      <QuestionTexts
        question={question}
        beside={(id) => {
          const chosen = options.find(({ answerId }) => answerId === id)?.chosen;
          return (
            attempts > 0 &&
            chosen !== undefined && (
              <span class="chosen">
                <progress value={chosen} max={attempts} aria-hidden="true" />{' '}
                {chosen.toLocaleString('en')}{' '}
                <span class="sr-only">{chosen === 1 ? 'player' : 'players'}</span>
                {doubted.includes(id) && <span>(good players choose this)</span>}
              </span>
            )
          );
        }}
      />
      <Facts
        class="after"
        of={{
          Correct:
            attempts === 0 ? (
              none
            ) : (
              <>
                {share} %
                <span class="sub">
                  {correct.toLocaleString('en')} of {count(attempts, 'player', 'players')}
                  {unanswered > 0 && `, ${unanswered.toLocaleString('en')} left it out`}
                </span>
              </>
            ),
          'Item analysis': each.analysis && (
            <Analysis of={each.analysis} declared={question.difficulty} />
          ),
        }}
      />
      {(flags.length > 0 || openReports > 0) && (
        <div class="buttons after">
          {flags.map(({ kind }) => (
            <Badge variant={kind === 'difficulty' ? 'busy' : 'bad'}>{FLAGS[kind]}</Badge>
          ))}
          {openReports > 0 && (
            <Badge variant="busy">{count(openReports, 'report', 'reports')}</Badge>
          )}
        </div>
      )}
    </li>
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

function Reports(of: { reports: QuestionReport[]; questions: QuestionStatistics[]; at: string }) {
  if (of.reports.length === 0) return null;
  const byId = new Map(of.questions.map(({ question }) => [question.id, question]));
  return (
    <Section
      title="Reports"
      help="What players say is wrong. Close a report once you have read it."
    >
      <Table
        label="Reports"
        rows={of.reports}
        columns={{
          Question: ({ questionId }) => {
            const question = byId.get(questionId);
            return question ? (
              <Clip
                text={`${question.position}. ${question.text}`}
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
              action={`${of.at}/reports/${id}/close`}
              label={`Close the report “${REPORT_REASONS[reason]}”`}
              text="Close"
            />
          ),
        }}
      />
    </Section>
  );
}
