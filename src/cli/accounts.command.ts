import { text } from 'node:stream/consumers';
import type { Account } from '../access/accounts/account.entity';
import { isBuiltIn } from '../access/accounts/built-in-accounts';
import { type Plan, PLANS } from '../access/accounts/plan.rules';
import {
  QUIZZES_OF_DELETED,
  type QuizzesOfDeleted,
} from '../access/administration/account-content';
import { OPERATOR } from '../access/audit/actor';
import { quizctl } from '../platform/config/command-line';
import { Malformed } from '../platform/errors/domain-errors';
import { accountIdOf, argument, command, group, option, pick, required } from './command';
import { at } from './output';

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

/** `echo` and editors append an end of line to what is piped in. */
const firstLine = async (input: NodeJS.ReadableStream): Promise<string> =>
  (await text(input)).split(/\r?\n/, 1)[0] ?? '';

const toAccount = (account: Account) =>
  pick(account, 'id', 'email', 'plan', 'isAdmin', 'createdAt');
