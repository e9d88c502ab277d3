import type { ComponentChildren } from 'preact';
import { mayWrite, PLAN_NAMES } from '../../../access/accounts/plan.rules';
import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import type { QuizState } from '../../../catalog/vocabulary';
import type { MessageKey, Messages } from '../../../platform/messages/messages';
import type { ResultsService } from '../../../play/results/results.service';
import { needsAttention } from '../../../webhooks/endpoints/endpoint.rules';
import type { EndpointView } from '../../../webhooks/endpoints/endpoints.dto';
import { CopyText, LinkButton } from '../../components/button';
import { Clip, Link, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Figures, Panel } from '../../components/section';
import { EmptyState, Tabs } from '../../components/table';
import { useMessages, usePage, type Viewer } from '../../http/page-context';
import { KeyLines, ReportsLine } from '../quizzes/check-key';
import { FreePlan, NoRoom, type Offer, QuotaLine } from '../quizzes/quiz-parts';
import { EndpointState } from '../webhooks/endpoint-state';
import { type Health, ServiceHealth } from './service-health';

const AT = '/dashboard';

/** What an account has, and what needs its attention. */
export interface Overview {
  viewer: Viewer;
  /** How many quizzes are in each state. */
  states: Record<QuizState, number>;
  /** Quizzes that the plan allows; null: any number. */
  limit: number | null;
  offer: Offer;
  rejected: OwnedQuiz[];
  drafts: OwnedQuiz[];
  waiting: OwnedQuiz[];
  results: Awaited<ReturnType<ResultsService['latest']>>;
  endpoints: EndpointView[];
  /** How many API keys work. */
  keys: number;
  /** For administrators. */
  health: Health | null;
}

export function OverviewPage({
  overview,
  isForDevelopers,
}: {
  overview: Overview;
  isForDevelopers: boolean;
}) {
  const { t } = useMessages();
  const { viewer, keys } = overview;
  const tab = (label: string, href: string, current: boolean) => ({ label, href, current });
  return (
    <Page
      title={t('nav.home')}
      help={isForDevelopers ? t('overview.helpDevelopers') : t('overview.help')}
      action={<Actions overview={overview} />}
    >
      <Tabs
        label={t('nav.home')}
        tabs={[
          tab(t('overview.home'), AT, !isForDevelopers),
          tab(t('overview.developers'), `${AT}?for=developers`, isForDevelopers),
        ]}
      />
      <Listed
        title={t('overview.endpoints')}
        help={t('overview.endpointsHelp')}
        rows={overview.endpoints.filter(needsAttention).map((endpoint) => ({
          href: `${AT}/webhooks/${endpoint.id}`,
          title: endpoint.url,
          more: <EndpointState endpoint={endpoint} />,
        }))}
      />
      {isForDevelopers ? (
        <Quickstart keys={keys} canWrite={mayWrite(viewer)} />
      ) : (
        <Home overview={overview} />
      )}
    </Page>
  );
}

const ownedBy = ({ states }: Overview): number =>
  Object.values(states).reduce((sum, number) => sum + number, 0);

const hasRoom = (overview: Overview): boolean =>
  overview.limit === null || ownedBy(overview) < overview.limit;

function Actions({ overview }: { overview: Overview }) {
  const { t } = useMessages();
  if (!hasRoom(overview))
    return <LinkButton look="outline" href="/play" text={t('landing.play')} />;
  return (
    <div class="buttons">
      {mayWrite(overview.viewer) && <ImportButton />}
      <LinkButton look="primary" icon="plus" href={`${AT}/quizzes/new`} text={t('quizzes.new')} />
    </div>
  );
}

const ImportButton = () => {
  const { t } = useMessages();
  return <LinkButton look="outline" href={`${AT}/imports/new`} text={t('quizzes.import')} />;
};

function Home({ overview }: { overview: Overview }) {
  const { t } = useMessages();
  const { viewer, states, limit, offer, health } = overview;
  const owned = ownedBy(overview);
  return (
    <>
      {limit !== null && !hasRoom(overview) && <NoRoom limit={limit} offer={offer} />}
      <div class="panels">
        <Panel
          title={t(viewer.isAdmin ? 'overview.planAdmin' : 'overview.plan', {
            plan: PLAN_NAMES[viewer.plan],
          })}
        >
          <QuotaLine owned={owned} limit={limit} />
        </Panel>
        <Panel title={t('overview.quizzes')}>
          <Figures
            rows={STATES.map(([state, label]) => [
              <a href={`${AT}/quizzes?state=${state}`}>{t(label)}</a>,
              states[state],
            ])}
          />
        </Panel>
        {health && <ServiceHealth {...health} />}
      </div>
      {hasRoom(overview) && owned === 0 && <FirstQuiz mayImport={mayWrite(viewer)} />}
      {hasRoom(overview) && limit !== null && !mayWrite(viewer) && (
        <FreePlan limit={limit} offer={offer} />
      )}
      <QuizLists overview={overview} />
    </>
  );
}

