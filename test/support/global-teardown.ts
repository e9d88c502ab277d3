import type { TestRun } from './test-run';

export default async function globalTeardown(): Promise<void> {
  await (globalThis as { testRun?: TestRun }).testRun?.end();
}
