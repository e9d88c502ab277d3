import { textLine } from '../../../catalog/rendering/question-html';
import { DIFFICULTIES, type Difficulty } from '../../../catalog/vocabulary';
import type { UnlistedLink } from '../../../play/links/quiz-links.dto';
import type { EarlierKeys } from '../../../play/regrade/regrade.service';
import { ENOUGH_ATTEMPTS } from '../../../play/results/item-analysis.rules';
import type { QuestionReport } from '../../../play/results/question-report.entity';
import type { SubmittedAttempt } from '../../../play/results/results.dto';
import type {
  QuestionStatistics,
  QuizStatistics,
  ResultsQuiz,
  ResultsService,
} from '../../../play/results/results.service';
import { AuthorText, inLanguage, useNameOf } from '../../components/author-text';
import { Icon, LinkButton, PostButton } from '../../components/button';
import { Clip, Names, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge, Facts, Panel, Section } from '../../components/section';
import { EmptyState, type PageOf, Pager, Table, Tabs } from '../../components/table';
import { useMessages } from '../../http/page-context';
import { duration } from '../../player/player.rules';
import { fixHref, KeyNotes } from '../quizzes/check-key';
import { HandedIn } from '../quizzes/sharing.page';

export const urlOf = ({ id }: { id: string }) => `/dashboard/quizzes/${id}/results`;

interface Shown {
  statistics: QuizStatistics;
  progress: Awaited<ReturnType<ResultsService['progress']>>;
  /** What a regrade would score again; null for administrators. */
  earlier: EarlierKeys | null;
  /** Unlisted links of the quiz, of which some have a list of names; none for administrators. */
  links: UnlistedLink[];
  /** Whether the questions are in the order of the quiz; else the hardest is the first. */
  inOrder: boolean;
  attempts: Omit<SubmittedAttempt, 'answers'>[];
  total: number;
  page: PageOf;
  reports: QuestionReport[];
}

/** What to check, how players did, the questions with the hardest first, players' reports, and the attempts. */
export function ResultsPage(props: Shown) {
  const messages = useMessages();
  const { t } = messages;
  const { statistics, attempts, total, page, reports } = props;
  const { quiz, questions, keyWarnings } = statistics;
  const at = urlOf(quiz);
  const here = props.inOrder ? `${at}?sort=order` : at;
  const back = quiz.isOwn ? `/dashboard/quizzes/${quiz.id}` : `/dashboard/admin/review/${quiz.id}`;
  return (
    <Page
      title={t('quiz.results')}
      help={t('results.help')}
      back={{ href: back, label: quiz.title }}
    >
      <KeyNotes warnings={keyWarnings} canFix={quiz.isOwn} />
      <Overview {...props} />
      <Reports {...{ reports, questions, at }} />
      <Section title={t('results.attempts')} help={t('results.attemptsHelp')} id="attempts">
        <Table
          label={t('results.attempts')}
          rows={attempts}
          columns={[
            [t('leaderboard.player'), ({ id, name }) => <Clip text={name} href={`${at}/${id}`} />],
            [
              t('leaderboard.correct'),
              {
                number: ({ score, total }) => t('results.scoreOf', { score, total }),
              },
            ],
            [t('leaderboard.time'), { number: ({ timeSpent }) => duration(timeSpent, messages) }],
            [t('results.submitted'), ({ submittedAt }) => <Time at={submittedAt} />],
            [
              t('results.counted'),
              ({ counted }) =>
                counted ? t('results.yes') : <span class="muted">{t('results.no')}</span>,
            ],
          ]}
          empty={
            total === 0 && (
              <EmptyState title={t('results.noAttempts')} text={t('results.noAttemptsText')} />
            )
          }
        />
        <Pager page={page} total={total} at={here} fragment="#attempts" />
        <div class="buttons after">
          <LinkButton href={`${at}/attempts.csv`} text={t('results.csvAttempts')} />
          <LinkButton href={`${at}/questions.csv`} text={t('results.csvQuestions')} />
        </div>
      </Section>
    </Page>
  );
}

