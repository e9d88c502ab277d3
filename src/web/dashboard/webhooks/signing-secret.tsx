import type { ComponentChildren } from 'preact';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.entity';
import { Confirm, LinkButton, PostButton } from '../../components/button';
import { CopyText } from '../../components/copy';
import { Page } from '../../components/page';
import { Panel } from '../../components/section';
import { backTo, shortUrl } from './endpoint-state';

/** The page that follows the adding of an endpoint. @param of `secret`: in clear, here only */
export function EndpointAddedPage({
  endpoint,
  secret,
}: {
  endpoint: EndpointView;
  secret: string;
}) {
  return (
    <SecretPage
      title="Endpoint added"
      endpoint={endpoint}
      secret={secret}
      use={`Your endpoint ${shortUrl(endpoint.url)} uses it to verify that a request came from us. Keep it secret.`}
    >
      <Panel
        title="Verify what arrives"
        help="Over the raw body, before you parse it. Then answer with any 2xx status within 30 seconds."
      >
        <CopyText text={NODE} label="Verification in Node.js" />
        <details class="more">
          <summary>In Python</summary>
          <CopyText text={PYTHON} label="Verification in Python" />
        </details>
      </Panel>
    </SecretPage>
  );
}

/** The page that follows the first step of a rotation. @param of `secret`: in clear, here only */
export function SecretStagedPage({ endpoint, secret }: { endpoint: EndpointView; secret: string }) {
  return (
    <SecretPage
      title="New secret staged"
      endpoint={endpoint}
      secret={secret}
      use="X-Service-Signature is still made with the present secret; webhook-signature carries both."
    >
      <Panel
        title="What next"
        help="Make your side accept both secrets. Then promote the new one on the endpoint’s page, and at last retire the old one."
      />
    </SecretPage>
  );
}

function SecretPage(of: {
  title: string;
  endpoint: EndpointView;
  secret: string;
  use: string;
  children: ComponentChildren;
}) {
  const back = backTo(of.endpoint);
  return (
    <Page
      title={of.title}
      help="Copy the secret now: this is the only time that it is shown."
      back={back}
    >
      <Panel title="Signing secret" help={of.use} address={back.href}>
        <CopyText text={of.secret} label="Signing secret" />
      </Panel>
      {of.children}
      <p class="section">
        <LinkButton look="outline" href={back.href} text="I have copied it" />
      </p>
    </Page>
  );
}

const STEP = { none: 1, staged: 2, retiring: 3 } as const;

/** The rotation of the secret in its three steps: what each does, which are done, and the next one's button. */
export function SigningSecret({ endpoint, at }: { endpoint: EndpointView; at: string }) {
  const now = STEP[endpoint.rotation ?? 'none'];
  const url = shortUrl(endpoint.url);
  const step = (
    number: number,
    title: string,
    text: ComponentChildren,
    ...acts: ComponentChildren[]
  ) => (
    <li
      data-state={number < now ? 'done' : number > now ? 'later' : 'now'}
      aria-current={number === now ? 'step' : undefined}
    >
      <h3>
        {title}
        {number < now && <span class="muted"> (done)</span>}
      </h3>
      <p>{text}</p>
      {acts}
    </li>
  );
  return (
    <section class="section" aria-labelledby="secret">
      <h2 id="secret">Signing secret</h2>
      <p>
        It was shown once and cannot be shown again. A new one comes into use in three steps, so
        that your side can verify everything meanwhile.
      </p>
      <ol class="steps panel" aria-label="Rotation of the secret">
        {step(
          1,
          'Stage a new secret',
          <>
            You see it once, and make your side accept both. <code>X-Service-Signature</code> is
            still made with the old one; <code>webhook-signature</code> carries both.
          </>,
          now === 1 && <PostButton action={`${at}/secret/stage`} text="Stage a new secret" />,
          now === 2 && (
            <Confirm
              label="Stage another"
              action={`${at}/secret/stage`}
              question={`Replace the staged secret of ${url}?`}
              effect="The staged secret is replaced by a new one. The secret in use stays."
              button="Replace it"
            />
          ),
        )}
        {step(
          2,
          'Promote it',
          <>
            <code>X-Service-Signature</code> is made with the new secret from then on;{' '}
            <code>webhook-signature</code> still carries both.
          </>,
          now === 2 && <PostButton action={`${at}/secret/promote`} text="Promote the new secret" />,
        )}
        {step(
          3,
          'Retire the old one',
          'It no longer signs requests. Remove it on your side as well.',
          now === 3 && (
            <Confirm
              label="Retire the old secret"
              action={`${at}/secret/retire`}
              question={`Retire the old secret of ${url}?`}
              effect="Whoever still verifies with it refuses what we send from now on. This cannot be undone."
              button="Retire it"
            />
          ),
        )}
      </ol>
    </section>
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
