import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Account } from '../access/accounts/account.entity';
import { isBuiltIn } from '../access/accounts/built-in-accounts';
import { type Plan, PLANS } from '../access/accounts/plan.rules';
import { ALL_SCOPES, readOrigins, readScopes, type Scope } from '../access/accounts/scope.rules';
import {
  QUIZZES_OF_DELETED,
  type QuizzesOfDeleted,
} from '../access/administration/account-content';
import type { ApiKey } from '../access/api-keys/api-key.entity';
import { maskedKey } from '../access/api-keys/api-key.rules';
import { OPERATOR } from '../access/audit/actor';
import { quizctl } from '../platform/config/command-line';
import { Malformed } from '../platform/errors/domain-errors';
import { accountIdOf, argument, command, group, listOf, option, pick, required } from './command';
import { at, type Row } from './output';

const ACCOUNT = argument('<account>', 'e-mail address or id');

export const accountsCommand = group('accounts', 'create, list, change and delete accounts', [
  command<{ email: string; plan: Plan; admin?: true }>({
    name: 'create',
    description: 'create an account',
    parameters: [
      required('--email <email>', 'e-mail address'),
      required('--plan <plan>', 'plan', PLANS),
      option('--admin', 'make it an administrator'),
    ],
    async run(services, { email, plan, admin = false }, output) {
      const account = await services.administration.create(OPERATOR, {
        email,
        plan,
        isAdmin: admin,
      });
      output.result(
        toAccount(account),
        `Account ${account.id} created for ${account.email}.\n` +
          `Issue a key with: ${quizctl(`keys issue --account ${account.email} --name NAME`)}`,
      );
    },
  }),

  command<{ account: string; plan: Plan }>({
    name: 'set-plan',
    description: 'change the plan of an account, from the next request on',
    parameters: [ACCOUNT, argument('<plan>', 'plan', PLANS)],
    async run(services, { account, plan }, output) {
      const id = await accountIdOf(services, account);
      const changed = await services.administration.setPlan(OPERATOR, id, plan);
      output.result(toAccount(changed), `${changed.email} is now on the ${plan} plan.`);
    },
  }),

  command<{ account: string }>({
    name: 'set-password',
    description:
      'give an account the password to sign in to the dashboard with, and end its sessions',
    parameters: [ACCOUNT, required('--password-stdin', 'read it from the standard input')],
    async run(services, { account }, output) {
      const found = await services.accounts.get(account);
      const password = await firstLine(process.stdin);
      if (!password)
        throw new Malformed(
          'No password was given on the standard input. Pipe it in, for example from a file: ' +
            quizctl(`accounts set-password ${account} --password-stdin < password.txt`),
        );
      await services.administration.setPassword(OPERATOR, found, password);
      const { id, email } = found;
      output.result({ id, email }, `${email} can sign in to the dashboard with this password.`);
    },
  }),

  command<{ account: string; email: string }>({
    name: 'set-email',
    description: 'change the e-mail address of an account, at once',
    parameters: [ACCOUNT, argument('<email>', 'new e-mail address')],
    async run(services, { account, email }, output) {
      const id = await accountIdOf(services, account);
      const address = await services.emailChanges.set(OPERATOR, id, email);
      output.result({ id, email: address }, `The address of the account is ${address} now.`);
    },
  }),

  command<{ account: string; quizzes: QuizzesOfDeleted }>({
    name: 'delete',
    description: 'delete an account with all that belongs to it; this cannot be undone',
    parameters: [
      ACCOUNT,
      required(
        '--quizzes <what>',
        'delete its quizzes, or keep the published ones',
        QUIZZES_OF_DELETED,
      ),
    ],
    async run(services, { account, quizzes }, output) {
      const id = await accountIdOf(services, account);
      const email = await services.deletion.delete(OPERATOR, id, quizzes);
      output.result(
        { id, quizzes },
        `${email} is deleted: its keys and sessions have ended. The worker deletes what belongs to it.`,
      );
    },
  }),

  command({
    name: 'list',
    description: 'list all accounts',
    async run(services, _given, output) {
      const all = await services.accounts.list();
      const rows = all.map(({ id, email, plan, isAdmin, createdAt }) => {
        const admin = isBuiltIn({ email }) ? 'built in' : isAdmin ? 'yes' : 'no';
        return { id, email, plan, admin, created: at(createdAt) };
      });
      output.list(all.map(toAccount), rows, 'There are no accounts yet.');
    },
  }),
]);

