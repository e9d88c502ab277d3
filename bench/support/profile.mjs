import { fileURLToPath } from 'node:url';

/** Node's options for a process whose CPU profile is wanted: it is written to bench/results when the process ends. */
export function profiling(isWanted) {
  const folder = fileURLToPath(new URL('../results', import.meta.url));
  return isWanted ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
}
