import { ALL_SCOPES, isForPages, SCOPES } from '../../../access/accounts/scope.rules';
import type { ApiKey } from '../../../access/api-keys/api-key.entity';
import { keyPrefix, maskedKey } from '../../../access/api-keys/api-key.rules';
import { DAY, HOUR } from '../../../platform/durations';
import type { MessageKey, Messages } from '../../../platform/messages/messages';
import { translated } from '../../../platform/messages/refusals';
import { Confirm, CopyText, LinkButton } from '../../components/button';
import { CheckboxList, SelectField, TextInput } from '../../components/fields';
import { Time } from '../../components/format';
import { FormPage, Page } from '../../components/page';
import { Badge, type BadgeVariant, Panel } from '../../components/section';
import { EmptyState, type PageOf, Pager, Table } from '../../components/table';
import type { Form } from '../../http/form';
import { useMessages, usePage } from '../../http/page-context';

export const AT = '/dashboard/keys';
/** Where the nested pages lead back to. */
export const backToKeys = ({ t }: Messages) => ({ href: AT, label: t('nav.keys') });

/** A choice of a form: its value, its label and what it means. */
interface Choice<T> {
  value: string;
  label: MessageKey;
  means: T;
}

const optionsIn = ({ t }: Messages, choices: readonly Choice<unknown>[]) =>
  choices.map(({ value, label }) => ({ value, label: t(label) }));

/** How long a key works, in milliseconds. */
export const LIFETIMES = [
  { value: 'never', label: 'apiKey.lifetime.never', means: null },
  { value: '1h', label: 'apiKey.lifetime.hour', means: HOUR },
  { value: '30d', label: 'apiKey.lifetime.month', means: 30 * DAY },
  { value: '90d', label: 'apiKey.lifetime.quarter', means: 90 * DAY },
  { value: '365d', label: 'apiKey.lifetime.year', means: 365 * DAY },
] as const satisfies readonly Choice<number | null>[];

/** How long the old key of a rotation continues to work, in milliseconds. */
export const OVERLAPS: Choice<number>[] = [
  { value: '24h', label: 'apiKey.overlap.day', means: DAY },
  { value: '7d', label: 'apiKey.overlap.week', means: 7 * DAY },
  { value: '1h', label: 'apiKey.overlap.hour', means: HOUR },
  { value: 'now', label: 'apiKey.overlap.now', means: 0 },
];

/** A key that expires within this time is marked. */
const SOON = 7 * DAY;

function statusOf({ revokedAt, expiresAt }: ApiKey, now: Date): [MessageKey, BadgeVariant] {
  if (revokedAt) return ['apiKey.revoked', 'neutral'];
  if (!expiresAt) return ['apiKey.active', 'good'];
  if (expiresAt <= now) return ['apiKey.expired', 'neutral'];
  return expiresAt.getTime() - now.getTime() <= SOON
    ? ['apiKey.soon', 'busy']
    : ['apiKey.active', 'good'];
}

const restrictionsOf = ({ scopes, origins }: ApiKey, { t }: Messages) =>
  [
    scopes.length === ALL_SCOPES.length ? t('apiKey.allScopes') : scopes.join(', '),
    ...origins,
  ].join(' · ');

export function KeysPage({ keys, total, page }: { keys: ApiKey[]; total: number; page: PageOf }) {
  const { now, messages } = usePage();
  const { t } = messages;
  return (
    <Page
      title={t('nav.keys')}
      help={t('apiKey.help')}
      action={
        <div class="buttons">
          <LinkButton look="outline" href={`${AT}/assistant`} text={t('apiKey.connect')} />
          <LinkButton look="primary" icon="plus" href={`${AT}/new`} text={t('apiKey.new')} />
        </div>
      }
    >
      <Table
        label={t('nav.keys')}
        rows={keys}
        columns={[
          [
            t('field.name'),
            (key) => (
              <>
                <strong class="clip" title={key.name}>
                  <bdi>{key.name}</bdi>
                </strong>
                <span class="sub mono">
                  {maskedKey(key)} ·{' '}
                  {t(key.prefix === keyPrefix('live') ? 'apiKey.live' : 'apiKey.test')}
                </span>
                <span class="sub clip" title={restrictionsOf(key, messages)}>
                  {restrictionsOf(key, messages)}
                </span>
              </>
            ),
          ],
          [
            t('apiKey.status'),
            (key) => {
              const [status, variant] = statusOf(key, now);
              return <Badge variant={variant}>{t(status)}</Badge>;
            },
          ],
          [t('apiKey.lastUsed'), ({ lastUsedAt }) => <Time at={lastUsedAt} />],
          [t('list.created'), ({ createdAt }) => <Time at={createdAt} />],
          [t('apiKey.expires'), ({ expiresAt }) => <Time at={expiresAt} />],
        ]}
        actions={(key) => <Actions stored={key} />}
        empty={
          total === 0 && (
            <EmptyState title={t('apiKey.none')} text={t('apiKey.noneText')}>
              <LinkButton look="outline" href={`${AT}/new`} text={t('apiKey.create')} />
            </EmptyState>
          )
        }
      />
      <Pager page={page} total={total} at={AT} />
    </Page>
  );
}

