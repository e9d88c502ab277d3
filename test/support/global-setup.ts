import './source-packages.cjs';
import { TestRun } from './test-run';

export default async function globalSetup(): Promise<void> {
  (globalThis as { testRun?: TestRun }).testRun = await TestRun.start();
}
