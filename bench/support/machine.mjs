import { cpus, release, totalmem, type } from 'node:os';

/** One line about where the figures come from. */
export function machine() {
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, ${memory} GiB, ${type()} ${release()}, Node ${process.versions.node}`;
}