function Actions({ stored }: { stored: ApiKey }) {
  const { t } = useMessages();
  const { now } = usePage();
  if (stored.revokedAt || (stored.expiresAt && stored.expiresAt <= now)) return null;
  return (
    <div>
      {!stored.rotatedAt && (
        <LinkButton
          href={`${AT}/${stored.id}/rotate`}
          label={t('apiKey.rotateIt', { name: stored.name })}
          text={t('apiKey.rotate')}
        />
      )}
      <Confirm
        label={t('apiKey.revoke')}
        action={`${AT}/${stored.id}/revoke`}
        question={t('apiKey.revokeIt', { name: stored.name })}
        effect={t('apiKey.revokeEffect', { key: maskedKey(stored) })}
        button={t('apiKey.revokeButton')}
      />
    </div>
  );
}

/** @param isForDocs whether it is for the forms of the documentation, where an hour is enough */
export function NewKeyPage({ form, isForDocs }: { form: Form; isForDocs: boolean }) {
  const messages = useMessages();
  const { t } = messages;
  return (
    <FormPage
      title={t('apiKey.newTitle')}
      help={t('apiKey.newHelp')}
      back={backToKeys(messages)}
      form={form}
      action={AT}
      button={t('apiKey.createButton')}
    >
      <KeyFields
        help={t('apiKey.nameHelp')}
        {...(isForDocs && { name: t('apiKey.documentation'), lifetime: '1h' })}
      />
      <CheckboxList
        name="scopes"
        label={t('apiKey.scopes')}
        initial={ALL_SCOPES}
        options={ALL_SCOPES.map((value) => ({
          value,
          label: value,
          help: translated(SCOPES[value], messages, 'scope.'),
        }))}
      />
      <TextInput
        name="origins"
        label={t('apiKey.origins')}
        rows={2}
        placeholder="https://www.example.com"
        help={t('apiKey.originsHelp')}
      />
    </FormPage>
  );
}

/** The name and the lifetime of a new key. */
export function KeyFields(props: {
  help: string;
  name?: string;
  lifetime?: (typeof LIFETIMES)[number]['value'];
}) {
  const messages = useMessages();
  const { t } = messages;
  return (
    <>
      <TextInput
        name="name"
        label={t('field.name')}
        help={props.help}
        initial={props.name}
        autofocus
      />
      <SelectField
        name="lifetime"
        label={t('apiKey.expires')}
        initial={props.lifetime}
        options={optionsIn(messages, LIFETIMES)}
        help={t('apiKey.lifetimeHelp')}
      />
    </>
  );
}

export function RotateKeyPage({ stored, form }: { stored: ApiKey; form: Form }) {
  const messages = useMessages();
  const { rich, t } = messages;
  return (
    <FormPage
      title={t('apiKey.rotateTitle', { name: stored.name })}
      help={rich('apiKey.rotateHelp', { key: <span class="mono">{maskedKey(stored)}</span> })}
      back={backToKeys(messages)}
      form={form}
      action={`${AT}/${stored.id}/rotate`}
      button={t('apiKey.rotateButton')}
    >
      <SelectField
        name="overlap"
        label={t('apiKey.overlap')}
        options={optionsIn(messages, OVERLAPS)}
        help={t('apiKey.overlapHelp')}
      />
    </FormPage>
  );
}

/**
 * Shown once, after a key is issued or rotated. Only this page and `ConnectAssistantPage` show a key in plain text.
 * @param old the key that it replaces
 */
export function IssuedKeyPage(issued: { stored: ApiKey; key: string; old?: ApiKey }) {
  const { stored, key, old } = issued;
  const { baseUrl, messages } = usePage();
  const { rich, t } = messages;
  const tried = stored.scopes.some((scope) => scope === 'read' || scope === 'play')
    ? { path: '/quizzes?sort=newest&limit=3', help: t('apiKey.tryQuizzes') }
    : { path: '/me', help: t('apiKey.tryMe') };
  return (
    <Page
      title={t('apiKey.issued', { name: stored.name })}
      help={t('apiKey.issuedHelp')}
      back={backToKeys(messages)}
    >
      <Panel title={t('apiKey.theKey')} address={AT}>
        <p>
          {t(isForPages(stored) ? 'apiKey.forPages' : 'apiKey.secret')}{' '}
          {stored.expiresAt && rich('apiKey.expiresAt', { time: <Time at={stored.expiresAt} /> })}
        </p>
        <CopyText text={key} label={t('apiKey.theKey')} />
        {/* The tab keeps it (dashboard.js): the documentation cannot look it up, as only its hash is stored. */}
        <p data-docs-key={key} hidden>
          <LinkButton href="/docs/guides/quickstart" text={t('apiKey.inDocs')} />
        </p>
      </Panel>
      <Panel title={t('apiKey.try')} help={tried.help}>
        <CopyText
          text={`curl -s -H "Authorization: Bearer ${key}" "${baseUrl}/api/v1${tried.path}"`}
          label={t('apiKey.command')}
        />
      </Panel>
      {old && (
        <p class="section muted">
          {rich(old.revokedAt ? 'apiKey.oldRevoked' : 'apiKey.oldStops', {
            key: <span class="mono">{maskedKey(old)}</span>,
            time: <Time at={old.expiresAt} />,
          })}
        </p>
      )}
      <p class="section">
        <LinkButton look="outline" href={AT} text={t('apiKey.iCopied')} />
      </p>
    </Page>
  );
}
