import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { AttemptError } from './attempt-outcome';
import { guardedLookup, type ResolveHost } from './guarded-lookup';
import { isPublicAddress } from './safe-url';

/**
 * How the sender opens connections: names by `guardedLookup`, TLS always verified, and unless
 * insecure ones are allowed a far end that is public.
 *
 * @param options.ca certificate authorities (PEM) instead of the system's
 */
export function guardedConnector(options: {
  allowInsecure: boolean;
  ca?: string;
  resolve?: ResolveHost;
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
  });
  return options.allowInsecure ? connect : refusingPrivatePeers(connect);
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