export const auditCommand = group('audit', 'the audit log', [
  command({
    name: 'export',
    description: 'print all entries, the oldest first: one JSON object a line',
    async run(services, _given, output) {
      // As fast as they are read: the log may be larger than the memory.
      await pipeline(Readable.from(services.audit.lines()), output.stdout, { end: false });
    },
  }),
]);

/** `echo` and editors append an end of line to what is piped in. */
async function firstLine(input: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const piece of input) text += String(piece);
  return text.split(/\r?\n/, 1)[0] ?? '';
}

const toAccount = (account: Account) =>
  pick(account, 'id', 'email', 'plan', 'isAdmin', 'createdAt');

/** The service refuses NaN: `0x10` and `1e3` are mistakes. */
const readRate = (text: string): number | null =>
  text === 'default' ? null : /^\d+$/.test(text) ? Number(text) : NaN;

const KEY_HOLDER = required('--account <account>', 'e-mail address or id');

export const keysCommand = group('keys', 'issue, list and revoke API keys, and set their rates', [
  command<{ account: string; name: string; scopes?: Scope[]; origins?: string[] }>({
    name: 'issue',
    description: 'issue a key; it is shown only once',
    parameters: [
      KEY_HOLDER,
      required('--name <name>', 'what the key is for'),
      option(
        '--scopes <scopes>',
        `what it may do, of ${ALL_SCOPES.join(',')}; all without this`,
      ).argParser(listOf(readScopes)),
      option(
        '--origins <origins>',
        'web origins whose pages may use it, separated by commas',
      ).argParser(listOf(readOrigins)),
    ],
    async run(services, { account, name, scopes, origins }, output) {
      const accountId = await accountIdOf(services, account);
      const { stored, key } = await services.keys.issue(accountId, name, { scopes, origins });
      output.result(
        { ...toKey(stored), key },
        `${key}\n\nThis is the only time that the key is shown. To revoke it:\n` +
          quizctl(`keys revoke ${stored.id}`),
      );
    },
  }),

  command<{ account: string }>({
    name: 'list',
    description: 'list the keys of an account',
    parameters: [KEY_HOLDER],
    async run(services, { account }, output) {
      const all = await services.keys.list(await accountIdOf(services, account));
      output.list(all.map(toKey), all.map(toRow), 'The account has no keys yet.');
    },
  }),

  command<{ id: string }>({
    name: 'revoke',
    description: 'revoke a key',
    parameters: [argument('<id>', 'id of the key')],
    async run(services, { id }, output) {
      const key = await services.keys.revoke(id);
      output.result(toKey(key), `Key ${maskedKey(key)} is revoked.`);
    },
  }),

  command<{ id: string; rate: number | null }>({
    name: 'set-rate',
    description: 'count the requests of a key by key instead of by client address',
    parameters: [
      argument('<id>', 'id of the key'),
      argument('<rate>', 'requests a minute; "default": by address again').argParser(readRate),
    ],
    async run(services, { id, rate }, output) {
      const key = await services.keys.setRate(OPERATOR, id, rate);
      const name = `Key ${maskedKey(key)}`;
      output.result(
        toKey(key),
        rate === null
          ? `${name} is counted by the address of its requests, within five seconds.`
          : `${name} has ${rate} requests a minute, wherever they come from, within five seconds.`,
      );
    },
  }),
]);

const toKey = (key: ApiKey) => ({
  ...pick(key, 'id', 'accountId', 'name', 'prefix', 'lastFour'),
  ...pick(key, 'createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt'),
  ...pick(key, 'scopes', 'origins', 'requestsPerMinute'),
});

const toRow = (key: ApiKey): Row => ({
  id: key.id,
  key: maskedKey(key),
  name: key.name,
  scopes: key.scopes.join(','),
  origins: key.origins.join(','),
  'a minute': key.requestsPerMinute?.toString() ?? '',
  created: at(key.createdAt),
  'last used': at(key.lastUsedAt),
  revoked: at(key.revokedAt),
});
