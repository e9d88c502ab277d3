import { Writable } from 'node:stream';
import type { NamedSuite } from './case';
import type { Fixture } from './fixture';
import { planOf } from './plan';
import { Report } from './report';
import { runSuite } from './run-suite';

let printed: string;
let report: Report;
let closed: number;
let late: number;
beforeEach(() => {
  [printed, closed, late] = ['', 0, 0];
  const out = new Writable({
    write: (text, _, done) => {
      printed += String(text);
      done();
    },
  });
  report = new Report(out);
});

const fixture = {
  lateArrivals: () => late,
  close: () => Promise.resolve(void closed++),
} as unknown as Fixture;

async function run(prepare: NamedSuite['prepare'], open = () => Promise.resolve(fixture)) {
  const [planned] = planOf(
    [
      {
        name: 'relay',
        queues: 'redis',
        ...(prepare && { prepare }),
        cases: ['idle', 'busy'].map((when) => ({
          broken: 'kill relay',
          when,
          run: () => Promise.resolve({ events: 1 }),
        })),
      },
    ],
    {},
  );
  await runSuite(planned!, open, report);
  return { passes: report.passes, failures: report.failures, closed };
}

test('a suite of the fault matrix that is prepared runs each row once and closes its fixture', async () => {
  expect(await run(() => Promise.resolve())).toEqual({ passes: 2, failures: 0, closed: 1 });
});

test('each row of a suite whose preparation fails has failed once, and its fixture is closed', async () => {
  const prepare = () => Promise.reject(new Error('The worker does not start.'));
  expect(await run(prepare)).toEqual({ passes: 0, failures: 2, closed: 1 });
  expect(printed).toContain('The worker does not start.');
});

test('each row of a suite whose fixture does not open has failed once', async () => {
  const open = () => Promise.reject(new Error('No database.'));
  expect(await run(undefined, open)).toEqual({ passes: 0, failures: 2, closed: 0 });
});

test('POSTs after the rows of a suite are a failure that names the suite, by which it runs again', async () => {
  late = 3;
  expect(await run(undefined)).toEqual({ passes: 2, failures: 1, closed: 1 });
  const [failed = ''] = printed.split('\n').filter((line) => line.startsWith('FAILED'));
  expect(failed).toContain('after the rows of relay: nothing more is sent');
  expect(printed).toContain('3 POSTs came when all was done');
});
