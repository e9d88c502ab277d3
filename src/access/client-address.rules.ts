import ipaddr from 'ipaddr.js';

/**
 * The address by which requests are counted: IPv4 as it is (also when written as ::ffff:a.b.c.d), IPv6 by
 * its /64, since that is what one customer is given and can rotate through.
 */
export function addressKey(address: string | undefined): string {
  if (!address || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
