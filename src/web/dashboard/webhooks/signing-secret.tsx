import type { ComponentChildren } from 'preact';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.view';
import { CopyText } from '../../components/copy';
import { Page } from '../../components/page';
import { Confirm } from '../../components/confirm';
import { backTo } from './endpoint-form.page';
import { shortUrl } from './endpoint-state';

interface Secret {
  endpoint: EndpointView;
  /** In clear: on these pages only. */
  secret: string;
}

export function EndpointAddedPage({ endpoint, secret }: Secret) {
  return (
    <SecretPage
      title="Endpoint added"
      endpoint={endpoint}
      secret={secret}
      use={`Your endpoint ${shortUrl(endpoint.url)} uses it to verify that a request came from us. Keep it secret.`}
    >
      <Verification />
    </SecretPage>
  );
}

export function SecretStagedPage({ endpoint, secret }: Secret) {
  return (
    <SecretPage
      title="New secret staged"
      endpoint={endpoint}
      secret={secret}
      use="X-Service-Signature is still made with the present secret; webhook-signature carries both."
    >
      <section class="panel">
        <h2>What next</h2>
        <p>
          Make your side accept both secrets. Then promote the new one on the endpoint’s page, and
          at last retire the old one.
        </p>
      </section>
    </SecretPage>
  );
}

function SecretPage({
  title,
  endpoint,
  secret,
  use,
  children,
}: Secret & { title: string; use: string; children: ComponentChildren }) {
  const href = `/dashboard/webhooks/${endpoint.id}`;
  return (
    <Page
      title={title}
      help="Copy the secret now: this is the only time that it is shown."
      back={backTo(endpoint)}
    >
      <section class="panel" data-address={href}>
        <h2>Signing secret</h2>
        <p>{use}</p>
        <CopyText text={secret} label="Signing secret" />
      </section>
      {children}
      <p class="section">
        <a class="btn" data-variant="outline" href={href}>
          I have copied it
        </a>
      </p>
    </Page>
  );
}

const STEP = { none: 1, staged: 2, retiring: 3 } as const;

/** The rotation of the secret in its three steps: what each does, which are done, and the next one's button. */
export function SigningSecret({ endpoint, at }: { endpoint: EndpointView; at: string }) {
  const now = STEP[endpoint.rotation ?? 'none'];
  const url = shortUrl(endpoint.url);
  return (
    <section class="section" aria-labelledby="secret">
      <h2 id="secret">Signing secret</h2>
      <p>
        It was shown once and cannot be shown again. A new one comes into use in three steps, so
        that your side can verify everything meanwhile.
      </p>
      <ol class="steps panel" aria-label="Rotation of the secret">
        <Step number={1} now={now} title="Stage a new secret">
          <p>
            You see it once, and make your side accept both. <code>X-Service-Signature</code> is
            still made with the old one; <code>webhook-signature</code> carries both.
          </p>
          {now === 1 && <Act action={`${at}/secret/stage`} label="Stage a new secret" />}
          {now === 2 && (
            <Confirm
              label="Stage another"
              action={`${at}/secret/stage`}
              question={`Replace the staged secret of ${url}?`}
              effect="The staged secret is replaced by a new one. The secret in use stays."
              button="Replace it"
            />
          )}
        </Step>
        <Step number={2} now={now} title="Promote it">
          <p>
            <code>X-Service-Signature</code> is made with the new secret from then on;{' '}
            <code>webhook-signature</code> still carries both.
          </p>
          {now === 2 && <Act action={`${at}/secret/promote`} label="Promote the new secret" />}
        </Step>
        <Step number={3} now={now} title="Retire the old one">
          <p>It no longer signs requests. Remove it on your side as well.</p>
          {now === 3 && (
            <Confirm
              label="Retire the old secret"
              action={`${at}/secret/retire`}
              question={`Retire the old secret of ${url}?`}
              effect="Whoever still verifies with it refuses what we send from now on. This cannot be undone."
              button="Retire it"
            />
          )}
        </Step>
      </ol>
    </section>
  );
}

function Step({
  number,
  now,
  title,
  children,
}: {
  number: number;
  now: number;
  title: string;
  children: ComponentChildren;
}) {
  return (
    <li
      data-state={number < now ? 'done' : number > now ? 'later' : 'now'}
      aria-current={number === now ? 'step' : undefined}
    >
      <h3>
        {title}
        {number < now && <span class="muted"> (done)</span>}
      </h3>
      {children}
    </li>
  );
}

function Act({ action, label }: { action: string; label: string }) {
  return (
    <form method="post" action={action}>
      <button class="btn" data-variant="outline" data-size="sm">
        {label}
      </button>
    </form>
  );
}

const NODE = `const { createHmac, timingSafeEqual } = require('node:crypto');

/** body: a Buffer with the raw body; header: the value of X-Service-Signature, or undefined */
function isAuthentic(body, header, secret) {
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  const expected = Buffer.from('sha256=' + digest);
  const given = Buffer.from(header ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}`;

const PYTHON = `import hashlib
import hmac


def is_authentic(body: bytes, header: str | None, secret: str) -> bool:
    """body: the raw body; header: the value of X-Service-Signature"""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    expected = "sha256=" + digest
    return hmac.compare_digest(expected.encode(), (header or "").encode())`;

/** How a receiver knows that a request is ours: as in docs/webhooks.md. */
function Verification() {
  return (
    <section class="panel">
      <h2>Verify what arrives</h2>
      <p>
        Over the raw body, before you parse it. Then answer with any 2xx status within 30 seconds.
      </p>
      <CopyText text={NODE} label="Verification in Node.js" />
      <details class="more">
        <summary>In Python</summary>
        <CopyText text={PYTHON} label="Verification in Python" />
      </details>
    </section>
  );
}
