import { Argument, Command, Option } from 'commander';
import { AccountAdministrationService } from '../access/accounts/account-administration.service';
import type { Account } from '../access/accounts/account.entity';
import { AccountsService } from '../access/accounts/accounts.service';
import { OPERATOR } from '../access/accounts/audit-log';
import { PLANS, type Plan } from '../access/accounts/plan.rules';
import { at, type Output, type Row } from './output';
import { withServices } from './services';

export function accountsCommand(output: Output): Command {
  const accounts = new Command('accounts').description('create and list accounts, change plans');

  accounts
    .command('create')
    .description('create an account')
    .requiredOption('--email <email>', 'e-mail address')
    .addOption(new Option('--plan <plan>', 'plan').choices(PLANS).makeOptionMandatory())
    .option('--admin', 'make it an administrator')
    .action(({ email, plan, admin }: { email: string; plan: Plan; admin?: true }) =>
      withServices(output, async (services) => {
        const account = await services
          .get(AccountAdministrationService)
          .create(OPERATOR, { email, plan, isAdmin: admin === true });
        output.result(
          toAccount(account),
          `Account ${account.id} created for ${account.email}.\n` +
            `Issue a key with: npm run -s quizctl -- keys issue --account ${account.email} --name NAME`,
        );
      }),
    );

  accounts
    .command('set-plan')
    .description('change the plan of an account, from the next request on')
    .argument('<account>', 'e-mail address or id')
    .addArgument(new Argument('<plan>', 'plan').choices(PLANS))
    .action((account: string, plan: Plan) =>
      withServices(output, async (services) => {
        const { id } = await services.get(AccountsService).get(account);
        const changed = await services
          .get(AccountAdministrationService)
          .setPlan(OPERATOR, id, plan);
        output.result(toAccount(changed), `${changed.email} is now on the ${plan} plan.`);
      }),
    );

  accounts
    .command('set-password')
    .description(
      'give an account the password to sign in to the dashboard with, and end its sessions',
    )
    .argument('<account>', 'e-mail address or id')
    .requiredOption('--password-stdin', 'read it from the standard input')
    .action((account: string) =>
      withServices(output, async (services) => {
        const found = await services.get(AccountsService).get(account);
        const { id, email } = found;
        await services
          .get(AccountAdministrationService)
          .setPassword(OPERATOR, found, await firstLine(process.stdin));
        output.result({ id, email }, `${email} can sign in to the dashboard with this password.`);
      }),
    );

  accounts
    .command('list')
    .description('list all accounts')
    .action(() =>
      withServices(output, async (services) => {
        const all = await services.get(AccountsService).list();
        output.list(all.map(toAccount), all.map(toRow), 'There are no accounts yet.');
      }),
    );

  return accounts;
}

/** Of what was typed or piped in: `echo` and editors put an end of line behind it. */
async function firstLine(input: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const piece of input) text += String(piece);
  return text.split(/\r?\n/, 1)[0] ?? '';
}

const toAccount = (account: Account) => ({
  id: account.id,
  email: account.email,
  plan: account.plan,
  isAdmin: account.isAdmin,
  createdAt: account.createdAt,
});

const toRow = (account: Account): Row => ({
  id: account.id,
  email: account.email,
  plan: account.plan,
  admin: account.isAdmin ? 'yes' : 'no',
  created: at(account.createdAt),
});
