import type { ComponentChildren } from 'preact';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.view';
import { CopyText } from '../../components/copy';
import { Page } from '../../components/page';
import { backTo } from './endpoint-form.page';
import { shortUrl } from './endpoint-status.rules';
import { Verification } from './verification';

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
      use={`With it ${shortUrl(endpoint.url)} verifies that a request is ours. Keep it like a password.`}
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
