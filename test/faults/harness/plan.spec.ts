import type { NamedSuite } from './case';
import { planOf } from './plan';

const suite = (name: string, rows: string[], rest: Partial<NamedSuite> = {}): NamedSuite => ({
  name,
  queues: 'both',
  cases: rows.map((when) => ({ broken: `kill ${name}`, when, run: () => Promise.resolve({}) })),
  ...rest,
});
const SUITES = [
  suite('api', ['before the commit', 'after the commit']),
  suite('redis', ['stopped'], { queues: 'redis' }),
  suite('silentRedis', ['silent'], { queues: 'redis', nightly: true }),
];

const namesOf = (choice: Parameters<typeof planOf>[1]) =>
  planOf(SUITES, choice).map(
    ({ suite, queue }) => `${suite.name} ${queue}: ${suite.cases.map(({ when }) => when).join()}`,
  );

describe('the plan of the fault matrix', () => {
  it('without a choice every row runs on each of its queues', () => {
    expect(namesOf({})).toEqual([
      'api postgres: before the commit,after the commit',
      'api redis: before the commit,after the commit',
      'redis redis: stopped',
      'silentRedis redis: silent',
    ]);
  });

  it('a failed row runs again without the other rows of its suite', () => {
    const again = 'npm run test:faults: redis     kill api: after the commit\n';
    expect(namesOf({ again, part: 'gate' })).toEqual(['api redis: after the commit']);
  });

  it('a suite after whose rows something was sent runs again as a whole, and no other suite', () => {
    expect(namesOf({ again: 'redis     after the rows of api: nothing more is sent\n' })).toEqual([
      'api postgres: before the commit,after the commit',
      'api redis: before the commit,after the commit',
    ]);
    expect(
      namesOf({ again: 'redis     after the rows of silentRedis: nothing more is sent' }),
    ).toEqual(['silentRedis redis: silent']);
  });

  it('a choice that matches no row is refused', () => {
    expect(() => planOf(SUITES, { only: 'kill nothing' })).toThrow('No row matches');
  });
});
