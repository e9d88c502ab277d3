import { setFlagsFromString } from 'node:v8';

/**
 * Imported for its effect, before the modules of a process: while they are loaded, V8 collects garbage early instead of
 * letting the heap grow. It does not shrink the heap of an idle process by itself: without this flag, the API and the
 * worker keep 35 MiB each that the start has left behind. Requests are served without it.
 */
setFlagsFromString('--optimize-for-size');

/** From here on V8 prefers speed, as usual. */
export function endStart(): void {
  setFlagsFromString('--no-optimize-for-size');
}
