import type { ApiKey } from '../access/api-keys/api-key.entity';
import { ApiKeysService } from '../access/api-keys/api-keys.service';
import { ALL_SCOPES } from '../access/api-keys/scope.rules';
import { accountIdOf, argument, command, group, option, pick, required } from './command';
import { at, type Row } from './output';

const ACCOUNT = required('--account <account>', 'e-mail address or id');

export const keysCommand = group('keys', 'issue, list and revoke API keys', [
  command<{ account: string; name: string; scopes?: string; origins?: string }>({
    name: 'issue',
    description: 'issue a key; it is shown only once',
    parameters: [
      ACCOUNT,
      required('--name <name>', 'what the key is for'),
      option('--scopes <scopes>', `what it may do, of ${ALL_SCOPES.join(',')}; all without this`),
      option('--origins <origins>', 'web origins whose pages may use it, separated by commas'),
    ],
    async run(services, { account, name, scopes, origins }, output) {
      const accountId = await accountIdOf(services, account);
      const { stored, key } = await services.get(ApiKeysService).issue(accountId, name, {
        scopes: scopes?.split(','),
        origins: origins?.split(','),
      });
      output.result(
        { ...toKey(stored), key },
        `${key}\n\nThis is the only time that the key is shown. To revoke it:\n` +
          `npm run -s quizctl -- keys revoke ${stored.id}`,
      );
    },
  }),

  command<{ account: string }>({
    name: 'list',
    description: 'list the keys of an account',
    parameters: [ACCOUNT],
    async run(services, { account }, output) {
      const all = await services.get(ApiKeysService).list(await accountIdOf(services, account));
      output.list(all.map(toKey), all.map(toRow), 'The account has no keys yet.');
    },
  }),

  command<{ id: string }>({
    name: 'revoke',
    description: 'refuse a key from now on',
    parameters: [argument('<id>', 'id of the key')],
    async run(services, { id }, output) {
      const key = await services.get(ApiKeysService).revoke(id);
      output.result(toKey(key), `Key ${key.prefix}…${key.lastFour} is revoked.`);
    },
  }),
]);

const toKey = (key: ApiKey) => ({
  ...pick(key, 'id', 'accountId', 'name', 'prefix', 'lastFour'),
  ...pick(key, 'createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt'),
  ...pick(key, 'scopes', 'origins'),
});

const toRow = (key: ApiKey): Row => ({
  id: key.id,
  key: `${key.prefix}…${key.lastFour}`,
  name: key.name,
  scopes: key.scopes.join(','),
  origins: key.origins.join(','),
  created: at(key.createdAt),
  'last used': at(key.lastUsedAt),
  revoked: at(key.revokedAt),
});
