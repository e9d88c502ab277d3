import type { FaultCase, NamedSuite, Suite } from './case';

export type Queue = 'postgres' | 'redis';

/** What the command line may choose of the matrix. */
export interface Choice {
  queue?: string | undefined;
  only?: string | undefined;
  part?: string | undefined;
  /** A text that names rows, such as those that have failed. */
  again?: string | undefined;
}

/** A suite with the chosen ones of its rows, on one of its queues. */
export interface PlannedSuite {
  suite: NamedSuite;
  queue: Queue;
}

/** @throws Error if nothing is chosen */
export function planOf(suites: readonly NamedSuite[], choice: Choice): PlannedSuite[] {
  const plan = suites
    .map((suite) => ({ ...suite, cases: chosen(suite, choice) }))
    .filter((suite) => suite.cases.length > 0)
    .flatMap((suite) => queuesOf(suite, choice.queue).map((queue) => ({ suite, queue })))
    .filter(
      ({ suite, queue }) => choice.part === undefined || choice.part === partOf(suite, queue),
    );
  if (plan.length === 0) throw new Error('No row matches: --help says what the options name.');
  return plan;
}

/** The check of a suite as a whole. It names the suite: several print at once, and a failed one runs again. */
export const afterwardsOf = ({ name }: NamedSuite) => ({
  broken: `after the rows of ${name}`,
  when: 'nothing more is sent',
});

function chosen(suite: NamedSuite, { only = '', again }: Choice): FaultCase[] {
  const isNamed = (it: Pick<FaultCase, 'broken' | 'when'>) => again?.includes(nameOf(it)) ?? true;
  // Late POSTs may come from any of the rows.
  const isWhole = isNamed(afterwardsOf(suite));
  return suite.cases.filter(
    (it) => nameOf(it).toLowerCase().includes(only.toLowerCase()) && (isWhole || isNamed(it)),
  );
}

const nameOf = ({ broken, when }: Pick<FaultCase, 'broken' | 'when'>) => `${broken}: ${when}`;

/** The rows differ little between the queues, and each costs starts of processes: the gate runs them on Redis. */
function partOf({ nightly, queues }: Suite, queue: Queue): 'gate' | 'nightly' {
  return nightly || (queues === 'both' && queue === 'postgres') ? 'nightly' : 'gate';
}

function queuesOf({ queues }: Suite, wanted: string | undefined): Queue[] {
  const all: Record<Suite['queues'], Queue[]> = {
    both: ['postgres', 'redis'],
    redis: ['redis'],
    once: ['postgres'],
  };
  return all[queues].filter((queue) => wanted === undefined || queue === wanted);
}
