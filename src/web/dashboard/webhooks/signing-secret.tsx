import type { ComponentChildren } from 'preact';
import type { EndpointView } from '../../../webhooks/endpoints/endpoints.dto';
import { Confirm, CopyText, LinkButton, PostButton } from '../../components/button';
import { Icon } from '../../components/button';
import { Page } from '../../components/page';
import { Panel } from '../../components/section';
import { codeIn } from '../../docs/guides';
import { backTo, shortUrl } from './endpoint-state';

interface NewSecret {
  endpoint: EndpointView;
  /** In plain text: only the page after its creation shows it. */
  secret: string;
}

/** The page after adding an endpoint. */
export function EndpointAddedPage(made: NewSecret) {
  return (
    <SecretPage
      {...made}
      title="Endpoint added"
      use={`Your endpoint ${shortUrl(made.endpoint.url)} uses it to verify that a request came from us. Keep it secret.`}
    >
      <Panel
        title="Verify each request"
        help="Over the raw body, before you parse it. Then respond with any 2xx status within 30 seconds."
      >
        <CopyText text={codeIn('webhooks.md', 'js')} label="Verification in Node.js" />
        <details class="more">
          <summary>In Python</summary>
          <CopyText text={codeIn('webhooks.md', 'python')} label="Verification in Python" />
        </details>
      </Panel>
    </SecretPage>
  );
}

/** The page after the first step of a rotation. */
export function SecretStagedPage(made: NewSecret) {
  return (
    <SecretPage
      {...made}
      title="New secret staged"
      use="X-Service-Signature still uses the current secret; webhook-signature carries both."
    >
      <Panel
        title="Next steps"
        help="Make your receiver accept both secrets. Then promote the new one on the endpoint’s page, and finally retire the old one."
      />
    </SecretPage>
  );
}

type SecretPageProps = NewSecret & { title: string; use: string; children: ComponentChildren };

function SecretPage(props: SecretPageProps) {
  const back = backTo(props.endpoint);
  return (
    <Page
      title={props.title}
      help="Copy the secret now: this is the only time that it is shown."
      back={back}
    >
      <Panel title="Signing secret" help={props.use} address={back.href}>
        <CopyText text={props.secret} label="Signing secret" />
      </Panel>
      {props.children}
      <p class="section">
        <LinkButton look="outline" href={back.href} text="I have copied it" />
      </p>
    </Page>
  );
}

const STEPS = [
  {
    title: 'Stage a new secret',
    text: 'You see it once, and make your side accept both. X-Service-Signature is still made with the old one; webhook-signature carries both.',
  },
  {
    title: 'Promote it',
    text: 'X-Service-Signature is made with the new secret from then on; webhook-signature still carries both.',
  },
  {
    title: 'Retire the old one',
    text: 'It no longer signs requests. Remove it on your side as well.',
  },
];

/** The rotation of the secret in three steps: what each does, which are done, and the button of the next. */
export function SigningSecret({ endpoint, at }: { endpoint: EndpointView; at: string }) {
  const url = shortUrl(endpoint.url);
  const rotation = endpoint.rotation ?? 'none';
  const now = ['none', 'staged', 'retiring'].indexOf(rotation);
  const buttons = {
    none: [<PostButton action={`${at}/secret/stage`} text="Stage a new secret" />],
    staged: [
      <Confirm
        label="Stage another"
        action={`${at}/secret/stage`}
        question={`Replace the staged secret of ${url}?`}
        effect="The staged secret is replaced by a new one. The secret in use stays."
        button="Replace it"
      />,
      <PostButton action={`${at}/secret/promote`} text="Promote the new secret" />,
    ],
    retiring: [
      null,
      null,
      <Confirm
        label="Retire the old secret"
        action={`${at}/secret/retire`}
        question={`Retire the old secret of ${url}?`}
        effect="Receivers that still verify with it reject our requests from now on. This cannot be undone."
        button="Retire it"
      />,
    ],
  }[rotation];
  return (
    <section class="section" aria-labelledby="secret">
      <h2 id="secret">Signing secret</h2>
      <p>
        It was shown once and cannot be shown again. A new one comes into use in three steps, so
        that your side can verify every request throughout.
      </p>
      <ol class="steps panel" aria-label="Rotation of the secret">
        {STEPS.map(({ title, text }, step) => (
          <li
            data-state={step < now ? 'done' : step > now ? 'later' : 'now'}
            aria-current={step === now ? 'step' : undefined}
          >
            {step < now && <Icon name="check" />}
            <h3>
              {title}
              {step < now && <span class="muted"> (done)</span>}
            </h3>
            <p>{text}</p>
            {buttons[step]}
          </li>
        ))}
      </ol>
    </section>
  );
}
