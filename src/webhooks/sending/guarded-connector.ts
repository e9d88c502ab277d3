import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildConnector } from 'undici';
import { LIMITS } from '../../platform/limits/limits';
import { AttemptError } from '../deliveries/attempt-outcome';
import {
  isLoopbackAddress,
  isLoopbackHost,
  isPublicAddress,
  LOCALHOST,
  type TargetAccess,
} from '../endpoints/endpoint.rules';

/** How receivers may be reached. */
export interface ReceiverAccess extends TargetAccess {
  /** Certificate authorities (PEM) instead of the system's. */
  readonly ca?: string;
  /** By default public DNS, and with `allowInsecure` the system's own resolver. */
  readonly resolve?: ResolveHost;
}

/** Every address of a host name, as text. Rejects, or returns none, if there is none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/**
 * How the sender opens connections: names are resolved by `guardedLookup`, TLS is always verified, and unless
 * insecure endpoints are allowed the remote address must be public, or this machine's where the URL names it.
 * @param signal destroys the sockets, also while they are connecting: undici knows only connected ones
 */
export function guardedConnector(
  access: ReceiverAccess,
  signal: AbortSignal,
): buildConnector.connector {
  const connect = buildConnector({
    lookup: guardedLookup(access),
    // Cleans up after an expired delivery; the delivery itself has its own deadline.
    timeout: 30_000,
    // Several checked addresses are tried in turn. Node's 250 ms each is too short across oceans.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
    rejectUnauthorized: true,
    // A resumed session skips the certificate: every connection must present a valid one.
    maxCachedSessions: 0,
    ca: access.ca,
    signal,
  });
  const bounded = onConnection(connect, limitResponseBytes);
  return access.allowInsecure ? bounded : refusingPrivatePeers(bounded, access);
}

/**
 * Wraps a connector so that a connection to an address that is not public is closed before a byte of the request is
 * sent. A host that names this machine must lead to it and nowhere else. The earlier guards should have prevented
 * that; this one does not rely on them.
 */
export function refusingPrivatePeers(
  connect: buildConnector.connector,
  { allowLoopback }: Pick<TargetAccess, 'allowLoopback'> = {},
): buildConnector.connector {
  return onConnection(connect, (socket, hostname) => {
    const isExpected =
      allowLoopback && isLoopbackHost(hostname) ? isLoopbackAddress : isPublicAddress;
    if (isExpected(socket.remoteAddress ?? '')) return;
    socket.destroy();
    throw new AttemptError('address_refused');
  });
}

/** @param work called with each new connection before it is used; it may throw an `AttemptError` */
function onConnection(
  connect: buildConnector.connector,
  work: (socket: Socket, hostname: string) => void,
): buildConnector.connector {
  return (target, callback) =>
    connect(target, (error, socket: Socket | null) => {
      if (error || !socket) return callback(error ?? new AttemptError('network_error'), null);
      try {
        work(socket, target.hostname);
      } catch (refused) {
        return callback(refused as AttemptError, null);
      }
      callback(null, socket);
    });
}

/**
 * A response larger than the limit destroys its connection. Raw bytes are counted, as the HTTP parser reads them:
 * informational responses, chunk extensions and trailers reach no handler, and a receiver could send them without
 * end.
 */
function limitResponseBytes(socket: Socket): void {
  const limit = LIMITS.webhooks.responseBytes.value;
  let received = 0;
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  // Only undici writes, and only to send the next request: the count covers one response.
  socket.write = (...args: unknown[]) => {
    received = 0;
    return write(...args);
  };
  socket.read = (size?: number) => {
    // The earlier bytes were parsed and did not end the response.
    if (received > limit) socket.destroy(new AttemptError('response_too_large'));
    const chunk = read(size);
    received += chunk?.length ?? 0;
    return chunk;
  };
}

/**
 * A `lookup` for `net.connect` that allows connections to public addresses only. The name is resolved once; if
 * **any** of its addresses is not public the whole name is refused, and the connection can only go to the checked
 * addresses, so DNS rebinding (a second, different response of the name server) has no effect. It does not see IP
 * literals, which `net.connect` never looks up: `checkEndpointUrl` checks those. With `allowLoopback` the name
 * `localhost` is this machine (RFC 6761) and nobody is asked for it; any other name that resolves to it is refused.
 * Failures are an `AttemptError` of `dns_error` or `address_refused`, without any detail.
 */
export function guardedLookup(access: ReceiverAccess): LookupFunction {
  const { allowInsecure, allowLoopback, resolve } = access;
  const resolveHost = resolve ?? (allowInsecure ? resolveBySystem : dnsResolver());
  const vet = async (hostname: string, wanted: unknown) => {
    const isThisMachine = !allowInsecure && allowLoopback && hostname.toLowerCase() === LOCALHOST;
    const addresses = isThisMachine
      ? THIS_MACHINE
      : await resolveHost(hostname).catch((): string[] => []);
    if (!allowInsecure && !isThisMachine && !addresses.every(isPublicAddress))
      throw new AttemptError('address_refused');
    const vetted = addresses.map((address) => ({ address, family: isIP(address) }));
    return wanted === 4 || wanted === 6 ? vetted.filter(({ family }) => family === wanted) : vetted;
  };
  return (hostname, { all, family }, callback) =>
    void vet(hostname, family).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(new AttemptError('dns_error'), '');
        else if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
}

/** The addresses of `localhost`: a program may listen on only one of them. */
const THIS_MACHINE = ['127.0.0.1', '::1'];

/**
 * Resolves with DNS queries of our own, IPv4 first. `dns.lookup` would block a thread of the pool for each name, and
 * Node allows that for only half of its four threads: two hosts with name servers that never respond would hold up
 * every other delivery. It also reads /etc/hosts and search lists, which are not relevant for public names.
 * @param servers name servers as `address` or `address:port`; by default the system's
 */
export function dnsResolver(servers?: readonly string[]): ResolveHost {
  return async (hostname) => {
    // A new one for each name, so that a changed resolv.conf is noticed without a restart.
    const resolver = new Resolver({ timeout: 3_000, tries: 2 });
    if (servers) resolver.setServers([...servers]);
    const queries = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
    const settled = Promise.allSettled(queries);
    // One family may be missing, or its query may get no response: the other is enough.
    const found = Promise.any(queries).then(() =>
      // Usually both have answered: then nothing waits for it.
      sleep(OTHER_FAMILY_WITHIN, undefined, { ref: false }),
    );
    await Promise.race([settled, found.catch(() => settled)]);
    // A query without a response ends here, as one that failed.
    resolver.cancel();
    return (await settled).flatMap((it) => (it.status === 'fulfilled' ? it.value : []));
  };
}

/** Milliseconds after one family was found. A name server that ignores AAAA would delay each new connection by seconds. */
const OTHER_FAMILY_WITHIN = 250;

async function resolveBySystem(hostname: string): Promise<string[]> {
  const found = await systemLookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
