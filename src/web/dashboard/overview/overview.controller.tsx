import { Get } from '@nestjs/common';
import type { ComponentChildren } from 'preact';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { PLAN_NAMES } from '../../../access/accounts/plan.rules';
import { ApiKeysService } from '../../../access/api-keys/api-keys.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import type { QuizState } from '../../../catalog/vocabulary';
import { EndpointNoticesService } from '../../../webhooks/endpoints/endpoint-notices.service';
import { CopyText, LinkButton } from '../../components/button';
import { count, Link } from '../../components/format';
import { Page } from '../../components/page';
import { Figures, Panel } from '../../components/section';
import { usePage } from '../../http/page-context';
import { Asked, SignedInPages, type PageRequest } from '../../http/page-controller';
import type { PageResult } from '../../http/page-results';
import { EndpointNotices } from '../webhooks/endpoint-state';

@SignedInPages()
export class OverviewController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
    private readonly quizzes: OwnedQuizzesService,
    private readonly notices: EndpointNoticesService,
  ) {}

  @Get()
  async show(@Asked() { viewer }: PageRequest): Promise<PageResult> {
    const [states, keys, notices] = await Promise.all([
      this.quizzes.countByState(viewer.accountId),
      this.keys.countWorking(viewer.accountId),
      this.notices.list(viewer.accountId),
    ]);
    const owned = Object.values(states).reduce((sum, number) => sum + number, 0);
    const limit = this.accounts.quizLimitOf(viewer);
    const mayWrite = limit !== 0;
    return (
      <Page
        title="Overview"
        help="Your plan, your quizzes and how to make your first request."
        // The next step; nothing for a Free account that has its key.
        action={
          (keys === 0 || mayWrite) && (
            <LinkButton
              look="primary"
              icon="plus"
              href={keys === 0 ? '/dashboard/keys/new' : '/dashboard/quizzes/new'}
              text={keys === 0 ? 'New key' : 'New quiz'}
            />
          )
        }
      >
        <div class="panels">
          <Panel
            title={`${PLAN_NAMES[viewer.plan]} plan${viewer.isAdmin ? ', administrator' : ''}`}
          >
            <Quota owned={owned} limit={limit} />
          </Panel>
          <Panel title="Your quizzes">
            <Figures
              rows={STATES.map(([state, label]) => [
                <a href={`/dashboard/quizzes?state=${state}`}>{label}</a>,
                states[state],
              ])}
            />
          </Panel>
        </div>
        <EndpointNotices notices={notices} at="overview" />
        <Quickstart keys={keys} mayWrite={mayWrite} />
      </Page>
    );
  }
}

const STATES: [QuizState, string][] = [
  ['live', 'Live'],
  ['pending', 'Waiting for review'],
  ['draft', 'Drafts'],
  ['rejected', 'Rejected'],
];

function Quota({ owned, limit }: { owned: number; limit: number | null }) {
  const quizzes = count(owned, 'quiz', 'quizzes');
  if (limit === null) return <p>{quizzes} (unlimited)</p>;
  if (limit === 0)
    return (
      <p>It reads everything that is public. To create quizzes a Starter or Pro plan is needed.</p>
    );
  return (
    <div class="quota">
      <div class="quota-line">
        <span>{quizzes}</span>
        <span class="muted">of {limit.toLocaleString('en')}</span>
      </div>
      <progress
        value={Math.min(owned, limit)}
        max={limit}
        aria-label="Quizzes of your plan in use"
        data-full={owned >= limit ? '' : undefined}
      />
    </div>
  );
}

function Quickstart({ keys, mayWrite }: { keys: number; mayWrite: boolean }) {
  const api = `${usePage().baseUrl}/api/v1`;
  const curl = `curl -s -H "Authorization: Bearer $KEY"`;
  const create =
    `${curl} -H "Content-Type: application/json" \\\n` +
    `  -d '{"title": "Rivers of Europe", "difficulty": "MEDIUM"}' \\\n` +
    `  ${api}/quizzes`;
  const steps: [title: string, command: string, note?: ComponentChildren][] = [
    [
      'Put a key into a variable',
      'KEY=svc_…',
      <p class="muted">
        {keys === 0 ? 'You have no key yet. ' : `You have ${count(keys, 'key', 'keys')}. `}
        <Link to="/dashboard/keys">{keys === 0 ? 'Create one' : 'See your keys'}</Link>
      </p>,
    ],
    ['Ask for questions', `${curl} "${api}/questions?random=true&limit=3"`],
    mayWrite
      ? ['Create a quiz', create]
      : ['Read a quiz list', `${curl} "${api}/quizzes?sort=newest"`],
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
