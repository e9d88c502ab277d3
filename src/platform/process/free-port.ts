import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartupError } from '../errors/domain-errors';

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
    throw new StartupError(portTaken(port));
  }
  server.close();
  await once(server, 'close');
}

export const portTaken = (port: number): string =>
  `Port ${port} is in use, perhaps by this service. Stop what uses it, or choose another port with PORT=${port < 65_535 ? port + 1 : port - 1}.`;
