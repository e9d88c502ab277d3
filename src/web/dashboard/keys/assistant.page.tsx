import { ASSISTANT_SCOPES, SCOPES } from '../../../access/accounts/scope.rules';
import type { ApiKey } from '../../../access/api-keys/api-key.entity';
import { CopyText, LinkButton } from '../../components/button';
import { CheckboxList } from '../../components/fields';
import { Link } from '../../components/format';
import { FormPage, Page } from '../../components/page';
import { Panel } from '../../components/section';
import type { Form } from '../../http/form';
import { usePage } from '../../http/page-context';
import { KeyFields } from './keys.page';

const AT = '/dashboard/keys';
const BACK = { href: AT, label: 'API keys' };

/** What a key for an assistant can have; `publish` has to be chosen. */
export const ASSISTANT_KEY_SCOPES = [...ASSISTANT_SCOPES, 'publish'] as const;

const HELP = {
  read: SCOPES.read,
  write: 'Write new quizzes as drafts, and change or delete yours that are not live.',
  publish:
    'Publish, and change live quizzes, without asking you. Leave it off to look at each draft and publish it yourself.',
};

/** For `publish`, where nobody reviews what it publishes. */
const LIVE_AT_ONCE = ' You are an administrator, so it is live at once, without a review.';

export function NewAssistantPage({ form }: { form: Form }) {
  const { viewer } = usePage();
  const helpOf = (scope: (typeof ASSISTANT_KEY_SCOPES)[number]) =>
    scope === 'publish' && viewer?.isAdmin ? HELP[scope] + LIVE_AT_ONCE : HELP[scope];
  return (
    <FormPage
      title="Connect an assistant"
      help={
        <>
          Let Claude, Cursor or another client of the Model Context Protocol search, write and
          repair quizzes for you. <Link to="/docs/guides/assistants">How it works</Link>
        </>
      }
      back={BACK}
      form={form}
      action={`${AT}/assistant`}
      button="Create key"
    >
      <KeyFields help="Which assistant it is for, such as “Claude on my laptop”. Reviewers see it with what it writes." />
      <CheckboxList
        name="scopes"
        label="What it may do"
        initial={ASSISTANT_SCOPES}
        options={ASSISTANT_KEY_SCOPES.map((value) => ({
          value,
          label: value,
          help: helpOf(value),
        }))}
      />
    </FormPage>
  );
}

const json = (value: object) => JSON.stringify(value, null, 2);

/** How the common clients are told about the endpoint. */
function clients(url: string, key: string) {
  const headers = { Authorization: `Bearer ${key}` };
  // mcp-remote refuses http: anywhere but on this machine, unless it is told to.
  const allow = url.startsWith('http:') ? ['--allow-http'] : [];
  // Its headers must not contain blanks: some clients split them there.
  const args = ['-y', 'mcp-remote', url, ...allow, '--header', 'Authorization:${AUTHORIZATION}'];
  const remote = { command: 'npx', args, env: { AUTHORIZATION: headers.Authorization } };
  return [
    {
      title: 'Claude Code',
      help: 'Run this in a terminal.',
      text: `claude mcp add --transport http quizzes ${url} --header "Authorization: Bearer ${key}"`,
    },
    {
      title: 'Claude Desktop',
      help: 'Settings, Developer, Edit config: claude_desktop_config.json. It needs Node.js on your computer.',
      text: json({ mcpServers: { quizzes: remote } }),
    },
    {
      title: 'Cursor',
      help: 'In ~/.cursor/mcp.json, or .cursor/mcp.json of a project.',
      text: json({ mcpServers: { quizzes: { url, headers } } }),
    },
    {
      title: 'VS Code',
      help: 'The command “MCP: Open User Configuration” opens mcp.json.',
      text: json({ servers: { quizzes: { type: 'http', url, headers } } }),
    },
    {
      title: 'Other clients',
      help: 'The transport is Streamable HTTP, and the key is sent as a header.',
      text: json({ mcpServers: { quizzes: { type: 'http', url, headers } } }),
    },
  ];
}

/** The only page that shows this key, in the configuration of the common clients. */
export function ConnectAssistantPage({ stored, key }: { stored: ApiKey; key: string }) {
  const { baseUrl } = usePage();
  return (
    <Page
      title={`Connect “${stored.name}”`}
      help="Copy what your client needs now: this is the only time that the key is shown."
      back={BACK}
    >
      <Panel title="The key" help="Keep it like a password." address={AT}>
        <CopyText text={key} label="The key" />
      </Panel>
      {clients(`${baseUrl}/mcp`, key).map(({ title, help, text }) => (
        <Panel title={title} help={help}>
          <CopyText text={text} label={`Configuration of ${title}`} />
        </Panel>
      ))}
      <Panel title="Try it" help="Ask your assistant:">
        <CopyText
          text="Write a quiz of ten questions about the rivers of Europe, and show it to me."
          label="A first request"
        />
      </Panel>
      <p class="section">
        <LinkButton look="outline" href={AT} text="I have copied it" />
      </p>
    </Page>
  );
}
