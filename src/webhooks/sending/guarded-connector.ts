import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { LIMITS } from '../../platform/limits/limits';
import { AttemptError } from '../deliveries/attempt-outcome';
import { guardedLookup, type ResolveHost } from './guarded-lookup';
import { isPublicAddress } from '../endpoints/safe-url';

/**
 * How the sender opens connections: names by `guardedLookup`, TLS always verified, and unless
 * insecure ones are allowed a far end that is public.
 *
 * @param options.ca certificate authorities (PEM) instead of the system's
 * @param options.signal destroys the sockets, also those that are still connecting: undici knows only connected ones
 */
export function guardedConnector(options: {
  allowInsecure: boolean;
  ca?: string;
  resolve?: ResolveHost;
  signal?: AbortSignal;
}): buildConnector.connector {
  const connect = buildConnector({
    lookup: guardedLookup(options),
    // Ends what an expired delivery left behind; the delivery itself has its own deadline.
    timeout: 30_000,
    // Several vetted addresses are tried in turn. Node's 250 ms each is too short across oceans.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
    rejectUnauthorized: true,
    // A resumed session skips the certificate: every connection shall show a valid one.
    maxCachedSessions: 0,
    ca: options.ca,
    signal: options.signal,
  });
  const bounded = limitResponseBytes(connect);
  return options.allowInsecure ? bounded : refusingPrivatePeers(bounded);
}

/**
 * Wraps a connector so that a response that is larger than the limit destroys its connection. Raw bytes are
 * counted, as the HTTP parser takes them: informational responses, chunk extensions and trailers reach no
 * handler, and a receiver could send them without end.
 */
function limitResponseBytes(connect: buildConnector.connector): buildConnector.connector {
  const limit = LIMITS.webhooks.responseBytes.value;
  return (target, callback) =>
    connect(target, (error, socket: Socket | null) => {
      if (error || !socket) return callback(error ?? new AttemptError('network_error'), null);
      let received = 0;
      const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
      const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
      // Only undici writes, and only to send the next request: the count is of one response.
      socket.write = (...args: unknown[]) => {
        received = 0;
        return write(...args);
      };
      socket.read = (size?: number) => {
        // The bytes before were parsed and did not end the response.
        if (received > limit) socket.destroy(new AttemptError('response_too_large'));
        const chunk = read(size);
        received += chunk?.length ?? 0;
        return chunk;
      };
      callback(null, socket);
    });
}

/**
 * Wraps a connector so that a connection whose far end is not public is cut before a byte of the
 * request leaves. The guards before it should have seen to that; this one trusts none of them.
 */
export function refusingPrivatePeers(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (error, socket: Socket | null) => {
      if (error || !socket) return callback(error ?? new AttemptError('network_error'), null);
      if (isPublicAddress(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(new AttemptError('address_refused'), null);
    });
}
