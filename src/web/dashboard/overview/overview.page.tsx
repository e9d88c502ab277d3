import { PLAN_NAMES } from '../../../access/accounts/plan.rules';
import type { QuizState } from '../../../catalog/quizzes/owned-quizzes.service';
import { CopyText } from '../../components/copy';
import { Icon } from '../../components/icon';
import { Page } from '../../components/page';
import { count } from '../../components/format';
import type { EndpointNotice } from '../../../webhooks/endpoints/endpoint-notices.service';
import { usePage } from '../../http/page-context';
import type { Viewer } from '../../http/viewer';
import { EndpointNotices } from '../webhooks/webhooks-header';

export function OverviewPage({
  viewer,
  states,
  limit,
  keys,
  notices,
}: {
  viewer: Viewer;
  states: Record<QuizState, number>;
  /** Quizzes the account may own; null: any number. */
  limit: number | null;
  keys: number;
  notices: EndpointNotice[];
}) {
  const owned = Object.values(states).reduce((sum, number) => sum + number, 0);
  return (
    <Page
      title="Overview"
      help="Your plan, your quizzes and how to make your first request."
      action={<PrimaryAct keys={keys} mayWrite={limit !== 0} />}
    >
      <div class="panels">
        <Plan viewer={viewer} owned={owned} limit={limit} />
        <Quizzes states={states} />
      </div>
      <EndpointNotices notices={notices} at="overview" />
      <Quickstart keys={keys} mayWrite={limit !== 0} />
    </Page>
  );
}

/** The one thing to do next; nothing where a Free account has its key. */
function PrimaryAct({ keys, mayWrite }: { keys: number; mayWrite: boolean }) {
  if (keys > 0 && !mayWrite) return null;
  return (
    <a class="btn" href={keys === 0 ? '/dashboard/keys/new' : '/dashboard/quizzes/new'}>
      <Icon name="plus" /> {keys === 0 ? 'New key' : 'New quiz'}
    </a>
  );
}

function Plan({ viewer, owned, limit }: { viewer: Viewer; owned: number; limit: number | null }) {
  return (
    <section class="panel" aria-labelledby="plan">
      <h2 id="plan">
        {PLAN_NAMES[viewer.plan]} plan{viewer.isAdmin && ', administrator'}
      </h2>
      {limit === 0 ? (
        <p>
          It reads everything that is public. To create quizzes a Starter or Pro plan is needed.
        </p>
      ) : limit === null ? (
        <p>{count(owned, 'quiz', 'quizzes')} (unlimited)</p>
      ) : (
        <div class="quota">
          <div class="quota-line">
            <span>{count(owned, 'quiz', 'quizzes')}</span>
            <span class="muted">of {limit.toLocaleString('en')}</span>
          </div>
          <progress
            value={Math.min(owned, limit)}
            max={limit}
            aria-label="Quizzes of your plan in use"
            data-full={owned >= limit ? '' : undefined}
          />
        </div>
      )}
    </section>
  );
}

const STATES: [QuizState, string][] = [
  ['live', 'Live'],
  ['waiting', 'Waiting for review'],
  ['draft', 'Drafts'],
  ['rejected', 'Rejected'],
];

function Quizzes({ states }: { states: Record<QuizState, number> }) {
  return (
    <section class="panel" aria-labelledby="quizzes">
      <h2 id="quizzes">Your quizzes</h2>
      <dl class="figures">
        {STATES.map(([state, label]) => (
          <div key={state}>
            <dt>
              <a href={`/dashboard/quizzes?state=${state}`}>{label}</a>
            </dt>
            <dd>{states[state].toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Quickstart({ keys, mayWrite }: { keys: number; mayWrite: boolean }) {
  const { baseUrl } = usePage();
  return (
    <section class="panel" aria-labelledby="quickstart">
      <h2 id="quickstart">Quickstart</h2>
      <p>Three steps in a terminal.</p>
      <ol class="steps">
        <li>
          <h3>Put a key into a variable</h3>
          <p class="muted">
            {keys === 0 ? 'You have no key yet. ' : `You have ${count(keys, 'key', 'keys')}. `}
            <a class="link" href="/dashboard/keys">
              {keys === 0 ? 'Create one' : 'See your keys'}
            </a>
          </p>
          <CopyText text="KEY=svc_…" label="Set the key" />
        </li>
        <li>
          <h3>Ask for questions</h3>
          <CopyText
            text={`curl -s -H "Authorization: Bearer $KEY" "${baseUrl}/api/v1/questions?random=true&limit=3"`}
            label="Ask for questions"
          />
        </li>
        <li>
          <h3>{mayWrite ? 'Create a quiz' : 'Read a quiz list'}</h3>
          {mayWrite ? (
            <CopyText
              text={
                `curl -s -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\\n` +
                `  -d '{"title": "Rivers of Europe", "difficulty": "MEDIUM"}' \\\n` +
                `  ${baseUrl}/api/v1/quizzes`
              }
              label="Create a quiz"
            />
          ) : (
            <CopyText
              text={`curl -s -H "Authorization: Bearer $KEY" "${baseUrl}/api/v1/quizzes?sort=newest"`}
              label="Read a quiz list"
            />
          )}
        </li>
      </ol>
    </section>
  );
}
