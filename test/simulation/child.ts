import 'reflect-metadata';
import { join, relative } from 'node:path';
import { BROKEN } from './broken';

/** Runs the schedules whose seeds the parent sends, with a database of its own, on a broken version if one is named. */
async function main(databaseUrl: string, broken?: string): Promise<void> {
  editFiles([FORGETS_IDS, ...(BROKEN.find(({ name }) => name === broken)?.edits ?? [])]);
  // Only now: the service is compiled as it is loaded.
  const { SimulatedDatabase } = await import('./database.ts');
  const { Schedule } = await import('./schedule.ts');
  const { virtualiseTime } = await import('./world.ts');
  const database = await SimulatedDatabase.start(databaseUrl);
  virtualiseTime();
  process.on('message', (seed: number) => {
    new Schedule(seed, database).run().then(
      (result) => process.send?.(result),
      (error: Error) => {
        process.send?.({ seed, history: [], violations: [[0, error.stack ?? error.message]] });
      },
    );
  });
  process.send?.('ready');
}

/** Ids ascend within a process; here one process runs many schedules, and each must run as it does alone. */
const FORGETS_IDS = {
  file: 'platform/text/ids.ts',
  from: 'let number = 0;',
  to: 'let number = 0;\nexport const forget = (): void => void (moment = number = 0);',
};

function editFiles(edits: (typeof BROKEN)[number]['edits']): void {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const compiler = require('../faults/typescript.cjs') as {
    edit: (filename: string, source: string) => string;
  };
  const src = join(__dirname, '../../src');
  compiler.edit = (filename, source) =>
    edits
      .filter(({ file }) => file === relative(src, filename))
      .reduce((text, { file, from, to }) => {
        if (text.split(from).length !== 2)
          throw new Error(`${file} does not contain once: ${from}`);
        return text.replace(from, () => to);
      }, source);
}

const [databaseUrl = '', broken] = process.argv.slice(2);
void main(databaseUrl, broken);
