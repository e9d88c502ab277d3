import type { ComponentChildren } from 'preact';
import type { ApiKey } from '../../../access/api-keys/api-key.entity';
import { FormErrors, SelectField, TextField } from '../../components/fields';
import { Page } from '../../components/page';
import type { Form } from '../../http/form';
import { CopyText } from '../../components/copy';
import { Time } from '../../components/format';
import { usePage } from '../../http/page-context';
import { LIFETIMES, OVERLAPS } from './key-choices';

const AT = '/dashboard/keys';

const BACK_TO_KEYS = { href: AT, label: 'API keys' };

/** The frame of the forms that make a key: a new one, or one in the place of another. */
function KeyFormPage({
  title,
  help,
  action = '',
  form,
  button,
  children,
}: {
  title: string;
  help: ComponentChildren;
  /** Where it is posted to, below the keys. */
  action?: string;
  form: Form;
  button: string;
  children: ComponentChildren;
}) {
  return (
    <Page title={title} help={help} back={BACK_TO_KEYS}>
      <form method="post" action={AT + action} class="form">
        <FormErrors form={form} />
        {children}
        <div class="buttons">
          <button class="btn">{button}</button>
          <a class="btn" data-variant="ghost" href={AT}>
            Cancel
          </a>
        </div>
      </form>
    </Page>
  );
}

export function NewKeyPage({ form }: { form: Form }) {
  return (
    <KeyFormPage
      title="New API key"
      help="Use a separate key for each app, so you can revoke one without affecting the others."
      form={form}
      button="Create key"
    >
      <TextField
        form={form}
        name="name"
        label="Name"
        help="What the key is for, such as “Website” or “Nightly import”."
        autocomplete="off"
        autofocus
      />
      <SelectField
        form={form}
        name="lifetime"
        label="Expires"
        options={LIFETIMES.options}
        help="After that date, requests with this key are rejected."
      />
    </KeyFormPage>
  );
}

export function RotateKeyPage({ stored, form }: { stored: ApiKey; form: Form }) {
  return (
    <KeyFormPage
      title={`Rotate “${stored.name}”`}
      help={
        <>
          A new key takes the place of{' '}
          <span class="mono">
            {stored.prefix}…{stored.lastFour}
          </span>
          . The old one can work on meanwhile.
        </>
      }
      action={`/${stored.id}/rotate`}
      form={form}
      button="Rotate key"
    >
      <SelectField
        form={form}
        name="overlap"
        label="Keep the old key working for"
        options={OVERLAPS.options}
        help="Long enough to put the new key wherever the old one is."
      />
    </KeyFormPage>
  );
}

/** The only page on which a key stands in clear. */
export function IssuedKeyPage({
  stored,
  secret,
  old,
}: {
  stored: ApiKey;
  secret: string;
  /** The key that it replaces. */
  old?: ApiKey;
}) {
  const { baseUrl } = usePage();
  return (
    <Page
      title={`Your new key “${stored.name}”`}
      help="Copy it now: this is the only time that it is shown."
      back={BACK_TO_KEYS}
    >
      <section class="panel" data-address="/dashboard/keys">
        <h2>The key</h2>
        <p>
          Keep it like a password.{' '}
          {stored.expiresAt && (
            <>
              It expires <Time at={stored.expiresAt} />.
            </>
          )}
        </p>
        <CopyText text={secret} label="The key" />
      </section>
      <section class="panel">
        <h2>Try it</h2>
        <p>The newest quizzes that you may see.</p>
        <CopyText
          text={`curl -s -H "Authorization: Bearer ${secret}" "${baseUrl}/api/v1/quizzes?sort=newest&limit=3"`}
          label="Command"
        />
      </section>
      {old && (
        <p class="section muted">
          The old key{' '}
          <span class="mono">
            {old.prefix}…{old.lastFour}
          </span>{' '}
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
        <a class="btn" data-variant="outline" href="/dashboard/keys">
          I have copied it
        </a>
      </p>
    </Page>
  );
}
