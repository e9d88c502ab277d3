import type { ComponentChildren } from 'preact';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.view';
import { Confirm } from '../../components/confirm';
import { shortUrl } from './endpoint-status.rules';

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
              effect="The staged secret signs nothing any more, and you see another one. The secret in use stays."
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
          <p>It signs nothing any more. Drop it on your side as well.</p>
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