/** One card: the figures, the scores as a histogram, and a row for each question. */
function Overview({ statistics, progress, earlier, links, inOrder }: Shown) {
  const messages = useMessages();
  const { number, rich, t } = messages;
  const { quiz, questions, attempts, percent, seconds } = statistics;
  const { names, total } = progress.unfinished;
  const at = urlOf(quiz);
  const sorted = inOrder ? questions : [...questions].sort((a, b) => shareOf(a) - shareOf(b));
  return (
    <Panel label={t('results.how')} class="results">
      <dl class="results-figures">
        <Stat value={number(attempts)} name={t('results.players', { count: attempts })} />
        <Stat
          value={percent === null ? '–' : `${percent.toFixed(0)} %`}
          name={t('results.average')}
        />
        <Stat
          value={seconds === null ? '–' : duration(Math.round(seconds), messages)}
          name={t('results.averageTime')}
        />
        <Stat value={number(total)} name={t('results.notFinished')} />
      </dl>
      {attempts > 0 && <Histogram scores={progress.scores} />}
      <div class="results-notes">
        {total > 0 && (
          <p>
            {rich('results.unfinished', {
              count: total,
              names: <Names of={[...names, ...(total > names.length ? ['…'] : [])]} />,
            })}
          </p>
        )}
        {links.map((link) => (
          <HandedIn key={link.id} link={link} />
        ))}
        {earlier !== null && earlier.attempts > 0 && (
          <form method="post" action={`/dashboard/quizzes/${quiz.id}/regrade`}>
            <p>
              {rich('results.earlier', {
                count: earlier.attempts,
                button: (text) => <button class="link">{text}</button>,
              })}
            </p>
          </form>
        )}
        <p class="muted">{t('results.firstCounts')}</p>
      </div>
      {questions.length === 0 ? (
        <EmptyState title={t('quiz.noQuestions')} />
      ) : (
        <>
          <Tabs
            label={t('results.order')}
            tabs={[
              { label: t('results.hardest'), href: at, current: !inOrder },
              { label: t('results.inOrder'), href: `${at}?sort=order`, current: inOrder },
            ]}
          />
          <ol class="result-rows" aria-label={t('nav.questions')}>
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
  const { enumerated, t } = useMessages();
  const most = Math.max(...scores);
  const words = scores.flatMap((players, tenth) => {
    const [from, to] = [Math.max(tenth * 10 - 5, 0), Math.min(tenth * 10 + 5, 100)];
    return players > 0 ? [t('results.tenth', { from, to, count: players })] : [];
  });
  const step = 100 / scores.length;
  return (
    <figure class="histogram">
      <svg
        viewBox="0 0 100 20"
        preserveAspectRatio="none"
        role="img"
        aria-label={t('results.histogram', { list: enumerated(words) })}
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
        <span>{t('results.scores')}</span>
        <span>100 %</span>
      </figcaption>
    </figure>
  );
}

/** A row that opens: how many chose each answer, and the statistics. */
function Question({ of, quiz }: { of: QuestionStatistics; quiz: ResultsQuiz }) {
  const { number, t } = useMessages();
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
              <bdi {...inLanguage(quiz.language)}>
                <AuthorText text={question.text} format={question.format} inControl />
              </bdi>
              {checkKey && <Badge variant="busy">{t('key.check')}</Badge>}
              {openReports > 0 && (
                <Badge variant="busy">{t('count.reports', { count: openReports })}</Badge>
              )}
            </span>
            <progress value={share ?? 0} max={100} aria-hidden="true" />
            <span class="result-share">{share === null ? '–' : `${share} %`}</span>
            <Icon name="down" />
          </span>
        </summary>
        <div class="result-details">
          <p class="muted">
            {t(`type.${question.type}`)}, {t(`level.${question.difficulty}`)}.{' '}
            {attempts === 0
              ? t('results.nobody')
              : t(unanswered > 0 ? 'results.someLeftOut' : 'results.someCorrect', {
                  correct,
                  count: attempts,
                  out: unanswered,
                })}
          </p>
          <ul class="answers">
            {question.answers.map((answer) => {
              const option = options.find(({ answerId }) => answerId === answer.id);
              return (
                <li data-correct={answer.isCorrect ? '' : undefined}>
                  {answer.isCorrect ? <Icon name="check" /> : <span aria-hidden="true" />}
                  <div>
                    <div {...inLanguage(quiz.language)}>
                      <AuthorText text={answer.text} format={question.format} />
                    </div>
                    {answer.isCorrect && <span class="sr-only"> {t('answer.correct')}</span>}
                  </div>
                  {option && attempts > 0 && (
                    <span class="chosen">
                      <progress value={option.chosen} max={attempts} aria-hidden="true" />{' '}
                      {number(option.chosen)}{' '}
                      <span class="sr-only">{t('results.players', { count: option.chosen })}</span>
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
                label={t('quiz.editQuestion', { number: question.position })}
                text={t('do.edit')}
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
  const { t } = useMessages();
  const { analysis, flags, question, attempts } = of;
  if (attempts === 0) return null;
  return (
    <details class="more">
      <summary>{t('quiz.details')}</summary>
      <div class="inner">
        {analysis ? (
          <Facts
            rows={[
              [t('results.analysis'), <Analysis of={analysis} declared={question.difficulty} />],
              [
                t('results.toLookAt'),
                flags.length === 0 ? (
                  <span class="muted">{t('results.none')}</span>
                ) : (
                  flags.map(({ kind }) => t(`flag.${kind}`)).join('; ')
                ),
              ],
            ]}
          />
        ) : (
          <p class="muted">{t('results.analysisFrom', { count: ENOUGH_ATTEMPTS })}</p>
        )}
      </div>
    </details>
  );
}

function Analysis(given: {
  of: NonNullable<QuestionStatistics['analysis']>;
  declared: Difficulty;
}) {
  const messages = useMessages();
  const { t } = messages;
  const { of, declared } = given;
  const { measuredDifficulty } = of;
  const by = DIFFICULTIES.indexOf(measuredDifficulty) - DIFFICULTIES.indexOf(declared);
  const compared = by === 0 ? 'results.asMarked' : by > 0 ? 'results.harder' : 'results.easier';
  const decimal = new Intl.NumberFormat(messages.locale, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const figure = (value: number | null) => (value === null ? '–' : `${decimal.format(value)} %`);
  return (
    <>
      {t(compared, { level: t(`level.${measuredDifficulty}`) })}
      <span class="sub">
        {t('results.figures', {
          facility: figure(of.facility),
          deviation: figure(of.standardDeviation),
          discrimination: figure(of.discriminationIndex),
          efficiency: figure(of.discriminativeEfficiency),
        })}
      </span>
    </>
  );
}

function Reports(props: {
  reports: QuestionReport[];
  questions: QuestionStatistics[];
  at: string;
}) {
  const { t } = useMessages();
  if (props.reports.length === 0) return null;
  const byId = new Map(props.questions.map(({ question }) => [question.id, question]));
  return (
    <Section id="reports" title={t('results.reports')} help={t('results.reportsHelp')}>
      <Table
        label={t('results.reports')}
        rows={props.reports}
        columns={[
          [
            t('player.question'),
            ({ questionId }) => {
              const question = byId.get(questionId);
              return question ? (
                <Clip
                  text={`${question.position}. ${textLine(question.text, question.format)}`}
                  href={`#question-${questionId}`}
                />
              ) : (
                <span class="muted">{t('results.deleted')}</span>
              );
            },
          ],
          [
            t('results.report'),
            ({ reason, text }) => (
              <div class="reason">
                {t(`report.because.${reason}`)}
                {text && <span class="sub said">{text}</span>}
              </div>
            ),
          ],
          [t('results.reported'), ({ createdAt }) => <Time at={createdAt} />],
        ]}
        actions={({ id, reason }) => (
          <PostButton
            action={`${props.at}/reports/${id}/close`}
            label={t('results.closeIt', { reason: t(`report.because.${reason}`) })}
            text={t('results.close')}
          />
        )}
      />
    </Section>
  );
}
