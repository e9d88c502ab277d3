import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of this process that are in use: what is only waiting to be collected does not count. */
export function memoryHeld(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // V8 frees the bytes of buffers after a collection, in the background. The next collection waits until they are freed.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
