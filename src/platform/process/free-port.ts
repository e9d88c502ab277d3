import { once } from 'node:events';
import { createServer } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { StartupError } from '../errors/domain-errors';
import { LIVE } from './live';

/**
 * Listens on the port for a moment, so that a start fails before it opens a database or starts a process.
 * @throws StartupError if the port is taken
 */
export async function requireFreePort(port: number): Promise<void> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new StartupError((await isOwnService(port)) ? alreadyRuns(port) : portTaken(port));
  }
  server.close();
  await once(server, 'close');
}

/** Milliseconds until a program that does not respond counts as another one. */
const PATIENCE = 2_000;

/** Whether this service responds on the port. */
async function isOwnService(port: number): Promise<boolean> {
  const abort = new AbortController();
  // Not AbortSignal.timeout, which does not keep the process running: Node would exit with 0 while `fetch` waits, as it
  // does for a program that closes the connection at once.
  const timer = setTimeout(() => abort.abort(), PATIENCE);
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health/live`, { signal: abort.signal });
    return isDeepStrictEqual(await response.json(), LIVE);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

const alreadyRuns = (port: number): string =>
  `The service already runs on port ${port}: http://localhost:${port}. Stop it, or start another one with ${another(port)}.`;

export const portTaken = (port: number): string =>
  `Port ${port} is used by another program. Stop that program, or choose another port with ${another(port)}.`;

const another = (port: number) => `PORT=${port < 65_535 ? port + 1 : port - 1}`;
