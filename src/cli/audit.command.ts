import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { command, group } from './command';

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
