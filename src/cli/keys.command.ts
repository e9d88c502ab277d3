import { ALL_SCOPES, readOrigins, readScopes, type Scope } from '../access/accounts/scope.rules';
import type { ApiKey } from '../access/api-keys/api-key.entity';
import { maskedKey } from '../access/api-keys/api-key.rules';
import { OPERATOR } from '../access/audit/actor';
import { quizctl } from '../platform/config/command-line';
import { accountIdOf, argument, command, group, listOf, option, pick, required } from './command';
import { at, type Row } from './output';

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
      output.result(
        toKey(key),
        `Key ${maskedKey(key)} is revoked. A running API accepts it for up to five more seconds.`,
      );
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
  expires: at(key.expiresAt),
  revoked: at(key.revokedAt),
});
