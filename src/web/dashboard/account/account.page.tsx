import { PASSWORD_MIN } from '../../../access/sessions/credentials.rules';
import { PLAN_NAMES } from '../../../access/accounts/plan.rules';
import type { SessionRow } from '../../../access/sessions/sessions.service';
import { FormErrors, TextField } from '../../components/fields';
import { Page } from '../../components/page';
import { Badge } from '../../components/badge';
import { Table } from '../../components/table';
import { Time } from '../../components/format';
import type { Form } from '../../http/form';
import type { Viewer } from '../../http/viewer';

const BROWSERS: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
];

const find = (names: [RegExp, string][], text: string) =>
  names.find(([pattern]) => pattern.test(text))?.[1];

/** `Firefox on Linux`: good enough to know one's own browsers again. */
function browserName(userAgent: string): string {
  const browser = find(BROWSERS, userAgent);
  const system = find(SYSTEMS, userAgent);
  if (!browser) return userAgent.slice(0, 40) || 'Unknown browser';
  return system ? `${browser} on ${system}` : browser;
}

export function AccountPage({
  viewer,
  sessions,
  form,
}: {
  viewer: Viewer;
  sessions: SessionRow[];
  form: Form;
}) {
  return (
    <Page title="Account" help="Your password, and where you are signed in.">
      <section class="panel">
        <dl class="facts">
          <dt>E-mail address</dt>
          <dd>{viewer.email}</dd>
          <dt>Plan</dt>
          <dd>
            {PLAN_NAMES[viewer.plan]}
            {viewer.isAdmin && ', administrator'}
          </dd>
          <dt>Account id</dt>
          <dd class="mono">{viewer.accountId}</dd>
        </dl>
      </section>
      <Sessions viewer={viewer} sessions={sessions} />
      <section class="section">
        <h2>Password</h2>
        <p>A change ends all other sessions. Your API keys stay as they are.</p>
        <form method="post" action="/dashboard/account/password" class="form">
          <FormErrors form={form} />
          <TextField
            form={form}
            name="current"
            label="Current password"
            type="password"
            autocomplete="current-password"
            required
          />
          <TextField
            form={form}
            name="password"
            label="New password"
            type="password"
            autocomplete="new-password"
            help={`At least ${PASSWORD_MIN} characters.`}
            required
          />
          <div class="buttons">
            <button class="btn">Change password</button>
          </div>
        </form>
      </section>
    </Page>
  );
}

function Sessions({ viewer, sessions }: { viewer: Viewer; sessions: SessionRow[] }) {
  return (
    <section class="section">
      <h2>Sessions</h2>
      <p>
        Browsers that are signed in. If you don’t recognise one, end it and change your password.
      </p>
      <Table
        label="Sessions"
        rows={sessions}
        rowKey={({ id }) => id}
        columns={[
          {
            title: 'Browser',
            cell: ({ userAgent }) => (
              <strong title={userAgent || undefined}>{browserName(userAgent)}</strong>
            ),
          },
          { title: 'Address', cell: ({ address }) => <span class="mono">{address}</span> },
          { title: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
          {
            title: 'Actions',
            kind: 'actions',
            cell: ({ id }) =>
              id === viewer.sessionId ? (
                <Badge variant="good">this session</Badge>
              ) : (
                <form method="post" action={`/dashboard/account/sessions/${id}/end`}>
                  <button class="btn" data-variant="outline" data-size="sm">
                    End
                  </button>
                </form>
              ),
          },
        ]}
      />
      {sessions.length > 1 && (
        <form method="post" action="/dashboard/account/sessions/end-others" class="after">
          <button class="btn" data-variant="outline" data-size="sm">
            End all other sessions
          </button>
        </form>
      )}
    </section>
  );
}
