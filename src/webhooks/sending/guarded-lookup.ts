import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { AttemptError } from '../deliveries/attempt-outcome';
import { isPublicAddress } from '../endpoints/safe-url';

/** Every address of a host name, as text. Rejects, or answers none, when there is none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/**
 * A `lookup` for `net.connect` that lets connections reach public addresses only. The name is
 * resolved once; if **any** of its addresses is not public the whole name is refused, and the
 * connection can go only to the addresses that were vetted, so a second, different answer of the name
 * server (DNS rebinding) is never asked for.
 *
 * It does not see IP literals, which `net.connect` never looks up: `checkEndpointUrl` judges those.
 * Failures are an `AttemptError` of `dns_error` or `address_refused`, without any detail.
 *
 * @param options.allowInsecure development only: any address is accepted
 * @param options.resolve by default public DNS, and with `allowInsecure` the system's own resolver
 */
export function guardedLookup(options: {
  allowInsecure: boolean;
  resolve?: ResolveHost;
}): LookupFunction {
  const { allowInsecure } = options;
  const resolve = options.resolve ?? (allowInsecure ? resolveBySystem : dnsResolver());

  return (hostname, { all, family }, callback) => {
    vettedAddresses(hostname, resolve, allowInsecure).then(
      (addresses) => {
        const wanted =
          family === 4 || family === 6
            ? addresses.filter((address) => address.family === family)
            : addresses;
        const first = wanted[0];
        if (!first) callback(new AttemptError('dns_error'), '');
        else if (all) callback(null, wanted);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, ''),
    );
  };
}

async function vettedAddresses(hostname: string, resolve: ResolveHost, allowInsecure: boolean) {
  const addresses = await resolve(hostname).catch(() => []);
  if (addresses.length === 0) throw new AttemptError('dns_error');
  if (!allowInsecure && !addresses.every(isPublicAddress)) {
    throw new AttemptError('address_refused');
  }
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

/**
 * Resolves by DNS queries of our own, IPv4 first. `dns.lookup` would block a thread of the pool for
 * each name, and Node lends that kind of work half of four: two hosts with name servers that never
 * answer would hold up every other delivery. It also reads /etc/hosts and search lists, which have
 * nothing public to say.
 *
 * @param servers name servers as `address` or `address:port`; by default the system's
 * @param timeoutMs how long one query waits for its answer before it is sent once more
 */
export function dnsResolver(servers?: readonly string[], timeoutMs = 3000): ResolveHost {
  return async (hostname) => {
    // A new one for each name, so that a changed resolv.conf is seen without a restart.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
    if (servers) resolver.setServers([...servers]);
    // One family may be missing or its query unanswered: the other is enough.
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

async function resolveBySystem(hostname: string): Promise<string[]> {
  const found = await systemLookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
