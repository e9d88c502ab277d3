import { ALL_SCOPES, isForPages, SCOPES } from '../../../access/accounts/scope.rules';
import type { ApiKey } from '../../../access/api-keys/api-key.entity';
import { DAY, HOUR } from '../../../platform/durations';
import { Confirm, CopyText, LinkButton } from '../../components/button';
import { CheckboxList, SelectField, TextInput } from '../../components/fields';
import { Time } from '../../components/format';
import { FormPage, Page } from '../../components/page';
import { Badge, type BadgeVariant, Panel } from '../../components/section';
import { EmptyState, Table } from '../../components/table';
import type { Form } from '../../http/form';
import { usePage } from '../../http/page-context';

const AT = '/dashboard/keys';
const BACK = { href: AT, label: 'API keys' };

/** How long a key works, in milliseconds. */
export const LIFETIMES = [
  { value: 'never', label: 'Never', means: null },
  { value: '1h', label: 'In an hour', means: HOUR },
  { value: '30d', label: 'In 30 days', means: 30 * DAY },
  { value: '90d', label: 'In 90 days', means: 90 * DAY },
  { value: '365d', label: 'In a year', means: 365 * DAY },
];

/** How long the old key of a rotation continues to work, in milliseconds. */
export const OVERLAPS = [
  { value: '24h', label: 'For 24 hours', means: DAY },
  { value: '7d', label: 'For 7 days', means: 7 * DAY },
  { value: '1h', label: 'For 1 hour', means: HOUR },
  { value: 'now', label: 'No: revoke it immediately', means: 0 },
];

/** A key that expires within this time is marked. */
const SOON = 7 * DAY;

function statusOf({ revokedAt, expiresAt }: ApiKey, now: Date): [string, BadgeVariant] {
  if (revokedAt) return ['revoked', 'neutral'];
  if (!expiresAt) return ['active', 'good'];
  if (expiresAt <= now) return ['expired', 'neutral'];
  return expiresAt.getTime() - now.getTime() <= SOON
    ? ['expires soon', 'busy']
    : ['active', 'good'];
}

const masked = ({ prefix, lastFour }: ApiKey) => `${prefix}…${lastFour}`;

const restrictionsOf = ({ scopes, origins }: ApiKey) =>
  [scopes.length === ALL_SCOPES.length ? 'all scopes' : scopes.join(', '), ...origins].join(' · ');

export function KeysPage({ keys }: { keys: ApiKey[] }) {
  const { now } = usePage();
  return (
    <Page
      title="API keys"
      help="API keys let your programs act as your account. A key is shown once, when it is created."
      action={
        <div class="buttons">
          <LinkButton look="outline" href={`${AT}/assistant`} text="Connect an assistant" />
          <LinkButton look="primary" icon="plus" href={`${AT}/new`} text="New key" />
        </div>
      }
    >
      <Table
        label="API keys"
        rows={keys}
        columns={{
          Name: (key) => (
            <>
              <strong class="clip" title={key.name}>
                {key.name}
              </strong>
              <span class="sub mono">
                {masked(key)} · {key.prefix === 'svc_live_' ? 'live' : 'test'}
              </span>
              <span class="sub clip" title={restrictionsOf(key)}>
                {restrictionsOf(key)}
              </span>
            </>
          ),
          Status: (key) => {
            const [status, variant] = statusOf(key, now);
            return <Badge variant={variant}>{status}</Badge>;
          },
          'Last used': ({ lastUsedAt }) => <Time at={lastUsedAt} />,
          Created: ({ createdAt }) => <Time at={createdAt} />,
          Expires: ({ expiresAt }) => <Time at={expiresAt} />,
          Actions: (key) => <Actions stored={key} />,
        }}
        empty={
          <EmptyState title="No keys yet">
            <p>Create one to use the API.</p>
            <LinkButton look="outline" href={`${AT}/new`} text="Create a key" />
          </EmptyState>
        }
      />
    </Page>
  );
}

