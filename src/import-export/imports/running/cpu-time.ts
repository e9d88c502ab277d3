import { Worker } from 'node:worker_threads';

/** Milliseconds between two looks. */
const LOOK_EVERY = 100;

const WATCH = `
const { workerData } = require('node:worker_threads');
const before = process.cpuUsage();
setInterval(() => {
  const { user, system } = process.cpuUsage(before);
  if ((user + system) / 1000 > workerData) process.kill(process.pid, 'SIGXCPU');
}, ${LOOK_EVERY});`;

/**
 * Ends this process by SIGXCPU when it has used more than this many milliseconds of CPU time. Time spent waiting does
 * not count, so a busy machine stops no file. A thread watches, because a hostile file keeps the event loop busy.
 * @returns a function that lifts the limit
 */
export function limitCpuTime(milliseconds: number): () => void {
  const watch = new Worker(WATCH, { eval: true, workerData: milliseconds, execArgv: [] });
  watch.unref();
  return () => void watch.terminate();
}
