import type { FaultCase } from './case';
import { isEnding } from './cleanup';
import type { Fixture } from './fixture';
import { afterwardsOf, type PlannedSuite } from './plan';
import type { Report } from './report';

/**
 * Runs the rows of a suite on a fixture, and closes it. If the fixture cannot be opened or prepared, each row has failed.
 */
export async function runSuite(
  { suite, queue }: PlannedSuite,
  open: () => Promise<Fixture>,
  report: Report,
): Promise<void> {
  const shown = suite.queues === 'once' ? 'either' : queue;
  let fixture: Fixture | undefined;
  try {
    fixture = await open();
    await suite.prepare?.(fixture);
  } catch (error) {
    if (!isEnding()) for (const it of suite.cases) report.failed(it, shown, error, 0);
    await fixture?.close().catch(() => undefined);
    return;
  }
  const opened = fixture;
  const runCase = async (it: FaultCase) => {
    const started = Date.now();
    try {
      const { skipped, ...result } = await it.run(opened);
      if (skipped !== undefined) report.skipped(it, shown, skipped);
      else report.passed(it, shown, result, Date.now() - started);
    } catch (error) {
      if (isEnding()) return;
      report.failed(it, shown, error, Date.now() - started);
    }
  };
  if (suite.atOnce) await Promise.all(suite.cases.map(runCase));
  else for (const it of suite.cases) await runCase(it);
  const late = opened.lateArrivals();
  if (late > 0 && !isEnding())
    report.failed(afterwardsOf(suite), shown, `${late} POSTs came when all was done`, 0);
  await opened.close().catch(() => undefined);
}
