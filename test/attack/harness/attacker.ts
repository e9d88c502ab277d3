import { fork } from 'node:child_process';
import { join } from 'node:path';
import { atTheEnd } from '../../faults/harness/cleanup';

/** What a client does that means harm. `path`: with a query, and only where requests are sent. */
export interface Attack {
  kind: 'idle' | 'half-header' | 'drip' | 'unread' | 'flood';
  connections: number;
  path: string;
}

/** Attacks from 127.0.0.2, in a process of its own, while `during` runs. */
export async function whileAttacked<T>(
  port: number,
  attack: Attack,
  during: () => Promise<T>,
): Promise<T> {
  const child = fork(join(__dirname, 'clients.cjs'), [JSON.stringify({ ...attack, port })]);
  const forget = atTheEnd(() => child.kill('SIGKILL'));
  try {
    await new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', () => reject(new Error('the attacker ended')));
    });
    return await during();
  } finally {
    child.kill('SIGKILL');
    forget();
  }
}
