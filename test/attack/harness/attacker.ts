import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { atTheEnd } from '../../faults/harness/cleanup';

/** A body: `start`, then `middle` again and again up to so many bytes, then `end`. */
export interface Repeated {
  start: string;
  middle: string;
  end: string;
  size: number;
}

export interface Request {
  path: string;
  /** GET */
  method?: string;
  headers?: Record<string, string>;
  body?: string | Repeated;
}

/** Connections that send next to nothing, or read nothing, and are never closed. */
export interface Holding {
  kind: 'idle' | 'half-header' | 'drip' | 'unread';
  connections: number;
  path: string;
  /** Where they come from. */
  address: string;
}

/** Requests in turn. */
export interface Flood {
  kind: 'flood';
  connections: number;
  /** Milliseconds between a response and the next request of the same connection: 0. */
  pause?: number;
  requests: Request[];
  /** From how many addresses: 1. */
  addresses?: number;
  /** Each once: not again and again. */
  once?: boolean;
}

/** How many responses had which status; 0 is none. */
export type Statuses = Record<string, number>;

/** Each flood comes from a network of its own: a limit that one has used up is not the next one's. */
let networks = 1;

/** Hostile clients in a process of their own. */
export class Attacker {
  private constructor(
    private readonly child: ChildProcess,
    private readonly forget: () => void,
  ) {}

  /** Resolves when the connections have had time to open (at least half a second), or at once for requests sent once. */
  static async start(port: number, attack: Holding | Flood): Promise<Attacker> {
    const child = fork(join(__dirname, 'clients.ts'), { serialization: 'advanced' });
    const forget = atTheEnd(() => child.kill('SIGKILL'));
    child.send({ port, attack, network: `127.0.${++networks}` });
    await next(child);
    return new Attacker(child, forget);
  }

  /** Waits for a flood of requests that are sent once. @returns the statuses of their responses */
  async done(): Promise<Statuses> {
    const statuses = await next(this.child);
    this.end();
    return statuses;
  }

  /** @returns the statuses since the last look, of a flood */
  async look(): Promise<Statuses> {
    this.child.send('look');
    return next(this.child);
  }

  end(): void {
    this.forget();
    this.child.kill('SIGKILL');
  }
}

async function next(child: ChildProcess): Promise<Statuses> {
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  const [message] = (await once(child, 'message', { signal: ended.signal })) as [Statuses];
  return message;
}
