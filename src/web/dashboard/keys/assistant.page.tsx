import { ASSISTANT_SCOPES, SCOPES } from '../../../access/accounts/scope.rules';
import type { ApiKey } from '../../../access/api-keys/api-key.entity';
import type { Messages } from '../../../platform/messages/messages';
import { translated } from '../../../platform/messages/refusals';
import { CopyText, LinkButton } from '../../components/button';
import { CheckboxList } from '../../components/fields';
import { Link } from '../../components/format';
import { FormPage, Page } from '../../components/page';
import { Panel } from '../../components/section';
import type { Form } from '../../http/form';
import { usePage } from '../../http/page-context';
import { AT, backToKeys, KeyFields } from './keys.page';

/** What a key for an assistant can have; `publish` has to be chosen. */
export const ASSISTANT_KEY_SCOPES = [...ASSISTANT_SCOPES, 'publish'] as const;

export function NewAssistantPage({ form }: { form: Form }) {
  const { viewer, messages } = usePage();
  const { rich, t } = messages;
  const help = {
    read: translated(SCOPES.read, messages, 'scope.'),
    write: t('assistant.write'),
    // Nobody reviews what an administrator publishes.
    publish: t(viewer?.isAdmin ? 'assistant.publishAdmin' : 'assistant.publish'),
  };
  return (
    <FormPage
      title={t('apiKey.connect')}
      help={rich('assistant.help', {
        link: (text) => <Link to="/docs/guides/assistants">{text}</Link>,
      })}
      back={backToKeys(messages)}
      form={form}
      action={`${AT}/assistant`}
      button={t('apiKey.createButton')}
    >
      <KeyFields help={t('assistant.nameHelp')} />
      <CheckboxList
        name="scopes"
        label={t('assistant.may')}
        initial={ASSISTANT_SCOPES}
        options={ASSISTANT_KEY_SCOPES.map((value) => ({
          value,
          label: value,
          help: help[value],
        }))}
      />
    </FormPage>
  );
}

const json = (value: object) => JSON.stringify(value, null, 2);

/** How the common clients are told about the endpoint. */
function clients(url: string, key: string, { t }: Messages) {
  const headers = { Authorization: `Bearer ${key}` };
  // mcp-remote refuses http: anywhere but on this machine, unless it is told to.
  const allow = url.startsWith('http:') ? ['--allow-http'] : [];
  // Its headers must not contain blanks: some clients split them there.
  const args = ['-y', 'mcp-remote', url, ...allow, '--header', 'Authorization:${AUTHORIZATION}'];
  const remote = { command: 'npx', args, env: { AUTHORIZATION: headers.Authorization } };
  return [
    {
      title: 'Claude Code',
      help: t('assistant.claudeCode'),
      text: `claude mcp add --transport http quizzes ${url} --header "Authorization: Bearer ${key}"`,
    },
    {
      title: 'Claude Desktop',
      help: t('assistant.claudeDesktop'),
      text: json({ mcpServers: { quizzes: remote } }),
    },
    {
      title: 'Cursor',
      help: t('assistant.cursor'),
      text: json({ mcpServers: { quizzes: { url, headers } } }),
    },
    {
      title: 'VS Code',
      help: t('assistant.vsCode'),
      text: json({ servers: { quizzes: { type: 'http', url, headers } } }),
    },
    {
      title: t('assistant.others'),
      help: t('assistant.othersHelp'),
      text: json({ mcpServers: { quizzes: { type: 'http', url, headers } } }),
    },
  ];
}

/** The only page that shows this key, in the configuration of the common clients. */
export function ConnectAssistantPage({ stored, key }: { stored: ApiKey; key: string }) {
  const { baseUrl, messages } = usePage();
  const { t } = messages;
  return (
    <Page
      title={t('assistant.connect', { name: stored.name })}
      help={t('assistant.connectHelp')}
      back={backToKeys(messages)}
    >
      <Panel title={t('apiKey.theKey')} help={t('apiKey.secret')} address={AT}>
        <CopyText text={key} label={t('apiKey.theKey')} />
      </Panel>
      {clients(`${baseUrl}/mcp`, key, messages).map(({ title, help, text }) => (
        <Panel title={title} help={help}>
          <CopyText text={text} label={t('assistant.configurationOf', { title })} />
        </Panel>
      ))}
      <Panel title={t('apiKey.try')} help={t('assistant.try')}>
        <CopyText text={t('assistant.tryText')} label={t('assistant.first')} />
      </Panel>
      <p class="section">
        <LinkButton look="outline" href={AT} text={t('apiKey.iCopied')} />
      </p>
    </Page>
  );
}
