import { Command } from 'commander';
import { AccountsService } from '../access/accounts/accounts.service';
import type { ApiKey } from '../access/api-keys/api-key.entity';
import { ApiKeysService } from '../access/api-keys/api-keys.service';
import { at, type Output, type Row } from './output';
import { withServices } from './services';

export function keysCommand(output: Output): Command {
  const keys = new Command('keys').description('issue, list and revoke API keys');

  keys
    .command('issue')
    .description('issue a key; it is shown this once')
    .requiredOption('--account <account>', 'e-mail address or id')
    .requiredOption('--name <name>', 'what the key is for')
    .action(({ account, name }: { account: string; name: string }) =>
      withServices(output, async (services) => {
        const { id } = await services.get(AccountsService).get(account);
        const { stored, key } = await services.get(ApiKeysService).issue(id, name);
        output.result(
          { ...toKey(stored), key },
          `${key}\n\nThis is the only time that the key is shown. To revoke it:\n` +
            `npm run -s quizctl -- keys revoke ${stored.id}`,
        );
      }),
    );

  keys
    .command('list')
    .description('list the keys of an account')
    .requiredOption('--account <account>', 'e-mail address or id')
    .action(({ account }: { account: string }) =>
      withServices(output, async (services) => {
        const { id } = await services.get(AccountsService).get(account);
        const all = await services.get(ApiKeysService).list(id);
        output.list(all.map(toKey), all.map(toRow), 'The account has no keys yet.');
      }),
    );

  keys
    .command('revoke')
    .description('refuse a key from now on')
    .argument('<id>', 'id of the key')
    .action((id: string) =>
      withServices(output, async (services) => {
        const key = await services.get(ApiKeysService).revoke(id);
        output.result(toKey(key), `Key ${key.prefix}…${key.lastFour} is revoked.`);
      }),
    );

  return keys;
}

const toKey = (key: ApiKey) => ({
  id: key.id,
  accountId: key.accountId,
  name: key.name,
  prefix: key.prefix,
  lastFour: key.lastFour,
  createdAt: key.createdAt,
  expiresAt: key.expiresAt,
  revokedAt: key.revokedAt,
  lastUsedAt: key.lastUsedAt,
});

const toRow = (key: ApiKey): Row => ({
  id: key.id,
  key: `${key.prefix}…${key.lastFour}`,
  name: key.name,
  created: at(key.createdAt),
  'last used': at(key.lastUsedAt),
  revoked: at(key.revokedAt),
});
