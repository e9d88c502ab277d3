import type { ComponentChildren } from 'preact';
import { mayWrite, PLAN_NAMES } from '../../../access/accounts/plan.rules';
import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import type { QuizState } from '../../../catalog/vocabulary';
import type { ResultsService } from '../../../play/results/results.service';
import { needsAttention } from '../../../webhooks/endpoints/endpoint.rules';
import type { EndpointView } from '../../../webhooks/endpoints/endpoints.dto';
import { CopyText, LinkButton } from '../../components/button';
import { Clip, count, Link, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Figures, Panel } from '../../components/section';
import { EmptyState, Tabs } from '../../components/table';
import { usePage, type Viewer } from '../../http/page-context';
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
  const { viewer, keys } = overview;
  const tab = (label: string, href: string, current: boolean) => ({ label, href, current });
  return (
    <Page
      title="Overview"
      help={
        isForDevelopers
          ? 'How to make your first request.'
          : 'Your plan, your quizzes and what needs your attention.'
      }
      action={<Actions overview={overview} />}
    >
      <Tabs
        label="Overview"
        tabs={[
          tab('Home', AT, !isForDevelopers),
          tab('For developers', `${AT}?for=developers`, isForDevelopers),
        ]}
      />
      <Listed
        title="Webhook endpoints that need your attention"
        help="The deliveries show what went wrong. Retry the failed ones once your endpoint works again."
        rows={overview.endpoints.filter(needsAttention).map((endpoint) => ({
          href: `${AT}/webhooks/${endpoint.id}`,
          title: endpoint.url,
          more: <EndpointState endpoint={endpoint} />,
        }))}
      />
      {isForDevelopers ? (
        <Quickstart keys={keys} mayWrite={mayWrite(viewer)} />
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
  if (!hasRoom(overview)) return <LinkButton look="outline" href="/play" text="Play a quiz" />;
  return (
    <div class="buttons">
      {mayWrite(overview.viewer) && <ImportButton />}
      <LinkButton look="primary" icon="plus" href={`${AT}/quizzes/new`} text="New quiz" />
    </div>
  );
}

const ImportButton = () => (
  <LinkButton look="outline" href={`${AT}/imports/new`} text="Import a file" />
);

function Home({ overview }: { overview: Overview }) {
  const { viewer, states, limit, offer, health } = overview;
  const owned = ownedBy(overview);
  return (
    <>
      {limit !== null && !hasRoom(overview) && <NoRoom limit={limit} offer={offer} />}
      <div class="panels">
        <Panel title={`${PLAN_NAMES[viewer.plan]} plan${viewer.isAdmin ? ', administrator' : ''}`}>
          <QuotaLine owned={owned} limit={limit} />
        </Panel>
        <Panel title="Your quizzes">
          <Figures
            rows={STATES.map(([state, label]) => [
              <a href={`${AT}/quizzes?state=${state}`}>{label}</a>,
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
  return (
    <EmptyState
      title="Write your first quiz"
      text={mayImport ? 'Or bring questions that you have.' : undefined}
    >
      <div class="buttons">
        <LinkButton look="outline" href={`${AT}/quizzes/new`} text="New quiz" />
        {mayImport && <ImportButton />}
      </div>
    </EmptyState>
  );
}

function QuizLists({ overview: { rejected, drafts, waiting, results } }: { overview: Overview }) {
  const rowOf = (quiz: OwnedQuiz, below = '') => ({
    href: `${AT}/quizzes/${quiz.id}${below}`,
    title: quiz.title,
    more: quiz.state === 'rejected' ? quiz.rejectionReason : <Time at={quiz.updatedAt} />,
  });
  return (
    <div class="panels">
      <Listed
        title="Rejected"
        help="Fix them and send them to review again."
        rows={rejected.map((quiz) => rowOf(quiz))}
      />
      <Listed title="Drafts" rows={drafts.map((quiz) => rowOf(quiz, '/edit'))} />
      <Listed title="Waiting for review" rows={waiting.map((quiz) => rowOf(quiz))} />
      <Listed title="Latest results" rows={results.map(rowOfResults)} />
    </div>
  );
}

const rowOfResults = (quiz: Overview['results'][number]) => ({
  href: `${AT}/quizzes/${quiz.quizId}/results`,
  title: quiz.title,
  more: (
    <>
      {count(quiz.attempts, 'player', 'players')}
      {quiz.percent !== null && `, ${quiz.percent.toFixed(0)} % on average`},{' '}
      <Time at={quiz.submittedAt} />
      <KeyLines warnings={quiz.keyWarnings} />
      <ReportsLine quizId={quiz.quizId} openReports={quiz.openReports} />
    </>
  ),
});

const STATES: [QuizState, string][] = [
  ['live', 'Live'],
  ['pending', 'Waiting for review'],
  ['draft', 'Drafts'],
  ['rejected', 'Rejected'],
];

/** A few things, each a link with something to know about it; nothing if there are none. */
function Listed({
  title,
  help,
  rows,
}: {
  title: string;
  help?: string;
  rows: { href: string; title: string; more: ComponentChildren }[];
}) {
  if (rows.length === 0) return null;
  return (
    <Panel title={title} help={help} class="trouble">
      <ul>
        {rows.map(({ href, title, more }) => (
          <li>
            <Clip href={href} text={title} />
            <span class="muted">{more}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Quickstart({ keys, mayWrite }: { keys: number; mayWrite: boolean }) {
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
      'Put a key into a variable',
      'export KEY=svc_…',
      <p class="muted">
        {keys === 0 ? 'You have no key yet. ' : `You have ${count(keys, 'key', 'keys')}. `}
        <Link to="/dashboard/keys">{keys === 0 ? 'Create one' : 'See your keys'}</Link>
      </p>,
    ],
    ['Ask for questions', request('/questions', '-G -d random=true -d limit=3')],
    mayWrite
      ? ['Create a quiz', create]
      : ['Read a quiz list', request('/quizzes', '-G -d sort=newest')],
  ];
  return (
    <Panel title="Quickstart" help="Three steps in a terminal.">
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