function FirstQuiz({ mayImport }: { mayImport: boolean }) {
  const { t } = useMessages();
  return (
    <EmptyState title={t('overview.first')} text={mayImport ? t('overview.firstText') : undefined}>
      <div class="buttons">
        <LinkButton look="outline" href={`${AT}/quizzes/new`} text={t('quizzes.new')} />
        {mayImport && <ImportButton />}
      </div>
    </EmptyState>
  );
}

function QuizLists({ overview: { rejected, drafts, waiting, results } }: { overview: Overview }) {
  const messages = useMessages();
  const { t } = messages;
  const rowOf = (quiz: OwnedQuiz, below = '') => ({
    href: `${AT}/quizzes/${quiz.id}${below}`,
    title: quiz.title,
    language: quiz.language,
    more: quiz.state === 'rejected' ? quiz.rejectionReason : <Time at={quiz.updatedAt} />,
  });
  return (
    <div class="panels">
      <Listed
        title={t('state.tab.rejected')}
        help={t('overview.rejectedHelp')}
        rows={rejected.map((quiz) => rowOf(quiz))}
      />
      <Listed title={t('state.tab.draft')} rows={drafts.map((quiz) => rowOf(quiz, '/edit'))} />
      <Listed title={t('overview.waiting')} rows={waiting.map((quiz) => rowOf(quiz))} />
      <Listed
        title={t('overview.latest')}
        rows={results.map((quiz) => rowOfResults(quiz, messages))}
      />
    </div>
  );
}

const rowOfResults = (quiz: Overview['results'][number], { t }: Messages) => ({
  href: `${AT}/quizzes/${quiz.quizId}/results`,
  title: quiz.title,
  more: (
    <>
      {quiz.percent === null
        ? t('count.players', { count: quiz.attempts })
        : t('overview.percent', { count: quiz.attempts, percent: quiz.percent.toFixed(0) })}
      , <Time at={quiz.submittedAt} />
      <KeyLines warnings={quiz.keyWarnings} />
      <ReportsLine quizId={quiz.quizId} openReports={quiz.openReports} />
    </>
  ),
});

const STATES: [QuizState, MessageKey][] = [
  ['live', 'state.tab.live'],
  ['pending', 'overview.waiting'],
  ['draft', 'state.tab.draft'],
  ['rejected', 'state.tab.rejected'],
];

/** A few things, each a link with something to know about it; nothing if there are none. */
function Listed({
  title,
  help,
  rows,
}: {
  title: string;
  help?: string;
  rows: {
    href: string;
    title: string;
    /** Of the title. */
    language?: string | null;
    more: ComponentChildren;
  }[];
}) {
  if (rows.length === 0) return null;
  return (
    <Panel title={title} help={help} class="short-list">
      <ul>
        {rows.map(({ href, title, language, more }) => (
          <li>
            <Clip href={href} text={title} language={language} />
            <span class="muted">{more}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Quickstart({ keys, canWrite }: { keys: number; canWrite: boolean }) {
  const { rich, t } = useMessages();
  const api = `${usePage().baseUrl}/api/v1`;
  // Short lines: a phone shows each of them whole.
  const request = (path: string, ...options: string[]) =>
    [
      'curl -H "Authorization: Bearer $KEY"',
      ...options.map((it) => `  ${it}`),
      `  ${api}${path}`,
    ].join(' \\\n');
  const create = request(
    '/quizzes',
    '-H "Content-Type: application/json"',
    `-d '{"title": "Rivers of Europe",\n    "difficulty": "MEDIUM"}'`,
  );
  const steps: [title: string, command: string, note?: ComponentChildren][] = [
    [
      t('overview.step.key'),
      'export KEY=svc_…',
      <p class="muted">
        {rich(keys === 0 ? 'overview.noKey' : 'overview.keys', {
          count: keys,
          link: (text) => <Link to="/dashboard/keys">{text}</Link>,
        })}
      </p>,
    ],
    [t('overview.step.questions'), request('/questions', '-G -d random=true -d limit=3')],
    canWrite
      ? [t('overview.step.create'), create]
      : [t('overview.step.list'), request('/quizzes', '-G -d sort=newest')],
  ];
  return (
    <Panel title={t('overview.quickstart')} help={t('overview.quickstartHelp')}>
      <ol class="steps">
        {steps.map(([title, command, note]) => (
          <li>
            <h3>{title}</h3>
            {note}
            <CopyText text={command} label={title} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}
