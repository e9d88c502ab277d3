import { Get } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { ComponentChildren } from 'preact';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { mayWrite, PLAN_NAMES } from '../../../access/accounts/plan.rules';
import { ApiKeysService } from '../../../access/api-keys/api-keys.service';
import {
  type OwnedFilter,
  type OwnedQuiz,
  OwnedQuizzesService,
} from '../../../catalog/quizzes/owned-quizzes.service';
import type { QuizState } from '../../../catalog/vocabulary';
import { ReadinessService } from '../../../platform/health/readiness.service';
import { ResultsService } from '../../../play/results/results.service';
import { WebhookMetricsService } from '../../../webhooks/deliveries/webhook-metrics.service';
import { WorkersService } from '../../../webhooks/deliveries/workers.service';
import { needsAttention } from '../../../webhooks/endpoints/endpoint.rules';
import { EndpointsService } from '../../../webhooks/endpoints/endpoints.service';
import { CopyText, LinkButton } from '../../components/button';
import { Clip, count, Link, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Figures, Panel } from '../../components/section';
import { EmptyState, Tabs } from '../../components/table';
import { usePage } from '../../http/page-context';
import { Asked, type PageRequest, SignedInPages } from '../../http/page-controller';
import type { PageResult } from '../../http/page-results';
import { KeyLines, ReportsLine } from '../quizzes/check-key';
import { FreePlan, NoRoom, QuotaLine } from '../quizzes/quiz-parts';
import { EndpointState } from '../webhooks/endpoint-state';
import { type Health, ServiceHealth } from './service-health';

const AT = '/dashboard';
/** How many quizzes each panel lists. */
const LISTED = 5;

@SignedInPages()
export class OverviewController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
    private readonly quizzes: OwnedQuizzesService,
    private readonly endpoints: EndpointsService,
    private readonly results: ResultsService,
    private readonly workers: WorkersService,
    private readonly metrics: WebhookMetricsService,
    private readonly modules: ModuleRef,
  ) {}

  @Get()
  async show(@Asked() { viewer, query }: PageRequest): Promise<PageResult> {
    const { accountId } = viewer;
    const list = (filter: OwnedFilter) =>
      this.quizzes.list(accountId, filter, { limit: LISTED, offset: 0 });
    const [states, keys, endpoints, rejected, waiting, drafts, results, health] = await Promise.all(
      [
        this.quizzes.countByState(accountId),
        this.keys.countWorking(accountId),
        this.endpoints.list(viewer),
        list({ state: 'rejected' }),
        list({ state: 'pending' }),
        list({ state: 'draft' }),
        this.results.latest(accountId, LISTED),
        viewer.isAdmin ? this.health() : null,
      ],
    );
    const owned = Object.values(states).reduce((sum, number) => sum + number, 0);
    const limit = this.accounts.quizLimitOf(viewer);
    const hasRoom = limit === null || owned < limit;
    const isForDevelopers = query('for') === 'developers';
    const tab = (label: string, href: string, current: boolean) => ({ label, href, current });
    const rowOf = (quiz: OwnedQuiz, below = '') => ({
      href: `${AT}/quizzes/${quiz.id}${below}`,
      title: quiz.title,
      more: quiz.state === 'rejected' ? quiz.rejectionReason : <Time at={quiz.updatedAt} />,
    });
    return (
      <Page
        title="Overview"
        help={
          isForDevelopers
            ? 'How to make your first request.'
            : 'Your plan, your quizzes and what needs your attention.'
        }
        action={
          hasRoom ? (
            <div class="buttons">
              {mayWrite(viewer) && (
                <LinkButton look="outline" href={`${AT}/imports/new`} text="Import a file" />
              )}
              <LinkButton look="primary" icon="plus" href={`${AT}/quizzes/new`} text="New quiz" />
            </div>
          ) : (
            <LinkButton look="outline" href="/play" text="Play a quiz" />
          )
        }
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
          rows={endpoints.filter(needsAttention).map((endpoint) => ({
            href: `${AT}/webhooks/${endpoint.id}`,
            title: endpoint.url,
            more: <EndpointState endpoint={endpoint} />,
          }))}
        />
        {isForDevelopers ? (
          <Quickstart keys={keys} mayWrite={mayWrite(viewer)} />
        ) : (
          <>
            {!hasRoom && <NoRoom limit={limit} offer={this.accounts.offer()} />}
            <div class="panels">
              <Panel
                title={`${PLAN_NAMES[viewer.plan]} plan${viewer.isAdmin ? ', administrator' : ''}`}
              >
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
            {hasRoom && owned === 0 && (
              <EmptyState
                title="Write your first quiz"
                text={mayWrite(viewer) ? 'Or bring questions that you have.' : undefined}
              >
                <div class="buttons">
                  <LinkButton look="outline" href={`${AT}/quizzes/new`} text="New quiz" />
                  {mayWrite(viewer) && (
                    <LinkButton look="outline" href={`${AT}/imports/new`} text="Import a file" />
                  )}
                </div>
              </EmptyState>
            )}
            {hasRoom && limit !== null && !mayWrite(viewer) && (
              <FreePlan limit={limit} offer={this.accounts.offer()} />
            )}
            <div class="panels">
              <Listed
                title="Rejected"
                help="Fix them and send them to review again."
                rows={rejected.map((quiz) => rowOf(quiz))}
              />
              <Listed title="Drafts" rows={drafts.map((quiz) => rowOf(quiz, '/edit'))} />
              <Listed title="Waiting for review" rows={waiting.map((quiz) => rowOf(quiz))} />
              <Listed
                title="Latest results"
                rows={results.map(
                  ({
                    quizId,
                    title,
                    attempts,
                    percent,
                    submittedAt,
                    keyWarnings,
                    openReports,
                  }) => ({
                    href: `${AT}/quizzes/${quizId}/results`,
                    title,
                    more: (
                      <>
                        {count(attempts, 'player', 'players')}
                        {percent !== null && `, ${percent.toFixed(0)} % on average`},{' '}
                        <Time at={submittedAt} />
                        <KeyLines warnings={keyWarnings} />
                        <ReportsLine quizId={quizId} openReports={openReports} />
                      </>
                    ),
                  }),
                )}
              />
            </div>
          </>
        )}
      </Page>
    );
  }

  private async health(): Promise<Health> {
    // Of the root module, which knows the checks of all modules.
    const readiness = this.modules.get(ReadinessService, { strict: false });
    const [findings, workers, backlog] = await Promise.all([
      readiness.checkAll(),
      this.workers.list(),
      this.metrics.backlog(),
    ]);
    return { findings, workers, ...backlog };
  }
}

/** A few things, each a link with something to know about it; nothing if there are none. */
function Listed(of: {
  title: string;
  help?: string;
  rows: { href: string; title: string; more: ComponentChildren }[];
}) {
  if (of.rows.length === 0) return null;
  return (
    <Panel title={of.title} help={of.help} class="trouble">
      <ul>
        {of.rows.map(({ href, title, more }) => (
          <li>
            <Clip href={href} text={title} />
            <span class="muted">{more}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const STATES: [QuizState, string][] = [
  ['live', 'Live'],
  ['pending', 'Waiting for review'],
  ['draft', 'Drafts'],
  ['rejected', 'Rejected'],
];

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
