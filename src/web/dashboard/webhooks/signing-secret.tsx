import type { ComponentChildren } from 'preact';
import type { EndpointView } from '../../../webhooks/endpoints/endpoints.dto';
import { Confirm, CopyText, Icon, LinkButton, PostButton } from '../../components/button';
import { Page } from '../../components/page';
import { Panel } from '../../components/section';
import { codeIn } from '../../docs/guides';
import { useMessages } from '../../http/page-context';
import { backTo, shortUrl } from './endpoint-state';

interface NewSecret {
  endpoint: EndpointView;
  /** In plain text: only the page after its creation shows it. */
  secret: string;
}

/** The page after adding an endpoint. */
export function EndpointAddedPage(made: NewSecret) {
  const { t } = useMessages();
  return (
    <SecretPage
      {...made}
      title={t('secret.added')}
      use={t('secret.use', { url: shortUrl(made.endpoint.url) })}
    >
      <Panel title={t('secret.verify')} help={t('secret.verifyHelp')}>
        <CopyText text={codeIn('webhooks.md', 'js')} label={t('secret.node')} />
        <details class="more">
          <summary>{t('secret.inPython')}</summary>
          <CopyText text={codeIn('webhooks.md', 'python')} label={t('secret.python')} />
        </details>
      </Panel>
    </SecretPage>
  );
}

/** The page after the first step of a rotation. */
export function SecretStagedPage(made: NewSecret) {
  const { t } = useMessages();
  return (
    <SecretPage {...made} title={t('secret.staged')} use={t('secret.stagedUse')}>
      <Panel title={t('secret.next')} help={t('secret.nextHelp')} />
    </SecretPage>
  );
}

type SecretPageProps = NewSecret & { title: string; use: string; children: ComponentChildren };

function SecretPage(props: SecretPageProps) {
  const { t } = useMessages();
  const back = backTo(props.endpoint);
  return (
    <Page title={props.title} help={t('secret.copyNow')} back={back}>
      <Panel title={t('secret.title')} help={props.use} address={back.href}>
        <CopyText text={props.secret} label={t('secret.title')} />
      </Panel>
      {props.children}
      <p class="section">
        <LinkButton look="outline" href={back.href} text={t('secret.iCopied')} />
      </p>
    </Page>
  );
}

const STEPS = ['stage', 'promote', 'retire'] as const;

/** The rotation of the secret in three steps: what each does, which are done, and the button of the next. */
export function SigningSecret({ endpoint, at }: { endpoint: EndpointView; at: string }) {
  const { t } = useMessages();
  const url = shortUrl(endpoint.url);
  const rotation = endpoint.rotation ?? 'none';
  const now = ['none', 'staged', 'retiring'].indexOf(rotation);
  const buttons = {
    none: [<PostButton action={`${at}/secret/stage`} text={t('secret.step.stage')} />],
    staged: [
      <Confirm
        label={t('secret.stageAnother')}
        action={`${at}/secret/stage`}
        question={t('secret.replaceIt', { url })}
        effect={t('secret.replaceEffect')}
        button={t('secret.replace')}
      />,
      <PostButton action={`${at}/secret/promote`} text={t('secret.promote')} />,
    ],
    retiring: [
      null,
      null,
      <Confirm
        label={t('secret.retire')}
        action={`${at}/secret/retire`}
        question={t('secret.retireIt', { url })}
        effect={t('secret.retireEffect')}
        button={t('secret.retireButton')}
      />,
    ],
  }[rotation];
  return (
    <section class="section" aria-labelledby="secret">
      <h2 id="secret">{t('secret.title')}</h2>
      <p>{t('secret.about')}</p>
      <ol class="steps panel" aria-label={t('secret.rotation')}>
        {STEPS.map((name, step) => (
          <li
            data-state={step < now ? 'done' : step > now ? 'later' : 'now'}
            aria-current={step === now ? 'step' : undefined}
          >
            {step < now && <Icon name="check" />}
            <h3>
              {t(`secret.step.${name}`)}
              {step < now && <span class="muted"> {t('secret.done')}</span>}
            </h3>
            <p>{t(`secret.step.${name}Text`)}</p>
            {buttons[step]}
          </li>
        ))}
      </ol>
    </section>
  );
}
