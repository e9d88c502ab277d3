import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { QueryFailedError } from 'typeorm';
import { loadConfig } from '../config/config';
import { DatabaseUnreachable } from '../database/reach';
import { explain } from './explain';

async function listenOn(port: number): Promise<unknown> {
  const server = createServer().listen(port, '127.0.0.1');
  return once(server, 'error').then(([error]) => error as unknown);
}

describe('messages of a failed start', () => {
  it('a taken port is reported with its number and what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(explain(await listenOn(port))).toBe(
      `Port ${port} is in use, perhaps by this service. Stop what uses it, or choose another port with PORT=${port + 1}.`,
    );
    other.close();
    const last = Object.assign(new Error('in use'), { code: 'EADDRINUSE', port: 65_535 });
    expect(explain(last)).toContain('with PORT=65534.');
  });

  it('a port without permission is reported as such', () => {
    const refused = { code: 'EACCES', port: 80 };
    const error = Object.assign(new Error('listen EACCES'), { ...refused, syscall: 'listen' });
    expect(explain(error)).toBe(
      'Port 80 may not be opened by this user. Choose a port above 1023 with PORT=3000.',
    );
    // A firewall of this machine.
    const blocked = { ...refused, syscall: 'connect' };
    const connecting = Object.assign(new Error('connect EACCES'), blocked);
    expect(explain(connecting)).toMatch(
      /^A server cannot be used at the moment \(connect EACCES\)/,
    );
  });

  it('invalid settings and an unreachable database are reported without a stack', () => {
    expect(explain(new DatabaseUnreachable('No database.'))).toBe('No database.');
    let thrown: unknown;
    try {
      loadConfig({ PORT: 'x' });
    } catch (error) {
      thrown = error;
    }
    expect(explain(thrown)).toMatch(/^A setting is invalid[^]+PORT must be/);
    expect(explain(thrown)).not.toContain(' at ');
  });

  it('an error of a database that stopped responding is reported without a stack', () => {
    expect(explain(new Error('timeout expired'))).toBe(
      'A server cannot be used at the moment (timeout expired). Check that the database runs, takes writes and is not overloaded, and Redis if REDIS_URL is set, then try again.',
    );
    const busy = Object.assign(new Error('canceling statement'), { code: '57014' });
    expect(explain(new QueryFailedError('SELECT 1', [], busy))).toMatch(
      /^A server cannot be used at the moment \(canceling statement\)\./,
    );
    const full = Object.assign(new Error('sorry, too many clients already'), { code: '53300' });
    expect(explain(full)).toMatch(
      /^A server cannot be used at the moment \(sorry, too many clients already\)\./,
    );
  });

  it('a refused or lost connection is reported without naming a server that may be another', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6379'), {
      code: 'ECONNREFUSED',
    });
    expect(explain(refused)).toBe(
      'A server cannot be used at the moment (connect ECONNREFUSED 127.0.0.1:6379). Check that the database runs, takes writes and is not overloaded, and Redis if REDIS_URL is set, then try again.',
    );
    // A host with several addresses.
    expect(explain(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toMatch(
      /^A server cannot be used at the moment \(ECONNREFUSED\)\./,
    );
    const ofStatement = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    expect(explain(new QueryFailedError('SELECT 1', [], ofStatement))).toMatch(
      /^A server cannot be used at the moment \(read ECONNRESET\)\./,
    );
  });

  it('an internal error keeps its stack', () => {
    expect(explain(new TypeError('x is not a function'))).toMatch(
      /^TypeError: x is not a function\n\s+at /,
    );
    expect(explain('just text')).toBe('just text');
    expect(explain(undefined)).toBe('undefined');
  });
});