function Actions({ stored }: { stored: ApiKey }) {
  const { now } = usePage();
  if (stored.revokedAt || (stored.expiresAt && stored.expiresAt <= now)) return null;
  return (
    <div>
      {!stored.rotatedAt && (
        <LinkButton
          href={`${AT}/${stored.id}/rotate`}
          label={`Rotate ${stored.name}`}
          text="Rotate"
        />
      )}
      <Confirm
        label="Revoke"
        action={`${AT}/${stored.id}/revoke`}
        question={`Revoke “${stored.name}”?`}
        effect={`Requests with ${masked(stored)} are refused from now on. This cannot be undone.`}
        button="Revoke key"
      />
    </div>
  );
}

/** @param isForDocs whether it is for the forms of the documentation, where an hour is enough */
export function NewKeyPage({ form, isForDocs }: { form: Form; isForDocs: boolean }) {
  return (
    <FormPage
      title="New API key"
      help="Use a separate key for each app, so you can revoke one without affecting the others."
      back={BACK}
      form={form}
      action={AT}
      button="Create key"
    >
      <KeyFields
        help="What the key is for, such as “Website” or “Nightly import”."
        {...(isForDocs && { name: 'Documentation', lifetime: '1h' })}
      />
      <CheckboxList
        name="scopes"
        label="Scopes"
        initial={ALL_SCOPES}
        options={ALL_SCOPES.map((value) => ({ value, label: value, help: SCOPES[value] }))}
      />
      <TextInput
        name="origins"
        label="Web origins (optional)"
        rows={2}
        placeholder="https://www.example.com"
        help="For a play key in a web page: only pages of these origins can use it. One per line."
      />
    </FormPage>
  );
}

/** The name and the lifetime of a new key. */
export function KeyFields(props: { help: string; name?: string; lifetime?: string }) {
  return (
    <>
      <TextInput name="name" label="Name" help={props.help} initial={props.name} autofocus />
      <SelectField
        name="lifetime"
        label="Expires"
        initial={props.lifetime}
        options={LIFETIMES}
        help="After that date, requests with this key are rejected."
      />
    </>
  );
}

export function RotateKeyPage({ stored, form }: { stored: ApiKey; form: Form }) {
  return (
    <FormPage
      title={`Rotate “${stored.name}”`}
      help={
        <>
          Creates a new key that replaces <span class="mono">{masked(stored)}</span>. The old one
          can stay valid for a while.
        </>
      }
      back={BACK}
      form={form}
      action={`${AT}/${stored.id}/rotate`}
      button="Rotate key"
    >
      <SelectField
        name="overlap"
        label="Keep the old key valid"
        options={OVERLAPS}
        help="Long enough to replace the old key everywhere."
      />
    </FormPage>
  );
}

/** The only page that shows a key in plain text. @param old the key that it replaces */
export function IssuedKeyPage(issued: { stored: ApiKey; key: string; old?: ApiKey }) {
  const { stored, key, old } = issued;
  const { baseUrl } = usePage();
  const tried = stored.scopes.some((scope) => scope === 'read' || scope === 'play')
    ? { path: '/quizzes?sort=newest&limit=3', help: 'The newest quizzes that the key may see.' }
    : { path: '/me', help: 'Your account and this key.' };
  return (
    <Page
      title={`Your new key “${stored.name}”`}
      help="Copy it now: this is the only time that it is shown."
      back={BACK}
    >
      <Panel title="The key" address={AT}>
        <p>
          {isForPages(stored) ? 'It can be used in a web page.' : 'Keep it like a password.'}{' '}
          {stored.expiresAt && (
            <>
              It expires <Time at={stored.expiresAt} />.
            </>
          )}
        </p>
        <CopyText text={key} label="The key" />
        {/* The tab keeps it (dashboard.js): the documentation cannot look it up, as only its hash is stored. */}
        <p data-docs-key={key} hidden>
          <LinkButton href="/docs/guides/quickstart" text="Use it in the documentation" />
        </p>
      </Panel>
      <Panel title="Try it" help={tried.help}>
        <CopyText
          text={`curl -s -H "Authorization: Bearer ${key}" "${baseUrl}/api/v1${tried.path}"`}
          label="Command"
        />
      </Panel>
      {old && (
        <p class="section muted">
          The old key <span class="mono">{masked(old)}</span>{' '}
          {old.revokedAt ? (
            'is revoked.'
          ) : (
            <>
              stops working <Time at={old.expiresAt} />.
            </>
          )}
        </p>
      )}
      <p class="section">
        <LinkButton look="outline" href={AT} text="I have copied it" />
      </p>
    </Page>
  );
}
