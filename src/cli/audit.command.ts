import { Command } from 'commander';
import { AuditLog } from '../access/accounts/audit-log';
import type { Output } from './output';
import { withServices } from './services';

/** The audit log as a file. */
export function auditCommand(output: Output): Command {
  const audit = new Command('audit').description('the audit log');
  audit
    .command('export')
    .description('print all entries, the oldest first: one JSON object a line')
    .action(() =>
      withServices(output, async (services) => {
        for await (const line of services.get(AuditLog).lines()) process.stdout.write(line);
      }),
    );
  return audit;
}
